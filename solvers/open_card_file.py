"""Files of open-card deals of Skat with their values, one JSON object a line.

    {"contract": "C", "declarer": 1, "hands": ["D7 D8 ...", "...", "..."], "skat": "ST SK", "soloist_points": 87}

`contract` is one of D H S C G N, `declarer` the soloist's seat; forehand, seat 0, leads. `played` may hold the cards
played so far, in order, as a list or as one text. `soloist_points` (null: `soloist_takes_a_trick`) is the value of the
position, `actions` that of each legal card. Other keys are kept as they are.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from skat_env.cards import parse_card
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.skat._state import SkatState
from skat_env.skat.rules import CONTRACT_LETTERS, Contract, Declaration, SkatRules
from solvers.skat_question import OpenPosition

_NEEDED: Final = ("contract", "declarer", "hands", "skat")


@dataclass(frozen=True, slots=True)
class OpenCardLine:
    """A position, and what is known of its value."""

    position: SkatState | OpenPosition
    value: int | None = None
    """The soloist's card points, the skat's included; null: 1 if he takes a trick, else 0; None: not known."""
    actions: Mapping[int, int] | None = None
    """The value after each legal card, if known."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The whole object."""


def value_key(contract: Contract) -> str:
    """The key that the value has in a line."""
    return "soloist_takes_a_trick" if contract == Contract.NULL else "soloist_points"


def parse_open_card_line(text: str) -> OpenCardLine:
    """The position of a line.

    Raises:
        ParseError: if it is malformed, or no deal of Skat.
        IllegalAction: if the cards played are not legal.
    """
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(f"not a JSON object: {error}") from None
    if not isinstance(fields, dict):
        raise ParseError("not a JSON object")
    missing = [key for key in _NEEDED if key not in fields]
    if missing:
        raise ParseError(f"the key {', '.join(missing)} is missing: needed are {', '.join(_NEEDED)}")
    contract, declarer, hands = fields["contract"], fields["declarer"], fields["hands"]
    if not isinstance(contract, str) or len(contract) != 1 or contract not in CONTRACT_LETTERS:
        raise ParseError(f"contract {contract!r} is not one of {' '.join(CONTRACT_LETTERS)}")
    if declarer not in (0, 1, 2) or isinstance(declarer, bool):
        raise ParseError(f"declarer {declarer!r} is not one of 0, 1, 2")
    if not isinstance(hands, list) or len(hands) != 3:
        raise ParseError("hands is not a list of three texts")
    places = tuple(
        _cards(name, cards) for name, cards in (*zip("012", hands, strict=True), ("skat", fields["skat"]))
    )
    for name, cards, size in zip(
        ("hand 0", "hand 1", "hand 2", "skat"), places, (10, 10, 10, 2), strict=True
    ):
        if len(cards) != size:
            raise ParseError(f"{name} has {len(cards)} cards, expected {size}")
    deal = Deal(tuple(sum(1 << card for card in cards) for cards in places))
    bids = (18 * (declarer == 0), 18 * (declarer == 1), 18 * (declarer == 2))
    declaration = Declaration(Contract(CONTRACT_LETTERS.index(contract)))
    state = SkatState.cardplay(deal, declarer, declaration, bids, SkatRules(play_out=True))
    for number, card in enumerate(_cards("played", fields.get("played", [])), start=1):
        try:
            state.apply(card)
        except IllegalAction as error:
            raise IllegalAction(f"card {number} played: {error}") from None
    value = fields.get(value_key(declaration.contract))
    actions = fields.get("actions")
    if value is not None and not isinstance(value, int):
        raise ParseError(f"{value_key(declaration.contract)} is {value!r}, not a number or truth value")
    if actions is not None:
        if not isinstance(actions, dict) or not all(isinstance(each, int) for each in actions.values()):
            raise ParseError("actions is not an object of card: value")
        actions = {parse_card(card): int(each) for card, each in actions.items()}
    return OpenCardLine(state, None if value is None else int(value), actions, fields)


def read_open_card_lines(path: Path) -> Iterator[OpenCardLine]:
    """The positions of a file.

    Raises:
        ParseError: if a line is malformed; names it.
        IllegalAction: if the cards played are not legal; names the line.
    """
    with path.open() as file:
        for number, text in enumerate(file, start=1):
            if text.strip():
                try:
                    yield parse_open_card_line(text)
                except ValueError as error:
                    raise type(error)(f"{path}:{number}: {error}") from None


def _cards(name: str, cards: Any) -> list[int]:
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise ParseError(f"{name} is not a list of cards, nor a text of them")
    return [parse_card(card) for card in cards]
