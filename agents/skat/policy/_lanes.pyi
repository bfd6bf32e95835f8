"""The decisions of `policy` in C, for games played in lanes: the twin of `SkatPolicy`."""

from collections.abc import Mapping

from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks.network import Network
from skat_env.play._lanes import LanePlayer

NETWORKS: tuple[str, ...]
"""The networks that decide."""
VARIANTS: dict[str, int]

class SkatLanes(LanePlayer):
    """`policy` in lanes.

    Raises:
        KeyError: if a network is missing.
        ValueError: if a network cannot be evaluated row by row.
    """

    networks: list[EvaluatedNetwork]
    """By question."""

    def __init__(
        self,
        networks: Mapping[str, Network],
        variant: str,
        aggression: float,
        threshold: float,
        boldness: float,
        samples_cards: bool,
    ) -> None: ...
