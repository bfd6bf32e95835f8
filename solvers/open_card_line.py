"""A position with open cards as one JSON object, and what a game has to give so that `skat-env solve` knows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from skat_env.cards import parse_card
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.protocols import State
from solvers.solution import Solution


@dataclass(frozen=True, slots=True)
class OpenCardLine:
    """A position, and what is known of its value."""

    position: Any
    values: Mapping[str, int] = field(default_factory=dict)
    """What is known, by the key that it has in the line."""
    actions: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """The values after each legal card that are known, likewise."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The whole object."""

    @property
    def value(self) -> int | None:
        """The first of the values; None if none is known."""
        return next(iter(self.values.values()), None)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every position."""

    question: Literal["exact", "decision", "actions"]
    target: int
    """Of a decision, in the games that have such a number."""


class OpenCardGame(Protocol):
    """A game's open-card lines and its solver. Answers are what is written into a line, by key."""

    name: str
    mark: str
    """The key that lines of this game have, and those of no other."""
    place_sizes: tuple[int, ...]
    """Cards at each place of a deal."""

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine:
        """The position of an object; raises a ValueError that says what is wrong with it."""

    def parse_text(self, text: str) -> OpenCardLine:
        """The position of a text as states write it; raises a ValueError that says what is wrong with it."""

    def questions(self, line: OpenCardLine, asked: Asked) -> tuple[Any, ...]:
        """What the solver is asked; hashable."""

    def solve(self, lines: Sequence[OpenCardLine], question: Any, threads: int) -> list[Solution]:
        """The solver's answers."""

    def answers(self, line: OpenCardLine, asked: Asked, solutions: Sequence[Solution]) -> dict[str, Any]:
        """The answers to all of a line's questions."""

    def known(self, line: OpenCardLine, asked: Asked) -> dict[str, Any]:
        """Those of the answers that the line's own values tell."""

    def describe(self, line: OpenCardLine) -> str:
        """The solved position for people, with best play to the end."""


def require(fields: Mapping[str, Any], needed: Sequence[str]) -> None:
    """Raises a ParseError if a key is missing."""
    missing = [key for key in needed if key not in fields]
    if missing:
        raise ParseError(f"the key {', '.join(missing)} is missing: needed are {', '.join(needed)}")


def read_cards(name: str, cards: Any) -> list[int]:
    """The cards of a list or a text.

    Raises:
        ParseError: if it is neither.
    """
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise ParseError(f"{name} is not a list of cards, nor a text of them")
    return [parse_card(card) for card in cards]


def read_seat(name: str, seat: Any, seats: int) -> int:
    """A seat.

    Raises:
        ParseError: if it is none.
    """
    if isinstance(seat, bool) or seat not in range(seats):
        raise ParseError(f"{name} {seat!r} is not one of {', '.join(map(str, range(seats)))}")
    return int(seat)


def read_deal(hands: Any, others: Sequence[tuple[str, Any]], sizes: Sequence[int]) -> Deal:
    """The deal of a list of hands and of the places besides, by name.

    Raises:
        ParseError: if it is not complete.
    """
    seats = len(sizes) - len(others)
    if not isinstance(hands, list) or len(hands) != seats:
        raise ParseError(f"hands is not a list of {('three', 'four')[seats - 3]} texts")
    named = [*((f"hand {seat}", cards) for seat, cards in enumerate(hands)), *others]
    places = []
    for (name, cards), size in zip(named, sizes, strict=True):
        held = read_cards(name, cards)
        if len(held) != size:
            raise ParseError(f"{name} has {len(held)} cards, expected {size}")
        places.append(sum(1 << card for card in held))
    return Deal(tuple(places))


def play_cards(state: State, played: Any) -> None:
    """Plays the cards of a list or a text.

    Raises:
        ParseError: if it is neither.
        IllegalAction: if one is not legal; tells which.
    """
    for number, card in enumerate(read_cards("played", played), start=1):
        try:
            state.apply(card)
        except IllegalAction as error:
            raise IllegalAction(f"card {number} played: {error}") from None


def read_values(fields: Mapping[str, Any], keys: Sequence[str]) -> dict[str, int]:
    """The values that are there.

    Raises:
        ParseError: if one is no number.
    """
    for key in keys:
        if not isinstance(fields.get(key, 0), int | None):
            raise ParseError(f"{key} is {fields[key]!r}, not a number or truth value")
    return {key: int(fields[key]) for key in keys if fields.get(key) is not None}


def read_actions(fields: Mapping[str, Any], keys: Sequence[str]) -> dict[str, dict[int, int]]:
    """The values after each card that are there.

    Raises:
        ParseError: if they are not an object of card: value.
    """
    found = {}
    for key in keys:
        values = fields.get(key)
        if values is None:
            continue
        if not isinstance(values, dict) or not all(isinstance(each, int) for each in values.values()):
            raise ParseError(f"{key} is not an object of card: value")
        found[key] = {parse_card(card): int(each) for card, each in values.items()}
    return found
