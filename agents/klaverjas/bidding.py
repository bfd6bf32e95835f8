"""Choice of trumps by search: each suit is tried on sampled worlds, which are solved with open cards."""

from typing import cast

import numpy as np

from skat_env.beliefs.belief import UniformSampler
from skat_env.klaverjas import KlaverjasState, KlaverjasView
from skat_env.klaverjas.rules import PASS, Phase
from skat_env.options import Count, Threads, checked_options
from skat_env.protocols import Decision
from solvers.klaverjas import Question, Solver

FINAL = Question("final_difference")


class SearchBidding:
    """Names the suit with the highest mean result for its team, or passes where that is allowed; plays no cards.

    Args:
        worlds: the number of sampled worlds; each suit is solved in all of them.
        threshold: passes if no suit's mean final difference of scores reaches this.
        threads: threads of the solver; decisions do not depend on their number.

    Raises:
        ValueError: if an option is out of range.
    """

    name = "search_bidding"

    @checked_options("search_bidding")
    def __init__(self, worlds: Count = 20, *, threshold: float = 0.0, threads: Threads = 1) -> None:
        self.worlds, self.threshold, self.threads = worlds, threshold, threads
        self._solver = Solver()
        self._sampler = UniformSampler()

    def decide(self, view: KlaverjasView, rng: np.random.Generator) -> Decision:
        """A suit or a pass; the value is the team's mean final difference, None for a pass.

        Raises:
            ValueError: in the cardplay.
        """
        if view.phase != Phase.CHOOSE:
            raise ValueError("search_bidding does not play cards: use it as the bidder of a player that does")
        actions = [action for action in view.legal_actions() if action != PASS]
        means = dict(zip(actions, self._means(view, actions, rng), strict=True))
        best = max(actions, key=means.__getitem__)
        stats = {"means": means, "worlds": self.worlds}
        if means[best] < self.threshold and PASS in view.legal_actions():
            return Decision(PASS, stats=stats)
        return Decision(best, value=means[best], stats=stats)

    def _means(self, view: KlaverjasView, actions: list[int], rng: np.random.Generator) -> list[float]:
        """The mean final difference for each suit, over the same worlds."""
        states: list[KlaverjasState] = []
        for world in self._sampler.worlds(view, self.worlds, rng):
            for action in actions:
                state = cast(KlaverjasState, world.state.clone())
                state.apply(action)
                states.append(state)
        solutions = self._solver.solve_many(states, FINAL, self.threads)
        values = np.array([solution.value for solution in solutions], np.float64)
        return [float(mean) for mean in values.reshape(-1, len(actions)).mean(axis=0)]
