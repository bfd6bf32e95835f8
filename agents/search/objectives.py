"""Objectives of PIMC: the worth of actions in a world."""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import UnknownName
from skat_env.options import Threads, check_option
from skat_env.protocols import State
from skat_env.registry import get_game, get_part


class Objective(Protocol):
    """The worth of actions in worlds: by their open-card solutions, or by real play."""

    name: str

    def values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """The worth of each action in each world for the seat to act, float64 [worlds, actions]."""

    def tie_values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """The secondary worth, which breaks ties, in the same form; slower."""


Objectives = Mapping[str, Callable[[int], Objective]]
"""The part `objectives` of a game: by name, (threads) -> the objective. The first is the default. The
maker of one that solves for results in a reward unit has it as `unit`."""


def make_objective(name: str | None, game: str, threads: int) -> Objective:
    """The objective with a name, or the game's default.

    Raises:
        UnknownName: if the game has no such objective.
        ValueError: if `threads` is below 1, or the game has no objectives.
    """
    check_option("an objective", "threads", Threads, threads)
    known: Objectives = get_part(game, "objectives")
    if name is None:
        name = next(iter(known))
    if name not in known:
        raise UnknownName(f"objective for {game}", name, known)
    return known[name](threads)


def result_objective(game: str, threads: int) -> Objective:
    """The objective that solves with open cards for the result in the match unit, own side less other side.

    Raises:
        ValueError: if the game has none.
    """
    name = result_objective_name(game)
    if name is None:
        unit = get_game(game).match_unit
        raise ValueError(f"{game} has no open-card objective in its match unit {unit}")
    return make_objective(name, game, threads)


def result_objective_name(game: str) -> str | None:
    """The name of `result_objective`; None: the game has objectives, but none in its match unit."""
    unit, known = get_game(game).match_unit, get_part(game, "objectives")
    return next((name for name, made in known.items() if getattr(made, "unit", None) == unit), None)


def played_objectives(game: str) -> Objectives:
    """The objectives of all games that judge worlds by how players go on who do not see the cards.

    `world_values` is what the networks of `GAME-world` expect, `rollouts` plays the worlds out by `policy`.
    """

    def values(threads: int) -> Objective:
        from skat_env.agents.search.world_objective import WorldWorth

        return WorldWorth(game)

    def rollouts(threads: int) -> Objective:
        from skat_env.agents.search.rollouts import Rollouts

        return Rollouts("policy(int8=true)", game)

    return {"world_values": values, "rollouts": rollouts}
