"""A wave of games: one in every lane, from its start to its end, played by one function, alone or against an agent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.envs.opponents import choose
from skat_env.envs.vector import SelfPlayVector
from skat_env.protocols import Agent

Player = Callable[[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]], tuple[NDArray[Any], ...]]
"""Observations int8 [n, features], action masks int8 [n, actions] and lanes int64 [n], of the games that are not over
-> actions int64 [n], and further columns [n, ...] that the wave keeps, such as the probabilities of the actions."""


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


def play_wave(games: SelfPlayVector, player: Player, seed: int, against: Agent | None = None) -> Wave:
    """Plays one game in every lane.

    Args:
        games: the games; they begin anew.
        player: decides at all seats.
        seed: of the games, and of the agent.
        against: an agent that plays the cards of one side in place of the player: of who declared in even lanes, of
            the defence in odd ones. The wave leaves out all that was decided at its seats, their bids too. None: there
            is no such agent.
    """
    step = games.reset(seed=seed)
    lanes = np.arange(games.num_envs)
    points = np.zeros((len(lanes), games.num_players), np.float32)
    replaced = np.zeros(points.shape, np.bool_)
    rng = np.random.default_rng(seed)
    rows: list[tuple[NDArray[Any], ...]] = []
    number = 0
    while len(lanes):
        # Where the game is over another one goes on, which nobody looks at.
        actions = step.action_mask.argmax(1)
        own = lanes
        if against is not None:
            theirs = _plays_cards(games, lanes)
            own, asked = lanes[~theirs], lanes[theirs]
            actions[asked] = ask_agent(games, against, asked, rng)
            replaced[asked, step.current_player[asked]] = True
        if len(own):
            observation, mask = step.observation[own], step.action_mask[own]
            actions[own], *further = player(observation, mask, own)
            made = np.full(len(own), number)
            rows.append((observation, mask, actions[own], own, step.current_player[own], made, *further))
        step = games.step(actions)
        ended = step.terminations[lanes]
        points[lanes[ended]] = step.rewards[lanes[ended]]
        lanes = lanes[~ended]
        number += 1
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    if against is not None:
        kept = ~replaced[columns[3], columns[4]]
        columns = [column[kept] for column in columns]
    observation, mask, action, lane, seat, made, *others = columns
    return Wave(observation, mask, action, points[lane, seat], lane, seat, made, tuple(others))


def _plays_cards(games: SelfPlayVector, lanes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether an agent that is played against has the turn, bool [n], in some games."""
    states = map(games.state, lanes.tolist())
    return np.array(
        [
            state.stage == "cardplay" and state.side(state.to_act) == lane % 2
            for state, lane in zip(states, lanes.tolist(), strict=True)
        ]
    )


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


def open_cards(games: SelfPlayVector, lanes: NDArray[np.int64]) -> NDArray[np.int8]:
    """All cards as they lie now in some games, int8 [n, places * 32]: the hands from that of the seat to act on, then
    the skat.

    What no seat may know: for critics, which nobody asks when the learner is measured.
    """
    seats, places = games.num_players, []
    for state in map(games.state, lanes.tolist()):
        hands, others = state.places[:seats], state.places[seats:]
        places.append((*hands[state.to_act :], *hands[: state.to_act], *others))
    masks = np.array(places, np.uint32)
    return (masks[:, :, None] >> np.arange(32, dtype=np.uint32) & 1).astype(np.int8).reshape(len(masks), -1)


def ask_agent(
    games: SelfPlayVector, agent: Agent, lanes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """What an agent would do for the seat to act in some games, int64 [n]."""
    return np.array(choose(agent, [games.state(lane) for lane in lanes.tolist()], rng), np.int64)
