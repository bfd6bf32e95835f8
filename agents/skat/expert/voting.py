"""Confidence voting: all worlds of a player vote, by open cards, for the cards that keep the contract or break it.

Edelkamp 2020, sections 8.1 and 8.2. Votes are counted per card (B); the confidence C is the largest count divided by
the number of worlds (V). A world votes for every card with which the player's side wins there, so that cards of equal
worth do not take votes from each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.expert.bad_skats import BadSkats
from skat_env.agents.skat.expert.knowledge import possible_worlds
from skat_env.agents.skat.objectives import Win
from skat_env.skat import SkatView

MAX_WORLDS: Final = 1_000_000
"""An information set with more worlds is too large to let each of them vote; as many are drawn."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """The votes of a player's worlds."""

    cards: list[int]
    """The legal cards."""
    votes: NDArray[np.int64]
    """B, the votes for each card, int64 [cards]."""
    worlds: int
    """V, the number of worlds."""

    @property
    def confidence(self) -> float:
        """C, the share of the worlds in which the best card wins."""
        return float(self.votes.max() / self.worlds)

    @property
    def best(self) -> list[int]:
        """The cards with the most votes."""
        return [card for card, votes in zip(self.cards, self.votes, strict=True) if votes == self.votes.max()]


class ConfidenceVoting:
    """Lets the worlds of a player vote.

    Args:
        worlds: the maximum number of worlds; if there are more, this many are drawn.
        assumptions: the names of the assumptions about the hidden cards.
        bad_skats: leaves out worlds by the skat; None: none.
    """

    def __init__(self, worlds: int, assumptions: Sequence[str], bad_skats: BadSkats | None = None) -> None:
        self.worlds = worlds
        self.assumptions = tuple(assumptions)
        self.bad_skats = bad_skats
        self._win = Win()

    def vote(self, view: SkatView, rng: np.random.Generator) -> Ballot:
        """The ballot at a view in cardplay, whose player is to act."""
        belief, rows = possible_worlds(view, self.worlds, rng, self.assumptions, self.bad_skats)
        cards = view.legal_actions()
        values = self._win.values(belief.states(rows, rng), cards)
        wins = 1.0 if view.is_soloist else 0.0
        return Ballot(cards, np.count_nonzero(values == wins, axis=0), len(rows))
