"""What games are worth to a side: its seats' results less those of the others, in the match unit.

Partners have the same results, which count once; those of Skat's defenders are added.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.protocols import Game, State


def teams_of(game: Game) -> NDArray[np.int64]:
    """int64 [seats]: the number of each seat's team."""
    return np.array(
        [number for seat in range(len(game.seats)) for number, team in enumerate(game.teams) if seat in team]
    )


def side_weights(game: Game) -> tuple[float, ...]:
    """The weights of results, by seats after the declarer, in what a game is worth to the declaring side.

    Those of its own seats are above 0.
    """
    own = game.teams[0]
    return tuple((1.0 if seat in own else -1.0) / len(own) for seat in range(len(game.seats)))


def side_values(
    returns: NDArray[np.integer], declarers: NDArray[np.integer], game: Game
) -> NDArray[np.float64]:
    """What games are worth to the declaring side, float64 [games].

    Args:
        returns: int [games, seats] in the match unit.
        declarers: int [games].
        game: their game.
    """
    weights = np.array(side_weights(game))
    after = (np.arange(len(weights)) - declarers[:, None]) % len(weights)
    worth: NDArray[np.float64] = (returns * weights[after]).sum(axis=1)
    return worth


def declarer_results(game: Game, states: Sequence[State]) -> NDArray[np.float64]:
    """What finished games are worth to the declaring side, float64 [games]."""
    returns = np.array([state.returns(game.match_unit) for state in states])
    return side_values(returns, np.array([state.declarer for state in states]), game)


def own_results(game: Game, states: Sequence[State], seat: int) -> NDArray[np.float64]:
    """What finished games are worth to the side of a seat, float64 [games]."""
    worth = declarer_results(game, states)
    return np.where([state.side(seat) == 0 for state in states], worth, -worth)
