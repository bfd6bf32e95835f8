"""The environment of stable-baselines3: many seats in step, against the one-seat environment."""

import numpy as np
import pytest

from skat_env.envs.opponents import Pool
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import POOL_BLOCK
from skat_env.errors import IllegalAction
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Decision
from skat_env.registry import make_agent
from skat_env.skat.starts import FixedAuction

pytest.importorskip("sb3_contrib", reason="needs the extra skat_env[learn]")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from skat_env.envs.sb3 import Sb3VecEnv

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action a row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


class Counting:
    """A random agent that notes how many games it is asked for at once."""

    name = "counting"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def decide_many(self, views, rngs):
        self.sizes.append(len(views))
        return [Decision(view.legal_actions()[0]) for view in views]

    def decide(self, view, rng):
        raise AssertionError("asked for one game")


class Cheater:
    """Plays a card that it does not have."""

    name = "cheater"

    def decide(self, view, rng):
        return Decision(next(action for action in range(32) if not view.legal() >> action & 1))


@both_games
def test_what_stable_baselines3_expects(game: str) -> None:
    env = Sb3VecEnv(game, 16, opponents="random", seed=0)
    rng = np.random.default_rng(0)
    observations = env.reset()
    assert is_masking_supported(env)
    assert env.env_is_wrapped(object) == [False] * 16
    episodes = 0
    for _ in range(30):
        assert observations.shape == (16, *env.observation_space.shape)
        assert observations.dtype == np.int8
        masks = get_action_masks(env)
        assert masks.dtype == bool
        states = [env.state(i) for i in range(16)]
        for i, state in enumerate(states):
            assert state.to_act == env.seats[i]
            assert masks[i].tolist() == state.action_mask().astype(bool).tolist()
            assert (observations[i] == state.observe(state.to_act)).all()
        before = observations.copy()
        following, rewards, dones, infos = env.step(choose(masks, rng))
        assert (observations == before).all()  # buffers are not shared
        observations = following
        assert rewards.shape == dones.shape == (16,)
        assert len(infos) == 16
        assert not rewards[~dones].any()
        for i, info in enumerate(infos):
            assert bool(info) == dones[i]
            if dones[i]:
                episodes += 1
                assert env.observation_space.contains(info["terminal_observation"])
                assert info["episode"]["r"] * env.scale == pytest.approx(rewards[i])
                assert 1 <= info["episode"]["l"] <= 10
    assert episodes > 16
    env.close()


@both_games
@pytest.mark.parametrize("seat", [None, 1])
def test_equal_to_the_single_seat_environment(game: str, seat: int | None) -> None:
    """The same deals and actions give the same observations and rewards, also where another seat ends the game."""
    lanes = 12
    env = Sb3VecEnv(game, lanes, seat=seat, opponents="rule", scale=0.5, seed=3)
    rng = np.random.default_rng(1)
    observations = env.reset()
    singles = [SingleSeatEnv(game, opponents="rule", scale=0.5) for _ in range(lanes)]
    for i, single in enumerate(singles):
        single.reset(options={"state": env.state(i), "seat": int(env.seats[i])})
    ended_by_others = 0
    for _ in range(20):
        actions = choose(env.action_masks(), rng)
        observations, rewards, dones, infos = env.step(actions)
        for i, single in enumerate(singles):
            seen, reward, terminated, _, _ = single.step(int(actions[i]))
            assert dones[i] == terminated
            assert rewards[i] == reward
            last = infos[i]["terminal_observation"] if terminated else observations[i]
            assert (seen["observation"] == last).all()
            if terminated:
                assert infos[i]["episode"]["r"] == single.state.returns()[single.seat]
                single.state.undo()
                ended_by_others += single.state.to_act != single.seat
                single.reset(options={"state": env.state(i), "seat": int(env.seats[i])})
                assert seat is None or env.seats[i] == seat
    assert ended_by_others > 3


@both_games
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    def trace(env: Sb3VecEnv) -> list[str]:
        env.reset()
        for _ in range(12):
            env.step(env.action_masks().argmax(axis=1))
        return [env.state(i).text() for i in range(4)]

    agents = [make_agent("rule", game), make_agent("random", game)]
    first, second = (Sb3VecEnv(game, 4, opponents=Pool(agents, [1, 1]), seed=7) for _ in range(2))
    assert trace(first) == trace(second)
    first.seed(5)
    again = trace(first)
    assert again != trace(second)
    first.seed(5)
    assert again == trace(first)


