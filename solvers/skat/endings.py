"""What endings of Skat are played for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from skat_env.solvers.endings.outcome import Outcome

WIN: Final = Outcome("win", "win", offset=1, divisor=2)
POINTS: Final = Outcome("points", "card_points")
TOURNAMENT_POINTS: Final = Outcome("tournament_points", "tournament_points", others=-1)


def outcomes(state: SkatState) -> Mapping[str, Outcome]:
    """Whether the soloist wins, 1 or 0; its card points; its tournament points less those of both defenders.

    In null games, where card points do not count, `points` is `win`.
    """
    points = replace(WIN, name="points") if state.contract == Contract.NULL else POINTS
    return {each.name: each for each in (WIN, points, TOURNAMENT_POINTS)}
