"""Perfect-information Monte Carlo search: solves sampled worlds with open cards and plays the best action on average.

Rebstock 2019, algorithm 1; the design of Kermit (Buro, Long, Furtak and Sturtevant 2009). The belief draws the worlds,
the objective rates the actions in each.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.objectives import Objective, make_objective
from skat_env.agents.search.world_vote import WorldVote
from skat_env.options import Count, NonNegative, Threads, checked_options
from skat_env.own_text import own_text
from skat_env.play.deadline import seconds_left, values_in_time
from skat_env.protocols import Agent, Decision, State, View, World, WorldSampler
from skat_env.registry import get_part

SureCards = Callable[[View], list[int]]
"""The product of a game's part `sure_cards`."""
TIE = 1e-9
"""Values closer than this are equal."""
TIE_WORLDS = 12
"""Worlds in which ties are broken by the secondary worth; a few are enough for that."""


class Pimc(WorldVote):
    """Samples worlds, solves each with open cards, plays the action with the best mean value.

    Args:
        worlds: the number of worlds sampled; all of them if there are no more.
        belief: the sampler of worlds, or its name; `cheating` sees the true world.
        objective: `win`, `points` or `tournament_points` in Skat; `made`, `difference` or `final_difference` in
            Klaverjas; None: the first of them.
        threads: threads of the solver; decisions do not depend on their number.
        bidder: the agent for everything before the cardplay, or its name.
        ties: whether ties are broken by the objective's secondary worth; if not, the first action is played.
        paranoia: whether only cards that win for sure, whatever the others hold and play, are considered where there
            are any (Skat: paranoia search).
        second: the objective that chooses among the actions that are near the best; None: none does.
        near: how many standard errors of the difference, which is paired by world, an action may be behind the best;
            without `second` it changes nothing.

    Raises:
        ValueError: if an option is out of range, or `paranoia` is asked for in a game that has no such search; its
            subclasses for unknown names.
    """

    @checked_options("pimc")
    def __init__(
        self,
        worlds: Count = 160,
        *,
        belief: str | WorldSampler = "uniform",
        objective: str | None = None,
        threads: Threads = 1,
        ties: bool = True,
        paranoia: bool = False,
        second: str | None = None,
        near: NonNegative = 1.0,
        bidder: str | Agent = "search_bidding",
        game: str,
    ) -> None:
        super().__init__(worlds, belief, bidder, game)
        self.objective: Objective = make_objective(objective, game, threads)
        self._second = None if second is None else make_objective(second, game, threads)
        self._near = near
        self._breaks_ties = ties
        self._sure_cards: SureCards | None = get_part(game, "sure_cards")() if paranoia else None
        always = ["worlds", "belief", "objective", *["near"] * (second is not None)]
        parts = {"belief": self.belief, "objective": self.objective, "bidder": self.bidder}
        self.name = own_text(self, "pimc", *always, **parts)

    def narrowed(self, view: View, actions: list[int]) -> list[int]:
        """All legal cards; with paranoia those that win for sure, if there are any."""
        sure = [] if self._sure_cards is None else self._sure_cards(view)
        return sure or actions

    def vote(self, worlds: list[World], actions: list[int]) -> Decision:
        """The decision for a sample of worlds.

        Its weights are the share of worlds in which each action is best, divided equally among equals; its value is the
        mean worth of the chosen action.
        """
        states, weights = merged(worlds)
        values = values_in_time(lambda _, some: self.objective.values(some, actions), states)
        states, weights = solved(states, weights, len(values))
        means = weighted_sum(weights, values)
        best = np.flatnonzero(means >= means.max() - TIE)
        if self._second is not None and seconds_left() != 0:
            leads, errors = lead(weights, values, int(best[0]))
            best = np.flatnonzero(leads >= -self._near * errors - TIE)
            if len(best) > 1:
                again = weighted_sum(weights, self._second.values(states, [actions[i] for i in best]))
                best = best[again >= again.max() - TIE]
        if len(best) > 1 and self._breaks_ties and seconds_left() != 0:
            tied = tie_means(self.objective, states, weights, [actions[i] for i in best])
            best = best[tied >= tied.max() - TIE]
        chosen = int(best[0])
        votes = values >= values.max(axis=1, keepdims=True) - TIE
        shares = np.zeros(64, np.float32)
        shares[actions] = weighted_sum(weights, votes / votes.sum(axis=1, keepdims=True))
        stats = {"worlds": len(states), "means": dict(zip(actions, means.tolist(), strict=True))}
        return Decision(actions[chosen], shares, float(means[chosen]), stats, self.objective.name)


def solved(
    states: list[State], weights: NDArray[np.float64], count: int
) -> tuple[list[State], NDArray[np.float64]]:
    """The first states and their weights, which sum to 1 again: those for which there was time."""
    if count == len(states):
        return states, weights
    return states[:count], weights[:count] / weights[:count].sum()


def weighted_sum(weights: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted sum over worlds of values [worlds, actions], float64 [actions].

    It is added in a fixed order. A matrix product is not, so its last bits, and with them decisions, differ between
    processors.
    """
    total: NDArray[np.float64] = (weights[:, None] * values).sum(axis=0)
    return total


def tie_means(
    objective: Objective, states: list[State], weights: NDArray[np.float64], actions: list[int]
) -> NDArray[np.float64]:
    """The secondary worth of actions, which breaks ties, in the heaviest worlds; float64 [actions]."""
    heaviest = np.argsort(-weights, kind="stable")[:TIE_WORLDS]
    return weighted_sum(weights[heaviest], objective.tie_values([states[i] for i in heaviest], actions))


def lead(
    weights: NDArray[np.float64], values: NDArray[np.float64], action: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much better than one action each is on average, and the standard errors of that, paired by world.

    Args:
        weights: float64 [worlds], summing to 1.
        values: float64 [worlds, actions].
        action: the number of the one.
    """
    differences = values - values[:, action : action + 1]
    leads = weighted_sum(weights, differences)
    return leads, np.sqrt(weighted_sum(np.square(weights), np.square(differences - leads)))


def merged(worlds: list[World]) -> tuple[list[State], NDArray[np.float64]]:
    """Merges worlds with the same cards at every place, so that each is solved once; weights sum to 1."""
    states: dict[tuple[int, ...], State] = {}
    weights: dict[tuple[int, ...], float] = {}
    for world in worlds:
        places = world.state.places
        states.setdefault(places, world.state)
        weights[places] = weights.get(places, 0.0) + world.weight
    total = np.array(list(weights.values()))
    return list(states.values()), total / total.sum()
