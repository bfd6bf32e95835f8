from collections.abc import Sequence

from skat_env.agents.skat.rule.situation import Situation

def sure_card(situation: Situation) -> int | None:
    """The only legal code, or one to lead if the hand takes all remaining tricks for sure; otherwise None."""

def facts_of(situation: Situation) -> list[tuple[int, list[float]]]:
    """Each legal code with its facts: those of `FOLLOW_FACTS` on another's lead, else of `LEAD_FACTS`."""

def best_card(situation: Situation, lead: Sequence[float], follow: Sequence[float]) -> int:
    """The legal code with the best score, by the weights of `LEAD_FACTS` and of `FOLLOW_FACTS`.

    Raises:
        ValueError: if the weights are not one for each fact.
    """
