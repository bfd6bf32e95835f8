"""What a State or a View has, as structs: plain fields with names instead of numbers and masks."""

import dataclasses
from typing import Any, Final, Generic, Protocol, TypeVar

from skat_env.cards import CARD_TEXTS
from skat_env.protocols import Game, Position
from skat_env.registry import game_of, get_part
from skat_env.tools.extras import explained

try:
    import msgspec
except ImportError as error:
    raise explained(error) from None

VERSION: Final = 1
"""The version of the schema; it grows when a field changes its meaning or goes."""
HIDDEN: Final = "?"
"""An action of another seat that was not seen: a discard."""
Facts = TypeVar("Facts")


class PlayStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card played to a trick."""

    seat: str
    card: str
    """Suit and rank: `CJ`."""


class TrickStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete trick."""

    plays: tuple[PlayStruct, ...]
    """In the order played."""
    winner: str | None
    """The seat that leads next; null: it ended the game."""


class ResultStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="result", tag_field="what"):
    """What a finished game came to."""

    schema: int
    """The version of the schema."""
    game: str
    returns: dict[str, dict[str, int]]
    """What each seat gets, by reward unit; a view leaves out units that depend on cards which it does not see."""


class ActionStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="action", tag_field="what"):
    """An action of the seat to act."""

    schema: int
    """The version of the schema."""
    game: str
    action: str
    """One of `legal` of the position."""


class PositionStruct(msgspec.Struct, Generic[Facts], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a state and a view have in common; a view leaves out the cards that its seat does not see."""

    schema: int
    """The version of the schema."""
    game: str
    rules: dict[str, str | int | bool]
    """The options of the rules."""
    position: str
    """The position in one line, from which all else follows; commands of skat-env read it too."""
    stage: str
    """The part of the game."""
    to_act: str | None
    """The seat to act; null: the game is over."""
    declarer: str | None
    """The seat that declared; null: nobody (yet)."""
    kind: str | None
    """The kind of game that is played; null: not chosen (yet)."""
    dealt: dict[str, tuple[str, ...] | None]
    """The cards as dealt, by place; null: not seen."""
    cards: dict[str, tuple[str, ...] | None]
    """The cards now, by place, hands as players hold them; null: not seen."""
    counts: dict[str, int]
    """The number of cards now, by place."""
    actions: tuple[str, ...]
    """All actions so far; `?`: a card that was not seen."""
    trick: tuple[PlayStruct, ...]
    """The cards on the table, in the order played."""
    tricks: tuple[TrickStruct, ...]
    """The complete tricks."""
    legal: tuple[str, ...]
    """The legal actions; in a view none off turn."""
    facts: Facts
    """What only this game has."""
    result: ResultStruct | None
    """What the game came to; null: it is not over."""


class StateStruct(
    PositionStruct[Facts],
    Generic[Facts],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag="state",
    tag_field="what",
):
    """A whole game, hidden cards included."""


class ViewStruct(
    PositionStruct[Facts],
    Generic[Facts],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag="view",
    tag_field="what",
):
    """What a seat may know."""

    seat: str
    """The seat whose view this is."""


class GameStruct(Protocol):
    """What a game's structs have of their own, its part `struct`."""

    facts: type[Any]
    """The type of its facts, a msgspec.Struct."""
    places: tuple[str, ...]
    """The names of the places of cards: the seats, then any others."""

    def facts_of(self, position: Any) -> Any:
        """The facts of a State or a View."""

    def counts(self, position: Any) -> tuple[int, ...]:
        """The number of cards now at each place."""

    def hand(self, position: Any, cards: int) -> list[int]:
        """Cards, a mask, in the order in which a player holds them."""


def struct_of_game(game: str) -> GameStruct:
    """The structs of a game.

    Raises:
        ValueError: if it has none.
    """
    found: GameStruct = get_part(game, "struct")
    return found


def struct_of(position: Position) -> StateStruct[Any] | ViewStruct[Any]:
    """A State or a View as a struct.

    >>> from skat_env.structs import struct_of
    >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
    >>> struct_of(state.view(0)).cards["south"]
    ('DA', 'DT', 'D8', 'CQ', 'CJ', 'C9', 'S8', 'HT')

    Raises:
        ValueError: if it is no position of a game that has structs.
    """
    game = game_of(position)
    if game is None:
        raise ValueError(f"{type(position).__name__} is no position of a game: expected a State or a View")
    own = struct_of_game(game.name)
    seats = game.seats
    viewer: int | None = getattr(position, "seat", None)
    counts = own.counts(position)

    def cards(masks: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, tuple[str, ...] | None]:
        found: dict[str, tuple[str, ...] | None] = {}
        for place, mask, size in zip(own.places, masks, sizes, strict=True):
            texts = tuple(CARD_TEXTS[card] for card in own.hand(position, mask))
            found[place] = texts if len(texts) == size else None
        return found

    plays = tuple(PlayStruct(seats[seat], CARD_TEXTS[card]) for seat, card in position.plays())
    table = len(position.trick())
    done = len(plays) - table
    tricks = []
    for first in range(0, done, len(seats)):
        after = first + len(seats)
        follows = plays[after].seat if after < len(plays) else None
        leads = None if position.is_over else seats[position.to_act]
        tricks.append(TrickStruct(plays[first:after], follows or leads))
    shared = {
        "schema": VERSION,
        "game": game.name,
        "rules": dataclasses.asdict(position.rules),  # type: ignore[attr-defined]  # of every game
        "position": position.text(),
        "stage": position.stage,
        "to_act": None if position.is_over else seats[position.to_act],
        "declarer": None if position.declarer < 0 else seats[position.declarer],
        "kind": position.kind,
        "dealt": cards(position.dealt, game.place_sizes),
        "cards": cards(position.places, counts),
        "counts": dict(zip(own.places, counts, strict=True)),
        "actions": tuple(
            game.actions[action] if action < len(game.actions) else HIDDEN for action in position.history()
        ),
        "trick": plays[done:],
        "tricks": tuple(tricks),
        "legal": tuple(game.actions[action] for action in position.legal_actions()),
        "facts": own.facts_of(position),
        "result": _result(game, position) if position.is_over else None,
    }
    return StateStruct(**shared) if viewer is None else ViewStruct(seat=seats[viewer], **shared)


def _result(game: Game, position: Position) -> ResultStruct:
    returns = {}
    for unit in game.reward_units:
        try:
            values = position.returns(unit)
        except ValueError:  # it depends on cards that the seat does not see
            continue
        returns[unit] = dict(zip(game.seats, values, strict=True))
    return ResultStruct(VERSION, game.name, returns)
