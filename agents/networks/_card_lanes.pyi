"""Cards by the networks of `card_networks` in C, for games played in lanes: the twin of `CardPolicy`."""

from collections.abc import Mapping

from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks.network import Network
from skat_env.play._lanes import LanePlayer

class CardLanes(LanePlayer):
    """Networks that play cards in lanes; before the cardplay the agent is asked in Python.

    Raises:
        KeyError: if a network is missing.
        ValueError: if a network cannot be evaluated row by row.
    """

    networks: list[EvaluatedNetwork]
    """By question."""

    def __init__(self, game: str, networks: Mapping[str, Network], samples: bool) -> None: ...
