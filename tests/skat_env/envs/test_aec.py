"""The PettingZoo environment: its own tests, and what users rely on beyond them."""

import copy
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from skat_env import klaverjas_v0, skat_v0
from skat_env.envs import rendering
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.errors import IllegalAction, OptionError, UnknownName
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.play.starts import PlayedTo, Positions, RandomDeals
from skat_env.registry import get_game
from skat_env.skat import GAME, SkatState
from skat_env.skat.starts import FixedAuction

MODULES = [skat_v0, klaverjas_v0]
both_games = pytest.mark.parametrize("module", MODULES, ids=["skat", "klaverjas"])
FREE = KlaverjasRules(choice="free", legality="amsterdam")

# api_test warns of every third-party environment whose observation is a dict; nothing else is let pass.
DICT_WARNINGS = "(Observation is not a NumPy array|Observation space for each agent probably should be)"


def play_randomly(env, rng: np.random.Generator, limit: int = 10_000) -> list:
    """Plays the live game to its end; returns (agent, action, reward) of every step."""
    trace = []
    for agent in env.agent_iter(limit):
        observation, reward, termination, truncation, _ = env.last()
        legal = np.flatnonzero(observation["action_mask"])
        over = termination or truncation
        action = None if over else int(legal[int(rng.integers(len(legal)))])
        trace.append((agent, action, reward))
        env.step(action)
    return trace


@pytest.mark.parametrize("name", ["env", "raw_env"])
@pytest.mark.parametrize(
    ("module", "options"),
    [
        (skat_v0, {}),
        (skat_v0, {"start": FixedAuction()}),
        (skat_v0, {"reward": "win", "scale": 0.5}),
        (klaverjas_v0, {}),
        (klaverjas_v0, {"rules": FREE}),
        (klaverjas_v0, {"rules": FREE, "start": "cardplay", "bidder": "random"}),
        (klaverjas_v0, {"reward": "made", "scale": 0.5}),
    ],
)
def test_pettingzoo_api(module, name: str, options: dict) -> None:
    make = getattr(module, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", DICT_WARNINGS)
        api_test(make(**options), num_cycles=300)


@both_games
def test_pettingzoo_seed_and_render(module, monkeypatch: pytest.MonkeyPatch) -> None:
    seed_test(module.env, num_cycles=100)
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "RENDER_FPS", 0)  # no waiting
    render_test(module.env)


@both_games
def test_several_episodes_of_a_seed_are_the_same(module) -> None:
    def episodes() -> list:
        env, rng = module.env(), np.random.default_rng(5)
        env.reset(seed=9)
        traces = [play_randomly(env, rng)]
        for _ in range(4):
            env.reset()  # without a seed the generator goes on
            traces.append(play_randomly(env, rng))
        return traces

    first = episodes()
    assert first == episodes()
    assert len({str(trace) for trace in first}) == 5


@both_games
def test_a_seed_is_the_same_in_another_process(module) -> None:
    code = (
        f"import {module.__name__} as m; e = m.env(); e.reset(seed=3); print(e.unwrapped.game_state.text())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    env = module.env()
    env.reset(seed=3)
    assert run.stdout.strip() == env.unwrapped.game_state.text()


@both_games
def test_observations_and_masks(module) -> None:
    env = module.env()
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    spaces = [env.observation_space(agent) for agent in env.possible_agents]
    assert all(space is spaces[0] for space in spaces)
    assert env.observation_space("player_0") is env.observation_space("player_0")
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        assert list(observation) == ["observation", "action_mask"]
        assert observation["observation"].dtype == observation["action_mask"].dtype == np.int8
        assert type(termination) is bool
        assert type(truncation) is bool
        if termination:
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert (info["action_mask"] == observation["action_mask"]).all()
        assert env.observation_space(agent).contains(observation)
        for other in env.agents:
            if other != agent:
                assert not env.observe(other)["action_mask"].any()
                assert "action_mask" not in env.infos[other]
        legal = np.flatnonzero(observation["action_mask"]).astype(np.int32)
        env.step(legal[int(rng.integers(len(legal)))])  # an np.int32


@both_games
def test_rewards_stay_readable_until_the_first_dead_step(module) -> None:
    env = module.raw_env(scale=0.5)
    env.reset(seed=2)
    while not any(env.terminations.values()):
        env.step(env.game_state.legal_actions()[0])
    returns = env.game_state.returns()
    assert [env.rewards[agent] for agent in env.possible_agents] == [0.5 * value for value in returns]
    assert all(env.terminations.values())
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1]
        env.step(None)
    assert seen == {f"player_{i}": 0.5 * value for i, value in enumerate(returns)}
    assert env.agents == []


