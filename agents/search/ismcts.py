"""Information-set Monte Carlo tree search: one tree of what the searching seat sees, a new world every simulation.

SO-ISMCTS of Cowling, Powley and Whitehouse 2012, and as Aaldering 2023 plays Klaverjas with it (`variant=thesis`).
The search itself is in `_ismcts.pyx`; it knows a game by its C face alone.
"""

import time as clock
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from agents.search._ismcts import Tree
from agents.search._worlds import Worlds
from agents.search.evaluator import Evaluator, Search, StateEvaluator, TreeEvaluator
from skat_env.beliefs.belief import ThesisSampler, UniformSampler
from skat_env.errors import UnknownName
from skat_env.play.capabilities import decide_many, is_batched
from skat_env.play.game_cache import GameCache
from skat_env.protocols import Agent, Decision, WorldSampler
from skat_env.registry import get_game, make_agent, make_belief, make_evaluator

VARIANTS: Final = ("default", "thesis")
OBSERVERS: Final = ("single", "many")
PRIORS_C: Final = 3.0
"""With priors, in half ranges too: better than AlphaZero's 1.25 in all trials. Worlds differ so much in value that a
few visits say little, and priors are to be trusted longer than with open cards.
"""
DEFAULT_C: Final = 1.41
"""In half ranges of the values seen: Kocsis and Szepesvári's sqrt(2) for values in [-1, 1]."""
THESIS_C: Final = 200.0
"""In points: the best of Aaldering 2023, figure 5, over all budgets."""
MOST_WORLDS: Final = 1000
"""Worlds that a belief in Python is asked for a search; simulations draw among them."""
MOST_EDGES: Final = 4_000_000
"""Of all trees kept together, 32 bytes each."""
MOST_WAITING: Final = 8
"""Leaves of a tree that wait by default."""
LONGEST: Final = 2**62
"""Simulations of a search that only its time ends."""


