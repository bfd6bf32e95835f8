"""Many games stepped at once: self-play over every seat, and one seat as a Gymnasium vector environment.

Both step all games in one call into C. The games of a lane depend on the seed and the lane's number only.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from skat_env.envs._vector import Batch
from skat_env.envs.aec import observation_space, reward_unit
from skat_env.errors import IllegalAction, UnknownName
from skat_env.play.starts import PlayedTo, RandomDeals, StartSource, start_source
from skat_env.protocols import Agent, Game
from skat_env.registry import get_game

POOL_SIZE = 4096
"""Positions drawn from a start source at every reset; games then begin at random ones of them.

Sources are Python, and their cost would otherwise be paid in every game. Fresh deals need no pool.
"""


@dataclass(frozen=True, slots=True)
class VectorStep:
    """What a call of `SelfPlayVector` returns: arrays with one row a game."""

    observation: NDArray[np.int8]
    """[games, features], as the player to act sees his game."""
    action_mask: NDArray[np.int8]
    """[games, actions], of the player to act."""
    current_player: NDArray[np.int32]
    """[games]: the seat to act; -1: the game is over (next-step autoreset only)."""
    rewards: NDArray[np.float32]
    """[games, seats]: of games that this call has finished, else 0."""
    terminations: NDArray[np.bool_]
    """[games]: this call has finished a game."""


class Lanes:
    """What the vector environments share: the batch, its seeds and its starts."""

    def __init__(
        self,
        game: Game,
        num_envs: int,
        reward: str | None,
        scale: float,
        start: str | StartSource,
        bidder: str | Agent,
        rules: Any,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}: expected at least 1 game")
        self.game = game
        self.source = start_source(game, start, bidder, rules)
        prototype = game.state.random(np.random.default_rng(0), rules or game.rules())
        self.fresh = isinstance(self.source, RandomDeals) or (
            isinstance(self.source, PlayedTo) and self.source.stage == prototype.stage
        )
        unit = game.reward_units.index(reward_unit(game, reward))
        self.batch = Batch(prototype, num_envs, unit, scale)
        self.seeded = False

    def seed(self, seed: int | None) -> None:
        """Seeds every lane; without a seed the streams go on, or begin at random."""
        if seed is None and self.seeded:
            return
        sequence = np.random.SeedSequence(seed)
        self.seed_lanes(sequence)
        self.draw_starts(np.random.default_rng(sequence.spawn(1)[0]), POOL_SIZE)
        self.seeded = True

    def seed_lanes(self, sequence: np.random.SeedSequence) -> None:
        """Gives every lane its random stream."""
        self.batch.seed(sequence.generate_state(len(self.batch.current_player), np.uint64).astype(np.uint64))

    def draw_starts(self, rng: np.random.Generator, size: int) -> None:
        """Draws the pool of positions at which games begin, unless they begin with the deal."""
        if not self.fresh:
            self.batch.set_starts([self.source(rng) for _ in range(size)])

    def checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The actions as int64 [games].

        Raises:
            IllegalAction: if one is not legal in its game; no game has moved.
        """
        array = np.ascontiguousarray(actions, np.int64)
        lane = self.batch.first_illegal(array)
        if lane >= 0:
            state = self.batch.position(lane)
            try:
                state.apply(int(array[lane]))
            except IllegalAction as error:
                raise IllegalAction(f"game {lane}: {error}") from None
        return array


