"""One seat in many games as a `VecEnv` of stable-baselines3, for MaskablePPO of sb3-contrib."""

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from skat_env.envs.opponents import Opponents, OwnSeat, other_seats, require_own_seat
from skat_env.envs.rendering import RENDER_MODES, Renderer
from skat_env.envs.seat_lanes import SeatLanes
from skat_env.envs.vector import Games, Lanes
from skat_env.features import total_width
from skat_env.options import Seed, checked_options
from skat_env.play.starts import StartSource
from skat_env.protocols import Agent, State
from skat_env.registry import get_game

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise ImportError(
        "skat_env.envs.sb3 needs stable-baselines3: pip install '.[learn]' in the checkout of skat_env"
    ) from None

DEFAULT_SCALE = 0.01
"""The default `scale`: a deal is worth some 100 points, and networks learn best from returns of about 1."""


class Sb3VecEnv(VecEnv):
    """N games in which the learner plays one seat and agents play the others.

    An observation is a row of bits, int8 [features], from the learner's seat. The legal actions are in `action_masks`,
    bool [games, actions], where MaskablePPO looks for them. A step ends at the learner's next turn or with the game;
    its reward is what the learner's seat got in between. The info of a finished game has `terminal_observation`, and
    `episode` as in SB3's Monitor, with `r` in game units, without `scale`.

    `reward`, `start`, `bidder` and `rules` are those of the game's AEC environment; `start` is `cardplay` by default.
    Starts are drawn as by `SelfPlayVector`.

    Args:
        game: the game's name.
        num_envs: the number of games.
        seat: the learner's seat, or its side, `declaring` or `defence`, of games that begin declared; None:
            drawn at random for every game.
        opponents: an agent, its name or a `Pool` for all other seats, or a list of these, in the order of play after
            the learner. `random` is played in C; batch agents decide for all their games at once.
        scale: a factor for the rewards.
        seed: the seed of the starts and of the games until `seed` is called; None: a random one.
        render_mode: `rgb_array`: the first game, as its learner sees it, as pixels; None: no rendering.

    Raises:
        ValueError: if a number is out of range; its subclasses for wrong names, as in the registry.
    """

    @checked_options("Sb3VecEnv")
    def __init__(
        self,
        game: str,
        num_envs: Games = 128,
        *,
        seat: OwnSeat = None,
        opponents: Opponents = "random",
        reward: str | None = None,
        scale: float = DEFAULT_SCALE,
        start: str | StartSource = "cardplay",
        bidder: str | Agent = "rule",
        rules: Any = None,
        seed: Seed | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game = get_game(game)
        self.scale = scale
        # The lanes do not scale: the episode's info needs plain points.
        self._lanes = Lanes(self.game, num_envs, reward, 1.0, start, bidder, rules)
        others = other_seats(opponents, game, len(self.game.seats))
        self._seats = SeatLanes(self._lanes, others, require_own_seat(seat, self.game))
        self.render_mode = render_mode
        self._renderer = Renderer(self.game, render_mode, RENDER_MODES[2:])
        super().__init__(
            num_envs,
            gymnasium.spaces.Box(0, 1, (total_width(self.game.features),), np.int8),
            gymnasium.spaces.Discrete(len(self.game.actions)),
        )
        self._batch = self._lanes.batch
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._started = time.monotonic()
        """When the environment was made, by this process's clock."""
        if seed is not None:
            self.seed(seed)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_started": time.monotonic() - self._started}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._started = time.monotonic() - self._started

    @checked_options("Sb3VecEnv.seed")
    def seed(self, seed: Seed | None = None) -> Sequence[int | None]:
        """Stores the seed for the next `reset`; None: a random one."""
        return super().seed(seed)

    def reset(self) -> NDArray[np.int8]:
        """Starts a new game in every lane, with the seed given to `seed` if it was called since the last reset."""
        sequence = self._lanes.seed(self._seeds[0])
        if sequence is not None:
            self._seats.seed(np.random.default_rng(sequence.spawn(1)[0]))
        self._reset_seeds()
        self._reset_options()
        self._lanes.count_games(self.num_envs)
        self._lanes.renew_starts()
        self._restart(np.ones(self.num_envs, np.bool_))
        self._lanes.started = True
        return self._batch.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the actions of the learner's seats, int [games], for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays the stored actions and the other seats up to the learner's next turn; a finished game is replaced.

        Raises:
            ResetNeeded: before the first `reset`.
            IllegalAction: if an action is not legal; all games are unchanged.
        """
        actions = self._lanes.checked(self._actions)
        self._lanes.renew_starts()
        self._seats.step(actions)
        self._lengths += 1
        points = self._seats.points.copy()
        over = self._batch.current_player < 0
        self._lanes.count_games(int(np.count_nonzero(over)))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(over):
            infos[lane] = {
                "terminal_observation": self._batch.observation[lane].copy(),
                "TimeLimit.truncated": False,
                "episode": {
                    "r": float(points[lane]),
                    "l": int(self._lengths[lane]),
                    "t": round(time.monotonic() - self._started, 6),
                },
            }
        self._restart(over)
        return self._batch.observation.copy(), points * np.float32(self.scale), over, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the learner's seats, bool [games, actions].

        Raises:
            ResetNeeded: before the first `reset`, as `seats`, `state` and `get_images`.
        """
        self._lanes.require_reset("action_masks")
        return self._batch.action_mask.astype(np.bool_)

    @property
    def start_source(self) -> StartSource | None:
        """The source of the starts; None: every game begins with a fresh deal."""
        return None if self._lanes.fresh else self._lanes.source

    def set_starts(self, states: list[State]) -> None:
        """Makes games begin at these starts, in place of the source's; games in progress are played to their end.

        Raises:
            ValueError: if there is none, or one is not a state in which the game can begin.
        """
        self._lanes.set_starts(states)

    @property
    def seats(self) -> NDArray[np.int32]:
        """The learner's seats, int32 [games]."""
        self._lanes.require_reset("seats")
        return self._batch.seats.copy()

    def state(self, index: int) -> Any:
        """A copy of a game, as a State."""
        self._lanes.require_reset("state")
        return self._batch.position(index)

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """The picture of the first game alone, uint8 [height, width, 3]; without a render mode, none.

        Raises:
            ResetNeeded: before the first `reset`.
        """
        if self.render_mode is None:
            return []
        self._lanes.require_reset("get_images")
        shown = self._renderer.render(self._batch.position(0), int(self._batch.seats[0]))
        assert isinstance(shown, np.ndarray)
        return [shown]

    def close(self) -> None:
        """Does nothing: no resource is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute once for each game asked for; all games share it."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises an AttributeError: the games have no attributes of their own."""
        raise AttributeError(f"'{attr_name}' cannot be set: the games of a Sb3VecEnv share all they have")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """The rows of `action_masks`, the only method of a game."""
        if method_name != "action_masks":
            raise AttributeError(
                f"the games of a Sb3VecEnv have no method '{method_name}': only action_masks"
            )
        masks = self.action_masks()
        return [masks[lane] for lane in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Whether it is asked for SB3's Monitor, once for each game: the infos have what that adds."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        self._seats.restart(chosen)
        self._lengths[chosen] = 0
