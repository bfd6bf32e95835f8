"""The networks of Skat: the parts that generic learners, searches and beliefs look up."""

from typing import Final

from skat_env.agents.beliefs.location_networks import LocationLayout
from skat_env.agents.networks.card_networks import CardNetworks
from skat_env.agents.networks.card_values import Role, ValueLayout
from skat_env.agents.networks.world_values import WorldLayout
from skat_env.agents.skat.bidding.value_bidding import ValueBidding
from skat_env.agents.skat.policy.networks import CARDPLAY, trick_game
from skat_env.skat import GAME

CARD_NETWORKS: Final = CardNetworks(
    game="skat",
    names=CARDPLAY,
    scale=100.0,
    route=((0, 1),) * 4 + ((2, 3), (4, 5)),
)

CARD_VALUES: Final = ValueLayout(
    game="skat",
    # Defenders before and after the soloist have different tasks (SkatZero, 2025, has the same nine roles).
    roles=tuple(
        role
        for kind in GAME.kinds
        for role in (
            Role(f"{kind}_soloist", "skat.relabelled_soloist"),
            Role(f"{kind}_left", "skat.relabelled_defender"),
            Role(f"{kind}_right", "skat.relabelled_defender"),
        )
    ),
    route=((0, 1, 2),) * 4 + ((3, 4, 5), (6, 7, 8)),
    scale=100.0,
    bidder=ValueBidding,
)

LOCATIONS: Final = LocationLayout(kinds=GAME.kinds, kind_of=trick_game)

WORLD_VALUES: Final = WorldLayout("skat.world", CARD_VALUES.scale, "win")
