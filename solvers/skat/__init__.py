"""The open-card solver of Skat."""

from solvers.skat.question import Question
from solvers.skat.solver import Solver

__all__ = ["Question", "Solver"]
