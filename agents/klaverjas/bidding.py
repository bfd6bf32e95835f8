"""Choice of trumps by search: each suit is tried on sampled worlds, which are solved with open cards or played out."""

from typing import cast

import numpy as np

from skat_env.agents.search.rollouts import Rollouts
from skat_env.beliefs.belief import UniformSampler
from skat_env.errors import OptionError
from skat_env.klaverjas import GAME, KlaverjasState, KlaverjasView
from skat_env.klaverjas.rules import PASS, Phase
from skat_env.options import Count, Threads, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import require_views
from skat_env.protocols import Agent, Decision
from skat_env.solvers.klaverjas import Question, Solver

FINAL = Question("final_difference")


class SearchBidding:
    """Names the suit with the highest mean result for its team, or passes where that is allowed; plays no cards.

    Open cards value suits, and passing at the threshold. Players who see their own cards alone value passing too.

    Args:
        worlds: the number of sampled worlds; each suit is solved in all of them.
        inner: the agent that plays the worlds out from all seats, or its name; None: they are solved with open cards.
        threshold: passes if no suit's mean final difference of scores reaches this; not with `inner`.
        threads: threads of the solver; decisions do not depend on their number.

    Raises:
        OptionError: if `threshold` is given with `inner`.
        ValueError: if an option is out of range.
    """

    @checked_options("search_bidding")
    def __init__(
        self,
        worlds: Count = 20,
        *,
        inner: str | Agent | None = None,
        threshold: float = 0.0,
        threads: Threads = 1,
    ) -> None:
        if inner is not None and threshold:
            raise OptionError(
                f"search_bidding with threshold={threshold:g}: worlds that are played out by inner value passing itself"
            )
        self.worlds, self.threshold, self.threads = worlds, threshold, threads
        self._solver = Solver()
        self._rollouts = None if inner is None else Rollouts(inner, "klaverjas")
        always = ["worlds"] * (inner is not None)
        self.name = own_text(self, "search_bidding", *always, inner=self._rollouts and self._rollouts.inner)
        self._sampler = UniformSampler()

    def decide(self, view: KlaverjasView, rng: np.random.Generator) -> Decision:
        """A suit or a pass; the value is the team's mean final difference, None for a pass by the threshold.

        Raises:
            ValueError: in the cardplay, or if the view's seat is not to act.
        """
        require_views(GAME, [view])
        if view.phase != Phase.CHOOSE:
            raise ValueError("search_bidding does not play cards: use it as the bidder of a player that does")
        if self._rollouts is not None:
            return self._played_out(self._rollouts, view, rng)
        actions = [action for action in view.legal_actions() if action != PASS]
        means = dict(zip(actions, self._means(view, actions, rng), strict=True))
        best = max(actions, key=means.__getitem__)
        stats = {"means": means, "worlds": self.worlds}
        if means[best] < self.threshold and PASS in view.legal_actions():
            return Decision(PASS, stats=stats)
        return Decision(best, value=means[best], stats=stats)

    def _played_out(self, rollouts: Rollouts, view: KlaverjasView, rng: np.random.Generator) -> Decision:
        """The best suit, or a pass if that is best, over the same worlds."""
        actions = view.legal_actions()
        worlds = [world.state for world in self._sampler.worlds(view, self.worlds, rng)]
        values = rollouts.results(worlds, actions, int(rng.integers(2**62))).mean(axis=0)
        best = int(values.argmax())
        means = dict(zip(actions, values.tolist(), strict=True))
        return Decision(
            actions[best], value=means[actions[best]], stats={"means": means, "worlds": self.worlds}
        )

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
