from skat_env.agents.skat.rule.grand import GrandWeights
from skat_env.agents.skat.rule.situation import Situation

def best_card(situation: Situation, weights: GrandWeights) -> int:
    """The legal code with the best score."""
