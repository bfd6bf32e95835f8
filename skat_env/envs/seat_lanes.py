"""Many games in which the caller plays one seat: the loop behind the one-seat vector environments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.envs.opponents import OwnSeat, Pool, choose, is_random, seat_of_side
from skat_env.envs.vector import Lanes
from skat_env.play.capabilities import listens, tell_end
from skat_env.play.lockstep import apply_action
from skat_env.play.randomness import sealed_rng
from skat_env.play.starts import MAX_REDEALS, has_no_turn
from skat_env.protocols import Agent


class SeatLanes:
    """Lanes whose other seats are played by agents, up to the caller's next turn or the end of the game.

    Args:
        lanes: the games.
        others: the agent or pool at each other seat, in the order of play after the caller. The agent `random` is
            played in C.
        seat: the caller's seat, or its side; None: drawn for every game.
    """

    def __init__(self, lanes: Lanes, others: Sequence[Agent | Pool], seat: OwnSeat) -> None:
        games = len(lanes.batch.current_player)
        self._lanes, self.batch = lanes, lanes.batch
        self.seed(np.random.default_rng())
        self.points = np.zeros(games, np.float32)
        """float32 [games]: the rewards of the caller's seats in the last step."""
        self._num_seats = len(lanes.game.seats)
        self._others, self._own = others, seat
        self._agents: list[list[Agent | None]] = [[None] * self._num_seats for _ in range(games)]
        self._listened = np.zeros(games, np.bool_)
        """bool [games]: whether an agent is to be told of the game's end."""

    def seed(self, rng: np.random.Generator) -> None:
        """Gives the generator that draws own seats and agents of pools; the agents' own is drawn from it."""
        self._rng, self._agents_rng = rng, sealed_rng(rng)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Plays a legal action (unchecked) of the caller in every game (none if it is negative), then the other seats.

        Raises:
            IllegalDecision: if an agent chooses an illegal action.
        """
        self.points[:] = 0
        with self._lanes.playing():
            self._push(actions)
            self._others_play()

    def restart(self, chosen: NDArray[np.bool_]) -> None:
        """Starts games in the chosen lanes and plays up to the caller's turn; games that end before it are redealt.

        Raises:
            ValueError: if the caller has no turn in many deals in a row.
        """
        if chosen.any():
            with self._lanes.playing():
                self._begin(chosen)

    def _begin(self, chosen: NDArray[np.bool_]) -> None:
        """As `restart`, which is asked for some games."""
        for _ in range(MAX_REDEALS):
            began = np.flatnonzero(chosen).tolist()
            if isinstance(self._own, str):
                # Who declared is known once the game has begun; until then nobody plays at random.
                self.batch.random_mask[chosen] = 0
                self.batch.restart(chosen.view(np.uint8))
                for lane in began:
                    state = self.batch.position(lane)
                    self._seat(lane, seat_of_side(state, self._own, self._num_seats, self._rng))
            else:
                for lane in began:
                    fixed = self._own
                    self._seat(lane, int(self._rng.integers(self._num_seats)) if fixed is None else fixed)
                self.batch.restart(chosen.view(np.uint8))
                self._tell_ends(chosen & (self.batch.current_player < 0))
            self._others_play()
            chosen = chosen & (self.batch.current_player < 0)
            if not chosen.any():
                return
        raise has_no_turn(self._own if isinstance(self._own, int) else -1)

    def _seat(self, lane: int, own: int) -> None:
        """Gives the caller its seat in a lane's game, and draws the agents of the others."""
        random_mask, listened = 0, False
        self._agents[lane][own] = None
        for distance, other in enumerate(self._others, 1):
            seat = (own + distance) % self._num_seats
            agent = other.draw(self._rng, self._lanes.game.name) if isinstance(other, Pool) else other
            self._agents[lane][seat] = agent
            random_mask |= is_random(agent) << seat
            listened |= listens(agent)
        self._listened[lane] = listened
        self.batch.seats[lane] = own
        self.batch.random_mask[lane] = random_mask

    def _others_play(self) -> None:
        """Plays the agents, in all lanes at once, until only the caller is to act."""
        batch = self.batch
        while True:
            waiting = np.flatnonzero((batch.current_player >= 0) & (batch.current_player != batch.seats))
            if not waiting.size:
                return
            actions = np.full(len(self.points), -1, np.int64)
            for agent, lanes in self._by_agent(waiting):
                actions[lanes] = self._ask(agent, lanes)
            self._push(actions)

    def _by_agent(self, waiting: NDArray[np.intp]) -> Iterable[tuple[Agent, list[int]]]:
        """The agents that are to act in some lanes, each with its lanes."""
        agents: dict[int, Agent] = {}
        lanes: dict[int, list[int]] = defaultdict(list)
        for lane, seat in zip(waiting.tolist(), self.batch.current_player[waiting].tolist(), strict=True):
            agent = self._agents[lane][seat]
            assert agent is not None
            agents[id(agent)] = agent
            lanes[id(agent)].append(lane)
        return [(agent, lanes[key]) for key, agent in agents.items()]

    def _ask(self, agent: Agent, lanes: list[int]) -> NDArray[np.int64]:
        """An agent's actions in some lanes.

        Raises:
            IllegalDecision: if one is not legal.
        """
        states = [self.batch.position(lane) for lane in lanes]
        actions = choose(agent, states, self._agents_rng)
        for state, action in zip(states, actions, strict=True):
            apply_action(agent, state, action)
        return np.array(actions, np.int64)

    def _push(self, actions: NDArray[np.int64]) -> None:
        """Plays the actions that are not negative, then the random seats, adds up the caller's rewards, and tells the
        agents of the games that have ended.
        """
        self.batch.step_seat(actions)
        self.points += self.batch.rewards[np.arange(len(self.points)), self.batch.seats]
        self._tell_ends(self.batch.terminations)

    def _tell_ends(self, ended: NDArray[np.bool_]) -> None:
        """Tells the agents of some games how these have ended."""
        for lane in np.flatnonzero(ended & self._listened).tolist():
            tell_end(self.batch.position(lane), self._agents[lane])
