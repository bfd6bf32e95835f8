"""A wave of games: one in every lane, from its start to its end, all seats played by one function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.envs.vector import SelfPlayVector
from skat_env.play.capabilities import decide_many
from skat_env.protocols import Agent

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

    def turns(self) -> NDArray[np.int64]:
        """The rows of each seat's decisions in each game, in their order: [seats of games, most], -1 after the last."""
        order = np.lexsort((self.step, self.seat, self.lane))
        lane, seat = self.lane[order], self.seat[order]
        first = np.append(True, (lane[1:] != lane[:-1]) | (seat[1:] != seat[:-1]))
        player = np.cumsum(first) - 1
        number = np.arange(len(order)) - np.flatnonzero(first)[player]
        rows = np.full((player[-1] + 1, number.max() + 1), -1)
        rows[player, number] = order
        return rows


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


def advantages(
    wave: Wave, value: NDArray[np.float32], gae_lambda: float, reward: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """What each decision brought its seat more than was expected, float32 [decisions]; no discount.

    Generalized advantage estimation (Schulman et al. 2016, equation 16) over the decisions of one seat in a game.

    Args:
        wave: the decisions.
        value: what each seat expected when it decided, float32 [decisions].
        gae_lambda: 1: the result counts, 0: what the seat expects at its next decision.
        reward: what a decision brings besides the result of the game, float32 [decisions]; None: nothing.
    """
    gain, rows = np.empty_like(value), wave.turns()
    following, carried = wave.result[rows[:, 0]], np.zeros(len(rows), np.float32)
    for column in rows.T[::-1]:
        made = column >= 0
        row = column[made]
        error = following[made] - value[row] + (0 if reward is None else reward[row])
        gain[row] = carried[made] = error + gae_lambda * carried[made]
        following[made] = value[row]
    return gain


def open_cards(games: SelfPlayVector) -> NDArray[np.int8]:
    """All cards as they lie now, int8 [games, places * 32]: the hands from that of the seat to act on, then the skat.

    What no seat may know: for critics, which nobody asks when the learner is measured.
    """
    seats, places = games.num_players, []
    for lane in range(games.num_envs):
        state = games.state(lane)
        hands, others = state.places[:seats], state.places[seats:]
        places.append((*hands[state.to_act :], *hands[: state.to_act], *others))
    masks = np.array(places, np.uint32)
    return (masks[:, :, None] >> np.arange(32, dtype=np.uint32) & 1).astype(np.int8).reshape(len(masks), -1)


def ask_agent(games: SelfPlayVector, agent: Agent, seed: int) -> NDArray[np.int64]:
    """What an agent would do for the seat to act in each game, int64 [games]."""
    views = [state.view(state.to_act) for state in map(games.state, range(games.num_envs))]
    rngs = [np.random.default_rng([seed, lane]) for lane in range(len(views))]
    return np.array([decision.action for decision in decide_many(agent, views, rngs)], np.int64)
