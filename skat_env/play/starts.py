"""Where games begin: functions from a random generator to the state in which the first seat is to act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from skat_env.errors import UnknownName
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import sealed_rng
from skat_env.protocols import Agent, Game, State
from skat_env.registry import get_game, make_agent


class StartSource(Protocol):
    """Makes the start of a game."""

    def __call__(self, rng: np.random.Generator) -> Any:
        """A state that is not over."""


@runtime_checkable
class BatchStartSource(StartSource, Protocol):
    """A source that makes many starts at once faster than one after another."""

    def many(self, rngs: Sequence[np.random.Generator]) -> list[Any]:
        """A start for each generator, the same that a call with it makes."""


@dataclass(frozen=True)
class RandomDeals:
    """Freshly dealt games."""

    game: str
    rules: Any = None
    """The game's rule options; None: its defaults."""

    def __call__(self, rng: np.random.Generator) -> Any:
        """A new deal."""
        game = get_game(self.game)
        state: State = game.state.random(rng, self.rules or game.rules())
        return state


MAX_DEALS: Final = 100_000
"""Deals in a row without the kind of game that is wanted, after which a bidder is taken never to declare it."""


@dataclass(frozen=True)
class PlayedTo:
    """Random deals that an agent has played, at every seat, up to a stage; deals that end before it are redealt.

    With a kind of game, so are those in which another one is declared.
    """

    game: str
    stage: str
    """One of the game's `stages`."""
    bidder: str | Agent
    rules: Any = None
    kind: str | None = None
    """One of the game's `kinds`, for a stage in which it is known; None: any."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        if self.stage not in game.stages:
            raise UnknownName("stage", self.stage, game.stages)
        if self.kind is not None and self.kind not in game.kinds:
            raise UnknownName(f"kind of game of {self.game}", self.kind, game.kinds)

    @cached_property
    def agent(self) -> Agent:
        """The bidder, made when it is first needed: deals that begin at the stage need none."""
        return make_agent(self.bidder, self.game)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "agent"}

    def __call__(self, rng: np.random.Generator) -> Any:
        """A new deal, played to the stage; raises as `many`."""
        return self.many([rng])[0]

    def many(self, rngs: Sequence[np.random.Generator]) -> list[Any]:
        """A start for each generator, played in step: a bidder that decides in batches is asked for all at once.

        Raises:
            ValueError: if the bidder never declares the kind of game.
        """
        game = get_game(self.game)
        deals = RandomDeals(self.game, self.rules)
        before = game.stages[: game.stages.index(self.stage)]
        seats = len(game.seats)
        starts: dict[int, State] = {}
        waiting = list(range(len(rngs)))
        for _ in range(MAX_DEALS):
            dealt: list[State] = [deals(rngs[number]) for number in waiting]
            play_games(
                dealt,
                [[self.agent] * seats] * len(waiting),
                [[sealed_rng(rngs[number])] * seats for number in waiting],
                until=lambda state: state.is_over or state.stage not in before,
            )
            for number, state in zip(waiting, dealt, strict=True):
                if not state.is_over and self.kind in (None, state.kind):
                    starts[number] = state
            waiting = [number for number in waiting if number not in starts]
            if not waiting:
                return [starts[number] for number in range(len(rngs))]
        raise ValueError(
            f"{self.agent.name} brought none of {MAX_DEALS:,} deals of {self.game} to the stage {self.stage}"
            + (f" of a {self.kind} game" if self.kind else "")
        )


@dataclass(frozen=True)
class Positions:
    """A list of states, from which each start is drawn at random."""

    states: Sequence[State]

    def __call__(self, rng: np.random.Generator) -> Any:
        """A copy of one of the states."""
        return self.states[int(rng.integers(len(self.states)))].clone()


@dataclass(frozen=True, slots=True)
class StartTable:
    """A kind of file with a start a row."""

    game: str
    header: str
    """Its first line, by which it is told."""
    read: Callable[[str, Any], StartSource]
    """(row, rules or None for the game's defaults) -> the start. Raises ParseError if the row is malformed."""


def starts_of(source: StartSource, rngs: Sequence[np.random.Generator]) -> list[Any]:
    """A start for each generator; a batch source is asked for all at once."""
    return source.many(rngs) if isinstance(source, BatchStartSource) else [source(rng) for rng in rngs]


def draw_starts(source: StartSource, count: int, seed: int) -> list[Any]:
    """Some starts, the same for the same seed."""
    rng = np.random.default_rng(seed)
    return [source(rng) for _ in range(count)]


def start_source(
    game: Game, start: str | StartSource, bidder: str | Agent, rules: Any = None, kind: str | None = None
) -> StartSource:
    """The source that a name stands for: `deal`, or a later stage, played to by the bidder.

    Args:
        game: the game.
        start: the name; a source stands for itself.
        bidder: plays what comes before a later stage.
        rules: the game's rule options; None: its defaults.
        kind: of game, for a stage in which it is known; None: any.

    Raises:
        UnknownName: if the game has no such stage.
    """
    if not isinstance(start, str):
        return start
    if start in ("deal", game.stages[0]):
        return RandomDeals(game.name, rules)
    if start not in game.stages:
        raise UnknownName("start", start, ("deal", *game.stages[1:]))
    return PlayedTo(game.name, start, bidder, rules, kind)


def require_kinds(game: Game, kinds: tuple[str, ...]) -> None:
    """Requires one or more kinds of a game, each once.

    Raises:
        UnknownName: if the game has no such kind.
        ValueError: if no kind is given, or one twice.
    """
    for kind in kinds:
        if kind not in game.kinds:
            raise UnknownName(f"kind of game of {game.name}", kind, game.kinds)
    if not kinds or len(set(kinds)) < len(kinds):
        raise ValueError(f"kinds of game {' '.join(kinds) or 'none'}: expected one or more, each once")
