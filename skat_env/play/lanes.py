"""Whole games of agents that are networks, played in lanes: in C, with the decisions of Python, many times faster.

An agent can be played so if it has a method `in_lanes`. Its decisions are those of `decide`, but for sums in another
order: where two actions are equal to the last digits of a float, the other one may be chosen.
"""

from collections.abc import Callable, Sequence
from time import process_time
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skat_env.play._lanes import LanePlayer, Lanes
from skat_env.play.capabilities import cheats, is_batched
from skat_env.play.lockstep import IllegalDecision, require_states
from skat_env.protocols import Agent, State

LANES: Final = 2048
"""The number of games in play at a time. Games do not depend on it."""

Decided = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float64]]
"""What was decided in all steps of some games, joined: the number of weights of each step, one per legal action or
none; the weights in ascending order of the actions; the values, NaN where there is none."""


class Played(NamedTuple):
    """What is known of games that were played in lanes, beside their states."""

    decided: Decided
    moves: NDArray[np.int32]
    """int32 [games, seats], the number of decisions."""
    seconds: NDArray[np.float64]
    """float64 [agents], the seconds of the processor that their decisions took."""


def lane_players(agents: Sequence[Agent]) -> list[LanePlayer] | None:
    """The agents as they play in lanes; None if one of them cannot."""
    players = []
    for agent in agents:
        player = in_lanes(agent)
        if player is None:
            return None
        players.append(player)
    return players


def in_lanes(agent: Agent) -> LanePlayer | None:
    """An agent as it plays in lanes; None if it cannot."""
    made = getattr(agent, "in_lanes", None)
    return None if made is None else made()


def asked_alone(agent: Agent) -> bool:
    """Whether an agent can be asked within lanes, in Python: about one game at a time and without its true state."""
    return not is_batched(agent) and not cheats(agent)


def play_in_lanes(
    states: Sequence[State],
    agents: Sequence[Agent],
    players: Sequence[LanePlayer],
    seated: NDArray[np.int16],
    rng_of: Callable[[int, int], np.random.Generator],
    stages: tuple[str, ...],
    until: str | None = None,
) -> Played:
    """Plays games to their end, or up to a stage.

    Args:
        states: the games, one state each; they are changed.
        agents: the agents.
        players: the agents as they play in lanes.
        seated: int16 [games, seats], the index of the agent at each seat.
        rng_of: (number of the game, seat) -> the seat's generator, asked for at most once.
        stages: the game's stages.
        until: the stage before which games end; None: they are played to their end.

    Raises:
        IllegalDecision: if an agent that is asked in Python chooses an illegal action.
        NotFinite: if a network has an output that is not finite; names the position.
        ValueError: if an item is no state, is of another game than the first, or is there twice.
    """
    require_states(states)
    before = len(stages) if until is None else stages.index(until)

    def play(first: int) -> Played:
        here = slice(first, first + LANES)
        lanes = Lanes(
            list(states[here]),
            seated[here],
            list(agents),
            list(players),
            lambda game, seat: rng_of(first + game, seat),
            stages,
            before,
        )
        started = process_time()
        try:
            lanes.play()
        except IllegalDecision as error:
            error.game += first
            raise
        passed = process_time() - started
        moves, seconds = lanes.thinking()
        # Time that no decision took alone is shared evenly by all.
        shares = np.bincount(seated[here].ravel(), moves.ravel(), len(agents)) / max(moves.sum(), 1)
        return Played(lanes.found(), moves, seconds + shares * (passed - seconds.sum()))

    played = [play(first) for first in range(0, len(states), LANES)]
    nothing = np.empty(0, np.uint8), np.empty(0, np.float32), np.empty(0, np.float64)
    counts, weights, values = (
        np.concatenate(parts) for parts in zip(nothing, *(part.decided for part in played), strict=True)
    )
    moves = np.concatenate([np.empty((0, seated.shape[1]), np.int32), *(part.moves for part in played)])
    return Played(
        (counts, weights, values), moves, sum((part.seconds for part in played), np.zeros(len(agents)))
    )
