"""`rollouts(inner=policy)`: an agent plays the games on from the leaves of a tree search, in place of random cards."""

from collections.abc import Sequence

import numpy as np

from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.agents.search.rollouts import Rollouts
from skat_env.options import checked_options
from skat_env.play.capabilities import cheats
from skat_env.play.worth import own_results
from skat_env.protocols import Agent
from skat_env.registry import get_game


class RolloutEvaluator:
    """Values leaves by the results of games that an agent plays on at all seats, in the game's match unit.

    Args:
        inner: the agent, or its name; it sees what each seat sees in the leaf's world.
        game: the game's name.

    Raises:
        ValueError: if the agent cheats; its subclasses for unknown names.
    """

    priors = False

    def __init__(self, inner: str | Agent, game: str) -> None:
        self._rollouts = Rollouts(inner, game)
        if cheats(self._rollouts.inner):
            inner = self._rollouts.inner.name
            raise ValueError(
                f"rollouts with inner={inner}, which cheats: expected one that sees a view alone"
            )
        self._game = get_game(game)
        self.unit = self._game.match_unit
        self.name = f"rollouts(inner={self._rollouts.inner.name})"

    def settle(self, searches: Sequence[Search]) -> None:
        """Plays the leaves of all searches to their end, in one batch."""
        leaves = [search.tree.leaves(search.worlds) for search in searches]
        open_, seeds = [], []
        for search, part in zip(searches, leaves, strict=True):
            for number, leaf in enumerate(part):
                if not leaf.is_over:
                    open_.append(leaf)
                    seeds.append([search.stream, search.done, number])
        self._rollouts.play(open_, lambda number, seat: np.random.default_rng([*seeds[number], seat]))
        for search, part in zip(searches, leaves, strict=True):
            search.tree.settle(own_results(self._game, part, search.view.declarer))


@checked_options("rollouts")
def rollouts(inner: str | Agent = "policy", *, game: str) -> RolloutEvaluator:
    """The evaluator in which an agent, named or given, plays on.

    Raises:
        ValueError: if the agent cheats; its subclasses for unknown names.
    """
    return RolloutEvaluator(inner, game)
