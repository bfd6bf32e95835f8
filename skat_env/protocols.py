"""The interfaces of games, agents, beliefs and worlds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from skat_env.deal import Deal
from skat_env.errors import UnknownName
from skat_env.features import Feature


@dataclass(frozen=True, slots=True)
class Outcome:
    """The facts of a finished game that statistics count."""

    declarer: int
    """The seat that declared."""
    kind: str
    """The kind of game, one of the game's `kinds`: in Skat `suit`, `grand`, `null`."""
    won: bool
    """Whether the declarer's side won."""
    marks: tuple[str, ...] = ()
    """What else to count the game under: in Skat `hand`, `ouvert`, announced levels, `overbid`."""


class Position(Protocol):
    """What a State and a View have in common; a View leaves out what its seat does not know."""

    @property
    def to_act(self) -> int:
        """The seat to act; -1 when the game is over."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    def stage(self) -> str:
        """The part of the game, one of the game's `stages`."""

    @property
    def kind(self) -> str | None:
        """The kind of game that is played, one of the game's `kinds`; None before it is chosen."""

    @property
    def declarer(self) -> int:
        """The seat that declared; -1: nobody (yet)."""

    @property
    def contract(self) -> int | None:
        """What was declared, as the game numbers it; None: nothing (yet)."""

    @property
    def places(self) -> tuple[int, ...]:
        """The cards now at each place, as masks: the hands by seat, then any other places (Skat: the skat)."""

    @property
    def dealt(self) -> tuple[int, ...]:
        """The cards at each place after the deal, in the same form as `places`."""

    @property
    def tricks_played(self) -> int:
        """The number of complete tricks."""

    def side(self, seat: int) -> int:
        """The side of a seat: 0 the declarer's, 1 the other; -1 before there is a declarer."""

    def plays(self) -> list[tuple[int, int]]:
        """All cards played to tricks as (seat, card), in order.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> state.apply(state.legal_actions()[0])
        >>> " ".join(f"{seat}:{card_text(card)}" for seat, card in state.plays())
        '0:D8'
        """

    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table as (seat, card), in the order played."""

    def played_mask(self) -> int:
        """All cards played to tricks."""

    def legal(self) -> int:
        """The legal actions of the seat to act, as bits; 0 when the game is over, and in the View of another seat."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> " ".join(get_game("skat").actions[action] for action in state.legal_actions())
        'pass yes'
        """

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions as int8 [actions].

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> np.flatnonzero(state.action_mask()).tolist() == state.legal_actions()
        True
        """

    def history(self) -> list[int]:
        """All actions so far; in a View, 255 stands for a card that the seat did not see.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> state.apply(state.legal_actions()[0])
        >>> state.history()
        [1]
        """

    def observe(self, seat: int) -> NDArray[np.int8]:
        """The observation of a seat as int8 [features]; a View has only that of its own seat.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> state.observe(state.to_act).shape
        (1135,)
        """

    def returns(self, unit: str | None = None, claim: bool | None = None) -> tuple[int, ...]:
        """The finished game's result in a reward unit, one integer per seat; 0 before the end.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> for _ in range(3): state.apply(PASS)
        >>> state.returns()
        (0, 0, 0)

        `claim` settles a game that was not played out: the remaining tricks go to the declaring side (True) or to the
        other (False).

        Raises:
            ValueError: if it is claimed before the stage `cardplay`; in a View, if cards that count are hidden.
        """

    def key(self) -> int:
        """A 64-bit hash of the position alone, the same in every process."""

    def head(self) -> str:
        """The part of `text` between the deal and the actions; empty for a fresh deal under the default rules."""

    def text(self) -> str:
        """One line that `parse` reads: the deal, the head, a colon, the actions.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> state.text()
        'D8.DT.DA.HT.S8.SQ.SA.C9.CJ.CQ/D9.DJ.H9.HJ.HA.S7.SJ.C7.C8.CK/D7.DQ.DK.H7.H8.HQ.HK.S9.SK.CT/ST.CA :'
        """

    @classmethod
    def parse(cls, text: str) -> Self:
        """The position in a line written by `text`."""


