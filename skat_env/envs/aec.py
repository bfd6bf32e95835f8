"""The PettingZoo AEC environment of every game: an adapter for its State."""

import copy
from collections import OrderedDict
from typing import Annotated, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from skat_env.deal import Deal
from skat_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from skat_env.errors import OptionError, UnknownName
from skat_env.features import total_width
from skat_env.options import Range, Seed, check_option, checked_options
from skat_env.play.starts import (
    PlayedTo,
    RandomDeals,
    StartSource,
    require_start,
    rules_of,
    start_source,
)
from skat_env.protocols import Agent, Game

Observation = dict[str, NDArray[np.int8]]


def observation_space(game: Game) -> spaces.Dict:
    """The space of an observation: `observation` int8 [features], then `action_mask` int8 [actions]."""
    return spaces.Dict(
        OrderedDict(
            observation=spaces.Box(0, 1, (total_width(game.features),), np.int8),
            action_mask=spaces.Box(0, 1, (len(game.actions),), np.int8),
        )
    )


def fresh_deal(
    game: Game, source: StartSource, rules: Any, rng: np.random.Generator, deal: Deal | None = None
) -> tuple[Any, bool]:
    """A fresh deal under the rules of a source, if it has any, else under the given ones; and whether the games of the
    source begin like it.
    """
    dealt_by = source.rules if isinstance(source, RandomDeals | PlayedTo) else rules
    state = game.state.random(rng, rules_of(game, dealt_by), deal)
    return state, isinstance(source, RandomDeals) or (
        isinstance(source, PlayedTo) and source.stage == state.stage and source.kind is None
    )


def reset_needed(method: str) -> gymnasium.error.ResetNeeded:
    """The error of an environment that has no game yet."""
    return gymnasium.error.ResetNeeded(f"no game yet: call reset() before {method}()")


def _require_agents(environment: AECEnv[str, Observation, int], method: str) -> None:
    """Raises ResetNeeded if all agents have left the game."""
    if not environment.agents:
        raise gymnasium.error.ResetNeeded(f"the game is over: call reset() before {method}()")