class Ismcts:
    """Searches a tree of information sets; plays the action visited most.

    Args:
        simulations: for every decision.
        c: exploration constant; default 1.41 half ranges of the values seen in the search, in the thesis 200 points.
        variant: `default`: actions count how often they were available (Cowling 2012), and the tree is kept between a
            seat's moves; `thesis`: Aaldering 2023, algorithm 1: the bound counts all simulations so far, worlds come
            from his sampler, every search begins anew.
        time: milliseconds for a decision, in place of `simulations`; the games then depend on the machine.
        evaluator: of leaves: `rollout`, or another, or its name: `value(checkpoint=...)` values them by a network,
            `policy_value(checkpoint=...)` gives actions priors besides and selects them by PUCT.
        rollouts: random games a leaf, averaged.
        rollout_share: with an evaluator, how much of a leaf's value is a random game's instead (AlphaGo's lambda,
            Silver et al. 2016).
        belief: the sampler of worlds or its name; default `uniform`, in the thesis `thesis`.
        observers: `single`: one tree; `many`: one a seat, in which the other seats know their own cards.
        reuse: whether to go on with the tree of the last move; default: not in the thesis.
        reward: the unit searched for; default: what matches count.
        batch: leaves of a tree that wait for an evaluator at a time, of those of all searches in step that it is asked
            for; default: a sixteenth of the simulations, 1 to 8. A search that waits knows less when it goes on.
        bidder: the agent, or its name, for what comes before the cardplay.

    Raises:
        ValueError: if an option is out of range; its subclasses for names as in the registry.
    """

    def __init__(
        self,
        simulations: int | None = None,
        c: float | None = None,
        variant: str = "default",
        time: float | None = None,
        evaluator: str | Evaluator | TreeEvaluator = "rollout",
        rollouts: int = 1,
        rollout_share: float = 0.0,
        belief: str | WorldSampler | None = None,
        observers: str = "single",
        reuse: bool | None = None,
        reward: str | None = None,
        batch: int | None = None,
        bidder: str | Agent = "search_bidding",
        game: str = "klaverjas",
    ) -> None:
        if variant not in VARIANTS:
            raise UnknownName("variant of ismcts", variant, VARIANTS)
        if observers not in OBSERVERS:
            raise UnknownName("number of observers", observers, OBSERVERS)
        if simulations is not None and time is not None:
            raise ValueError("ismcts takes a number of simulations or a time, not both")
        simulations = 800 if simulations is None and time is None else simulations
        for name, value in (
            ("simulations", simulations),
            ("time", time),
            ("rollouts", rollouts),
            ("batch", batch),
        ):
            if value is not None and value <= 0:
                raise ValueError(f"ismcts with {name}={value}: expected more than 0")
            if name != "time" and value is not None and not isinstance(value, int):
                raise ValueError(f"ismcts with {name}={value}: expected a whole number")
        if c is not None and c < 0:
            raise ValueError(f"ismcts with c={c}: expected 0 or more")
        if not 0 <= rollout_share <= 1:
            raise ValueError(f"ismcts with rollout_share={rollout_share}: expected 0 to 1")
        thesis = variant == "thesis"
        self._game = get_game(game)
        self._simulations = simulations
        self._seconds = 0.0 if time is None else time / 1000
        self._thesis = thesis
        self._evaluator: TreeEvaluator | None = None
        self._rollouts, self._rollout_share = rollouts, float(rollout_share)
        self._belief = make_belief(belief or ("thesis" if thesis else "uniform"), game)
        self._private = observers == "many"
        self._reuse = not thesis if reuse is None else reuse
        self._reward = reward or self._game.match_unit
        if self._reward not in self._game.reward_units:
            raise UnknownName("reward unit", self._reward, self._game.reward_units)
        if evaluator != "rollout":
            self._evaluator = _tree_evaluator(make_evaluator(evaluator, game), self._reward)
        self._priors = self._evaluator is not None and self._evaluator.priors
        if self._priors and thesis:
            raise ValueError(
                f"ismcts with variant=thesis has no priors: {evaluator} needs the default variant"
            )
        default_c = PRIORS_C if self._priors else THESIS_C if thesis else DEFAULT_C
        self._c = default_c if c is None else c
        self._batch = batch or min(MOST_WAITING, max(1, (simulations or LONGEST) // 16))
        self.bidder = make_agent(bidder, game)
        self.cheats = self._belief.cheats
        self.batched = self._evaluator is not None or is_batched(self.bidder)
        self.remembers = self._reuse
        self._trees: GameCache[Tree] = GameCache(MOST_EDGES, _edges)
        budget = f"simulations={simulations}" if time is None else f"time={time:g}"
        words = [budget, f"c={self._c:g}"]
        words += [f"variant={variant}"] * thesis
        words += [f"batch={batch}"] * (batch is not None)
        words += [f"rollouts={rollouts}"] * (rollouts != 1)
        words += [f"rollout_share={rollout_share:g}"] * (rollout_share != 0)
        words += [f"evaluator={self._evaluator.name}"] if self._evaluator else []
        words += [f"belief={self._belief.name}"] * (belief is not None)
        words += [f"observers={observers}"] * self._private
        words += [f"reuse={str(reuse).lower()}"] * (reuse is not None)
        words += [f"reward={reward}"] * (reward is not None)
        self.name = f"ismcts({', '.join(words)})"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The bidder's decision, or in the cardplay the search's; a single legal card is played at once."""
        return self.decide_many([view], [rng])[0]

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        """The same for a belief that cheats: the search knows the state."""
        return self._decide([view], [state], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The same for many views: an evaluator values the leaves of all searches together."""
        return self._decide(views, [None] * len(views), rngs)

    def _decide(
        self, views: Sequence[Any], states: Sequence[Any], rngs: Sequence[np.random.Generator]
    ) -> list[Decision]:
        decisions: dict[int, Decision] = {}
        bids = [i for i, view in enumerate(views) if view.stage != self._game.stages[-1]]
        asked = decide_many(self.bidder, [views[i] for i in bids], [rngs[i] for i in bids]) if bids else []
        decisions.update(zip(bids, asked, strict=True))
        searches: dict[int, Search] = {}
        for i, (view, state, rng) in enumerate(zip(views, states, rngs, strict=True)):
            if i in decisions:
                continue
            actions = view.legal_actions()
            if len(actions) == 1:
                decisions[i] = Decision(actions[0])
                continue
            tree = self._trees.take(view, rng) if self._reuse else None
            worlds = self._worlds(view, state, rng)
            stream = int(rng.integers(2**63))
            searches[i] = Search(view, self._tree(view) if tree is None else tree, worlds, stream)
        self._search(list(searches.values()))
        for i, search in searches.items():
            if self._reuse:
                self._trees.keep(search.view, rngs[i], search.tree)
            decisions[i] = _decision(search)
        return [decisions[i] for i in range(len(views))]

    def _tree(self, view: Any) -> Tree:
        """An empty tree. The sum of a side's returns counts partners twice: it is divided by their number."""
        partners = len(self._game.teams[0])
        sides = [view.side(seat) for seat in range(len(self._game.seats))]
        signs = [(1.0 if side == 0 else -1.0) / partners for side in sides]
        unit = self._game.reward_units.index(self._reward)
        return Tree(
            signs,
            unit,
            self._c,
            not self._thesis,
            not self._thesis,
            self._private,
            self._priors,
            self._rollout_share,
        )

    def _worlds(self, view: Any, state: Any, rng: np.random.Generator) -> Worlds:
        if state is not None:
            return Worlds(view, view.seat, False, [state])
        if isinstance(self._belief, UniformSampler | ThesisSampler):
            return Worlds(view, view.seat, isinstance(self._belief, ThesisSampler), [])
        worlds = self._belief.worlds(view, min(self._simulations or MOST_WORLDS, MOST_WORLDS), rng)
        weights = np.array([world.weight for world in worlds])
        drawn = rng.choice(len(worlds), len(worlds), p=weights / weights.sum())
        return Worlds(view, view.seat, False, [worlds[i].state for i in drawn])

    def _search(self, searches: list[Search]) -> None:
        """Adds the simulations of a decision to each."""
        most = self._simulations or LONGEST
        if self._evaluator is None:
            for search in searches:
                search.done = search.tree.search(
                    search.worlds, most, self._seconds, self._rollouts, search.stream
                )
            return
        deadline = clock.perf_counter() + self._seconds * len(searches)
        for search in searches:
            search.tree.begin(search.worlds)
        while searches:
            for search in searches:
                leaves = min(self._batch, most - search.done)
                search.done += search.tree.gather(search.worlds, leaves, search.stream + search.done)
            if waiting := [search for search in searches if search.tree.waiting]:
                self._evaluator.settle(waiting)
            searches = [search for search in searches if search.done < most]
            if self._seconds and clock.perf_counter() >= deadline:
                break


def _edges(tree: Tree) -> int:
    return tree.size


def _tree_evaluator(evaluator: Evaluator | TreeEvaluator, unit: str) -> TreeEvaluator:
    """An evaluator of trees that values in a reward unit."""
    if not isinstance(evaluator, TreeEvaluator):
        return StateEvaluator(evaluator, unit)
    if evaluator.unit != unit:
        raise ValueError(f"{evaluator.name} values in {evaluator.unit}, the search is for {unit}")
    return evaluator


def _decision(search: Search) -> Decision:
    """The action visited most; of equals the better one, of such the one with the higher prior."""
    edges = search.tree.root_edges()
    sign = 1 if search.view.side(search.view.seat) == 0 else -1
    action, visits, _, mean, _ = max(edges, key=lambda edge: (edge[1], sign * edge[3], edge[4]))
    weights = np.zeros(64, np.float32)
    for edge in edges:
        # A search too short to visit an action has nothing to tell but its priors.
        weights[edge[0]] = edge[1] if visits else edge[4]
    stats = {
        "simulations": search.done,
        "tree": search.tree.size,
        "visits": {edge[0]: edge[1] for edge in edges},
        "available": {edge[0]: edge[2] for edge in edges},
        "means": {edge[0]: sign * edge[3] for edge in edges},
    }
    return Decision(action, weights / weights.sum(), sign * mean, stats)
