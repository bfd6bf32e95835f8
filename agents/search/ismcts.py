"""Information-set Monte Carlo tree search: one tree of information sets, with a new world in every simulation.

SO-ISMCTS of Cowling, Powley and Whitehouse 2012, and its variant for Klaverjas of Aaldering 2023 (`variant=thesis`).
The search itself is in `_ismcts.pyx` and uses only the game's C interface.
"""

import os
import time as clock
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import Final

import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.search.evaluators.evaluator import Evaluator, Search, StateEvaluator, TreeEvaluator
from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._selection import PUCT, UCB, UCB_AVAILABLE
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.root_edges import root_edges
from skat_env.agents.search.tree.tree_options import TreeOptions
from skat_env.agents.search.world_vote import bid_of
from skat_env.beliefs.belief import ThesisSampler, UniformSampler
from skat_env.beliefs.posterior import resampled
from skat_env.errors import UnknownName
from skat_env.options import Count, Milliseconds, NonNegative, Share, Threads, check_fields
from skat_env.own_text import own_text
from skat_env.play.capabilities import Abilities, cheats, decide_many, drawn_worlds, require_views
from skat_env.play.deadline import shorter
from skat_env.play.game_cache import GameCache
from skat_env.play.worth import side_weights
from skat_env.protocols import Agent, Decision, State, View, WorldSampler
from skat_env.registry import get_game, make_agent, make_belief, make_evaluator