class raw_env(AECEnv[str, Observation, int]):
    """A game as a PettingZoo environment: agents `player_0` ..., with rewards at the end of the deal.

    Args:
        game: the game.
        render_mode: `human` shows the table in a window, `rgb_array` returns it as pixels, `ansi` as text; None: no
            rendering.
        reward: one of the game's reward units; None: its default.
        scale: a factor for the rewards.
        start: `deal`; a later stage, up to which `bidder` plays; or a function from a numpy Generator to a state, whose
            rules hold.
        bidder: the agent, or its name, that plays up to a later start.
        rules: the rule options; None: the game's defaults.

    An illegal action raises `IllegalAction`; `env()` ends the game instead.
    """

    metadata: dict[str, Any]

    @checked_options("the environment")
    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self._renderer = Renderer(game, render_mode)
        self.game_name = game.name
        self.render_mode = render_mode
        self.reward = game.reward_unit(reward)
        self.scale = scale
        self.start = start_source(game, start, bidder, rules)
        self.rules = rules
        self.possible_agents = [f"player_{i}" for i in range(len(game.seats))]
        self.agents: list[str] = []
        self.game_state: Any = None
        self._game = game
        self._rng = np.random.default_rng()
        self._observation_space = observation_space(game)
        self._action_space = spaces.Discrete(len(game.actions))
        width = total_width(game.features) + 32 * len(game.place_sizes)
        self.state_space = spaces.Box(0, 1, (width,), np.int8)
        self._no_actions = np.zeros(len(game.actions), np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same space for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same space for every agent."""
        return self._action_space

    def reset(self, seed: Seed | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: seeds a new generator; None: the generator continues.
            options: `deal` (a Deal or its text, where games begin with the deal), `state` (a State or its text, to
                start from), `dealer` (the number of the player who deals, by default the last; the next player sits at
                seat 0). Other keys are ignored.

        Raises:
            ParseError: if an option's text is malformed.
            OptionError: if a deal is given, but games begin at a later start.
            ValueError: if the state is not one of this game in which it can begin, or the dealer is no player.
        """
        if seed is not None:
            self._rng = np.random.default_rng(check_option("reset", "seed", Seed | None, seed))
        if options is not None:
            check_option("reset", "options", dict, options)
        options = options or {}
        state = self._first_state(options)
        self._seat_players(self._dealer(options))
        self.game_state = state
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._select()
        if self.render_mode == "human":
            self.render()

    def _require_reset(self, method: str) -> None:
        """Raises ResetNeeded if no game was started."""
        if self.game_state is None:
            raise reset_needed(method)

    def _first_state(self, options: dict[str, Any]) -> Any:
        if "state" in options:
            state = options["state"]
            state = self._game.state.parse(state) if isinstance(state, str) else state
            return require_start(self._game, state).clone()
        if "deal" in options:
            deal = options["deal"]
            deal = Deal.parse(deal, self._game.place_sizes) if isinstance(deal, str) else deal
            state, begins = fresh_deal(self._game, self.start, self.rules, self._rng, deal)
            if not begins:
                raise OptionError(
                    "reset with a deal: games of this environment begin at a later start; give a 'state'"
                )
            return state
        return require_start(self._game, self.start(self._rng)).clone()

    def _dealer(self, options: dict[str, Any]) -> int:
        last = len(self.possible_agents) - 1
        if "dealer" not in options:
            return last
        dealer: int = check_option(
            "options", "dealer", Annotated[int, Range(ge=0, le=last)], options["dealer"]
        )
        return dealer

    def _seat_players(self, dealer: int) -> None:
        players = len(self.possible_agents)
        self._agent_at = [self.possible_agents[(dealer + 1 + seat) % players] for seat in range(players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self._agent_at)}

    def _select(self) -> None:
        """Selects the agent to act and puts its mask into its info."""
        agent = self._agent_at[self.game_state.to_act]
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": self.game_state.action_mask()}

    def observe(self, agent: str) -> Observation:
        """The agent's observation; the mask is all zero unless it is the agent's turn.

        Raises:
            ResetNeeded: before the first `reset`, as `last`, `step`, `render`, `state` and `view`.
            UnknownName: if there is no such agent.
        """
        self._require_reset("observe")
        state = self.game_state
        try:
            seat = self._seat_of[agent]
        except (KeyError, TypeError):
            raise UnknownName("player", agent, self.possible_agents) from None
        # PettingZoo's wrapper ends a game without the state, and its dead agents have no termination.
        acts = seat == state.to_act and not self.terminations.get(agent, True)
        mask = state.action_mask() if acts else self._no_actions.copy()
        return {"observation": state.observe(seat), "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last turn, termination, truncation and info of the agent whose turn it is.

        Raises:
            ResetNeeded: before the first `reset`, and when all agents have left the game, as `step`.
        """
        self._require_reset("last")
        _require_agents(self, "last")
        return super().last(observe)  # type: ignore[no-any-return]  # PettingZoo's reward is Any

    def step(self, action: int | None) -> None:
        """Plays an action of the agent whose turn it is; None for an agent whose game is over.

        Raises:
            ResetNeeded: before the first `reset`, and when all agents have left the game.
            IllegalAction: if the action is not legal; the game is unchanged.
        """
        self._require_reset("step")
        _require_agents(self, "step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"it is the turn of {agent}: step needs an action, not None")
        self.game_state.apply(action)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {}
        if self.game_state.is_over:
            returns = self.game_state.returns(self.reward)
            for seat, each in enumerate(self._agent_at):
                self.rewards[each] = returns[seat] * self.scale
                self.terminations[each] = True
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self._select()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table with all cards open: in a window (`human`), as text (`ansi`) or as uint8 [height, width, 3]
        (`rgb_array`); without a render mode, warns.
        """
        self._require_reset("render")
        return self._renderer.render(self.game_state, None)

    def state(self) -> NDArray[np.int8]:
        """The full state, for centralised training: the cards at each place as bits, then seat 0's observation."""
        self._require_reset("state")
        masks = np.array(self.game_state.places, dtype="<u4")
        places = np.unpackbits(masks.view(np.uint8), bitorder="little").astype(np.int8)
        return np.concatenate([places, self.game_state.observe(0)])

    def view(self, agent: str) -> Any:
        """The agent's View, which every agent of the library accepts."""
        self._require_reset("view")
        if agent not in self.possible_agents:
            raise UnknownName("player", agent, self.possible_agents)
        return self.game_state.view(self._seat_of[agent])

    def clone(self) -> "raw_env":
        """An independent copy of the game in progress, random generator included."""
        return copy.deepcopy(self)

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()


class _OrderEnforcing(wrappers.OrderEnforcingWrapper[str, Observation, int]):
    """PettingZoo's wrapper, which overlooks `last`."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        if not self._has_reset:
            raise AssertionError("reset() needs to be called before last.")
        _require_agents(self, "last")
        return super().last(observe)  # type: ignore[no-any-return]  # PettingZoo's reward is Any

    def __str__(self) -> str:
        return str(self.env)


@checked_options("the environment")
def wrapped(environment: raw_env, illegal_reward: float) -> AECEnv[str, Observation, int]:
    """PettingZoo's standard wrappers: an illegal action ends the game with a penalty; a wrong order of calls raises.

    The penalty is given before `scale`.
    """
    penalty = illegal_reward * environment.scale
    terminating = wrappers.TerminateIllegalWrapper(environment, illegal_reward=penalty)
    return _OrderEnforcing(wrappers.AssertOutOfBoundsWrapper(terminating))