class SelfPlayVector:
    """N games in which every seat is the caller's.

    Args:
        game: the game's name.
        num_envs: how many games.
        reward, scale, start, bidder, rules: as in the game's AEC environment.
        autoreset_mode: SAME_STEP replaces a finished game at once, so that `rewards` and `terminations` tell of the
            old game and the rest of the new one; NEXT_STEP does it in the next call, whose action is ignored there.
        copy: False returns the same buffers at every call.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
        copy: bool = True,
    ) -> None:
        self._vector = Lanes(get_game(game), num_envs, reward, scale, start, bidder, rules)
        if autoreset_mode not in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
            raise ValueError(f"autoreset mode {autoreset_mode} is not one of SAME_STEP, NEXT_STEP")
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.num_envs = num_envs
        self.num_players = len(self._vector.game.seats)
        self.single_observation_space = observation_space(self._vector.game)
        self.single_action_space = gymnasium.spaces.Discrete(len(self._vector.game.actions))
        self._copy = copy

    def reset(self, seed: int | None = None) -> VectorStep:
        """Starts a new game in every lane."""
        self._vector.seed(seed)
        self._vector.batch.reset()
        return self._step()

    def step(self, actions: ArrayLike) -> VectorStep:
        """Plays an action of the player to act in every game; int [games].

        Raises:
            IllegalAction: if one is not legal; no game has moved.
        """
        same_step = self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        self._vector.batch.step(self._vector.checked(actions), same_step)
        return self._step()

    def state(self, index: int) -> Any:
        """A copy of a game as a State, for search or for its views."""
        return self._vector.batch.position(index)

    def _step(self) -> VectorStep:
        batch = self._vector.batch
        step = VectorStep(
            batch.observation, batch.action_mask, batch.current_player, batch.rewards, batch.terminations
        )
        return VectorStep(*(getattr(step, name).copy() for name in step.__slots__)) if self._copy else step


class SeatVectorEnv(gymnasium.vector.VectorEnv[dict[str, NDArray[np.int8]], NDArray[np.int64], NDArray[Any]]):
    """N games in each of which the caller has one seat and the others play at random.

    Opponents that think are for `gymnasium.make(...)`, one game an environment.

    Args:
        game: the game's name.
        num_envs: how many games.
        seat: the caller's seat; None: drawn at random for every game.
        opponents: must be `random`.
        reward, scale, start, bidder, rules: as in the game's AEC environment.
        autoreset_mode: SAME_STEP (the final observations are in `infos["final_obs"]`), NEXT_STEP or DISABLED.
        illegal_reward: the reward of an illegal action, which ends the game (before `scale`).
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        seat: int | None = None,
        opponents: str = "random",
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        if opponents != "random":
            raise UnknownName("opponent of the vector environment", opponents, ["random"])
        self._vector = Lanes(get_game(game), num_envs, reward, scale, start, bidder, rules)
        seats = len(self._vector.game.seats)
        if seat is not None and not 0 <= seat < seats:
            raise ValueError(f"seat {seat} is not one of 0..{seats - 1}, or None for a random one")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode), "render_modes": []}
        self.single_observation_space = observation_space(self._vector.game)
        self.single_action_space = gymnasium.spaces.Discrete(len(self._vector.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seat = -1 if seat is None else seat
        self._illegal_reward = illegal_reward * scale
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.int8]], dict[str, Any]]:
        """Starts new games; `options["reset_mask"]`, bool [games], restarts only those."""
        if isinstance(seed, list):
            raise ValueError("the lanes' seeds come from one number: pass an int, not a list")
        self._vector.seed(seed)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self._vector.batch.reset_seat(self._seat)
            self._over[:] = False
        else:
            self._restart(np.asarray(mask, np.bool_))
        return self._observation(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        dict[str, NDArray[np.int8]], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Plays an action of the caller's seat in every game, then the others until his next turn or the end."""
        batch = self._vector.batch
        mode = self.metadata["autoreset_mode"]
        actions = np.ascontiguousarray(actions, np.int64)
        running = ~self._over
        known = (actions >= 0) & (actions < batch.action_mask.shape[1])
        legal = known & (batch.action_mask[np.arange(self.num_envs), np.where(known, actions, 0)] == 1)
        illegal = running & ~legal
        batch.step_seat(np.where(running & legal, actions, -1))
        rewards = batch.rewards[np.arange(self.num_envs), batch.seats].astype(np.float64)
        rewards[illegal] = self._illegal_reward
        terminations = batch.terminations | illegal
        infos: dict[str, Any] = {}
        if mode == AutoresetMode.NEXT_STEP:
            self._restart(~running)
            self._over = terminations.copy()
        elif mode == AutoresetMode.SAME_STEP:
            if terminations.any():
                final = np.empty(self.num_envs, dtype=object)
                for i in np.flatnonzero(terminations):
                    final[i] = {
                        "observation": batch.observation[i].copy(),
                        "action_mask": batch.action_mask[i].copy(),
                    }
                infos = {"final_obs": final, "_final_obs": terminations.copy()}
                self._restart(terminations)
        else:
            self._over |= terminations
        return self._observation(), rewards, terminations, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the caller's seats, bool [games, actions]."""
        return self._vector.batch.action_mask.astype(np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is held open."""

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        self._vector.batch.restart_seat(self._seat, chosen.view(np.uint8))
        self._over &= ~chosen

    def _observation(self) -> dict[str, NDArray[np.int8]]:
        batch = self._vector.batch
        return {"observation": batch.observation.copy(), "action_mask": batch.action_mask.copy()}
