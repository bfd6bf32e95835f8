"""The parts of Skat that its agents give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "outcomes": "skat_env.agents.skat.outcomes:OUTCOMES",
    "objectives": "skat_env.agents.skat.objectives:OBJECTIVES",
    "card_networks": "skat_env.agents.skat.layouts:CARD_NETWORKS",
    "world_values": "skat_env.agents.skat.layouts:WORLD_VALUES",
    "card_values": "skat_env.agents.skat.layouts:CARD_VALUES",
    "locations": "skat_env.agents.skat.layouts:LOCATIONS",
    "past_decisions": "skat_env.agents.skat.policy.past_decisions:PAST_DECISIONS",
    "quality": "skat_env.agents.skat.quality:QUALITY",
    "tasks": "skat_env.agents.skat.policy.tasks:TASKS",
    "tables": "skat_env.agents.skat.counted.table_counts",
    "winning": "skat_env.agents.skat.counted.winning_counts",
    "openings": "skat_env.agents.skat.expert.opening_counts",
    "ladder": "skat_env.agents.skat.ladder:LADDER",
    "alike_suits": "skat_env.agents.skat.policy.suits:alike_suits",
    "random_declaration": "skat_env.agents.skat.bidding.random_declaration:random_declaration",
}
