"""The table of a deal of Klaverjas, as pictures show it."""

from typing import TYPE_CHECKING

from skat_env.cards import SUIT_NAMES
from skat_env.klaverjas.render import seat_marks, sorted_hand
from skat_env.klaverjas.rules import SEAT_NAMES, Phase
from skat_env.klaverjas.scoring import DealResult
from skat_env.pictures.table import Hand, Table, playable_cards, tricks_on_table, tricks_text

if TYPE_CHECKING:
    from skat_env.klaverjas._state import KlaverjasPosition


def table(position: "KlaverjasPosition", bottom: int | None = None) -> Table:
    """The table of a position: a state with all its cards, a view with those that its seat sees."""
    trick, last = tricks_on_table(position.plays(), position.trick(), 4)
    acting = position.to_act
    return Table(
        hands=tuple(_hand(position, seat) for seat in range(4)),
        bottom=getattr(position, "seat", 0) if bottom is None else bottom,
        to_act=acting,
        title="choice of trumps" if position.trump is None else f"{SUIT_NAMES[position.trump]} are trumps",
        suit=position.trump,
        lines=() if position.trump is None else _lines(position),
        trick=trick,
        last_trick=last,
        playable=playable_cards(position, position.hands[acting]) if position.phase == Phase.PLAY else 0,
        result=_result(position) if position.is_over else (),
    )


def _hand(position: "KlaverjasPosition", seat: int) -> Hand:
    own = sum(1 << card for who, card in position.plays() if who == seat)
    played = own if position.is_over else 0
    known = position.hands[seat]
    hidden = 0 if known else 8 - own.bit_count()
    cards = (*sorted_hand(known | played, position.trump), *[None] * hidden)
    return Hand(SEAT_NAMES[seat], cards, tuple(seat_marks(position, seat)), played)


def _lines(position: "KlaverjasPosition") -> tuple[str, ...]:
    rows = zip(("south-north", "west-east"), position.points, position.roem, position.tricks, strict=True)
    return tuple(
        f"{name} {points} + {roem} roem, {tricks_text(tricks)}" for name, points, roem, tricks in rows
    )


def _result(position: "KlaverjasPosition") -> tuple[str, ...]:
    """The result of a finished deal, in words: all of it is public."""
    if not hasattr(position, "result"):
        return (f"{SEAT_NAMES[position.declarer]} declared", *_lines(position))
    result: DealResult = position.result()
    outcome = "makes it" if result.made else "is nat"
    return (
        f"{SEAT_NAMES[result.declarer]} {outcome}{', pit' if result.pit else ''}",
        f"south-north {result.scores[0]}, west-east {result.scores[1]}",
    )
