"""Bots of OpenSpiel as agents, and agents as bots and policies of OpenSpiel."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy

from skat_env.beliefs.belief import UniformSampler
from skat_env.openspiel.game import OpenSpielGame, spiel_name
from skat_env.openspiel.state import OpenSpielState, state_at
from skat_env.openspiel.variant import quoted
from skat_env.options import Seed, check_option
from skat_env.play.capabilities import agent_name, cheats, require_turn
from skat_env.play.randomness import sealed_rng
from skat_env.protocols import Agent, Decision, View
from skat_env.registry import get_game, make_agent

MakeBot = Callable[[OpenSpielGame, int, np.random.Generator], Any]
"""(game, player, random generator) -> a bot of OpenSpiel; all its randomness comes from the generator."""


class BotAgent:
    """A bot of OpenSpiel as an agent.

    A bot is made for every decision, so it remembers nothing and the decision depends on the view and the generator
    alone. It is shown a state drawn from those that the view allows: hidden cards stay hidden.

    Args:
        make_bot: makes the bot.
        game: the game.
        name: the agent's name.
    """

    cheats = False

    def __init__(self, make_bot: MakeBot, game: str, name: str = "openspiel") -> None:
        self._make_bot = make_bot
        self._game = get_game(game).name
        self.name = name

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """What the bot does in a state that the view allows.

        Raises:
            ValueError: if the view's seat is not to act.
        """
        require_turn(view)
        world = UniformSampler().worlds(view, 1, rng)[0].state
        game = _game_from(self._game, world.head())
        bot = self._make_bot(game, view.seat, rng)
        return Decision(int(bot.step(state_at(game, world))))


@lru_cache(maxsize=64)
def _game_from(name: str, head: str) -> OpenSpielGame:
    """The game of OpenSpiel in which chance deals and the head is given."""
    game: OpenSpielGame = pyspiel.load_game(spiel_name(name), {"head": quoted(head)})
    return game


class AgentBot(pyspiel.Bot):
    """An agent as a bot of OpenSpiel; it sees the view of the seat to act.

    Args:
        agent: the agent, or its name.
        game: the game of OpenSpiel.
        seed: of the agent's random choices; `restart` begins with it again.

    Raises:
        ValueError: if the agent cheats, or there is no such agent.
    """

    def __init__(self, agent: str | Agent, game: OpenSpielGame, seed: int = 0) -> None:
        super().__init__()
        self._agent = _honest(agent, game)
        self._seed = check_option("AgentBot", "seed", Seed, seed)
        self.restart()

    def __reduce__(self) -> Any:
        return _bot_again, (self._agent, self._seed, self._rng)

    def restart(self) -> None:
        """Begins a new game."""
        self._rng = np.random.default_rng(self._seed)

    def restart_at(self, state: OpenSpielState) -> None:
        """Begins a new game in the middle: nothing but the seed is remembered."""
        self.restart()

    def step(self, state: OpenSpielState) -> int:
        """The agent's action for the seat to act."""
        position = state.position
        return int(self._agent.decide(position.view(position.to_act), sealed_rng(self._rng)).action)


def _bot_again(agent: Agent, seed: int, rng: np.random.Generator) -> AgentBot:
    """A bot whose random choices go on."""
    bot = AgentBot.__new__(AgentBot)
    pyspiel.Bot.__init__(bot)
    bot._agent, bot._seed, bot._rng = agent, seed, rng
    return bot


class AgentPolicy(policy.Policy):
    """An agent as a policy of OpenSpiel, for its best responses and exploitability.

    The agent decides each view once, with a generator of the seed and the view, and always plays what it decided: a
    pure policy, drawn from the ones that the agent mixes.

    Args:
        agent: the agent, or its name.
        game: the game of OpenSpiel, with `players=seats`.
        seed: of the agent's random choices.

    Raises:
        ValueError: if the agent cheats, or there is no such agent.
    """

    def __init__(self, agent: str | Agent, game: OpenSpielGame, seed: int = 0) -> None:
        super().__init__(game, list(range(game.num_players())))
        self._agent = _honest(agent, game)
        self._seed = check_option("AgentPolicy", "seed", Seed, seed)
        self._decided: dict[str, int] = {}

    def action_probabilities(self, state: OpenSpielState, player_id: int | None = None) -> dict[int, float]:
        """Probability 1 for the action that the agent decided on."""
        view = state.position.view(state.position.to_act)
        text = view.text()
        if text not in self._decided:
            rng = np.random.default_rng([self._seed, *text.encode()])
            self._decided[text] = int(self._agent.decide(view, sealed_rng(rng)).action)
        return {self._decided[text]: 1.0}


def _honest(agent: str | Agent, game: OpenSpielGame) -> Agent:
    """The agent of a text, or the agent, if it needs no more than its view."""
    made = make_agent(agent, game.variant.game.name)
    if cheats(made):
        raise ValueError(f"{agent_name(made)} must be shown the true state, which OpenSpiel's bots are not")
    return made
