"""`exploring` in C, for games played in lanes."""

from collections.abc import Sequence

from skat_env.play._lanes import LanePlayer

class ExploringLanes(LanePlayer):
    """Another player in lanes, some of whose actions are drawn; `random` is the share of random actions by stage."""

    def __init__(
        self, inner: LanePlayer, share: float, smoothing: float, temperature: float, random: Sequence[float]
    ) -> None: ...
