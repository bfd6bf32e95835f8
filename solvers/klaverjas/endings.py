"""What endings of Klaverjas are played for."""

from collections.abc import Mapping
from typing import Final

from skat_env.klaverjas import KlaverjasState
from skat_env.solvers.endings.outcome import Outcome

MADE: Final = Outcome("made", "made", offset=1, divisor=2)
FINAL_DIFFERENCE: Final = Outcome("final_difference", "difference")


def outcomes(state: KlaverjasState) -> Mapping[str, Outcome]:
    """Whether the game is made, 1 or 0; the declaring team's final score less the other team's."""
    return {each.name: each for each in (MADE, FINAL_DIFFERENCE)}