class View(Position, Protocol):
    """The information set of a seat: immutable, hashable, picklable. Agents see nothing else."""

    @property
    def seat(self) -> int:
        """The seat whose view this is."""

    def blank_state(self) -> Any:
        """An empty State of the game, into which belief code writes a world."""


class State(Position, Protocol):
    """A whole game, hidden cards included; mutable."""

    @classmethod
    def random(cls, rng: np.random.Generator, rules: Any = ..., deal: Deal | None = None) -> Self:
        """A fresh game under some rules; its cards are drawn unless given, and anything else is drawn.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> mask_text(state.places[0])
        'D8.DT.DA.HT.S8.C9.CJ.CQ'
        """

    @property
    def deal(self) -> Deal:
        """The cards as dealt."""

    def apply(self, action: int) -> None:
        """Plays an action; raises `IllegalAction` and changes nothing if it is not legal.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> state.apply(YES)
        >>> state.bids
        (0, 18, 0)
        """

    def undo(self) -> None:
        """Takes the last action back.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> state.apply(YES)
        >>> state.undo()
        >>> state.history()
        []
        """

    def clone(self) -> Self:
        """An independent copy.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> other = state.clone()
        >>> other.apply(YES)
        >>> len(state.history()), len(other.history())
        (0, 1)
        """

    def view(self, seat: int) -> View:
        """The View of a seat: what it may know.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> state.view(0).text()
        'D8.DT.DA.HT.S8.SQ.SA.C9.CJ.CQ/?/?/? seat=0 :'
        """

    def result(self, claim: bool | None = None) -> Any:
        """The result of the finished game, as the game's own dataclass; `declarer` is -1 if everybody passed.

        Raises:
            ValueError: if the game is not over, and no claim is given or it cannot be claimed.
        """

    def outcome(self) -> Outcome | None:
        """The facts that statistics count; None if the game is not over or nobody declared."""


CHANCE: Final = "chance"
"""The unit of a probability to win."""


ACTION_BITS: Final = 64
"""The length of a decision's weights: no game has more actions."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided, in the same form for every agent."""

    action: int
    weights: NDArray[np.float32] | None = None
    """float32 [64] over the legal actions: a training target."""
    value: float | None = None
    """The result that the agent expects for the seat to act, in `unit`."""
    stats: Mapping[str, Any] = field(default_factory=dict)
    unit: str = ""
    """What `value` is in: a reward unit of the game, the name of an objective, or `CHANCE` for a probability to win;
    empty: the unit that matches count. Agents made of others hand on that of the part that decided."""


@dataclass(frozen=True, slots=True)
class World:
    """A state that is possible given a view, with its weight."""

    state: State
    """A full State, with `state.view(view.seat) == view`."""
    weight: float
    """How likely it is, relative to the other worlds of the sample."""


class WorldSampler(Protocol):
    """A belief: a way to guess the hidden cards."""

    name: str
    """The text from which it can be made again: `locations(features=BDI)`."""
    cheats: bool
    """Whether it needs the true state. Then `worlds` raises, and the caller uses the true state as the only world."""

    def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[World]:
        """At most `n` worlds of the view, in random order; all of them if there are no more than `n`.

        Searches that end early, as races and those in limited time do, see the first of them alone.
        """


@runtime_checkable
class Agent(Protocol):
    """A player. One agent may sit at several seats: everything it knows comes with the call.

    The view is typed as Any because an agent of one game takes that game's View. The protocols that extend this one
    name what an agent may be able to do besides; the functions of `skat_env.play.capabilities` ask for it.
    """

    name: str
    """The text from which it can be made again: `pimc(worlds=160)`."""

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """Chooses one of `view.legal_actions()`; all randomness comes from `rng`."""


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that decides many views at once faster than one by one, as networks do.

    The attribute `batched = False` denies this: an agent made of others has it if none of them is a batch agent.
    """

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decision for each view; `rngs` has a generator for each."""


