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


class Position(Protocol):
    """What a State and a View can both answer; a View leaves out what its seat does not know."""

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
        """The seat that chose the game; -1: nobody (yet)."""

    @property
    def contract(self) -> int | None:
        """The number of the game that was chosen; None: none (yet)."""

    @property
    def places(self) -> tuple[int, ...]:
        """The cards that lie at each place now, as masks: the hands by seat, then the others."""

    @property
    def dealt(self) -> tuple[int, ...]:
        """The cards that lay at each place after the deal, in the same form."""

    @property
    def tricks_played(self) -> int:
        """The number of complete tricks."""

    def side(self, seat: int) -> int:
        """The side of a seat: 0 the declarer's, 1 the other; -1 before there is a declarer."""

    def plays(self) -> list[tuple[int, int]]:
        """All cards played to tricks as (seat, card), in order."""

    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table as (seat, card), in the order played."""

    def played_mask(self) -> int:
        """All cards played to tricks."""

    def legal(self) -> int:
        """The legal actions of the seat to act as bits; 0 when over, and in a View of another seat."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions as int8 [actions]."""

    def history(self) -> list[int]:
        """All actions so far; in a View, 255 stands for a card that the seat did not see."""

    def observe(self, seat: int) -> NDArray[np.int8]:
        """The observation of a seat as int8 [features]; of a View, that of its own seat."""

    def returns(self, unit: str | None = None, claim: bool | None = None) -> tuple[int, ...]:
        """The finished game's result in a reward unit, one integer a seat; 0 before.

        `claim` gives the open tricks of a game that was not played out to the declaring side (True) or the other.
        """

    def key(self) -> int:
        """A 64-bit number that depends on nothing but the position."""

    def head(self) -> str:
        """What `text` says between the deal and the actions; empty for a fresh deal under the default rules."""

    def text(self) -> str:
        """One line that `parse` reads: the deal, the head, a colon, the actions."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The position of a line that `text` wrote."""


class View(Position, Protocol):
    """The information set of a seat: immutable, hashable, picklable; all that agents ever see."""

    @property
    def seat(self) -> int:
        """The seat whose view this is."""

    def blank_state(self) -> Any:
        """A State without content, for belief code to write a world into."""


class State(Position, Protocol):
    """A whole game, mutable; hidden cards and all."""

    @classmethod
    def random(cls, rng: np.random.Generator, rules: Any = ..., deal: Deal | None = None) -> Self:
        """A fresh game under some rules: its cards, and whatever else comes with them, are drawn unless given."""

    @property
    def deal(self) -> Deal:
        """The cards as dealt."""

    def apply(self, action: int) -> None:
        """Plays an action; raises `IllegalAction` and changes nothing if it is not legal."""

    def undo(self) -> None:
        """Takes the last action back."""

    def clone(self) -> Self:
        """An independent copy."""

    def view(self, seat: int) -> View:
        """What a seat may know."""

    def result(self, claim: bool | None = None) -> Any:
        """The facts of the finished game, the game's own dataclass; `declarer` is -1 if everybody passed.

        Raises:
            ValueError: if the game is not over and a claim is not given or not possible.
        """

    def outcome(self) -> Outcome | None:
        """What statistics count of a finished game; None if it is not over, or nobody declared."""


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

    state: State
    """A full State, with `state.view(view.seat) == view`."""
    weight: float
    """How likely it is, relative to the other worlds of the sample."""


class WorldSampler(Protocol):
    """A belief: a way to guess the hidden cards."""

    name: str
    """The text that makes it again: `locations(features=BDI)`."""
    cheats: bool
    """Whether it must be shown the true state. Who has it passes it on; `worlds` of a sampler that cheats raises."""

    def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[World]:
        """At most `n` worlds of the view; all of them where there are no more."""


@runtime_checkable
class Agent(Protocol):
    """Anything that decides. One agent may sit at several seats: all it knows comes with the call.

    The view is typed as Any, as an agent of one game takes that game's View. What an agent can do besides is said by
    the protocols that extend this one; the functions of `skat_env.play.capabilities` ask for it.
    """

    name: str
    """The text that makes it again: `pimc(worlds=160)`."""

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """One of `view.legal_actions()`; all randomness comes from `rng`."""


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that decides for many views at once faster than for one after another, as networks do.

    An attribute `batched = False` says that this one does not, as an agent made of others of which none does.
    """

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decision for each view, with its own generator."""


@runtime_checkable
class CheatingAgent(Agent, Protocol):
    """An agent that may be shown the true state, for comparisons with those that may not."""

    cheats: bool
    """Whether this one must be shown it: an agent made of others cheats if one of its parts does."""

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        """One of `view.legal_actions()`, knowing the state that the view is of; the state is not changed."""


@runtime_checkable
class RememberingAgent(Agent, Protocol):
    """An agent that may keep something between its moves of a game which changes its decisions.

    A match, whose games of a deal begin alike, asks other agents for each decision once, and this one every time.
    """

    remembers: bool
    """Whether this one does."""


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
    """The State class: its instances are a `State`. Any, as the constructors of a game are its own."""
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
