"""Races: actions are tried in more and more sampled worlds, and those that are far behind drop out.

Maron and Moore 1994, with errors of the differences between actions, which are paired by world. So worlds go to the
actions that may still be the best.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.pimc import TIE, lead, weighted_sum
from skat_env.play.deadline import seconds_left

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
    began = time.monotonic()
    size = FIRST_WORLDS if race is not None or seconds_left() is not None else len(weights)
    while True:
        first = len(values)
        values = np.concatenate([values, values_of(first, min(first + size, len(weights)), actions)])
        shares = weights[: len(values)] / weights[: len(values)].sum()
        left = seconds_left()
        if len(values) == len(weights) or left == 0:
            return Tried(actions, values, shares, dropped)
        size = len(values) if left is None or 4 * (time.monotonic() - began) < left else FIRST_WORLDS
        if race is None:
            continue
        means = weighted_sum(shares, values)
        leads, errors = lead(shares, values, int(means.argmax()))
        behind = leads < -race * errors - TIE
        stays = [i for i, action in enumerate(actions) if action == kept or not behind[i]]
        dropped |= {action: float(means[i]) for i, action in enumerate(actions) if i not in stays}
        actions, values = [actions[i] for i in stays], values[:, stays]
        if len(actions) == 1:
            return Tried(actions, values, shares, dropped)
