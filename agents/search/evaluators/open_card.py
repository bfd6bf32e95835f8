"""`open_card(cards=4)`: the open-card solver at the leaves of a tree search.

A leaf where the seat to act has more cards is played on at random until it has so few: solving late is cheap, and
random play errs most at the end, where a plan of a few cards decides.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.agents.search.objectives import result_objective
from skat_env.options import Range, checked_options
from skat_env.play.worth import declarer_results
from skat_env.protocols import State
from skat_env.registry import get_game


class OpenCardEvaluator:
    """Values leaves by the result of best play with open cards, in the game's match unit.

    Args:
        cards: the largest number of cards of the seat to act that the solver gets.
        game: the game's name.

    Raises:
        ValueError: if the game has no objective in its match unit.
    """

    priors = False

    def __init__(self, cards: int, game: str) -> None:
        self._game = get_game(game)
        self.unit = self._game.match_unit
        self._objective = result_objective(game, 1)
        self._cards = cards
        self.name = f"open_card(cards={cards})"
        self._seats = len(self._game.seats)

    def settle(self, searches: Sequence[Search]) -> None:
        """Plays the leaves on, and solves them."""
        for search in searches:
            rng = np.random.default_rng([search.stream, search.done])
            leaves = search.tree.leaves(search.worlds)
            for leaf in leaves:
                self._play_on(leaf, rng.random(self._seats * 16))
            search.tree.settle(self._values(leaves))

    def _play_on(self, state: State, luck: NDArray[np.float64]) -> None:
        """Plays random cards until the seat to act has few enough."""
        for number in luck.tolist():
            if state.is_over or state.places[state.to_act].bit_count() <= self._cards:
                return
            actions = state.legal_actions()
            state.apply(actions[int(number * len(actions))])

    def _values(self, states: list[State]) -> NDArray[np.float64]:
        """What each state brings the declaring side less the other side, float64 [states]."""
        values = np.empty(len(states))
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, state in enumerate(states):
            if not state.is_over:
                # The objective takes worlds that one seat cannot tell apart: the same seat, the same legal actions.
                groups[state.to_act, state.legal()].append(number)
        if finished := [number for number, state in enumerate(states) if state.is_over]:
            values[finished] = declarer_results(self._game, [states[number] for number in finished])
        for members in groups.values():
            group = [states[number] for number in members]
            best = self._objective.values(group, group[0].legal_actions()).max(axis=1)
            values[members] = best if group[0].side(group[0].to_act) == 0 else -best
        return values


@checked_options("open_card")
def open_card(cards: Annotated[int, Range(ge=1, le=12)] = 4, *, game: str) -> OpenCardEvaluator:
    """The evaluator that solves leaves with at most so many cards of the seat to act.

    Raises:
        ValueError: if the game has no objective in its match unit.
    """
    return OpenCardEvaluator(cards, game)
