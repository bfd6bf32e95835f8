"""The best pure strategy of a seat against opponents who see all cards: fronts of the vectors of values by world."""

from skat_env.solvers.endings._tree import Tree

class Fronts:
    """Searches a tree in which every seat has tried every card.

    Args:
        tree: the tree.
        seat: the seat.
        partners: the other seats of its side, as bits.
        sign: 1 if it is the declaring side, else -1.
        limit: the most vectors made and compared.
    """

    limit: int
    work: int
    """Vectors made and compared in the last search."""
    short: float
    """How much more slack the last search needed at least; infinite: it had enough."""

    def __init__(self, tree: Tree, seat: int, partners: int, sign: int, limit: int) -> None: ...
    def open_value(self, node: int) -> float:
        """The weighted sum of the values with open cards."""

    def best(self, node: int, slack: float) -> float | None:
        """The least that a strategy from a node on stays behind open cards, a weighted sum.

        Returns infinity if that is more than the slack, None if it takes more work than the limit.
        """
