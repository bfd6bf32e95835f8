"""The open-card solver of Klaverjas: what the declaring team gets if all see all cards and play best."""

from typing import final

from skat_env.klaverjas import KlaverjasState
from skat_env.solvers._solver import OpenCardSolver
from skat_env.solvers.klaverjas.question import Question

@final
class Solver(OpenCardSolver[KlaverjasState, Question]):
    """Solves open-card positions of Klaverjas; owns the tables it searches with, three per thread.

    Values are the declaring team's, at the end of the deal.
    """
