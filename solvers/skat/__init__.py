"""The open-card solver of Skat."""

from skat_env.solvers.skat.question import Aim, Question
from skat_env.solvers.skat.solver import Solver

__all__ = ["Aim", "Question", "Solver"]
