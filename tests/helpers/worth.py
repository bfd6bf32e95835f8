"""What a finished game is worth to the declaring side, told apart from how the package reckons it."""

from typing import Any


def declarer_worth(state: Any) -> float:
    """Skat: the soloist's tournament points less those of both defenders. Klaverjas: the difference of the scores."""
    if len(state.hands) == 4:
        return float(state.returns("difference")[state.declarer])
    points = state.returns("tournament_points")
    return float(2 * points[state.declarer] - sum(points))
