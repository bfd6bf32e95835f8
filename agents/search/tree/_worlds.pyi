"""The worlds of a tree search."""

from skat_env.protocols import State, View

class Worlds:
    """Draws worlds for a search: uniformly from a view, by the thesis's sampler, or from a list.

    Args:
        view: the View of the seat that searches.
        seat: the number of that seat.
        backtracking: whether to draw by Aaldering 2023, algorithm 2, which is not uniform.
        states: worlds to draw from uniformly, in place of all worlds of the view; empty: all.

    Raises:
        ValueError: if the view contradicts itself, is not that seat's, or a state is of another game.
    """

    def __init__(self, view: View, seat: int, backtracking: bool, states: list[State]) -> None: ...
    @property
    def seat(self) -> int:
        """The seat that searches."""
