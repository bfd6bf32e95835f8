"""Where games begin: functions from a random generator to the state in which the first seat is to act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from skat_env.errors import OptionError, UnknownName
from skat_env.options import Count, Seed, check_list, check_option, checked_options
from skat_env.play.players import Players
from skat_env.play.randomness import deal_rng, sealed_rng
from skat_env.protocols import Agent, Game, State
from skat_env.registry import agent_options, game_names, get_game, get_part, has_part, make_agent


class StartSource(Protocol):
    """A function that makes the start of a game."""

    def __call__(self, rng: np.random.Generator) -> Any:
        """A start: a state that is not over."""


@runtime_checkable
class BatchStartSource(StartSource, Protocol):
    """A source that makes many starts at once faster than one by one."""

    def many(self, rngs: Sequence[np.random.Generator]) -> list[Any]:
        """A start for each generator, equal to the one that a call with it makes."""


@dataclass(frozen=True)
class RandomDeals:
    """Freshly dealt games."""

    game: str
    rules: Any = None
    """The rule options; None: the game's defaults."""

    def __post_init__(self) -> None:
        rules_of(get_game(self.game), self.rules)

    def __call__(self, rng: np.random.Generator) -> Any:
        """A fresh deal."""
        game = get_game(self.game)
        state: State = game.state.random(rng, game.rules() if self.rules is None else self.rules)
        return state


def rules_of(game: Game, rules: Any) -> Any:
    """The rule options of a game; None: its defaults.

    Raises:
        OptionError: if they are no rule options of the game.
    """
    found = check_option(game.name, "rules", game.rules | None, rules)
    return game.rules() if found is None else found


RANDOM_DECLARATION: Final = "random_declaration"
"""The name of the part that draws declarations, and of the starts that it makes."""
MAX_REDEALS: Final = 1000
"""The number of deals in a row without a turn for a seat after which it is assumed never to have one."""
MAX_DEALS: Final = 100_000
"""The number of deals without the wanted kind of game after which a bidder is assumed never to declare it."""


@dataclass(frozen=True)
class PlayedTo:
    """Random deals that an agent plays, at every seat, up to a stage.

    Deals that end before the stage, and with `kind` those in which another kind of game is declared, are redealt.
    """

    game: str
    stage: str
    """One of the game's `stages`."""
    bidder: str | Agent
    rules: Any = None
    kind: str | None = None
    """One of the game's `kinds`, if the kind is known at the stage; None: any."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        rules_of(game, self.rules)
        check_option("a start", "bidder", str | Agent, self.bidder)
        if self.stage not in game.stages:
            raise UnknownName("stage", self.stage, game.stages)
        if self.kind is not None and self.kind not in game.kinds:
            raise UnknownName(f"kind of game of {self.game}", self.kind, game.kinds)
        if isinstance(self.bidder, str) and self.stage != game.stages[0]:
            agent_options(self.bidder, self.game)

    @cached_property
    def agent(self) -> Agent:
        """The bidder. It is made on first use, as deals that begin at the stage need none."""
        return make_agent(self.bidder, self.game)

    @cached_property
    def _players(self) -> Players:
        return Players(get_game(self.game), [self.agent])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("agent", "_players")}

    def __call__(self, rng: np.random.Generator) -> Any:
        """A fresh deal, played to the stage; raises as `many`."""
        return self.many([rng])[0]

    def many(self, rngs: Sequence[np.random.Generator]) -> list[Any]:
        """A start for each generator, played in step: a batch agent bids for all deals at once.

        Raises:
            ValueError: if the bidder never declares the kind of game.
        """
        deals = RandomDeals(self.game, self.rules)
        starts: dict[int, State] = {}
        waiting = list(range(len(rngs)))
        for _ in range(MAX_DEALS):
            dealt: list[State] = [deals(rngs[number]) for number in waiting]
            self._play(dealt, [sealed_rng(rngs[number]) for number in waiting])
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

    def _play(self, dealt: list[State], luck: list[np.random.Generator]) -> None:
        """Plays games to the stage or to their end; a generator has all seats of its game."""
        self._players.play(dealt, lambda number, seat: luck[number], until=self.stage)


@dataclass(frozen=True)
class RandomDeclarations:
    """Starts of the cardplay after declarations that are drawn at random, promising ones more often."""

    game: str
    rules: Any = None
    """The rule options; None: the game's defaults."""

    def __call__(self, rng: np.random.Generator) -> Any:
        """A start of the cardplay."""
        return get_part(self.game, RANDOM_DECLARATION)(rng, self.rules)


@dataclass(frozen=True)
class Positions:
    """Starts drawn at random from a list of states."""

    states: Sequence[State]

    def __post_init__(self) -> None:
        states = check_list("Positions", "states", self.states)
        if not states:
            raise OptionError("Positions with states=[]: expected at least one start")
        games = {get_game(name).state: get_game(name) for name in game_names()}
        game = games.get(type(states[0]))
        if game is None:
            raise OptionError(f"a start is a state of a game, not {_described(states[0])}")
        object.__setattr__(self, "states", tuple(require_start(game, state) for state in states))

    def __call__(self, rng: np.random.Generator) -> Any:
        """A copy of one of the states."""
        return self.states[int(rng.integers(len(self.states)))].clone()


@dataclass(frozen=True, slots=True)
class StartTable:
    """A table format with one start per row."""

    game: str
    reader: Callable[[str], Callable[[str, Any], StartSource] | None]
    """Header, the first line of such a file -> a function that reads the rows under it, or None if the line is another.
    That function: (row, rules or None for the game's defaults) -> the start; ParseError if the row is malformed."""


