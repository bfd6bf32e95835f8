from skat_env.agents.skat.rule.defender import DefenderWeights
from skat_env.agents.skat.rule.situation import Situation

def best_card(situation: Situation, weights: DefenderWeights) -> int:
    """The code of the card that a defender plays: the only one, or the one with the best score."""
