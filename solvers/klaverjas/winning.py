"""What the declaring team must reach to make the game."""

from typing import Final

from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.solvers.klaverjas.question import Question

_MADE: Final = Question("made")


def winning_question(state: KlaverjasState) -> Question:
    """The question whose answer decides whether the declaring team wins: whether it makes the game."""
    return _MADE


def winning_difference(rules: KlaverjasRules) -> int:
    """The minimum of either difference with which the game is made."""
    return 0 if rules.tie == "made" else 1