def require_start(game: Game, state: Any) -> Any:
    """Returns a state from outside in which a game can begin.

    Raises:
        ValueError: if it is no state of the game, was not dealt, or is over.
    """
    if type(state) is not game.state:
        raise ValueError(f"a start is a {game.state.__name__}, not {_described(state)}")
    if tuple(mask.bit_count() for mask in state.dealt) != tuple(game.place_sizes):
        raise ValueError("a start has its cards dealt: this state has none, or too few")
    if state.is_over:
        raise ValueError(f"the game is over in the start position '{state.text()}'")
    return state


def _described(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def starts_of(game: str, source: StartSource, rngs: Sequence[np.random.Generator]) -> list[Any]:
    """A start of a game for each generator; a batch source makes all at once.

    Raises:
        ValueError: if the source gives something in which the game cannot begin.
    """
    made = source.many(rngs) if isinstance(source, BatchStartSource) else [source(rng) for rng in rngs]
    return [require_start(get_game(game), state) for state in made]


@checked_options("draw_starts")
def draw_starts(game: str, source: StartSource, count: Count, seed: Seed) -> list[Any]:
    """`count` starts of a game, determined by the seed.

    Raises:
        ValueError: if the source gives something in which the game cannot begin.
    """
    rng = np.random.default_rng(seed)
    return [require_start(get_game(game), source(rng)) for _ in range(count)]


def has_no_turn(seat: int) -> ValueError:
    """The error that a seat never has a turn."""
    who = "a seat drawn for each game" if seat < 0 else f"seat {seat}"
    return ValueError(
        f"{who} has no turn in {MAX_REDEALS:,} deals in a row: the starts leave it nothing to play"
    )


def start_source(
    game: Game, start: str | StartSource, bidder: str | Agent, rules: Any = None, kind: str | None = None
) -> StartSource:
    """The start source with a name: `deal`, a later stage, up to which the bidder plays, or `random_declaration`.

    The last is the cardplay after a declaration drawn at random, in games that have the part `random_declaration`.

    Args:
        game: the game.
        start: the name; a source is returned as it is, with its own rules.
        bidder: the agent, or its name, that plays up to a later stage.
        rules: the rule options; None: the game's defaults.
        kind: the kind of game, if it is known at the stage; None: any.

    Raises:
        UnknownName: if the game has no such stage.
        ParseError, UnknownName: as `make_agent`, if a text is not that of a bidder, even where no bidder is asked.
        OptionError: if a source makes starts of another game.
    """
    rules_of(game, rules)
    # The default of environments, which games that begin with the deal need not have.
    if isinstance(bidder, str) and bidder != "rule":
        agent_options(bidder, game.name)
    found: StartSource | str = check_option(f"a game of {game.name}", "start", str | StartSource, start)
    if not isinstance(found, str):
        if isinstance(found, RandomDeals | PlayedTo | RandomDeclarations) and found.game != game.name:
            raise OptionError(
                f"a game of {game.name} with a start of {found.game}: expected one of {game.name}"
            )
        return found
    if start in ("deal", game.stages[0]):
        return RandomDeals(game.name, rules)
    drawn = (RANDOM_DECLARATION,) if has_part(game.name, RANDOM_DECLARATION) else ()
    if start in drawn and kind is None:
        return RandomDeclarations(game.name, rules)
    if start not in game.stages:
        raise UnknownName("start", start, ("deal", *game.stages[1:], *drawn))
    return PlayedTo(game.name, start, bidder, rules, kind)


@dataclass(frozen=True)
class StartsInTurn:
    """The starts of numbered deals, from several sources in turn by the number: the kinds of game, say.

    To be made once: a bidder's networks are made ready for its lanes with the first start.
    """

    game: str
    seed: int
    """Seed and number determine a deal."""
    sources: tuple[StartSource, ...]

    def __call__(self, deals: Sequence[int]) -> list[Any]:
        """The starts of some deals, which a batch source makes at once.

        Raises:
            ValueError: if a source gives something in which the game cannot begin.
        """
        made: dict[int, Any] = {}
        for turn, source in enumerate(self.sources):
            own_deals = [deal for deal in deals if deal % len(self.sources) == turn]
            starts = starts_of(self.game, source, [deal_rng(self.seed, deal) for deal in own_deals])
            made.update(zip(own_deals, starts, strict=True))
        return [made[deal] for deal in deals]


def starts_by_kind(
    game: Game, seed: int, start: str, bidder: str | Agent, rules: Any, kinds: tuple[str, ...] | None
) -> StartsInTurn:
    """Where numbered deals start, each kind of game in turn, or any kind (None); see `start_source`."""
    sources = tuple(start_source(game, start, bidder, rules, kind) for kind in kinds or (None,))
    return StartsInTurn(game.name, seed, sources)


def require_kinds(game: Game, kinds: tuple[str, ...]) -> None:
    """Checks that at least one kind of game is given, and each only once.

    Raises:
        UnknownName: if the game has no such kind.
        ValueError: if no kind is given, or one is given twice.
    """
    for kind in kinds:
        if kind not in game.kinds:
            raise UnknownName(f"kind of game of {game.name}", kind, game.kinds)
    if not kinds or len(set(kinds)) < len(kinds):
        raise ValueError(f"kinds of game {' '.join(kinds) or 'none'}: expected one or more, each once")
