"""The parts of Klaverjas that its agents give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "outcomes": "skat_env.agents.klaverjas.outcomes:OUTCOMES",
    "objectives": "skat_env.agents.klaverjas.objectives:OBJECTIVES",
    "card_networks": "skat_env.agents.klaverjas.layouts:CARD_NETWORKS",
    "world_values": "skat_env.agents.klaverjas.layouts:WORLD_VALUES",
    "card_values": "skat_env.agents.klaverjas.layouts:CARD_VALUES",
    "locations": "skat_env.agents.klaverjas.layouts:LOCATIONS",
    "past_decisions": "skat_env.agents.klaverjas.past_decisions:PAST_DECISIONS",
    "ladder": "skat_env.agents.klaverjas.ladder:LADDER",
    "alike_suits": "skat_env.agents.klaverjas.suits:alike_suits",
    "card_shuffle": "skat_env.agents.klaverjas.suits:shuffle_cards",
    "value_network": "skat_env.agents.klaverjas.suits:VALUE_NETWORK",
}
