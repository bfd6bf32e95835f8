from agents.skat.rule.grand import GrandWeights
from agents.skat.rule.table import Table

def best_card(table: Table, weights: GrandWeights) -> int:
    """The legal code with the best score."""
