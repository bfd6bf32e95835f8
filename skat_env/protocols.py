"""The shapes that games, agents and everything between them agree on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from skat_env.deal import Deal
from skat_env.features import Feature


@dataclass(frozen=True, slots=True)
class Outcome:
    """What statistics count of a finished game."""

    declarer: int
    """The seat that chose the game."""
    kind: str
    """The kind of game: in Skat `suit`, `grand`, `null`."""
    won: bool
    """Whether the declarer's side won."""


class View(Protocol):
    """The information set of a seat: immutable, hashable, picklable; all that agents ever see."""

    @property
    def seat(self) -> int:
        """The seat whose view this is."""

    @property
    def to_act(self) -> int:
        """The seat to act; -1 when the game is over."""

    def legal(self) -> int:
        """The legal actions as bits; 0 when another seat is to act."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def history(self) -> list[int]:
        """All actions so far; 255 stands for a card that the seat did not see."""

    def observe(self, seat: int) -> NDArray[np.int8]:
        """The seat's observation as int8 [features]."""

    def text(self) -> str:
        """One line that `parse` reads."""

    def blank_state(self) -> Any:
        """A State without content, for belief code to write a world into."""


class State(Protocol):
    """A whole game, mutable; hidden cards and all."""

    @classmethod
    def random(cls, rng: np.random.Generator, rules: Any = ..., deal: Deal | None = None) -> Self:
        """A fresh game under some rules: its cards, and whatever else comes with them, are drawn unless given."""

    @property
    def deal(self) -> Deal:
        """The cards as dealt."""

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
        """The kind of game that is played, one of the game's `kinds`; None before there is a declarer's choice."""

    @property
    def places(self) -> tuple[int, ...]:
        """The cards that lie at each place now, as masks: the hands by seat, then the others."""

    def legal(self) -> int:
        """The legal actions of the seat to act as bits; 0 when over."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions as int8 [actions]."""

    def history(self) -> list[int]:
        """All actions so far."""

    def apply(self, action: int) -> None:
        """Plays an action; raises `IllegalAction` and changes nothing if it is not legal."""

    def undo(self) -> None:
        """Takes the last action back."""

    def clone(self) -> Self:
        """An independent copy."""

    def view(self, seat: int) -> View:
        """What a seat may know."""

    def observe(self, seat: int) -> NDArray[np.int8]:
        """A seat's observation as int8 [features]."""

    def returns(self, unit: str | None = None, claim: bool | None = None) -> tuple[int, ...]:
        """The finished game's result in a reward unit, one integer a seat; 0 before.

        `claim` gives the open tricks of a game that was not played out to the declaring side (True) or the other.
        """

    def result(self, claim: bool | None = None) -> Any:
        """The facts of the finished game, the game's own dataclass; `declarer` is -1 if everybody passed.

        Raises:
            ValueError: if the game is not over and a claim is not given or not possible.
        """

    def side(self, seat: int) -> int:
        """The side of a seat: 0 the declarer's, 1 the other; -1 before there is a declarer."""

    def outcome(self) -> Outcome | None:
        """What statistics count of a finished game; None if it is not over, or nobody declared."""

    def key(self) -> int:
        """A 64-bit number that depends on nothing but the position."""

    def head(self) -> str:
        """What `text` says between the deal and the actions; empty for a fresh deal under the default rules."""

    def text(self) -> str:
        """One line that `parse` reads: the deal, the head, a colon, the actions."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state of a line that `text` wrote."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided, the same for every agent."""

    action: int
    weights: NDArray[np.float32] | None = None
    """float32 [64] over the legal actions: a training target."""
    value: float | None = None
    """What the agent expects, in game units, for the seat to act."""
    stats: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class World:
    """A state that a view may be of."""

    state: Any
    """A full State, with `state.view(view.seat) == view`."""
    weight: float
    """How likely it is, relative to the other worlds of the sample."""


class WorldSampler(Protocol):
    """A way to guess the hidden cards."""

    name: str
    cheats: bool
    """Whether it must be shown the true state; the match runner shows it to agents that cheat, and to no others."""

    def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[World]:
        """At most `n` worlds of the view; all of them where there are no more."""


@runtime_checkable
class Agent(Protocol):
    """Anything that decides. One agent may sit at several seats: all it knows comes with the call.

    So a match, whose games of a deal begin alike, asks for a decision once. An agent that keeps something between moves
    that changes its decisions says so by an attribute `remembers = True`, and is always asked.
    """

    name: str
    """The text that makes it again: `pimc(worlds=160)`."""

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """One of `view.legal_actions()`; all randomness comes from `rng`."""


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that decides for many views at once faster than for one after another, as networks do."""

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decision for each view, with its own generator."""


@dataclass(frozen=True, slots=True)
class Game:
    """All that generic code (environments, matches, records) knows about a game."""

    name: str
    """As in `--game`: `skat`."""
    seats: tuple[str, ...]
    """The names of the seats, in order."""
    teams: tuple[tuple[int, ...], ...]
    """The seats that always win and lose together; all-seats matches give each team to one agent."""
    actions: tuple[str, ...]
    """The text of every action id."""
    features: tuple[Feature, ...]
    """The layout of the observation."""
    place_sizes: tuple[int, ...]
    """How many cards each place of a deal has; the hands come first."""
    reward_units: tuple[str, ...]
    """The units of `returns`; the first is the default."""
    match_unit: str
    """The unit that matches count, such that one side's points minus the other's is what a game was worth."""
    kinds: tuple[str, ...]
    """The kinds of game that an `Outcome` tells apart."""
    stages: tuple[str, ...]
    """The parts of a game in order; a position tells its own as `stage`."""
    state: type[Any]
    """The State class."""
    rules: type[Any]
    """The dataclass of rule options; its defaults are the game's."""
    render: Callable[[Any, int | None], str]
    """(state, seat or None) -> the table as text: open, or as the seat sees it."""
    label: Callable[[Any, int], str]
    """(state, action about to be played) -> the action for people: `♠J`, `bid 20`."""
    arrange: Callable[[Any, list[int]], list[int]]
    """(state, actions) -> the actions in the order in which people look for them."""

    def random_deal(self, rng: np.random.Generator) -> Deal:
        """A uniformly random deal."""
        return Deal.random(rng, self.place_sizes)
