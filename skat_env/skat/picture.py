"""The table of a game of Skat, as pictures show it."""

from typing import TYPE_CHECKING

from skat_env.pictures.table import Hand, Table, playable_cards, tricks_on_table, tricks_text
from skat_env.skat.render import cards_left, declaration_text, seat_marks, sorted_hand
from skat_env.skat.rules import HIDDEN, SEAT_NAMES, Contract, Phase

if TYPE_CHECKING:
    from skat_env.skat._state import SkatPosition

_TITLES = {
    Phase.BID: "auction",
    Phase.ANSWER: "auction",
    Phase.PICK_UP: "skat or hand game",
    Phase.CONTRACT: "declaration",
}


def table(position: "SkatPosition", bottom: int | None = None) -> Table:
    """The table of a position: a state with all its cards, a view with those that its seat sees."""
    contract = position.contract
    trick, last = tricks_on_table(position.plays(), position.trick(), 3)
    acting = position.to_act
    return Table(
        hands=tuple(_hand(position, seat) for seat in range(3)),
        bottom=getattr(position, "seat", 0) if bottom is None else bottom,
        to_act=acting,
        title=_title(position),
        suit=contract if contract is not None and contract < Contract.GRAND else None,
        lines=_lines(position),
        trick=trick,
        last_trick=last,
        playable=playable_cards(position, position.hands[acting]) if position.phase == Phase.PLAY else 0,
        pile=_skat(position),
        pile_name="skat",
        result=_result(position) if position.is_over else (),
    )


def _hand(position: "SkatPosition", seat: int) -> Hand:
    played = sum(1 << card for who, card in position.plays() if who == seat) if position.is_over else 0
    known = position.hands[seat]
    hidden = 0 if known else cards_left(position, seat)
    cards = (*sorted_hand(known | played, position.contract), *[None] * hidden)
    return Hand(SEAT_NAMES[seat], cards, tuple(seat_marks(position, seat)), played)


def _title(position: "SkatPosition") -> str:
    if position.contract is None:
        return "everybody passed" if position.is_over else _TITLES[position.phase]
    words = declaration_text(position)
    if position.contract < Contract.GRAND:
        words = words.partition(" ")[2]  # the symbol is drawn
    asked = {Phase.DISCARD: ": discard", Phase.ANNOUNCE: ": announcement"}
    return words + asked.get(position.phase, "")


def _lines(position: "SkatPosition") -> tuple[str, ...]:
    if position.soloist < 0 or position.phase not in (Phase.PLAY, Phase.OVER):
        return (f"bid {position.bid}",) if position.bid else ()
    sides = zip(("soloist", "defenders"), position.points, position.tricks, strict=True)
    return tuple(f"{name} {points} points, {tricks_text(tricks)}" for name, points, tricks in sides)


def _skat(position: "SkatPosition") -> tuple[int | None, ...]:
    if position.skat:
        return tuple(sorted_hand(position.skat, position.contract))
    if not position.picked_up or position.phase in (Phase.PLAY, Phase.OVER):
        return (None, None)
    return (None,) * sum(action < 32 or action == HIDDEN for action in position.history())


def _result(position: "SkatPosition") -> tuple[str, ...]:
    """What is known of a finished game; a view may not know the points in the skat."""
    if position.soloist < 0:
        return ("everybody passed",)
    if not hasattr(position, "result"):
        return (f"{SEAT_NAMES[position.soloist]} was soloist", *_lines(position))
    result = position.result()
    points = " ".join(f"{points:+d}" for points in result.tournament_points)
    return (
        f"{SEAT_NAMES[result.declarer]} {'wins' if result.won else 'loses'}",
        f"value {result.value}, {result.card_points} card points",
        f"tournament points {points}",
    )