VARIANTS: Final = ("default", "thesis")
OBSERVERS: Final = ("single", "many")
PRIORS_C: Final = 3.0
"""The exploration constant with priors, in half ranges of the values seen; better than AlphaZero's 1.25 in all trials.
Values differ so much between worlds that a few visits say little, so priors count for longer than with open cards.
"""
DEFAULT_C: Final = 1.41
"""The exploration constant, in half ranges of the values seen; sqrt(2) is Kocsis and Szepesvári's for [-1, 1]."""
THESIS_C: Final = 200.0
"""The exploration constant of the thesis, in points: the best over all budgets in Aaldering 2023, figure 5."""
MAX_WORLDS: Final = 1000
"""Worlds drawn from a belief in Python; the simulations of a search then draw from these."""
MAX_EDGES: Final = 4_000_000
"""Edges, 32 bytes each, of all trees that are kept."""
MAX_WAITING: Final = 8
"""The largest default of `batch`."""
MAX_TREES: Final = 256
"""The largest number of trees of a decision."""
MAX_SIMULATIONS: Final = 2**62
"""The limit of simulations for a search that is limited by time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsmctsOptions:
    """The options of `ismcts`.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    simulations: Count | None = None
    """Simulations per decision; None: 800, or as many as fit in `time`."""
    time: Milliseconds | None = None
    """Milliseconds per decision, in place of `simulations`; the games then depend on the machine."""
    c: NonNegative | None = None
    """The exploration constant; None: 1.41 half ranges of the values seen in the search, for the thesis 200 points."""
    variant: str = "default"
    """`default`: UCB counts how often an action was available (Cowling 2012), and the tree is kept between a seat's
    moves. `thesis`: Aaldering 2023, algorithm 1: UCB counts all simulations, worlds come from the thesis's sampler, and
    every search begins with an empty tree."""
    trees: Count = 1
    """Independent trees that share the simulations and the worlds' belief, merged at the root (root parallelisation,
    Chaslot, Winands and van den Herik 2008)."""
    batch: Count | None = None
    """Leaves of a search that the evaluator values in one batch; None: a sixteenth of the simulations, 1 to 8. Larger
    batches are faster but select with older values. Without an evaluator it changes nothing."""
    rollouts: Count = 1
    """Random games per leaf; their mean counts. With an evaluator it changes nothing."""
    rollout_share: Share = 0.0
    """With an evaluator, the weight of a single random game in a leaf's value (lambda in AlphaGo, Silver et al. 2016);
    without one it changes nothing."""
    minimax: Share = 0.0
    """The weight of implicit minimax values: of the best that is known below an action, beside the mean of what its
    simulations brought (Lanctot, Winands, Pepels and Sturtevant 2014)."""
    evaluator: str | Evaluator | TreeEvaluator = "rollout"
    """The evaluator of leaves, or its name: `rollout`: random games; `value(checkpoint=...)`: a value network;
    `policy_value(checkpoint=...)`: a network that also gives the priors for selection by PUCT; `open_card(cards=4)`:
    the open-card solver near the end; `rollouts(inner=policy)`: an agent plays on; `world_values(policy=...)`: a
    network that values whole worlds, and the priors of a policy."""
    belief: str | WorldSampler | None = None
    """The sampler of worlds, or its name; None: `uniform`, for the thesis `thesis`."""
    observers: str = "single"
    """`single`: other seats choose without their cards; `many`: their nodes also depend on their own cards."""
    reuse: bool | None = None
    """Whether to continue the tree of the last move; None: yes, but not for the thesis."""
    reward: str | None = None
    """The reward unit that is maximised; None: the unit of matches."""
    threads: Threads = 1
    """Threads that share out the trees of a decision; decisions do not depend on their number. An evaluator has its
    own: with one, threads have nothing to do."""
    bidder: str | Agent = "search_bidding"
    """The agent for everything before the cardplay, or its name."""

    def __post_init__(self) -> None:
        check_fields(self, "ismcts")
        if self.variant not in VARIANTS:
            raise UnknownName("variant of ismcts", self.variant, VARIANTS)
        if self.observers not in OBSERVERS:
            raise UnknownName("number of observers", self.observers, OBSERVERS)
        if self.simulations is not None and self.time is not None:
            raise ValueError("ismcts takes a number of simulations or a time, not both")
        if self.trees > min(self.limit, MAX_TREES):
            most = min(self.limit, MAX_TREES)
            raise ValueError(
                f"ismcts with trees={self.trees} and {self.limit} simulations: expected at most {most} trees"
            )
        if self.threads > self.trees:
            raise ValueError(
                f"threads of ismcts share its trees: threads={self.threads} needs as many trees, not {self.trees}"
            )

    @property
    def is_thesis(self) -> bool:
        """Whether the variant is the thesis's."""
        return self.variant == "thesis"

    @property
    def reuses(self) -> bool:
        """Whether the tree is kept from move to move."""
        return not self.is_thesis if self.reuse is None else self.reuse

    @property
    def limit(self) -> int:
        """The maximum number of simulations per decision."""
        return self.simulations or (800 if self.time is None else MAX_SIMULATIONS)


