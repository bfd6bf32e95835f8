"""`rule`: an honest rule-based Skat player for all phases of the game (after Edelkamp 2020, sections 3-6)."""

import numpy as np

from skat_env.agents.skat.rule.bidding import RULE_BIDDER
from skat_env.agents.skat.rule.defender import defender_card
from skat_env.agents.skat.rule.null import null_defender_card, null_soloist_card
from skat_env.agents.skat.rule.situation import Situation
from skat_env.agents.skat.rule.soloist import soloist_card
from skat_env.play.capabilities import require_views
from skat_env.protocols import Decision
from skat_env.skat import GAME, SkatView
from skat_env.skat.rules import Contract, Phase

__all__ = ["RuleAgent"]


class RuleAgent:
    """Bids by fitted winning chances and plays the card with the best score; deterministic."""

    name = "rule"

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal action; `rng` is not used.

        Raises:
            ValueError: if the view is of another game, or its seat is not to act.
        """
        require_views(GAME, [view])
        if view.phase != Phase.PLAY:
            return Decision(RULE_BIDDER.decide(view))
        situation = Situation(view)
        if view.contract == Contract.NULL:
            code = null_soloist_card(situation) if view.is_soloist else null_defender_card(situation)
        else:
            code = soloist_card(situation) if view.is_soloist else defender_card(situation)
        return Decision(situation.layout.card[code])
