"""What the searches that back vectors of outcomes up have in common: everything but the tree."""

import time as clock
from abc import abstractmethod
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.objectives import make_objective
from skat_env.agents.search.outcomes._outcome_tree import OutcomeTree
from skat_env.agents.search.outcomes.outcomes import Outcomes, Thresholds, read_thresholds
from skat_env.agents.search.pimc import TIE, merged, tie_means, weighted_sum
from skat_env.agents.search.world_vote import WorldVote
from skat_env.errors import OptionError
from skat_env.options import check_list, shown
from skat_env.play.deadline import shorter
from skat_env.protocols import CHANCE, Agent, Decision, Game, State, World, WorldSampler
from skat_env.registry import get_game, get_part

OWN, PARTNER, OPPONENT = 0, 1, 2
"""The parts of seats, as `_outcomes.pxd` numbers them."""


class Candidates:
    """The actions of a decision, and what is known of them.

    Args:
        actions: the actions.
        gains: what each outcome is worth, the weight of its world included; float64 [outcomes].
        open_outcomes: the outcomes with open cards, uint8 [actions, outcomes].
        tree: the tree of the worlds.
        ties: () -> the secondary worth of each action, which breaks ties; None: the first action is played.
    """

    def __init__(
        self,
        actions: list[int],
        gains: NDArray[np.float64],
        open_outcomes: NDArray[np.uint8],
        tree: OutcomeTree,
        ties: Callable[[], NDArray[np.float64]] | None,
    ) -> None:
        self.actions = actions
        self.gains = gains
        self.open = open_outcomes
        self.tree = tree
        self.sums: dict[int, float] = dict(enumerate(self.worth(open_outcomes).tolist()))
        """What actions are worth, by number; those that are missing are not the best."""
        self._ties = ties
        self._secondary: NDArray[np.float64] | None = None

    def worth(self, outcomes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum of each vector, for uint8 [vectors, outcomes]."""
        return weighted_sum(self.gains, np.ascontiguousarray(outcomes.T, np.float64))

    def first_of(self, tied: list[int]) -> int:
        """The action, by number, that is played among some that are worth the same."""
        if len(tied) == 1 or self._ties is None:
            return min(tied)
        if self._secondary is None:
            self._secondary = self._ties()
        tied = sorted(tied)
        worth = self._secondary[tied]
        return tied[int((worth >= worth.max() - TIE).argmax())]

    def best(self) -> int:
        """The action to play, by number."""
        top = max(self.sums.values())
        return self.first_of([i for i, value in self.sums.items() if value >= top - TIE])


class OutcomeSearch(WorldVote):
    """Samples worlds, and plays the action whose vector of outcomes has the largest sum.

    Subclasses give `rate`, which searches, and `name`. Ties are broken as in `Pimc`, by the secondary worth of the
    game's first objective.
    """

    def __init__(
        self,
        owner: str,
        worlds: int,
        belief: str | WorldSampler,
        thresholds: Thresholds,
        threads: int,
        time: float | None,
        bidder: str | Agent,
        ties: bool,
        game: str,
    ) -> None:
        super().__init__(worlds, belief, bidder, game)
        self._outcomes: Outcomes = get_part(game, "outcomes")
        self.thresholds = read_thresholds(owner, thresholds, self._outcomes)
        self._objective = make_objective(None, game, threads)
        self._threads, self.time, self._breaks_ties = threads, time, ties
        self.seats = len(get_game(game).seats)
        self.parts = {"belief": self.belief, "thresholds": self.thresholds, "bidder": self.bidder}
        """What has a name of its own among the options."""
        self._make_ready()

    def _make_ready(self) -> None:
        """Makes what a copy does not share."""
        self._followed = self._outcomes.followed()
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_followed", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_ready()

    @abstractmethod
    def rate(self, candidates: Candidates, cards: int) -> dict[str, Any]:
        """Writes into `sums` what actions are worth, at least of all that may be the best, and returns statistics.

        Args:
            candidates: the actions, with what they are worth with open cards.
            cards: the number of cards of the seat that is to act.
        """

    def vote(self, worlds: Sequence[World], actions: Sequence[int] | None = None) -> Decision:
        """The decision for given worlds of one information set, by their weights.

        Its value is the weighted mean of the outcomes that are had, their number with thresholds; by default the
        probability to win.

        Args:
            worlds: states in which the same seat is to act, with the same own cards and history.
            actions: the actions to choose from; None: all legal ones.

        Raises:
            ValueError: if they are no such worlds, or an action is not legal.
        """
        states, weights = merged(_require_worlds(worlds, self._game))
        legal = states[0].legal_actions()
        actions = legal if actions is None else check_list("a vote", "actions", actions)
        if not actions or not all(action in legal for action in actions):
            raise OptionError(f"a vote with actions={shown(actions)}: expected some of {legal}")
        with self._lock:
            candidates = self._candidates(states, weights, actions)
            stats = self.rate(candidates, states[0].places[states[0].to_act].bit_count())
            best = candidates.best()
        shares = np.zeros(64, np.float32)
        shares[actions[best]] = 1.0
        means = {actions[i]: candidates.sums[i] for i in sorted(candidates.sums)}
        tree = candidates.tree
        stats = {"worlds": len(states), "means": means, "nodes": tree.nodes, "asked": tree.asked, **stats}
        unit = "thresholds reached" if self.thresholds else CHANCE
        return Decision(actions[best], shares, candidates.sums[best], stats, unit)

    def _candidates(
        self, states: list[State], weights: NDArray[np.float64], actions: list[int]
    ) -> Candidates:
        own = states[0].to_act
        side = states[0].side(own)
        levels = (
            self._outcomes.points(states, self.thresholds) if self.thresholds else self._outcomes.win(states)
        )
        self._followed.begin(states, levels.questions)
        sides = [states[0].side(seat) for seat in range(self.seats)]
        parts = [
            OWN if seat == own else PARTNER if sides[seat] == side else OPPONENT for seat in range(self.seats)
        ]
        reaching = levels.wanted == (side == 0)
        seconds = shorter(None if self.time is None else self.time / 1000)
        deadline = 0.0 if seconds is None else clock.monotonic() + max(seconds, 1e-9)
        tree = OutcomeTree(self._followed, parts, levels.targets, reaching, list(weights), deadline)
        return Candidates(
            actions,
            np.repeat(weights, levels.targets.shape[1]),
            tree.open_outcomes(actions, self._threads),
            tree,
            (lambda: tie_means(self._objective, states, weights, actions)) if self._breaks_ties else None,
        )


def _require_worlds(worlds: Sequence[World], game: Game) -> list[World]:
    """Raises an OptionError unless these are worlds of one information set in the cardplay."""
    given = check_list("a vote", "worlds", worlds)
    view: Any = None
    for number, world in enumerate(given):
        if not isinstance(world, World) or not isinstance(world.state, game.state):
            raise OptionError(f"a vote with world {number}={shown(world)}: expected a World of {game.name}")
        state = world.state
        if state.stage != game.stages[-1] or state.is_over:
            raise OptionError(
                f"a vote with world {number}, which is not in the {game.stages[-1]}: '{state.text()}'"
            )
        view = state.view(state.to_act) if view is None else view
        if state.to_act != view.seat or state.view(view.seat) != view:
            raise OptionError(
                f"a vote with world {number} of another information set than world 0: '{state.text()}'"
            )
        if not 0 <= world.weight < np.inf:
            raise OptionError(
                f"a vote with world {number} of weight {shown(world.weight)}: expected one from 0"
            )
    if not any(world.weight for world in given):
        raise OptionError(f"a vote with {len(given)} worlds: expected some that have a weight")
    return given
