"""One seat of a game as a Gymnasium environment; agents play the other seats."""

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from skat_env.envs import aec
from skat_env.envs.opponents import OwnSeat, choose, each_seat, require_own_seat, seat_of_side
from skat_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName
from skat_env.options import Seed, check_option, checked_options
from skat_env.play.capabilities import tell_end
from skat_env.play.lockstep import apply_action
from skat_env.play.randomness import sealed_rng
from skat_env.play.starts import MAX_REDEALS, StartSource, has_no_turn
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent

ILLEGAL_ACTIONS = ("terminate", "raise", "random_legal")


class SingleSeatEnv(gymnasium.Env[Any, Any]):
    """A game seen from one seat. A step ends at this seat's next turn or with the deal.

    `reward`, `scale`, `start`, `bidder` and `rules` are those of the game's AEC environment. The reward is this seat's;
    deals pay only at their end.

    Args:
        game: the game's name.
        seat: the seat to play, from 0, or its side, `declaring` or `defence`, of games that begin declared; None:
            drawn at random for every deal.
        opponents: an agent or its name for all other seats, or a list of them, in the order of play after this seat (in
            Klaverjas, the second is the partner).
        illegal_action: `terminate` ends the game with `illegal_reward`; `raise` raises `IllegalAction`; `random_legal`
            plays a random legal action instead and sets `info["illegal_action"]`.
        illegal_reward: the reward of an illegal action, before `scale`.
        render_mode: the table as this seat sees it: `human` shows it in a window, `rgb_array` returns it as pixels,
            `ansi` as text; None: no rendering.

    A deal that ends before this seat has a turn is redealt. What an opponent raises goes on to the caller, and the
    environment then needs a reset.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 (as in gymnasium.Env)

    @checked_options("SingleSeatEnv")
    def __init__(
        self,
        game: str,
        *,
        seat: OwnSeat = None,
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
        self._game = get_game(game)
        self._renderer = Renderer(self._game, render_mode)
        self._opponents = [make_agent(one, game) for one in each_seat(opponents, len(self._game.seats))]
        # The AEC environment handles starts and rewards; its wrappers are not needed here.
        self._aec = aec.raw_env(self._game, None, reward, scale, start, bidder, rules)
        self._reward = self._aec.reward
        self._scale = scale
        self._own_seat = require_own_seat(seat, self._game)
        self._illegal_action = illegal_action
        self._illegal_reward = illegal_reward * scale
        self.render_mode = render_mode
        self.observation_space = aec.observation_space(self._game)
        self.action_space = gymnasium.spaces.Discrete(len(self._game.actions))
        self.seat = self._own_seat if isinstance(self._own_seat, int) else 0
        self._terminated = True
        self._agents_rng = sealed_rng(np.random.default_rng())

    @property
    def state(self) -> Any:
        """The State of the game, hidden cards included.

        Raises:
            ResetNeeded: before the first `reset`, as every method but `close`.
        """
        return self._begun("state")

    def _begun(self, method: str) -> Any:
        """The State of the game.

        Raises:
            ResetNeeded: if there is none yet.
        """
        if self._aec.game_state is None:
            raise aec.reset_needed(method)
        return self._aec.game_state

    @checked_options("reset")
    def reset(
        self, *, seed: Seed | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[aec.Observation, dict[str, Any]]:
        """Starts a deal; `options` are `deal` and `state`, as in the AEC environment, and `seat` for this deal.

        A reset that raises leaves an environment without a game.

        Raises:
            OptionError: if there are other options.
            ParseError: if the seat with the given number has no turn from the given position on.
            ValueError: if there is no such seat, it has no turn in `MAX_REDEALS` deals in a row, or the position is not
                one in which the game can begin.
        """
        super().reset(seed=seed)
        try:
            unknown = sorted((options or {}).keys() - {"deal", "state", "seat"}, key=str)
            if unknown:
                raise OptionError(
                    f"reset with {unknown[0]}: the options of one seat are deal, state and seat"
                )
            self._begin(dict(options or {}))
        except BaseException:
            self._aec.game_state = None
            raise
        self._terminated = False
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def _begin(self, given: dict[str, Any]) -> None:
        """Starts a deal and plays up to this seat's turn; raises as `reset`."""
        own = require_own_seat(given.get("seat", self._own_seat), self._game)
        seats = len(self._game.seats)
        for _ in range(MAX_REDEALS):
            self._agents_rng = sealed_rng(self.np_random)
            if not isinstance(own, str):
                self.seat = int(self.np_random.integers(seats)) if own is None else own
            # The environment's generator draws the deal's seed, so that one seed determines everything.
            self._aec.reset(
                seed=int(self.np_random.integers(2**63)),
                options={name: given[name] for name in ("deal", "state") if name in given},
            )
            if isinstance(own, str):
                self.seat = seat_of_side(self.state, own, seats, self.np_random)
            self._others_play()
            if not self.state.is_over:
                return
            if isinstance(own, int) and ("deal" in given or "state" in given):
                raise ParseError(f"seat {self.seat} has no turn in the given position")
        raise has_no_turn(own if isinstance(own, int) else -1)

    def step(self, action: int) -> tuple[aec.Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Plays an action of this seat, then the other seats up to its next turn or the end of the deal.

        Raises:
            IllegalAction: if the action is no whole number, or is not legal and `illegal_action` is `raise`; the game
                is unchanged.
            ResetNeeded: before the first `reset`, and if the game is over or was broken off by an exception.
        """
        self._begun("step")
        if self._terminated:
            raise gymnasium.error.ResetNeeded(
                "the game is over or was broken off: call reset() before step()"
            )
        try:
            action = check_option("step", "action", int, action)
        except OptionError as error:
            raise IllegalAction(str(error)) from None
        try:
            self.state.apply(action)
            illegal = False
        except IllegalAction:
            if self._illegal_action == "raise":
                raise
            illegal = True
        if illegal:
            if self._illegal_action == "terminate":
                self._terminated = True
                return (
                    self._observation(),
                    self._illegal_reward,
                    True,
                    False,
                    {**self._info(), "illegal_action": True},
                )
            self.state.apply(int(self.np_random.choice(self.state.legal_actions())))
        self._terminated = True  # should an opponent raise, its turn is not the caller's
        self._others_play()
        self._terminated = self.state.is_over
        reward = self.state.returns(self._reward)[self.seat] * self._scale
        info = {**self._info(), "illegal_action": True} if illegal else self._info()
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(reward), self._terminated, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as bool [actions], as MaskablePPO of sb3-contrib expects them; none unless it is this
        seat's turn.
        """
        self._begun("action_masks")
        return self._mask().astype(np.bool_)

    def view(self) -> Any:
        """This seat's View, which every agent of the library accepts."""
        return self._begun("view").view(self.seat)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as this seat sees it: in a window (`human`), as text (`ansi`) or as uint8 [height, width, 3]
        (`rgb_array`); without a render mode, warns.
        """
        return self._renderer.render(self._begun("render"), self.seat)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()

    def _others_play(self) -> None:
        """Plays the opponents up to this seat's turn or the end of the deal, of which they are told."""
        state, seats = self.state, len(self._game.seats)
        while not state.is_over and state.to_act != self.seat:
            opponent = self._opponents[(state.to_act - self.seat - 1) % seats]
            [action] = choose(opponent, [state], self._agents_rng)
            apply_action(opponent, state, action)
        if state.is_over:
            after_own = [*self._opponents, None]
            tell_end(state, [after_own[(seat - self.seat - 1) % seats] for seat in range(seats)])

    def _mask(self) -> NDArray[np.int8]:
        """The legal actions of this seat, int8 [actions]."""
        if self.state.to_act == self.seat and not self._terminated:
            mask: NDArray[np.int8] = self.state.action_mask()
            return mask
        return np.zeros(len(self._game.actions), np.int8)

    def _observation(self) -> aec.Observation:
        return {"observation": self.state.observe(self.seat), "action_mask": self._mask()}

    def _info(self) -> dict[str, Any]:
        return {"seat": self.seat}
