"""Information-set Monte Carlo tree search: one tree of what the searching seat sees, a new world every simulation.

SO-ISMCTS of Cowling, Powley and Whitehouse 2012, and as Aaldering 2023 plays Klaverjas with it (`variant=thesis`).
The search itself is in `_ismcts.pyx`; it knows a game by its C face alone.
"""

import time as clock
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from agents._ismcts import Tree, Worlds
from agents.tree_cache import TreeCache
from skat_env.belief import ThesisSampler, UniformSampler
from skat_env.errors import UnknownName
from skat_env.protocols import Agent, Decision, WorldSampler
from skat_env.registry import get_game, make_agent, make_belief

VARIANTS: Final = ("default", "thesis")
OBSERVERS: Final = ("single", "many")
DEFAULT_C: Final = 1.41
"""In half ranges of the values seen: Kocsis and Szepesvári's sqrt(2) for values in [-1, 1]."""
THESIS_C: Final = 200.0
"""In points: the best of Aaldering 2023, figure 5, over all budgets."""
MOST_WORLDS: Final = 1000
"""Worlds that a belief in Python is asked for a search; simulations draw among them."""
LONGEST: Final = 2**62
"""Simulations of a search that only its time ends."""


class Evaluator(Protocol):
    """Values leaves in place of random rollouts; asked for many at once."""

    name: str

    def values(self, states: list[Any]) -> NDArray[np.float64]:
        """What the declaring side can expect to have more than the other in each state, in the searched reward unit,
        float64 [states].
        """


