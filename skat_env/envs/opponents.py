"""Opponents: the agents at the seats that the caller does not play."""

import math
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Annotated, Any, Final, Literal, get_args

import numpy as np

from skat_env.errors import OptionError
from skat_env.options import Range, check_array, check_option
from skat_env.play.capabilities import decide, decide_many, is_batched
from skat_env.play.lockstep import action_of
from skat_env.protocols import Agent, Game, State
from skat_env.registry import make_agent


@dataclass
class Pool:
    """Agents from which one is drawn by weight for each game; an agent added later plays from the next game on."""

    agents: list[str | Agent]
    weights: list[float]
    _made: dict[tuple[str, str], Agent] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The agents of names, by game and name."""

    def draw(self, rng: np.random.Generator, game: str) -> Agent:
        """Draws an agent; one that is named is made for the game, once.

        Raises:
            OptionError: if the weights are not one from 0 for each agent, and more than 0 together.
            ValueError: subclasses as in `make_agent`.
        """
        shares = self._shares()
        return self._agent(self.agents[bisect(shares, rng.random() * shares[-1])], game)

    def require(self, game: str) -> None:
        """Makes the agents and checks the weights; raises as `draw`. A pool that is filled later may be empty."""
        for agent in self.agents:
            self._agent(agent, game)
        if len(self.agents) or len(self.weights):
            self._shares()

    def _agent(self, agent: str | Agent, game: str) -> Agent:
        if not isinstance(agent, str):
            return agent
        if (game, agent) not in self._made:
            self._made[game, agent] = make_agent(agent, game)
        return self._made[game, agent]

    def _shares(self) -> list[float]:
        """The weights of the agents up to each; raises as `draw`."""
        weights = self.weights
        if not all(type(weight) is float for weight in weights):  # the check takes longer than the draw
            weights = check_array("a pool", "weights", np.float64, weights).tolist()
        shares = list(accumulate(weights))
        if (
            not 0 < len(weights) == len(self.agents)
            or not all(weight >= 0 for weight in weights)
            or not 0 < shares[-1] < math.inf
        ):
            raise OptionError(
                f"a pool with weights={self.weights}: expected one from 0 for each of its agents"
            )
        return shares


Opponents = str | Agent | Pool | Sequence[str | Agent | Pool]
"""One opponent for all other seats, or a list in the order of play after the caller (in Klaverjas, the second is the
partner)."""


Side = Literal["declaring", "defence"]
"""The side of whoever declared, and the other one."""
OwnSeat = int | Side | None
"""The caller's seat: a fixed one, one of a side, or one drawn for every game."""
SIDES: Final = get_args(Side)


def is_random(opponent: Agent | Pool) -> bool:
    """Whether an opponent is the agent `random`, which is played in C."""
    return not isinstance(opponent, Pool) and opponent.name == "random"


def require_seat(seat: Any, game: Game) -> int:
    """Returns the seat as an int.

    Raises:
        OptionError: if the game has no such seat.
    """
    last = len(game.seats) - 1
    number: int = check_option("an environment", "seat", Annotated[int, Range(ge=0, le=last)], seat)
    return number


def require_own_seat(seat: Any, game: Game) -> OwnSeat:
    """Returns the caller's seat, a fixed one as an int.

    Raises:
        OptionError: if the game has no such seat.
    """
    last = len(game.seats) - 1
    kinds = Annotated[int, Range(ge=0, le=last)] | Side | None
    own: OwnSeat = check_option("an environment", "seat", kinds, seat)
    return own


def seats_of_side(state: State, side: str, seats: int) -> list[int]:
    """The seats of a side in a game that begins.

    Args:
        state: the game.
        side: one of `SIDES`.
        seats: the number of seats of the game.

    Raises:
        OptionError: if nobody has declared yet.
    """
    if state.declarer < 0:
        raise OptionError(
            f"an environment with seat={side}: expected a start at which somebody has declared, such as cardplay"
        )
    return [seat for seat in range(seats) if state.side(seat) == SIDES.index(side)]


def seat_of_side(state: State, side: str, seats: int, rng: np.random.Generator) -> int:
    """A seat of a side in a game that begins, drawn where the side has several; raises as `seats_of_side`."""
    own = seats_of_side(state, side, seats)
    return own[int(rng.integers(len(own)))] if len(own) > 1 else own[0]


def other_seats(opponents: Opponents, game: str, seats: int) -> list[Agent | Pool]:
    """The agent or pool at each other seat, in the order of play after the caller.

    Raises:
        ValueError: if a list has the wrong length; its subclasses as in `make_agent` and `Pool.draw`.
    """
    others: list[Agent | Pool] = []
    for one in each_seat(opponents, seats):
        if isinstance(one, Pool):
            one.require(game)
        others.append(one if isinstance(one, Pool) else make_agent(one, game))
    return others


def each_seat(opponents: Any, seats: int) -> Sequence[Any]:
    """The opponent at each other seat; a single one is repeated.

    Raises:
        ValueError: if a list has the wrong length.
    """
    one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
    each: Sequence[Any] = [opponents] * (seats - 1) if one else opponents
    if len(each) != seats - 1:
        raise ValueError(f"{len(each)} opponents given: expected one agent, or {seats - 1} in a list")
    return each


def choose(agent: Agent, states: Sequence[State], rng: np.random.Generator) -> list[int]:
    """The agent's action for the seat to act in each state; a batch agent is asked once.

    Raises:
        IllegalDecision: if it gives something that is no Decision.
    """
    views = [state.view(state.to_act) for state in states]
    if is_batched(agent):
        decisions = decide_many(agent, views, [rng] * len(views))
    else:
        decisions = [decide(agent, view, state, rng) for view, state in zip(views, states, strict=True)]
    return [action_of(agent, state, decision) for state, decision in zip(states, decisions, strict=True)]