@both_games
@pytest.mark.parametrize("name", ["env", "raw_env"])
def test_a_game_that_all_have_left_needs_a_reset(module, name: str) -> None:
    env = getattr(module, name)()
    env.reset(seed=0)
    play_randomly(env, np.random.default_rng(0))
    with pytest.raises(
        gymnasium.error.ResetNeeded, match=r"the game is over: call reset\(\) before last\(\)"
    ):
        env.last()
    if name == "env":
        env.step(None)  # PettingZoo's wrapper warns
    else:
        with pytest.raises(
            gymnasium.error.ResetNeeded, match=r"the game is over: call reset\(\) before step"
        ):
            env.step(None)
    env.reset()
    assert env.last()[0]["action_mask"].any()


@both_games
def test_an_illegal_action_costs_the_same_everywhere(module) -> None:
    game = module.__name__.split(".")[-1].removesuffix("_v0")
    options = {"scale": 0.01, "illegal_reward": -3.0}
    env, single = module.env(**options), SingleSeatEnv(game, **options)
    many = SeatVectorEnv(game, 2, **options)
    for each in (env, single, many):
        each.reset(seed=0)
    illegal = int(env.last()[0]["action_mask"].argmin())
    offender = env.agent_selection
    env.step(illegal)
    wrong = many.action_masks().argmin(axis=1)
    paid = [env.rewards[offender], single.step(int(single.action_masks().argmin()))[1], *many.step(wrong)[1]]
    assert paid == [-0.03] * 4


@both_games
def test_an_illegal_action_raises_or_ends_the_game(module) -> None:
    raw = module.raw_env()
    raw.reset(seed=0)
    before = raw.game_state.clone()
    illegal = next(action for action in range(32) if action not in before.legal_actions())
    with pytest.raises(IllegalAction):
        raw.step(illegal)
    assert raw.game_state == before
    env = module.env(illegal_reward=-7.0)
    env.reset(seed=0)
    offender = env.agent_selection
    env.step(illegal)
    assert env.rewards[offender] == -7.0
    assert all(env.terminations.values())
    assert not env.observe(offender)["action_mask"].any()
    while env.agents:
        env.step(None)
    assert not env.observe(offender)["action_mask"].any()


def test_options_of_reset() -> None:
    env = skat_v0.env()
    deal = GAME.random_deal(np.random.default_rng(8))
    env.reset(options={"deal": deal, "unheard of": 1})
    assert env.unwrapped.game_state.deal == deal
    env.reset(options={"deal": deal.text(), "dealer": 0})
    assert env.agent_selection == "player_2"  # middlehand bids first, forehand sits after the dealer
    assert env.unwrapped.view("player_1").seat == 0
    state = SkatState.new(deal)
    state.apply(33)
    for given in (state, state.text()):
        env.reset(options={"state": given})
        assert env.unwrapped.game_state == state
    for options in ({"deal": "D7"}, {"state": "nonsense"}, {"dealer": 3}):
        with pytest.raises(ValueError, match=r"a deal has|a position is|with dealer=3"):
            env.reset(options=options)
    state = SkatState.new(deal)
    for _ in range(3):
        state.apply(32)
    with pytest.raises(ValueError, match="over in the start position"):
        env.reset(options={"state": state})


def test_starts() -> None:
    env = skat_v0.raw_env(start=FixedAuction(declarer=1, bid=24))
    env.reset(seed=0)
    assert (env.game_state.soloist, env.game_state.bid, env.agent_selection) == (1, 24, "player_1")
    env = skat_v0.raw_env(start="cardplay", bidder="random")
    env.reset(seed=0)
    assert env.game_state.stage == "cardplay"
    assert env.agent_selection == "player_0"
    env = skat_v0.raw_env(start="declaration", bidder="random")
    env.reset(seed=0)
    assert env.game_state.stage == "declaration"
    position = env.game_state.clone()
    env = skat_v0.raw_env(start=Positions([position]))
    env.reset(seed=0)
    assert env.game_state == position


def test_starts_of_klaverjas() -> None:
    deal = get_game("klaverjas").random_deal(np.random.default_rng(8))
    for start in ("deal", "choice", "cardplay"):
        env = klaverjas_v0.raw_env(start=start)  # trumps are given: there is nothing to choose
        env.reset(seed=0)
        assert env.game_state.stage == "cardplay"
        env.reset(options={"deal": deal.text(), "dealer": 0})
        assert env.game_state.deal == deal
        assert env.agent_selection == "player_1"
    for choice, passed in (("forced", {0}), ("free", {0, 1, 2, 3, 4})):
        rules = KlaverjasRules(choice=choice)
        env = klaverjas_v0.raw_env(rules=rules)
        env.reset(seed=0)
        assert (env.game_state.stage, env.agent_selection) == ("choice", "player_0")
        env = klaverjas_v0.raw_env(rules=rules, start="cardplay", bidder="random")
        seen = set()
        for seed in range(60):
            env.reset(seed=seed)
            assert (env.game_state.stage, env.agent_selection) == ("cardplay", "player_0")
            seen.add(len(env.game_state.history()) - 1)
        assert seen <= passed
        assert {0} <= seen
    env = klaverjas_v0.raw_env(start=Positions([KlaverjasState.new(deal, forehand=2, declarer=1, trump=3)]))
    env.reset(seed=0)
    assert env.agent_selection == "player_2"