@both_games
def test_a_seed_gives_the_same_starts_whatever_came_before(game: str) -> None:
    """The environment of a model is often made without a seed; the model gives its own."""
    first, second = (Sb3VecEnv(game, 8, start="cardplay") for _ in range(2))
    second.reset()
    for env in (first, second):
        env.seed(5)
        env.reset()
    for _ in range(30):
        assert [first.state(i).text() for i in range(8)] == [second.state(i).text() for i in range(8)]
        for env in (first, second):
            env.step(env.action_masks().argmax(axis=1))


def test_steps_draw_starts_for_the_games_that_they_begin() -> None:
    made = []

    def start(rng: np.random.Generator):
        made.append(rng)
        return FixedAuction(declarer=2, bid=20)(rng)

    env = Sb3VecEnv("skat", 200, start=start)
    env.reset()
    begun = 200
    for _ in range(25):
        begun += int(env.step(env.action_masks().argmax(axis=1))[2].sum())
    env.step(env.action_masks().argmax(axis=1))
    assert begun > 2 * POOL_BLOCK
    assert len(made) == POOL_BLOCK * (1 + begun // POOL_BLOCK)


def test_starts_that_are_set_stay() -> None:
    starts = [PlayedTo("skat", "cardplay", "rule")(np.random.default_rng(i)) for i in range(2)]
    env = Sb3VecEnv("skat", 4, opponents="random")
    env.reset()
    env.set_starts(starts)
    for seed in range(3):
        env.seed(seed)
        env.reset()
        assert {env.state(i).dealt for i in range(4)} <= {state.dealt for state in starts}


@pytest.mark.filterwarnings("error")
def test_evaluations_are_in_game_units() -> None:
    """SB3 takes the rewards of what it thinks has no Monitor, and warns."""
    env = Sb3VecEnv("klaverjas", 8, scale=0.01, seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, device="cpu")
    seen: list[float] = []
    units: list[float] = []

    def note(local, common) -> None:
        if local["done"]:
            units.append(local["info"]["episode"]["r"])
            seen.append(float(local["rewards"][local["i"]]))

    mean, _ = evaluate_policy(model, env, n_eval_episodes=16, callback=note)
    assert mean == pytest.approx(np.mean(units))
    assert np.mean(units) * 0.01 == pytest.approx(np.mean(seen))


def test_whole_deals_and_starts() -> None:
    env = Sb3VecEnv("skat", 8, opponents="random", start="deal", seed=0)
    env.reset()
    assert env.start_source is None
    rng = np.random.default_rng(0)
    for _ in range(30):
        env.step(choose(env.action_masks(), rng))
    auction = Sb3VecEnv("skat", 8, start=FixedAuction(declarer=2, bid=20), seed=0)
    auction.reset()
    assert {auction.state(i).soloist for i in range(8)} == {2}
    assert Sb3VecEnv("klaverjas", 2).start_source is None


def test_agents_are_asked_for_all_their_games_at_once() -> None:
    agent = Counting()
    env = Sb3VecEnv("klaverjas", 32, opponents=["random", agent, "random"], seed=0)
    env.reset()
    env.step(env.action_masks().argmax(axis=1))
    assert max(agent.sizes) > 8


def test_illegal_actions_are_told() -> None:
    env = Sb3VecEnv("klaverjas", 2, seed=0)
    env.reset()
    with pytest.raises(IllegalAction, match="game 0"):
        env.step(env.action_masks().argmin(axis=1))
    with pytest.raises(IllegalAction, match="cheater"):
        Sb3VecEnv("klaverjas", 8, opponents=Cheater(), seed=0).reset()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 3}, "seat=3: expected a whole number from 0 to 2"),
        ({"opponents": ["random"]}, "1 opponents given: expected one agent, or 2 in a list"),
        ({"num_envs": 0}, "num_envs=0: expected"),
        ({"start": "cardpaly"}, "unknown start 'cardpaly'"),
        ({"reward": "point"}, "unknown reward unit 'point'"),
    ],
)
def test_bad_options_are_one_sentence(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sb3VecEnv("skat", **options)


def test_games_have_no_attributes_of_their_own() -> None:
    env = Sb3VecEnv("klaverjas", 2, seed=0)
    with pytest.raises(AttributeError, match="cannot be set"):
        env.set_attr("scale", 1.0)
    with pytest.raises(AttributeError, match="no method 'render'"):
        env.env_method("render")
