"""Positions as JSON objects, one per line, and what a game gives so that they can be solved.

The keys of a line show its game and kind. Each game describes its lines with open cards in its own module
`solvers.GAME.open_card` and gives an `OpenCardGame` there, its part `open_card`. Lines of what one player knows are its
part `guaranteed`, a `SolvedLines`. Keys that a game does not know are kept as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Literal, Protocol, TypeVar

from skat_env.cards import card_symbol, card_text, parse_card
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.options import Range, check_fields
from skat_env.position_text import split_position
from skat_env.protocols import Game, State
from skat_env.registry import game_names, get_game, get_part, has_part
from skat_env.solvers.protocols import OpenCardSolver
from skat_env.solvers.question import OpenCardQuestion
from skat_env.solvers.solution import Solution
from skat_env.tools.parsing import parse_json

P = TypeVar("P")
S = TypeVar("S", bound=State)
Q = TypeVar("Q", bound=OpenCardQuestion)


@dataclass(frozen=True, slots=True)
class OpenCardLine(Generic[P]):
    """A position, and what is known of its value."""

    position: P
    values: Mapping[str, int] = field(default_factory=dict)
    """The known values, by their key in the line."""
    actions: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """The known values after each legal card, by their key in the line."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The whole object."""

    @property
    def value(self) -> int | None:
        """The first of the values; None if none is known."""
        return next(iter(self.values.values()), None)


QuestionName = Literal["exact", "decision", "actions", "guaranteed"]
OPEN_CARD_QUESTIONS: Final[tuple[QuestionName, ...]] = ("exact", "decision", "actions")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every position."""

    question: QuestionName
    target: Annotated[int, Range(ge=0, le=120)] | None = None
    """The target of a decision, in the games whose decisions have one: card points. None: what wins a plain game."""

    def __post_init__(self) -> None:
        check_fields(self, "solve")


class SolvedLines(Protocol[P, Q]):
    """A game's lines of one kind and their solver. Answers are what is written into a line, by key."""

    name: str
    """The game."""
    mark: str
    """The key that every line of this kind has, and no line of another."""
    asked: tuple[QuestionName, ...]
    """The questions that fit these lines."""
    solver: OpenCardSolver[P, Q]

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine[P]:
        """The position of an object; raises a ValueError that says what is wrong with it."""

    def questions(self, line: OpenCardLine[P], asked: Asked) -> tuple[Q, ...]:
        """The questions for the solver; hashable."""

    def answers(self, line: OpenCardLine[P], asked: Asked, solutions: Sequence[Solution]) -> dict[str, Any]:
        """The answers to all of a line's questions."""

    def known(self, line: OpenCardLine[P], asked: Asked) -> dict[str, Any]:
        """The answers that follow from the line's own values."""

    def describe(self, line: OpenCardLine[P]) -> str:
        """The solved position for people."""


class OpenCardGame(SolvedLines[S, Q], Protocol[S, Q]):
    """A game's lines with open cards."""

    value_question: str
    """The words with which a question for the exact value begins."""

    def verdict(self, state: S) -> tuple[str, Solution]:
        """What perfect play comes to, as a sentence, and the solution with its actions and best play."""

    def declarers_want_more(self, state: S) -> bool:
        """Whether a larger value is better for the declaring side."""

    def value_text(self, state: S, value: int) -> str:
        """A value alone."""

    def score_text(self, state: S) -> str:
        """What the sides have won so far."""


AnyLines = SolvedLines[Any, Any]
Read = tuple[AnyLines, OpenCardLine[Any]]


def line_kinds() -> list[AnyLines]:
    """All kinds of lines of all games."""
    parts = ("open_card", "guaranteed")
    return [get_part(name, part) for name in game_names() for part in parts if has_part(name, part)]


def parse_open_card_line(text: str | bytes) -> Read:
    """The game and the position of a line.

    Raises:
        ParseError: if it is malformed, or no deal of its game.
        IllegalAction: if the cards played are not legal.
    """
    try:
        fields = parse_json(text)
    except ValueError as error:
        raise ParseError(f"not a JSON object: {error}") from None
    if not isinstance(fields, dict):
        raise ParseError("not a JSON object")
    games = line_kinds()
    found = [game for game in games if game.mark in fields]
    if len(found) != 1:
        marks = " or ".join(f"{game.mark} ({game.name})" for game in games)
        has = " and ".join(game.mark for game in found) or "none of them"
        raise ParseError(f"a line has one of the keys {marks}, this one has {has}")
    return found[0], found[0].parse(fields)


def parse_position(text: str) -> Read:
    """The game and the position of a line, or of the text that a state writes.

    Raises:
        ParseError, IllegalAction: as `parse_open_card_line`.
        ValueError: if the game cannot be solved.
    """
    if text.lstrip().startswith("{"):
        return parse_open_card_line(text)
    game = game_of_deal(split_position(text)[0])
    return get_part(game.name, "open_card"), OpenCardLine(game.state.parse(text))


def game_of_deal(deal: str) -> Game:
    """The game of the deal in a position's text, by the numbers of cards at its places; `?` may be any.

    Raises:
        ParseError: if it is of no game.
    """
    sizes = ["?" if place == "?" else str(place.count(".") + 1) for place in deal.split("/")]
    known = []
    for game in map(get_game, game_names()):
        expected = [*map(str, game.place_sizes)]
        if len(sizes) == len(expected) and all(
            has in ("?", size) for has, size in zip(sizes, expected, strict=True)
        ):
            return game
        known.append(f"{'/'.join(expected)} ({game.name})")
    raise ParseError(f"the deal has {'/'.join(sizes)} cards at its places, expected {' or '.join(known)}")


