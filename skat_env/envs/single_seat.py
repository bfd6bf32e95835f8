"""One seat of a game as a Gymnasium environment: the other seats are played by agents."""

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from skat_env.envs import aec
from skat_env.envs.opponents import each_seat, require_seat
from skat_env.errors import ParseError, UnknownName
from skat_env.play.capabilities import decide
from skat_env.play.randomness import sealed_rng
from skat_env.play.starts import StartSource
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent

ILLEGAL_ACTIONS = ("terminate", "raise", "random_legal")


class SingleSeatEnv(gymnasium.Env[Any, Any]):
    """A game seen from one seat; a step ends at this seat's next turn, or with the deal.

    Args:
        game: the game's name.
        seat: the seat 0.. that is played; None: drawn at random for every deal.
        opponents: an agent or its name for all other seats, or a list of them, in order of play after the own seat (in
            Klaverjas the second of them is the partner).
        reward, scale, start, bidder, rules: as in the game's AEC environment. The reward is the own seat's; as
            deals pay at their end only, whatever happens between two turns is in it.
        illegal_action: `terminate` ends the game with `illegal_reward`; `raise` raises `IllegalAction`; `random_legal`
            plays a random legal action instead (`info["illegal_action"]` is then True).
        illegal_reward: before `scale`.
        render_mode: `human` prints the table as the own seat sees it, `ansi` returns it; None.

    A seat that `start` leaves without a turn (the deal ends before it) gets a new deal.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 1}  # noqa: RUF012 (as in gymnasium.Env)

    def __init__(
        self,
        game: str,
        *,
        seat: int | None = None,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        if illegal_action not in ILLEGAL_ACTIONS:
            raise UnknownName("way to treat an illegal action", illegal_action, ILLEGAL_ACTIONS)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownName("render mode", str(render_mode), self.metadata["render_modes"])
        self._game = get_game(game)
        if seat is not None:
            require_seat(seat, self._game)
        self._opponents = [make_agent(one, game) for one in each_seat(opponents, len(self._game.seats))]
        # The AEC environment knows how deals start and what they pay; its wrappers are not needed here.
        self._aec = aec.raw_env(self._game, None, reward, scale, start, bidder, rules)
        self._reward = self._aec.reward
        self._scale = scale
        self._fixed_seat = seat
        self._illegal_action = illegal_action
        self._illegal_reward = illegal_reward * scale
        self.render_mode = render_mode
        self.observation_space = aec.observation_space(self._game)
        self.action_space = gymnasium.spaces.Discrete(len(self._game.actions))
        self.seat = 0 if seat is None else seat
        self._terminated = True
        self._agents_rng = sealed_rng(np.random.default_rng())

    @property
    def state(self) -> Any:
        """The State of the game, hidden cards and all."""
        return self._aec.game_state

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[aec.Observation, dict[str, Any]]:
        """Starts a deal; `options` are `deal` and `state` as in the AEC environment, and `seat` for this deal.

        Raises:
            ParseError: if the own seat has no turn in the given position.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        own = given.get("seat", self._fixed_seat)
        while True:
            self._agents_rng = sealed_rng(self.np_random)
            self.seat = int(self.np_random.integers(len(self._game.seats))) if own is None else int(own)
            # One generator: the deal's seed is drawn from the environment's own.
            self._aec.reset(
                seed=int(self.np_random.integers(2**63)),
                options={**given, "dealer": len(self._game.seats) - 1},
            )
            self._others_play()
            if not self.state.is_over:
                break
            if "deal" in given or "state" in given:
                raise ParseError(f"seat {self.seat} has no turn in the given position")
        self._terminated = False
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[aec.Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Plays an action of the own seat, then the others until its next turn or the end of the deal.

        Raises:
            IllegalAction: if the action is not legal and `illegal_action` is `raise`.
        """
        if self._terminated:
            raise gymnasium.error.ResetNeeded("the game is over: call reset() before step()")
        illegal = not 0 <= int(action) < 64 or not self.state.legal() >> int(action) & 1
        if illegal:
            if self._illegal_action == "raise":
                self.state.apply(int(action))
            if self._illegal_action == "terminate":
                self._terminated = True
                return (
                    self._observation(),
                    self._illegal_reward,
                    True,
                    False,
                    {**self._info(), "illegal_action": True},
                )
            action = int(self.np_random.choice(self.state.legal_actions()))
        self.state.apply(int(action))
        self._others_play()
        self._terminated = self.state.is_over
        reward = self.state.returns(self._reward)[self.seat] * self._scale
        info = {**self._info(), "illegal_action": True} if illegal else self._info()
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(reward), self._terminated, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as bool [actions]: what sb3-contrib's MaskablePPO asks for."""
        mask: NDArray[np.bool_] = self.state.action_mask().astype(np.bool_)
        return mask

    def view(self) -> Any:
        """The own seat's View, which any agent of the library takes."""
        return self.state.view(self.seat)

    def render(self) -> str | None:
        """The table as the own seat sees it: printed (`human`) or returned (`ansi`)."""
        if self.render_mode is None:
            return None
        text = self._game.render(self.state, self.seat)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def _others_play(self) -> None:
        state = self.state
        while not state.is_over and state.to_act != self.seat:
            opponent = self._opponents[(state.to_act - self.seat - 1) % len(self._game.seats)]
            state.apply(decide(opponent, state.view(state.to_act), state, self._agents_rng).action)

    def _observation(self) -> aec.Observation:
        mask = (
            self.state.action_mask()
            if self.state.to_act == self.seat
            else np.zeros(len(self._game.actions), np.int8)
        )
        return {"observation": self.state.observe(self.seat), "action_mask": mask}

    def _info(self) -> dict[str, Any]:
        return {"seat": self.seat}