@runtime_checkable
class CheatingAgent(Agent, Protocol):
    """An agent that may see the true state, as a bound for agents that may not."""

    cheats: bool
    """Whether this one needs the true state; an agent made of others does if one of them does."""

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        """Chooses one of `view.legal_actions()`, knowing the true state, which it does not change."""


@runtime_checkable
class RememberingAgent(Agent, Protocol):
    """An agent whose decisions may depend on what it kept from its earlier moves of the same game.

    The games of a deal in a match begin alike. A decision that they share is asked of other agents once, and of this
    one in each game.
    """

    remembers: bool
    """Whether this one keeps something."""


@runtime_checkable
class DrawingAgent(Agent, Protocol):
    """An agent whose probabilities are known, so that others can reason about what it would have done."""

    draws: bool
    """Whether this one draws its actions from the weights of its decisions, or evenly from the legal ones where a
    decision has none."""


@runtime_checkable
class ListeningAgent(Agent, Protocol):
    """An agent that is told how its games end, as engines are. Its decisions must not depend on it: games of a match
    are played in any order, by any number of workers.
    """

    def hear_end(self, view: Any, returns: Sequence[float]) -> None:
        """Hears the end of a game, once for each of its seats: what the seat knows then, and what each seat gets in the
        game's first reward unit.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that no game exceeds."""

    actions: int
    """The number of actions of a game; no game has more."""
    returns: Mapping[str, tuple[int, int]]
    """A lower and an upper bound of what a seat gets, by reward unit."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What agents of known strength score: measured points per game and seat more than `rule` in the same seats."""

    rules: str
    """The rule options of the table that differ from the defaults."""
    random: float
    """Of `random`: 0 on the scale."""
    champion: float
    """Of `champion(quick=true)`: 1 on the scale."""

    def value(self, points: float) -> float:
        """Points as a number on the scale; `rule` has that of 0 points."""
        return (points - self.random) / (self.champion - self.random)


@dataclass(frozen=True, slots=True)
class Game:
    """What generic code (environments, matches, records) knows about a game."""

    name: str
    """The name, as in `--game`: `skat`."""
    seats: tuple[str, ...]
    """The names of the seats, in order."""
    teams: tuple[tuple[int, ...], ...]
    """Groups of seats that always win and lose together; all-seats matches give each team to one agent."""
    actions: tuple[str, ...]
    """The text of every action id."""
    features: tuple[Feature, ...]
    """The layout of the observation."""
    place_sizes: tuple[int, ...]
    """The number of cards at each place of a deal; the hands come first."""
    reward_units: tuple[str, ...]
    """The units of `returns`; the first is the default."""
    match_unit: str
    """The unit that matches count: one side's points minus the other's is the value of the game."""
    kinds: tuple[str, ...]
    """The kinds of game that an `Outcome` distinguishes."""
    stages: tuple[str, ...]
    """The parts of a game, in order; a position has its own as `stage`."""
    state: type[Any]
    """The game's `State` class. Typed as Any because each game has its own constructors."""
    view: type[Any]
    """The class of its views."""
    rules: type[Any]
    """The dataclass of rule options; its defaults are the game's."""
    render: Callable[[Any, int | None], str]
    """(state, seat or None) -> the table as text, as the seat sees it; None: with all cards open."""
    label: Callable[[Any, int], str]
    """(state, action about to be played) -> the action as people write it: `♠J`, `bid 20`."""
    arrange: Callable[[Any, list[int]], list[int]]
    """(state, actions) -> the actions in the order in which people look for them."""

    def random_deal(self, rng: np.random.Generator) -> Deal:
        """A uniformly random deal."""
        return Deal.random(rng, self.place_sizes)

    def reward_unit(self, name: str | None) -> str:
        """The name of one of the `reward_units`; None: the first.

        Raises:
            UnknownName: if there is no such unit.
        """
        if name is not None and name not in self.reward_units:
            raise UnknownName("reward unit", name, self.reward_units)
        return name or self.reward_units[0]
