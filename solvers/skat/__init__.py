"""The open-card solver of Skat."""

from solvers.skat.question import Aim, Question
from solvers.skat.solver import Solver

__all__ = ["Aim", "Question", "Solver"]
