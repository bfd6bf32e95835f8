from skat_env.agents.skat.rule.grand import GrandWeights
from skat_env.agents.skat.rule.table import Table

def best_card(table: Table, weights: GrandWeights) -> int:
    """The legal code with the best score."""
