"""The open-card solver of Skat: what the soloist gets if all see all cards and play best."""

from typing import final

from skat_env.skat._state import SkatState
from skat_env.solvers._solver import OpenCardSolver
from skat_env.solvers.skat.position import OpenPosition
from skat_env.solvers.skat.question import Question

@final
class Solver(OpenCardSolver[SkatState | OpenPosition, Question]):
    """Solves open-card positions of Skat; owns the tables it searches with, one per thread.

    Values are the soloist's. Games that the rules would end early are valued as if played to the end.
    """