class Ismcts:
    """Searches a tree of information sets; plays the action visited most.

    Args:
        simulations: for every decision.
        c: exploration constant; default 1.41 half ranges of the values seen in the search, in the thesis 200 points.
        variant: `default`: actions count how often they were available (Cowling 2012), and the tree is kept between a
            seat's moves; `thesis`: Aaldering 2023, algorithm 1: the bound counts all simulations so far, worlds come
            from his sampler, every search begins anew.
        time: milliseconds for a decision, in place of `simulations`; the games then depend on the machine.
        evaluator: `rollout`, or an object as `Evaluator`, which is asked for `batch` leaves at once.
        rollouts: random games a leaf, averaged.
        belief: the sampler of worlds or its name; default `uniform`, in the thesis `thesis`.
        observers: `single`: one tree; `many`: one a seat, in which the other seats know their own cards.
        reuse: whether to go on with the tree of the last move; default: not in the thesis.
        reward: the unit searched for; default: what matches count.
        batch: leaves that wait for an evaluator.
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
        evaluator: str | Evaluator = "rollout",
        rollouts: int = 1,
        belief: str | WorldSampler | None = None,
        observers: str = "single",
        reuse: bool | None = None,
        reward: str | None = None,
        batch: int = 32,
        bidder: str | Agent = "search_bidding",
        game: str = "klaverjas",
    ) -> None:
        if variant not in VARIANTS:
            raise UnknownName("variant of ismcts", variant, VARIANTS)
        if observers not in OBSERVERS:
            raise UnknownName("number of observers", observers, OBSERVERS)
        if isinstance(evaluator, str) and evaluator != "rollout":
            raise UnknownName("evaluator of ismcts", evaluator, ["rollout"])
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
        thesis = variant == "thesis"
        self._game = get_game(game)
        self._simulations = simulations
        self._seconds = 0.0 if time is None else time / 1000
        self._c = c if c is not None else THESIS_C if thesis else DEFAULT_C
        self._thesis = thesis
        self._evaluator = None if isinstance(evaluator, str) else evaluator
        self._rollouts = rollouts
        self._belief = make_belief(belief or ("thesis" if thesis else "uniform"), game)
        self._private = observers == "many"
        self._reuse = not thesis if reuse is None else reuse
        self._reward = reward or self._game.match_unit
        if self._reward not in self._game.reward_units:
            raise UnknownName("reward unit", self._reward, self._game.reward_units)
        self._batch = batch
        self.bidder = make_agent(bidder, game)
        self.cheats = self._belief.cheats
        self._trees = TreeCache()
        budget = f"simulations={simulations}" if time is None else f"time={time:g}"
        words = [budget, f"c={self._c:g}"]
        words += [f"variant={variant}"] * thesis
        words += [f"evaluator={self._evaluator.name}"] if self._evaluator else []
        words += [f"rollouts={rollouts}"] * (rollouts != 1)
        words += [f"belief={self._belief.name}"] * (belief is not None)
        words += [f"observers={observers}"] * self._private
        words += [f"reuse={str(reuse).lower()}"] * (reuse is not None)
        words += [f"reward={reward}"] * (reward is not None)
        self.name = f"ismcts({', '.join(words)})"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The bidder's decision, or in the cardplay the search's; a single legal card is played at once."""
        return self._decide(view, None, rng)

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        """The same for a belief that cheats: the search knows the state."""
        return self._decide(view, state, rng)

    def _decide(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        if view.stage != self._game.stages[-1]:
            return self.bidder.decide(view, rng)
        actions = view.legal_actions()
        if len(actions) == 1:
            return Decision(actions[0])
        tree = self._trees.take(view, rng) if self._reuse else None
        if tree is None:
            tree = self._tree(view)
        worlds = self._worlds(view, state, rng)
        done = self._search(tree, worlds, rng)
        if self._reuse:
            self._trees.keep(view, rng, tree)
        return _decision(tree, 1 if view.side(view.seat) == 0 else -1, done)

    def _tree(self, view: Any) -> Tree:
        """An empty tree. The sum of a side's returns counts partners twice: it is divided by their number."""
        partners = len(self._game.teams[0])
        sides = [view.side(seat) for seat in range(len(self._game.seats))]
        signs = [(1.0 if side == 0 else -1.0) / partners for side in sides]
        unit = self._game.reward_units.index(self._reward)
        return Tree(signs, unit, self._c, not self._thesis, not self._thesis, self._private)

    def _worlds(self, view: Any, state: Any, rng: np.random.Generator) -> Worlds:
        if state is not None:
            return Worlds(view, view.seat, False, [state])
        if isinstance(self._belief, UniformSampler | ThesisSampler):
            return Worlds(view, view.seat, isinstance(self._belief, ThesisSampler), [])
        worlds = self._belief.worlds(view, min(self._simulations or MOST_WORLDS, MOST_WORLDS), rng)
        weights = np.array([world.weight for world in worlds])
        drawn = rng.choice(len(worlds), len(worlds), p=weights / weights.sum())
        return Worlds(view, view.seat, False, [worlds[i].state for i in drawn])

    def _search(self, tree: Tree, worlds: Worlds, rng: np.random.Generator) -> int:
        """Adds the simulations of a decision; returns how many."""
        stream = int(rng.integers(2**63))
        if self._evaluator is None:
            return tree.search(worlds, self._simulations or LONGEST, self._seconds, self._rollouts, stream)
        return self._search_in_batches(tree, worlds, self._evaluator, stream)

    def _search_in_batches(self, tree: Tree, worlds: Worlds, evaluator: Evaluator, stream: int) -> int:
        """The same with an evaluator, which is asked for the leaves of a batch at once."""
        deadline = clock.perf_counter() + self._seconds
        most = self._simulations or LONGEST
        done = 0
        tree.begin(worlds)
        while done < most and (not self._seconds or clock.perf_counter() < deadline or not done):
            leaves = min(self._batch, most - done)
            states = tree.gather(worlds, leaves, stream + done)
            if states:
                tree.settle(np.ascontiguousarray(evaluator.values(states), np.float64))
            done += leaves
        return done


def _decision(tree: Tree, sign: int, done: int) -> Decision:
    """The action visited most, for the seat whose side has a sign; of equals, the better one."""
    edges = tree.root_edges()
    chosen = max(edges, key=lambda edge: (edge[1], sign * edge[3]))
    weights = np.zeros(64, np.float32)
    for action, visits, _, _ in edges:
        weights[action] = visits
    stats = {
        "simulations": done,
        "tree": tree.size,
        "visits": {edge[0]: edge[1] for edge in edges},
        "available": {edge[0]: edge[2] for edge in edges},
        "means": {edge[0]: sign * edge[3] for edge in edges},
    }
    return Decision(chosen[0], weights / weights.sum(), sign * chosen[3], stats)
