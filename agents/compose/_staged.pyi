"""A player whose stages are played by others, for games played in lanes: the twin of `Player`."""

from skat_env.play._lanes import LanePlayer

class StagedLanes(LanePlayer):
    """Other players in lanes, one for each stage; None: the agent itself is asked, in Python.

    Raises:
        ValueError: if there are too many stages or networks.
    """

    def __init__(self, parts: list[LanePlayer | None]) -> None: ...
