"""The open-card solver of Klaverjas."""

from skat_env.solvers.klaverjas.question import Aim, Question
from skat_env.solvers.klaverjas.solver import Solver

__all__ = ["Aim", "Question", "Solver"]