def read_open_card_lines(path: Path) -> Iterator[Read]:
    """The games and positions of a file.

    Raises:
        ParseError: if a line is malformed; names it.
        IllegalAction: if the cards played are not legal; names the line.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield parse_open_card_line(line)
                except ValueError as error:
                    kind = IllegalAction if isinstance(error, IllegalAction) else ParseError
                    raise kind(f"{path}:{number}: {error}") from None


def describe(game: OpenCardGame[Any, Any], line: OpenCardLine[S]) -> str:
    """The solved position for people: the table, the verdict, the cards, and best play to the end."""
    state = line.position
    sentence, solution = game.verdict(state)
    table = get_game(game.name).render(state, None)
    return "\n".join(
        [table, "", sentence, *_action_lines(game, state, solution), *_trick_lines(game, state, solution)]
    )


def _action_lines(game: OpenCardGame[Any, Any], state: S, solution: Solution) -> Iterator[str]:
    """The legal cards by value, best first for the seat to act."""
    by_value: dict[int, list[str]] = {}
    for card, bounds in solution.actions.items():
        by_value.setdefault(bounds.lower, []).append(card_symbol(card))
    wants_more = (state.side(state.to_act) == 0) == game.declarers_want_more(state)
    for value in sorted(by_value, reverse=wants_more):
        yield f"  {game.value_text(state, value):>8}  {' '.join(by_value[value])}"


def _trick_lines(game: OpenCardGame[Any, Any], state: S, solution: Solution) -> Iterator[str]:
    """Best play: the leader and the cards of each trick, and the score after it."""
    seats = get_game(game.name).seats
    state = state.clone()
    trick = state.trick()
    yield "best play"
    for card in solution.line:
        trick.append((state.to_act, card))
        state.apply(card)
        if len(trick) == len(seats) or state.is_over:
            cards = " ".join(f"{card_symbol(played):<3}" for _, played in trick)
            yield f"  {seats[trick[0][0]]:<11} {cards}  {game.score_text(state)}"
            trick = []


def require(fields: Mapping[str, Any], needed: Sequence[str]) -> None:
    """Raises a ParseError if a key is missing."""
    missing = [key for key in needed if key not in fields]
    if missing:
        raise ParseError(f"the key {', '.join(missing)} is missing: needed are {', '.join(needed)}")


def read_letter(name: str, letter: object, letters: str | Sequence[str]) -> int:
    """The number of a letter in a list.

    Raises:
        ParseError: if it is none of them.
    """
    if not isinstance(letter, str) or len(letter) != 1 or letter not in letters:
        raise ParseError(f"{name} {letter!r} is not one of {' '.join(letters)}")
    return letters.index(letter)


def read_cards(name: str, cards: object) -> list[int]:
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


def read_deal(hands: object, others: Sequence[tuple[str, object]], sizes: Sequence[int]) -> Deal:
    """The deal of a list of hands, and of the other places by name.

    Raises:
        ParseError: if it is not complete.
    """
    seats = len(sizes) - len(others)
    if not isinstance(hands, list) or len(hands) != seats:
        raise ParseError(f"hands is not a list of {seats} texts")
    named = [*((f"hand {seat}", cards) for seat, cards in enumerate(hands)), *others]
    places = []
    for (name, cards), size in zip(named, sizes, strict=True):
        held = read_cards(name, cards)
        if len(held) != size:
            raise ParseError(f"{name} has {len(held)} cards, expected {size}")
        places.append(sum(1 << card for card in held))
    return Deal(tuple(places))


def play_cards(state: State, played: object) -> None:
    """Plays the cards of a list or a text.

    Raises:
        ParseError: if it is neither.
        IllegalAction: if one is not legal; says which.
    """
    for number, card in enumerate(read_cards("played", played), start=1):
        try:
            state.apply(card)
        except IllegalAction as error:
            raise IllegalAction(f"card {number} played: {error}") from None


def read_line(
    state: S, fields: Mapping[str, Any], values: Sequence[str], actions: Sequence[str]
) -> OpenCardLine[S]:
    """The line of a deal whose cards `played` are still to be played, with the values under some keys.

    Raises:
        ParseError: if the cards or values are malformed.
        IllegalAction: if a card played is not legal.
    """
    play_cards(state, fields.get("played", []))
    return OpenCardLine(state, _read_values(fields, values), _read_actions(fields, actions), fields)


def action_values(line: OpenCardLine[S]) -> dict[str, dict[str, int]]:
    """The line's own values after each card, as the line has them."""
    return {
        key: {card_text(card): value for card, value in values.items()}
        for key, values in line.actions.items()
    }


def _read_values(fields: Mapping[str, Any], keys: Sequence[str]) -> dict[str, int]:
    """The values that are there; raises a ParseError if one is no number."""
    for key in keys:
        if not isinstance(fields.get(key, 0), int | None):
            raise ParseError(f"{key} is {fields[key]!r}, not a number or truth value")
    return {key: int(fields[key]) for key in keys if fields.get(key) is not None}


def _read_actions(fields: Mapping[str, Any], keys: Sequence[str]) -> dict[str, dict[int, int]]:
    """The values after each card that are there; raises a ParseError if they are not an object of card: value."""
    found = {}
    for key in keys:
        values = fields.get(key)
        if values is None:
            continue
        if not isinstance(values, dict) or not all(isinstance(each, int) for each in values.values()):
            raise ParseError(f"{key} is not an object of card: value")
        found[key] = {parse_card(card): int(each) for card, each in values.items()}
    return found
