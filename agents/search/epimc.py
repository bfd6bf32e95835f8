"""Extended perfect-information Monte Carlo search: the cards are opened some moves later than in PIMC.

Arjonilla, Saffidine and Cazenave 2024 (Perfect information Monte Carlo with postponing reasoning). The moves before are
a game of the sampled worlds, solved by information-set search from the leaves up: each seat plays the action with the
best mean over the worlds that look the same to it.
"""

from typing import Any, Final

from skat_env.agents.search.outcomes.outcome_search import Candidates, OutcomeSearch
from skat_env.agents.search.outcomes.outcomes import Thresholds
from skat_env.options import Count, Milliseconds, Threads, checked_options
from skat_env.own_text import own_text
from skat_env.play.deadline import shorter
from skat_env.protocols import Agent, WorldSampler

POSTPONED: Final = 2
"""Its backup, as `_outcome_tree.pxd` numbers it."""


class Epimc(OutcomeSearch):
    """Samples worlds, looks some moves of all seats ahead, and opens the cards after them.

    With one move it is `pimc` with 0/1 outcomes. Means count all worlds in which the moves so far are legal, by their
    weights: nothing is inferred from the fact that a seat would not have played so.

    Args:
        worlds: the number of worlds sampled; all of them if there are no more.
        depth: moves of all seats before the cards are open, the one to be chosen included.
        belief: the sampler of worlds, or its name; `cheating` sees the true world.
        thresholds: card points in Skat, the difference in Klaverjas, joined by `+`: each that the declaring side
            reaches, or that defenders deny it, counts one; None: the game is won or lost.
        threads: threads of the solver at the root; decisions do not depend on their number.
        time: milliseconds per decision, after which the last depth that is complete counts; None: no limit.
        bidder: the agent for everything before the cardplay, or its name.
        ties: whether ties are broken by the secondary worth of the game's first objective; if not, the first action
            is played.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    @checked_options("epimc")
    def __init__(
        self,
        worlds: Count = 20,
        depth: Count = 3,
        *,
        belief: str | WorldSampler = "uniform",
        thresholds: Thresholds = None,
        threads: Threads = 1,
        time: Milliseconds | None = None,
        ties: bool = True,
        bidder: str | Agent = "search_bidding",
        game: str,
    ) -> None:
        super().__init__("epimc", worlds, belief, thresholds, threads, time, bidder, ties, game)
        self.depth = depth
        self.name = own_text(self, "epimc", "worlds", "depth", "belief", **self.parts)

    def rate(self, candidates: Candidates, cards: int) -> dict[str, Any]:
        """Searches to the depth at once, or with a time one move deeper at a time."""
        most = min(self.depth, cards * self.seats)
        depth = 1
        for deeper in range(2 if shorter(self.time) is not None else max(most, 2), most + 1):
            vectors = [candidates.tree.vector(a, POSTPONED, deeper - 1) for a in candidates.actions]
            found = [vector for vector in vectors if vector is not None]
            if len(found) < len(vectors):
                break
            candidates.sums = {i: float(candidates.worth(v[None])[0]) for i, v in enumerate(found)}
            depth = deeper
        return {"depth": depth}
