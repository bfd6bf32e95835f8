"""αμ: vectors of outcomes over sampled worlds, backed up as Pareto fronts over some own moves.

Cazenave and Ventos 2019 (The αμ search algorithm for the game of Bridge); Cazenave, Legras and Ventos 2021 (Optimizing
αμ). PIMC chooses a later card in each world as if it knew the world (strategy fusion), and forgets at each node what
the others' other moves have shown (non-locality). Here an own card is one card for all worlds that look the same, and a
vector stays whole up to the root.
"""

from typing import Any, Final

import numpy as np

from skat_env.agents.search.outcomes.outcome_search import Candidates, OutcomeSearch
from skat_env.agents.search.outcomes.outcomes import Thresholds
from skat_env.agents.search.pimc import TIE
from skat_env.errors import UnknownName
from skat_env.options import Count, Milliseconds, Threads, checked_options
from skat_env.own_text import own_text
from skat_env.protocols import Agent, WorldSampler

FRONTS: Final = "fronts"
RULES: Final = {"vector": 0, "reduced": 1}
"""The rules that back up a single vector, as `_outcome_tree.pxd` numbers them."""


class AlphaMu(OutcomeSearch):
    """Samples worlds, looks some own moves ahead in all of them together, and plays the action that wins in most.

    From the last of these moves on the cards are open, so that with one move it is `pimc` with 0/1 outcomes. Other
    seats see all cards: the opponents play against the strategy, partners for it. With all worlds of an ending and as
    many moves as there are cards it is the best pure strategy against such players.

    Args:
        worlds: the number of worlds sampled; all of them if there are no more.
        m: own moves, the one to be chosen included.
        backup: `fronts`: all vectors that are best for some choice of others; `vector`: the one with the largest
            sum, vector minimaxing; `reduced`: the same of outcomes that open cards do not rule out on the way,
            payoff-reduction minimaxing (both Frank, Basin and Matsubara 1998).
        belief: the sampler of worlds, or its name; `cheating` sees the true world.
        thresholds: card points in Skat, the difference in Klaverjas, joined by `+`: each that the declaring side
            reaches, or that defenders deny it, counts one; None: the game is won or lost.
        threads: threads of the solver at the root; decisions do not depend on their number.
        time: milliseconds per decision, after which the last m that is complete counts; None: no limit.
        bidder: the agent for everything before the cardplay, or its name.
        ties: whether ties are broken by the secondary worth of the game's first objective; if not, the first action
            is played.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    @checked_options("alpha_mu")
    def __init__(
        self,
        worlds: Count = 20,
        m: Count = 2,
        *,
        backup: str = FRONTS,
        belief: str | WorldSampler = "uniform",
        thresholds: Thresholds = None,
        threads: Threads = 1,
        time: Milliseconds | None = None,
        ties: bool = True,
        bidder: str | Agent = "search_bidding",
        game: str,
    ) -> None:
        if backup not in (FRONTS, *RULES):
            raise UnknownName("backup of alpha_mu", backup, (FRONTS, *RULES))
        super().__init__("alpha_mu", worlds, belief, thresholds, threads, time, bidder, ties, game)
        self.m, self.backup = m, backup
        self.name = own_text(self, "alpha_mu", "worlds", "m", "belief", **self.parts)

    def rate(self, candidates: Candidates, cards: int) -> dict[str, Any]:
        """Searches with one own move more at a time; what was found bounds what comes next."""
        search = self._fronts if self.backup == FRONTS else self._vectors
        bounds = dict(candidates.sums)
        depth = 1
        while depth < min(self.m, cards):
            found = search(candidates, depth, bounds)
            if found is None:
                break
            candidates.sums = found
            depth += 1
        return {"m": depth, "cuts": candidates.tree.cuts, "largest_front": candidates.tree.largest}

    def _fronts(
        self, candidates: Candidates, ahead: int, bounds: dict[int, float]
    ) -> dict[int, float] | None:
        """What the actions are worth that may be the best; None: the time is over.

        Args:
            candidates: the actions.
            ahead: own moves after the action.
            bounds: what each action is worth at most; is narrowed.
        """
        sums: dict[int, float] = {}
        best: int | None = None
        left = set(bounds)
        while left:
            top = max(bounds[i] for i in left)
            if best is not None and top < sums[best] - TIE:
                break  # the root cut: nothing else can be as good
            action = candidates.first_of([i for i in left if bounds[i] >= top - TIE])
            left.remove(action)
            need = -np.inf if best is None else sums[best] - TIE
            if best is not None and top <= sums[best] + TIE and candidates.first_of([action, best]) == best:
                continue  # it may be as good, and would not be played
            front = candidates.tree.front(candidates.actions[action], candidates.open[action], ahead, need)
            if front is None:
                return None
            if not len(front):
                bounds[action] = min(bounds[action], need)
                continue
            bounds[action] = sums[action] = float(candidates.worth(front).max())
            if best is None or sums[action] > sums[best] + TIE:
                best = action
            elif sums[action] >= sums[best] - TIE:
                best = candidates.first_of([action, best])
        return sums

    def _vectors(
        self, candidates: Candidates, ahead: int, bounds: dict[int, float]
    ) -> dict[int, float] | None:
        """What all actions are worth by the rule of a single vector; None: the time is over."""
        sums = {}
        for i, action in enumerate(candidates.actions):
            vector = candidates.tree.vector(action, RULES[self.backup], ahead)
            if vector is None:
                return None
            sums[i] = float(candidates.worth(vector[None])[0])
        return sums
