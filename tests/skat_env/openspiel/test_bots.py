"""Bots of OpenSpiel as agents, and agents as bots of OpenSpiel."""

from typing import Any

import numpy as np
import pytest

from skat_env.match.play import MatchConfig, play_match
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent
from tests.conftest import ROOT
from tests.helpers.late_positions import late_positions
from tests.helpers.pages import blocks

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")

from open_spiel.python.algorithms import evaluate_bots  # noqa: E402

from skat_env.openspiel import AgentBot, BotAgent, OpenSpielGame, OpenSpielState, spiel_name, state_at  # noqa: E402

both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


class Recorder(pyspiel.Bot):
    """A bot that plays the first legal action and keeps the states that it was shown."""

    def __init__(self, seen: list[OpenSpielState]) -> None:
        super().__init__()
        self._seen = seen

    def step(self, state: OpenSpielState) -> int:
        self._seen.append(state)
        return int(state.legal_actions()[0])


@both_games
def test_bots_are_shown_worlds_of_the_view(name: str) -> None:
    """The state has what the seat knows; the other cards are drawn."""
    seen: list[OpenSpielState] = []
    agent = BotAgent(lambda game, player, rng: Recorder(seen), name)
    rng = np.random.default_rng(1)
    position = late_positions(name, 6, 1, seed=1)[0]
    view = position.view(position.to_act)
    for _ in range(10):
        assert agent.decide(view, rng).action == view.legal_actions()[0]
    assert {state.information_state_string(view.seat) for state in seen} == {view.text()}
    assert len({str(state) for state in seen}) > 5


@both_games
def test_bots_play_whole_games_from_the_deal(name: str) -> None:
    def bot(game: OpenSpielGame, player: int, rng: np.random.Generator) -> pyspiel.Bot:
        return pyspiel.make_uniform_random_bot(player, int(rng.integers(2**31)))

    agent = BotAgent(bot, name)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        state = get_game(name).state.random(rng)
        while not state.is_over:
            state.apply(agent.decide(state.view(state.to_act), rng).action)


@pytest.mark.slow
@both_games
def test_openspiels_tree_search_in_a_match(name: str) -> None:
    """Games depend on the seed alone."""
    config = MatchConfig(game=name, agents=("openspiel_ismcts(simulations=2)", "random"), deals=1, seed=3)
    first, second = ([game.position for games in play_match(config) for game in games] for _ in range(2))
    assert first == second
    assert (
        make_agent("openspiel_ismcts(simulations=4)", name).name == "openspiel_ismcts(simulations=4, c=100)"
    )


@both_games
def test_agents_are_bots(name: str) -> None:
    game = pyspiel.load_game(spiel_name(name))
    bots = [AgentBot("rule", game, seed) for seed in range(game.num_players())]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(1))
    assert len(returns) == game.num_players()
    start = get_game(name).state.random(np.random.default_rng(2))
    ours = start.clone()
    agent = make_agent("rule", name)
    while not ours.is_over:
        ours.apply(agent.decide(ours.view(ours.to_act), np.random.default_rng(0)).action)
    state = state_at(pyspiel.load_game(spiel_name(name), {"head": start.head()}), start)
    bot = AgentBot("rule", game)
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    assert str(state) == ours.text()


def test_restarted_bots_begin_again() -> None:
    game = pyspiel.load_game("skat_env_skat")
    state = state_at(game, get_game("skat").state.random(np.random.default_rng(1)))
    bot = AgentBot("random", game, seed=4)
    first = [bot.step(state) for _ in range(20)]
    bot.restart()
    assert [bot.step(state) for _ in range(20)] == first
    assert len(set(first)) == 2


class Cheat:
    """An agent that must be shown the true state."""

    name = "cheat"
    cheats = True

    def decide(self, view: object, rng: object) -> Decision:
        raise AssertionError

    def decide_knowing(self, view: object, state: object, rng: object) -> Decision:
        raise AssertionError


def test_cheats_are_no_bots() -> None:
    with pytest.raises(ValueError, match="cheat must be shown the true state"):
        AgentBot(Cheat(), pyspiel.load_game("skat_env_skat"))
    with pytest.raises(ValueError, match="unknown agent for skat 'wizard'"):
        AgentBot("wizard", pyspiel.load_game("skat_env_skat"))


def test_the_bot_of_the_page_repeats_itself() -> None:
    first, second = list(blocks((ROOT / "docs" / "openspiel.md").read_text(), "python"))[:2]
    actions = []
    for _ in range(2):
        names: dict[str, Any] = {}
        exec(first.code + second.code, names)
        bot, state = names["bot"], names["state_at"](names["grand"], names["start"])
        actions.append([bot.step(state) for _ in range(5)])
    assert actions[0] == actions[1]
