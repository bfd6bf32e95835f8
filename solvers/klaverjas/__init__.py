"""The open-card solver of Klaverjas."""

from solvers.klaverjas.solver import Solver

__all__ = ["Solver"]
