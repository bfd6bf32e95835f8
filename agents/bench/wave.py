"""A wave of games: one in every lane, from its start to its end, all seats played by one function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.envs.vector import SelfPlayVector

Player = Callable[[NDArray[np.int8], NDArray[np.int8]], tuple[NDArray[Any], ...]]
"""Observations int8 [games, features] and action masks int8 [games, actions] -> actions int64 [games], and further
columns [games, ...] that the wave keeps, such as the probabilities of the actions."""


@dataclass(frozen=True, slots=True)
class Wave:
    """The decisions of a wave, in the order in which they were made; row by row."""

    observation: NDArray[np.int8]
    """[decisions, features], of the seat that decided."""
    mask: NDArray[np.int8]
    """[decisions, actions]."""
    action: NDArray[np.int64]
    """[decisions]."""
    result: NDArray[np.float32]
    """[decisions]: what the seat got in the end, scaled as rewards are."""
    lane: NDArray[np.int64]
    """[decisions]: the game."""
    seat: NDArray[np.int32]
    """[decisions]: the seat that decided."""
    step: NDArray[np.int64]
    """[decisions]: how many decisions of its game came before."""
    further: tuple[NDArray[Any], ...]
    """The further columns that the player gave, [decisions, ...] each."""


def play_wave(games: SelfPlayVector, player: Player, seed: int) -> Wave:
    """Plays one game in every lane.

    Args:
        games: the games; they begin anew.
        player: decides at all seats. Games that are over are asked for, too, until the last one ends; that is not kept.
        seed: of the games.
    """
    step = games.reset(seed=seed)
    lanes = np.arange(games.num_envs)
    running = np.ones(len(lanes), np.bool_)
    points = np.zeros((len(lanes), games.num_players), np.float32)
    rows: list[tuple[NDArray[Any], ...]] = []
    while running.any():
        action, *further = player(step.observation, step.action_mask)
        number = np.full(len(lanes), len(rows))
        columns: tuple[NDArray[Any], ...] = (
            *(step.observation, step.action_mask, action, lanes, step.current_player, number),
            *further,
        )
        rows.append(tuple(column[running] for column in columns))
        step = games.step(action)
        ended = running & step.terminations
        points[ended] = step.rewards[ended]
        running = running & ~ended
    observation, mask, action, lane, seat, made, *others = map(np.concatenate, zip(*rows, strict=True))
    return Wave(observation, mask, action, points[lane, seat], lane, seat, made, tuple(others))
