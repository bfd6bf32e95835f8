"""The autopilot of Skat: cards that win for a player's side, whatever the others hold and play."""

from dataclasses import replace
from typing import Final

import numpy as np

from skat_env.beliefs.belief import Belief
from skat_env.cards import mask_of
from skat_env.skat._state import SkatView
from skat_env.skat.rules import Contract
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import Question
from skat_env.solvers.skat.solver import Solver
from skat_env.solvers.skat.winning import claim_question, opposed, sure_question

_WORLDS: Final = 8
"""Worlds in which a card is tried with open cards first: one that loses in any of them is not sure."""


CLAIM_NODES: Final = 2_000_000
"""The maximum of positions that the search of a claim looks up: half a second."""


def sure_claim(view: SkatView, claim: bool) -> bool | None:
    """Whether the soloist's claim of the rest holds whatever the others hold and play.

    Args:
        view: the view of who claims, who is to act in the cardplay.
        claim: whether the tricks go to the declaring side; in null games, whether it wins.

    Returns:
        None if it is not the soloist's, or the search did not find out.
    """
    question = claim_question(view) if claim else None
    if question is None:
        return None
    assert question.target is not None
    asked = replace(question, node_limit=CLAIM_NODES)
    return ParanoiaSolver().solve(InformationSet.of(view), asked).reaches(question.target)


class SureCards:
    """Finds the cards that win for sure by paranoia search.

    Args:
        node_limit: the maximum of positions that a search looks up; a search that reaches it has found nothing. The
            default is some 20 ms: enough for six cards per player, mostly for seven, and too little for whole games.
    """

    def __init__(self, node_limit: int = 100_000) -> None:
        self.node_limit = node_limit
        self._solver = Solver()
        self._paranoia = ParanoiaSolver()

    def __call__(self, view: SkatView) -> list[int]:
        """The cards found to win for sure. The player of the view is to act in the cardplay."""
        question = sure_question(view)
        if question is None:
            return []
        belief = Belief(view)
        cards = self._cards(view, belief, question)
        if not cards:
            return []
        known = InformationSet.of(view, belief.possible())
        asked = replace(question, actions=True, cards=mask_of(cards), node_limit=self.node_limit)
        assert asked.target is not None
        found = self._paranoia.solve(known, asked).actions
        return [card for card, bounds in sorted(found.items()) if bounds.lower >= asked.target]

    def _cards(self, view: SkatView, belief: Belief, question: Question) -> list[int]:
        """The legal cards that win with open cards in all of some worlds, which depend on the view alone."""
        rng = np.random.default_rng(0)
        states = belief.states(belief.sample(_WORLDS, rng), rng)
        null = view.contract == Contract.NULL
        soloist = view.seat == view.soloist
        asked = Question(question.aim, question.target)
        if not soloist and not null:
            asked = opposed(asked)
        wants = soloist != null
        cards = view.legal_actions()
        assert asked.target is not None
        reached = self._solver.action_values(states, cards, asked) >= asked.target
        return [card for card, always in zip(cards, (reached == wants).all(axis=0), strict=True) if always]
