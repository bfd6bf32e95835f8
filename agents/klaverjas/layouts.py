"""The networks of Klaverjas: the parts that generic learners, searches and beliefs look up."""

from typing import Final

from skat_env.agents.beliefs.location_networks import LocationLayout
from skat_env.agents.networks.card_networks import CardNetworks
from skat_env.agents.networks.card_values import Role, ValueLayout
from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.networks.world_values import WorldLayout


def _bidder(checkpoint: Checkpoint) -> str:
    """The agent that chooses trumps by default; it is the same for all networks."""
    return "search_bidding"


CARD_NETWORKS: Final = CardNetworks(
    game="klaverjas",
    names=("cardplay",),
    scale=100.0,
    route=((0, 0),) * 4,
)

CARD_VALUES: Final = ValueLayout(
    game="klaverjas",
    # Partners share a network: the declarer's seat matters little compared with the cards.
    roles=(Role("declaring", "klaverjas.cardplay"), Role("defending", "klaverjas.cardplay")),
    route=((0, 1, 0, 1),) * 4,
    scale=200.0,
    bidder=_bidder,
)

LOCATIONS: Final = LocationLayout(kinds=(), kind_of=str)
"""One network for all trump suits, as suits are relabelled."""

WORLD_VALUES: Final = WorldLayout("klaverjas.world", CARD_VALUES.scale, "made")
