"""One seat in many games as a Gymnasium vector environment."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from skat_env.envs.aec import observation_space
from skat_env.envs.opponents import Opponents, OwnSeat, is_random, other_seats, require_own_seat
from skat_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from skat_env.envs.seat_lanes import SeatLanes
from skat_env.envs.vector import Games, Lanes, require_autoreset_mode
from skat_env.errors import OptionError
from skat_env.options import Seed, checked_options
from skat_env.play.starts import StartSource
from skat_env.protocols import Agent
from skat_env.registry import get_game


class SeatVectorEnv(gymnasium.vector.VectorEnv[dict[str, NDArray[np.int8]], NDArray[np.int64], NDArray[Any]]):
    """N games in which the caller plays one seat and agents play the others.

    `reward`, `scale`, `start`, `bidder` and `rules` are those of the game's AEC environment; starts are drawn as by
    `SelfPlayVector`.

    Args:
        game: the game's name.
        num_envs: the number of games.
        seat: the caller's seat, or its side, `declaring` or `defence`, of games that begin declared; None:
            drawn at random for every game.
        opponents: an agent, its name or a `Pool` for all other seats, or a list of these, in the order of play after
            the caller. `random` is played in C; batch agents decide for all their games at once.
        autoreset_mode: NEXT_STEP, SAME_STEP (the final observations are in `infos["final_obs"]`, what is told of
            these games in `infos["final_info"]`) or DISABLED; it may be given by its name.
        illegal_reward: the reward, before `scale`, of an illegal action, which ends the game.
        render_mode: of the games, as the caller sees them: `rgb_array` or `ansi`; None: no rendering.

    What an agent raises goes on to the caller, and the games then need a reset.

    Raises:
        ValueError: if a number is out of range; its subclasses for wrong names, as in the registry.
    """

    @checked_options("SeatVectorEnv")
    def __init__(
        self,
        game: str,
        num_envs: Games = 1,
        *,
        seat: OwnSeat = None,
        opponents: Opponents = "random",
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        about = get_game(game)
        self._renderer = Renderer(about, render_mode, RENDER_MODES[1:])
        own = require_own_seat(seat, about)
        self._seat = own if isinstance(own, int) else -1
        others = other_seats(opponents, game, len(about.seats))
        self._lanes = Lanes(about, num_envs, reward, scale, start, bidder, rules)
        # If all other seats play at random, the batch plays them in C.
        in_c = all(map(is_random, others)) and not isinstance(own, str)
        self._seats = None if in_c else SeatLanes(self._lanes, others, own)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {
            "autoreset_mode": require_autoreset_mode(autoreset_mode, list(AutoresetMode)),
            "render_modes": list(RENDER_MODES[1:]),
            "render_fps": RENDER_FPS,
        }
        self.single_observation_space = observation_space(about)
        self.single_action_space = gymnasium.spaces.Discrete(len(about.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._illegal_reward = illegal_reward * scale
        self._over = np.zeros(num_envs, np.bool_)

    @checked_options("reset")
    def reset(
        self, *, seed: Seed | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.int8]], dict[str, Any]]:
        """Starts new games; `options["reset_mask"]`, bool [games], selects the games to restart.

        Raises:
            OptionError: if there are other options.
            ValueError: if the mask has another shape or type, or leaves out games before they were first started.
        """
        if isinstance(seed, list):
            raise ValueError("one seed determines the seeds of all lanes: pass an int, not a list")
        unknown = sorted((options or {}).keys() - {"reset_mask"}, key=str)
        if unknown:
            raise OptionError(f"reset with {unknown[0]}: the only option of many games is reset_mask")
        chosen = self._chosen((options or {}).get("reset_mask"))
        sequence = self._lanes.seed(seed)
        if sequence is not None and self._seats is not None:
            self._seats.seed(np.random.default_rng(sequence.spawn(1)[0]))
        self._lanes.count_games(int(np.count_nonzero(chosen)))
        self._lanes.renew_starts()
        self._restart(chosen)
        self._lanes.started = True
        return self._observation(), {}

    def _chosen(self, reset_mask: Any) -> NDArray[np.bool_]:
        """The games that a reset starts anew."""
        if reset_mask is None:
            return np.ones(self.num_envs, np.bool_)
        chosen = np.asarray(reset_mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
            raise ValueError(
                f"reset_mask of shape {chosen.shape} and type {chosen.dtype}: expected bool [{self.num_envs}]"
            )
        if not (self._lanes.started or chosen.all()):
            raise ValueError("the first reset starts all games: reset_mask leaves some out")
        return np.ascontiguousarray(chosen)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        dict[str, NDArray[np.int8]], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Plays an action of the caller in every game, then the other seats up to the caller's next turn or the end.

        Where an illegal action has ended a game, the infos have `illegal_action`, bool [games].

        Raises:
            ResetNeeded: before the first `reset`.
            IllegalAction: if the actions are not one integer for each game.
        """
        self._lanes.require_reset()
        batch = self._lanes.batch
        mode = self.metadata["autoreset_mode"]
        actions = self._lanes.integers(actions)
        self._lanes.renew_starts()
        running = ~self._over
        known = (actions >= 0) & (actions < batch.action_mask.shape[1])
        legal = known & (batch.action_mask[np.arange(self.num_envs), np.where(known, actions, 0)] == 1)
        illegal = running & ~legal
        chosen = np.where(running & legal, actions, -1)
        if self._seats is None:
            batch.step_seat(chosen)
            points, terminations = (
                batch.rewards[np.arange(self.num_envs), batch.seats],
                batch.terminations | illegal,
            )
        else:
            self._seats.step(chosen)
            points, terminations = self._seats.points, (running & (batch.current_player < 0)) | illegal
        rewards = points.astype(np.float64)
        rewards[illegal] = self._illegal_reward
        batch.action_mask[illegal] = 0  # the game is over
        if mode != AutoresetMode.DISABLED:
            self._lanes.count_games(int(np.count_nonzero(terminations)))
        infos: dict[str, Any] = {}
        if np.count_nonzero(illegal):
            infos = {"illegal_action": illegal, "_illegal_action": illegal.copy()}
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
                infos = {
                    "final_obs": final,
                    "_final_obs": terminations.copy(),
                    "final_info": infos,
                    "_final_info": terminations.copy(),
                }
                self._restart(terminations)
        else:
            self._over |= terminations
        return self._observation(), rewards, terminations, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the caller's seats, bool [games, actions].

        Raises:
            ResetNeeded: before the first `reset`.
        """
        self._lanes.require_reset("action_masks")
        return self._lanes.batch.action_mask.astype(np.bool_)

    @property
    def seats(self) -> NDArray[np.int32]:
        """The caller's seats, int32 [games].

        Raises:
            ResetNeeded: before the first `reset`.
        """
        self._lanes.require_reset("seats")
        return self._lanes.batch.seats.copy()

    def render(self, game: int | None = None) -> tuple[Any, ...] | None:
        """Every game as its caller sees it, or one alone in a tuple: each as text (`ansi`) or as uint8
        [height, width, 3] (`rgb_array`); without a render mode, warns.

        Raises:
            ResetNeeded: before the first `reset`.
            IndexError: if there is no such game.
        """
        self._lanes.require_reset("render")
        frames = []
        for number in range(self.num_envs) if game is None else (game,):
            state = self._lanes.batch.position(number)
            frame = self._renderer.render(state, int(self._lanes.batch.seats[number]))
            if frame is None:
                return None
            frames.append(frame)
        return tuple(frames)

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        if self._seats is None:
            with self._lanes.playing():
                self._lanes.batch.restart_seat(self._seat, chosen.view(np.uint8))
        else:
            self._seats.restart(chosen)
        self._over &= ~chosen

    def _observation(self) -> dict[str, NDArray[np.int8]]:
        batch = self._lanes.batch
        return {"observation": batch.observation.copy(), "action_mask": batch.action_mask.copy()}