class Ismcts(Delegating):
    """Searches a tree of information sets and plays the most visited action.

    Raises:
        ValueError: if an option does not fit the game or another option; its subclasses for unknown names.
    """

    Options = IsmctsOptions

    def __init__(self, options: IsmctsOptions, *, game: str) -> None:
        self.options = options
        self._game = get_game(game)
        self._belief = make_belief(options.belief or ("thesis" if options.is_thesis else "uniform"), game)
        self._reward = self._game.reward_unit(options.reward or self._game.match_unit)
        self._unit = "" if self._reward == self._game.match_unit else self._reward
        self._evaluator: TreeEvaluator | None = None
        if options.evaluator != "rollout":
            self._evaluator = _tree_evaluator(make_evaluator(options.evaluator, game), self._reward)
        self._tree_options = self._make_tree_options()
        self._batch = options.batch or min(MAX_WAITING, max(1, options.limit // options.trees // 16))
        self.bidder = make_agent(options.bidder, game)
        batched = self._evaluator is not None
        self.delegate_to(self.bidder, own=Abilities(self._belief.cheats, batched, options.reuses))
        self._trees: GameCache[list[Tree]] = GameCache(MAX_EDGES, _edges)
        named = ("c",) if options.time else ("simulations", "c")
        self.name = own_text(
            options,
            "ismcts",
            *named,
            simulations=options.limit,
            c=self._tree_options.c,
            evaluator=self._evaluator,
            belief=self._belief,
            bidder=self.bidder,
        )

    def _make_tree_options(self) -> TreeOptions:
        options, thesis = self.options, self.options.is_thesis
        priors = self._evaluator is not None and self._evaluator.priors
        if priors and thesis:
            raise ValueError(
                f"ismcts with variant=thesis has no priors: {options.evaluator} needs the default variant"
            )
        default_c = PRIORS_C if priors else THESIS_C if thesis else DEFAULT_C
        return TreeOptions(
            c=default_c if options.c is None else options.c,
            selection=PUCT if priors else UCB if thesis else UCB_AVAILABLE,
            relative=not thesis,
            private=options.observers == "many",
            rollout_share=float(options.rollout_share),
            minimax=float(options.minimax),
        )

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The search's decision in the cardplay, before it the bidder's; a single legal card is played unsearched."""
        return self.decide_many([view], [rng])[0]

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The decision with a belief or a bidder that cheats, which gets the true state."""
        return self._decide([view], [state], [rng])[0]

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views; an evaluator values the leaves of all searches in one batch."""
        return self._decide(views, [None] * len(views), rngs)

    def _decide(
        self, views: Sequence[View], states: Sequence[State | None], rngs: Sequence[np.random.Generator]
    ) -> list[Decision]:
        require_views(self._game, views)
        decisions: dict[int, Decision] = {}
        bids = [i for i, view in enumerate(views) if view.stage != self._game.stages[-1]]
        if bids and cheats(self.bidder):
            for i in bids:
                decisions[i] = bid_of(self.bidder, views[i], states[i], rngs[i])
        elif bids:
            asked = decide_many(self.bidder, [views[i] for i in bids], [rngs[i] for i in bids])
            decisions.update(zip(bids, asked, strict=True))
        searches: dict[int, list[Search]] = {}
        for i, (view, state, rng) in enumerate(zip(views, states, rngs, strict=True)):
            if i in decisions:
                continue
            actions = view.legal_actions()
            if len(actions) == 1:
                decisions[i] = Decision(actions[0])
                continue
            trees = self._trees.take(view, rng) if self.options.reuses else None
            if trees is None:
                trees = [self._tree(view) for _ in range(self.options.trees)]
            worlds = self._worlds(view, state, rng)
            limit, more = divmod(self.options.limit, len(trees))
            searches[i] = [
                Search(view, tree, worlds, int(rng.integers(2**63)), limit + (number < more))
                for number, tree in enumerate(trees)
            ]
        self._search([search for parts in searches.values() for search in parts])
        for i, parts in searches.items():
            if self.options.reuses:
                self._trees.keep(views[i], rngs[i], [part.tree for part in parts])
            decisions[i] = replace(_decision(parts), unit=self._unit)
        return [decisions[i] for i in range(len(views))]

    def _tree(self, view: View) -> Tree:
        """An empty tree, whose values are what games are worth to the declaring side."""
        weights = side_weights(self._game)
        signs = [weights[(seat - view.declarer) % len(weights)] for seat in range(len(weights))]
        return Tree(signs, self._game.reward_units.index(self._reward), self._tree_options)

    def _worlds(self, view: View, state: State | None, rng: np.random.Generator) -> Worlds:
        if state is not None and self._belief.cheats:
            return Worlds(view, view.seat, False, [state])
        if isinstance(self._belief, (UniformSampler, ThesisSampler)):  # a union takes a microsecond
            return Worlds(view, view.seat, isinstance(self._belief, ThesisSampler), [])
        most = min(self.options.limit, MAX_WORLDS)
        worlds = drawn_worlds(self._belief, view, most, rng)
        states = [world.state for world in worlds]
        weights = np.array([world.weight for world in worlds])
        if weights.min() < weights.max():  # the tree draws from its worlds uniformly
            states = [states[i] for i in resampled(weights, most, rng)]
        return Worlds(view, view.seat, False, states)

    def _search(self, searches: list[Search]) -> None:
        """Runs the simulations of a decision in each search."""
        if not searches:
            return
        options = self.options
        time = shorter(None if options.time is None else options.time / 1000)
        in_turn = ceil(len(searches) / (options.threads if self._evaluator is None else 1))
        views = len(searches) / options.trees
        seconds = 0.0 if time is None else max(time, 1e-9) * views / in_turn
        if self._evaluator is None:

            def run(search: Search) -> None:
                search.done = search.tree.search(
                    search.worlds, search.limit, seconds, options.rollouts, search.stream
                )

            left = iter(searches)

            def run_what_is_left() -> None:
                for search in left:
                    run(search)

            # The caller is one of the threads: it begins at once, and another may take 0.1 ms to wake.
            helpers: list[Future[None]] = []
            try:
                for _ in range(options.threads - 1):
                    helpers.append(_pool(options.threads).submit(run_what_is_left))
                run_what_is_left()
                for helper in helpers:
                    helper.result()
            except BaseException:
                for search in searches:
                    search.tree.halt()
                wait(helpers)
                raise
            return
        deadline = clock.perf_counter() + seconds * len(searches)
        for search in searches:
            search.tree.begin(search.worlds)
        while searches:
            for search in searches:
                leaves = min(self._batch, search.limit - search.done)
                search.done += search.tree.gather(search.worlds, leaves, search.stream + search.done)
            if waiting := [search for search in searches if search.tree.waiting]:
                self._evaluator.settle(waiting)
            searches = [search for search in searches if search.done < search.limit]
            if seconds and clock.perf_counter() >= deadline:
                break


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """The threads beside the caller's; they are started once, for starting them takes as long as a short search."""
    return ThreadPoolExecutor(threads - 1, "ismcts")


# A forked process has none of its parent's threads.
os.register_at_fork(after_in_child=_pool.cache_clear)


def _edges(trees: list[Tree]) -> int:
    return sum(tree.size for tree in trees)


def _tree_evaluator(evaluator: Evaluator | TreeEvaluator, unit: str) -> TreeEvaluator:
    """Adapts an evaluator to trees, and checks its reward unit."""
    if not isinstance(evaluator, TreeEvaluator):
        return StateEvaluator(evaluator, unit)
    if evaluator.unit != unit:
        raise ValueError(f"{evaluator.name} values in {evaluator.unit}, but the search maximises {unit}")
    return evaluator


def _decision(searches: list[Search]) -> Decision:
    """The most visited action; ties are broken by mean value, then by prior.

    Short searches take as long as this does, so it goes over the edges once.
    """
    view = searches[0].view
    sign = 1 if view.side(view.seat) == 0 else -1
    edges = root_edges([search.tree for search in searches])
    simulations = sum([edge[1] for edge in edges])
    # A search too short to visit any action can only report its priors.
    whole: float = simulations or sum([edge[4] for edge in edges])
    weights = np.zeros(64, np.float32)
    best = (-1, 0.0, 0.0)
    best_action = 0
    visits, available, means = {}, {}, {}
    for action, visited, legal, mean, prior in edges:
        visits[action], available[action], means[action] = visited, legal, sign * mean
        weights[action] = (visited if simulations else prior) / whole
        if visited >= best[0] and (visited, sign * mean, prior) > best:
            best, best_action = (visited, sign * mean, prior), action
    stats = {
        "simulations": sum([search.done for search in searches]),
        "tree": sum([search.tree.size for search in searches]),
        "visits": visits,
        "available": available,
        "means": means,
    }
    return Decision(best_action, weights, best[1], stats)
