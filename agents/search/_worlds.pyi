"""Where tree searches get their worlds from."""

from skat_env.protocols import State, View

class Worlds:
    """Where a search gets its worlds from: exact uniform draws from a view, the thesis's draws, or a given list.

    Args:
        view: the View of the seat that searches.
        seat: that seat.
        backtracking: draw by Aaldering 2023, algorithm 2, which is not uniform.
        states: worlds to draw from, all equally likely, instead of the view's own; empty: none.

    Raises:
        ValueError: if the view contradicts itself.
    """

    def __init__(self, view: View, seat: int, backtracking: bool, states: list[State]) -> None: ...
    @property
    def seat(self) -> int:
        """The seat that searches."""
