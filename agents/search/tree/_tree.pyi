"""The nodes and edges of a tree of information sets."""

class InformationSets:
    """The nodes and edges of a tree."""

    @property
    def size(self) -> int:
        """The number of edges, each an action tried at an information set."""