@pytest.mark.parametrize(
    "start",
    [
        "cardplay",
        "declaration",
        "random_declaration",
        FixedAuction(0, 18),
        PlayedTo("skat", "auction", "rule", kind="null"),
    ],
    ids=str,
)
def test_a_deal_is_refused_where_games_begin_later(start) -> None:
    env = skat_v0.raw_env(start=start)
    with pytest.raises(OptionError, match=r"begin at a later start; give a 'state'"):
        env.reset(options={"deal": GAME.random_deal(np.random.default_rng(8))})


def test_a_deal_is_played_under_the_rules_of_the_start() -> None:
    deal = get_game("klaverjas").random_deal(np.random.default_rng(8))
    for start in (RandomDeals("klaverjas", FREE), PlayedTo("klaverjas", "choice", "rule", FREE)):
        env = klaverjas_v0.raw_env(start=start)
        env.reset(options={"deal": deal})
        assert (env.game_state.deal, env.game_state.rules) == (deal, FREE)


@pytest.mark.parametrize("reward", get_game("klaverjas").reward_units)
def test_partners_get_the_same_rewards(reward: str) -> None:
    env, rng = klaverjas_v0.raw_env(reward=reward), np.random.default_rng(0)
    for seed in range(30):
        env.reset(seed=seed, options={"dealer": seed % 4})
        while not any(env.terminations.values()):
            env.step(int(rng.choice(env.game_state.legal_actions())))
        paid = [env.rewards[agent] for agent in env.possible_agents]
        assert paid[:2] == paid[2:]
        declarer = (env.game_state.declarer + seed + 1) % 4
        if reward == "made":
            assert sorted(paid) == [-1, -1, 1, 1]
            assert (paid[declarer] == 1) == env.game_state.result().made
        if reward == "difference":
            assert sum(paid) == 0


@both_games
@pytest.mark.parametrize(
    "options", [{"start": "cardply"}, {"reward": "points"}, {"render_mode": "depth_array"}]
)
def test_unknown_options_raise(module, options: dict) -> None:
    with pytest.raises(UnknownName, match="unknown"):
        module.env(**options)


@both_games
@pytest.mark.parametrize("name", ["env", "raw_env"])
def test_copies_keep_the_live_game(module, name: str) -> None:
    env = getattr(module, name)()
    env.reset(seed=6)
    for _ in range(4):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone()]
    traces = [play_randomly(each, np.random.default_rng(1)) for each in [env, *copies]]
    assert len(traces[0]) > 3
    assert all(trace == traces[0] for trace in traces)
    for each in [env, *copies]:
        each.reset()
    assert len({each.unwrapped.game_state.text() for each in [env, *copies]}) == 1


@both_games
def test_views_are_those_of_the_agents(module) -> None:
    env = module.env()
    env.reset(seed=1, options={"dealer": 1})
    for number, agent in enumerate(env.possible_agents):
        assert env.view(agent).seat == (number - 2) % len(env.possible_agents)


@both_games
def test_global_state(module) -> None:
    env = module.raw_env()
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
    assert env.state()[:128].sum() == 32


@both_games
def test_parallel_conversion(module) -> None:
    env = turn_based_aec_to_parallel(module.env())
    observations, _ = env.reset(seed=4)
    rng = np.random.default_rng(0)
    total = 0
    while env.agents:
        actions = {}
        for agent in env.agents:
            legal = np.flatnonzero(observations[agent]["action_mask"])
            actions[agent] = int(rng.choice(legal)) if len(legal) else 0
        observations, rewards, _, _, _ = env.step(actions)
        total += sum(rewards.values())
    assert total == sum(env.unwrapped.game_state.returns())


@both_games
def test_ansi_rendering_shows_the_table(module) -> None:
    env = module.env(render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert "♣" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
@pytest.mark.parametrize(("name", "reward"), [("skat_v0", "win"), ("klaverjas_v0", "made")])
def test_registered_with_pettingzoo(name: str, reward: str) -> None:
    env = pettingzoo.make("aec", f"skat_env/{name}", reward=reward)
    env.reset(seed=0)
    assert str(env) == name


@both_games
def test_a_state_that_a_start_function_keeps_is_not_played_on(module) -> None:
    fixed = get_game(module.__name__.split(".")[-1].removesuffix("_v0")).state.random(
        np.random.default_rng(1)
    )
    env = module.raw_env(start=lambda rng: fixed)
    for _ in range(2):
        env.reset(seed=1)
        assert env.game_state == fixed
        env.step(int(env.last()[0]["action_mask"].argmax()))
        assert not fixed.history()
