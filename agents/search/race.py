"""Races: actions are tried in more and more sampled worlds, and those that are far behind drop out.

Maron and Moore 1994, with errors of the differences between actions, which are paired by world. So worlds go to the
actions that may still be the best.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.pimc import TIE, lead, weighted_sum
from skat_env.play.deadline import rounds, seconds_left

FIRST_WORLDS: Final = 16
"""The worlds of the first round; every other round has as many as all before it."""


class Tried(NamedTuple):
    """What was found of actions in worlds."""

    actions: list[int]
    """Those that have not dropped out."""
    values: NDArray[np.float64]
    """float64 [worlds, actions], of fewer worlds than there are if time was up."""
    weights: NDArray[np.float64]
    """float64 [worlds], summing to 1."""
    dropped: dict[int, float]
    """The last means of the actions that have dropped out."""

    @property
    def means(self) -> NDArray[np.float64]:
        """What the actions are worth, float64 [actions]."""
        return weighted_sum(self.weights, self.values)

    def best(self, own: int | None, caution: float) -> int:
        """The number of the best action.

        Args:
            own: an action that is kept unless another is better by more than `caution` standard errors of the
                difference, which is paired by world; None: the first of the best.
            caution: how many.
        """
        means = self.means
        kept = int((means >= means.max() - TIE).argmax()) if own is None else self.actions.index(own)
        leads, errors = lead(self.weights, self.values, kept)
        better = leads > caution * errors + TIE
        return int(np.where(better, means, -np.inf).argmax()) if better.any() else kept


def try_actions(
    values_of: Callable[[int, int, list[int]], NDArray[np.float64]],
    weights: NDArray[np.float64],
    actions: list[int],
    race: float | None,
    kept: int | None,
) -> Tried:
    """Tries actions in worlds until one is left, all worlds are used, or the time is up.

    Args:
        values_of: (first world, the one after the last, actions) -> values, float64 [worlds, actions].
        weights: float64 [worlds], the worlds' weights.
        actions: the actions.
        race: how many standard errors of the difference an action may be behind the best after a round; None: none
            drops out.
        kept: an action that does not drop out; None: all can.
    """
    values, dropped = np.empty((0, len(actions))), dict[int, float]()
    shares = weights
    in_rounds = race is not None or seconds_left() is not None
    for first, end in rounds(len(weights), FIRST_WORLDS if in_rounds else len(weights)):
        values = np.concatenate([values, values_of(first, end, actions)])
        shares = weights[:end] / weights[:end].sum()
        if race is None or end == len(weights) or seconds_left() == 0:
            continue
        means = weighted_sum(shares, values)
        leads, errors = lead(shares, values, int(means.argmax()))
        behind = leads < -race * errors - TIE
        stays = [i for i, action in enumerate(actions) if action == kept or not behind[i]]
        dropped |= {action: float(means[i]) for i, action in enumerate(actions) if i not in stays}
        actions, values = [actions[i] for i in stays], values[:, stays]
        if len(actions) == 1:
            break
    return Tried(actions, values, shares, dropped)
