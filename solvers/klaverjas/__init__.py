"""The open-card solver of Klaverjas."""

from solvers.klaverjas.question import Aim, Question
from solvers.klaverjas.solver import Solver

__all__ = ["Aim", "Question", "Solver"]
