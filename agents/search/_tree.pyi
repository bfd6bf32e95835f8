"""The nodes and edges of a tree of information sets."""

class InformationSets:
    """The nodes and edges of a tree."""

    @property
    def size(self) -> int:
        """The number of edges: of actions tried at information sets."""
