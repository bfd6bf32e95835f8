from collections.abc import Sequence

from skat_env.agents.skat.rule.table import Table

def sure_card(table: Table) -> int | None:
    """The only legal code, or one to lead if the hand takes all remaining tricks for sure; otherwise None."""

def facts_of(table: Table) -> list[tuple[int, list[float]]]:
    """Each legal code with its facts: those of `FOLLOW_FACTS` on another's lead, else of `LEAD_FACTS`."""

def best_card(table: Table, lead: Sequence[float], follow: Sequence[float]) -> int:
    """The legal code with the best score, by the weights of `LEAD_FACTS` and of `FOLLOW_FACTS`.

    Raises:
        ValueError: if the weights are not one for each fact.
    """
