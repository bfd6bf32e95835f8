"""stable-baselines3: the VecEnv, training, and saved models as agents."""

# ruff: noqa: E402 (without the extra, the module is skipped before it imports what needs it)

import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.errors import IllegalAction, ParseError
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.starts import Positions
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent
from skat_env.skat.starts import FixedAuction
from tests.conftest import ROOT

for package in ("torch", "stable_baselines3", "sb3_contrib"):
    pytest.importorskip(package, reason="needs the extra skat_env[learn]")

import msgspec
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from agents.learners.config import read_config
from agents.learners.run import METRICS, RUN, TrainingFailed, TrainingRun
from agents.sb3.agent import Sb3Agent
from agents.sb3.model import CHECKPOINTS, ModelCard, card_path, newest_model, policy_options, save_model
from agents.sb3.train import Config, Ppo, train
from skat_env.cli import main
from skat_env.envs.opponents import Pool
from skat_env.envs.sb3 import Sb3VecEnv

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])
torch.set_num_threads(1)


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action a row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def endgames(game: str, cards: int, count: int, seed: int) -> list:
    """Positions between tricks with some cards in each hand, reached by random play."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        state = FixedAuction(declarer=0, bid=18)(rng) if game == "skat" else get_game(game).state.random(rng)
        seats = len(get_game(game).seats)
        while not state.is_over and sum(mask.bit_count() for mask in state.places[:seats]) > cards * seats:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        if not state.is_over and state.stage == "cardplay":
            found.append(state)
    return found


def tiny(**options) -> Config:
    """A run of a second."""
    return Config(
        **{
            "game": "klaverjas",
            "steps": 64,
            "leg": 64,
            "games": 8,
            "horizon": 8,
            "batch_size": 32,
            "epochs": 1,
            "layers": (8,),
            "starts": 4,
            "evaluation_deals": 0,
            **options,
        },
    )


def trained(out: Path, **options) -> Path:
    """The newest model of a tiny run."""
    config = tiny(**options)
    with TrainingRun(out, "sb3", config) as run:
        train(config, run)
    return newest_model(out)


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
    env = Sb3VecEnv(game, 16, opponents="random", pool_size=20, seed=0)
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
    env = Sb3VecEnv(game, lanes, seat=seat, opponents="rule", scale=0.5, pool_size=12, seed=3)
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
    first, second = (
        Sb3VecEnv(game, 4, opponents=Pool(agents, [1, 1]), pool_size=5, seed=7) for _ in range(2)
    )
    assert trace(first) == trace(second)
    first.seed(5)
    again = trace(first)
    assert again != trace(second)
    first.seed(5)
    assert again == trace(first)


def test_whole_deals_and_starts() -> None:
    env = Sb3VecEnv("skat", 8, opponents="random", start="deal", seed=0)
    env.reset()
    assert env.start_source is None
    rng = np.random.default_rng(0)
    for _ in range(30):
        env.step(choose(env.action_masks(), rng))
    auction = Sb3VecEnv("skat", 8, start=FixedAuction(declarer=2, bid=20), pool_size=8, seed=0)
    auction.reset()
    assert {auction.state(i).soloist for i in range(8)} == {2}
    assert Sb3VecEnv("klaverjas", 2).start_source is None


def test_agents_are_asked_for_all_their_games_at_once() -> None:
    agent = Counting()
    env = Sb3VecEnv("klaverjas", 32, opponents=["random", agent, "random"], seed=0)
    env.reset()
    env.step(env.action_masks().argmax(axis=1))
    assert max(agent.sizes) > 8


def test_a_pool_is_drawn_by_weight() -> None:
    pool = Pool([make_agent("rule", "skat"), make_agent("random", "skat")], [3.0, 1.0])
    rng = np.random.default_rng(0)
    drawn = [pool.draw(rng).name for _ in range(400)]
    assert 260 < drawn.count("rule") < 340


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
        ({"seat": 3}, "seat 3 is not one of 0..2"),
        ({"opponents": ["random"]}, "1 opponents given: expected one agent, or 2 in a list"),
        ({"num_envs": 0}, "num_envs is 0"),
        ({"pool_size": 0}, "a pool of 0 starts"),
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


def worth(state, seat: int, value) -> float:
    """What a position is worth to a seat, exactly, against random players.

    `value` makes it of the state in which the seat is to act, and of the worth of each action.
    """
    if state.is_over:
        return float(state.returns()[seat])
    worths = {}
    for action in state.legal_actions():
        state.apply(action)
        worths[action] = worth(state, seat, value)
        state.undo()
    return value(state, worths) if state.to_act == seat else float(np.mean(list(worths.values())))


@pytest.mark.slow
@both_games
def test_reaches_the_optimum_of_the_last_tricks(game: str) -> None:
    """Five known positions, three cards a hand: nine tenths of the way from random play to the best there is."""
    positions = endgames(game, 3, 5, seed=1)
    env = Sb3VecEnv(game, 64, seat=0, start=Positions(positions), pool_size=200, seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16,
        batch_size=256,
        n_epochs=4,
        gamma=1.0,
        learning_rate=1e-3,
        policy_kwargs=policy_options((64,)),
        seed=0,
        device="cpu",
    )
    model.learn(20_000)

    def learnt(state, worths: dict[int, float]) -> float:
        action, _ = model.predict(
            state.observe(0), deterministic=True, action_masks=state.action_mask().astype(bool)
        )
        return worths[int(action)]

    def mean(value) -> float:
        return float(np.mean([worth(state.clone(), 0, value) for state in positions]))

    best = mean(lambda _, worths: max(worths.values()))
    random = mean(lambda _, worths: float(np.mean(list(worths.values()))))
    assert best - random > 1
    assert mean(learnt) > random + 0.9 * (best - random)


@both_games
def test_a_saved_model_plays_in_a_match(game: str, tmp_path: Path) -> None:
    newest = trained(tmp_path, game=game, steps=1)
    by_folder, by_file = Sb3Agent(str(tmp_path), game=game), Sb3Agent(str(newest), game=game)
    assert by_folder.name == f"sb3({tmp_path})"
    config = MatchConfig(game, (by_folder.name, "random"), 2, mode="mirrored")
    played = [
        [one.position for deal in play_match(config, agents={by_folder.name: agent}) for one in deal]
        for agent in (by_folder, by_file)
    ]
    assert played[0] == played[1]


@both_games
def test_its_decisions_are_those_of_the_model(game: str, tmp_path: Path) -> None:
    env = Sb3VecEnv(game, 32, pool_size=20, seed=0)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=policy_options((16, 8)), seed=1, device="cpu")
    path = tmp_path / "model.zip"
    card = ModelCard.of(get_game(game), start="cardplay", layers=(16, 8), scale=env.scale, steps=0)
    save_model(model, path, card)
    agent, sampling = Sb3Agent(str(path), game=game), Sb3Agent(str(path), sample=True, game=game)
    observations = env.reset()
    views = [env.state(i).view(int(env.seats[i])) for i in range(32)]
    rngs = [np.random.default_rng(i) for i in range(32)]
    expected, _ = model.predict(observations, deterministic=True, action_masks=env.action_masks())
    decisions = agent.decide_many(views, rngs)
    assert [decision.action for decision in decisions] == expected.tolist()
    tensor = torch.as_tensor(observations)
    values = model.policy.predict_values(tensor).detach().numpy().ravel() / env.scale
    assert np.allclose([decision.value for decision in decisions], values, atol=1e-3)
    for view, rng, decision in zip(views, rngs, decisions, strict=True):
        assert decision.weights is not None
        assert decision.weights.sum() == pytest.approx(1)
        assert all(view.legal() >> action & 1 for action in np.flatnonzero(decision.weights))
        assert agent.decide(view, rng).action == decision.action
    drawn = [sampling.decide(views[0], np.random.default_rng(i)).action for i in range(300)]
    weights = decisions[0].weights
    for action in views[0].legal_actions():
        share = float(weights[action])
        assert abs(drawn.count(action) / 300 - share) < 4 * (share / 300) ** 0.5


def test_what_comes_before_its_stage_is_the_bidders(tmp_path: Path) -> None:
    trained(tmp_path, game="skat", steps=1)
    rng = np.random.default_rng(0)
    agent, rule = Sb3Agent(str(tmp_path), game="skat"), make_agent("rule", "skat")
    state = get_game("skat").state.random(rng)
    while not state.is_over and state.stage != "cardplay":
        view = state.view(state.to_act)
        assert agent.decide(view, rng).action == rule.decide(view, rng).action
        state.apply(rule.decide(view, rng).action)


@pytest.fixture(scope="module")
def klaverjas_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("model"), steps=1)


def test_models_that_cannot_play_are_one_sentence(klaverjas_model: Path, tmp_path: Path) -> None:
    def copy(name: str, **changes) -> Path:
        path = tmp_path / name
        path.write_bytes(klaverjas_model.read_bytes())
        card_path(path).write_text(json.dumps(json.loads(card_path(klaverjas_model).read_text()) | changes))
        return path

    with pytest.raises(ParseError, match="plays klaverjas, not skat"):
        Sb3Agent(str(klaverjas_model), game="skat")
    with pytest.raises(ParseError, match=r"takes 999 features .* klaverjas has 1135"):
        Sb3Agent(str(copy("width.zip", features=999)), game="klaverjas")
    with pytest.raises(ParseError, match=r"the tensors of .* are not those of its card layers.json"):
        Sb3Agent(str(copy("layers.zip", layers=[9])), game="klaverjas")
    with pytest.raises(ParseError, match="is not the card of a model"):
        Sb3Agent(str(copy("unknown.zip", colour="red")), game="klaverjas")
    short = copy("short.zip")
    short.write_bytes(short.read_bytes()[:1000])
    with pytest.raises(ParseError, match="not a whole model"):
        Sb3Agent(str(short), game="klaverjas")
    card_path(short).unlink()
    with pytest.raises(ParseError, match=r"has no card short.json beside it"):
        Sb3Agent(str(short), game="klaverjas")
    with pytest.raises(ParseError, match="there is no model"):
        Sb3Agent("no/such.zip", game="klaverjas")
    with pytest.raises(ParseError, match="is not the folder of a training run"):
        Sb3Agent(str(tmp_path), game="klaverjas")


def weights(path: Path) -> dict[str, torch.Tensor]:
    from agents.sb3.model import read_parameters

    return read_parameters(path)["policy"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"self_play": 0.5, "evaluation_deals": 2}, {"game": "skat"}, {"game": "skat", "start": "deal"}],
)
def test_a_stopped_run_ends_as_an_unbroken_one(options: dict, tmp_path: Path) -> None:
    unbroken = trained(tmp_path / "unbroken", steps=192, **options)
    first = trained(tmp_path / "stopped", steps=64, **options)
    metrics = tmp_path / "stopped" / METRICS
    with metrics.open("a") as file:
        file.write(json.dumps({"step": 72}) + '\n{"cut sh')
    first.unlink()  # as if the run was killed between its state and its model
    resumed = trained(tmp_path / "stopped", steps=192, **options)
    assert first.exists()
    assert resumed.name == unbroken.name == "000000000192.zip"
    before, after = weights(unbroken), weights(resumed)
    assert all(torch.equal(before[name], after[name]) for name in before)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    steps = [line["step"] for line in lines]
    assert steps == sorted(steps)
    assert 72 not in steps
    if "evaluation_deals" in options:
        evaluated = [line["step"] for line in lines if "evaluation/rule/mean" in line]
        assert evaluated == [0, 64, 128, 192]
    assert list((tmp_path / "stopped" / "tensorboard").iterdir())


def test_another_configuration_is_refused(klaverjas_model: Path) -> None:
    with pytest.raises(FileExistsError, match=r"another run \(learning_rate 0.0005 there, 0.1 here\)"):
        trained(klaverjas_model.parents[1], learning_rate=0.1)


def test_a_network_that_breaks_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(TrainingFailed, match=r"the network after steps 0 to .* training has diverged"):
        trained(tmp_path, steps=256, learning_rate=1e30, epochs=4)
    assert [path.name for path in sorted((tmp_path / CHECKPOINTS).glob("*.zip"))] == ["000000000000.zip"]
    assert all(
        tensor.isfinite().all() for tensor in weights(tmp_path / CHECKPOINTS / "000000000000.zip").values()
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponents": ()}, ValueError, "expected self_play = 1"),
        ({"opponents": ("rul",)}, ParseError, r"opponents\[0\] = 'rul': .* did you mean 'rule'"),
        ({"start": "auction"}, ParseError, "start = 'auction': unknown start 'auction'"),
        ({"layers": ()}, ParseError, "layers = .*: expected `array` of length >= 1"),
        ({"game": "bridge"}, ParseError, "unknown game"),
    ],
)
def test_bad_configurations_are_one_sentence(
    options: dict, error: type, message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        trained(tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "change", ["self_play=2.0", "epochs=0", "layers=[0]", "layers=[]", "opponents=[rul]"]
)
def test_numbers_out_of_range_are_refused(change: str) -> None:
    with pytest.raises(ParseError, match=r"sb3-skat\.toml: "):
        read_config(Config, ROOT / "configs" / "sb3-skat.toml", [change])


@pytest.mark.slow
def test_the_command_trains_and_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(*changes: str) -> int:
        fields = msgspec.to_builtins(tiny(steps=1)).items()
        small = [f"{name}={json.dumps(value)}" for name, value in fields if value is not None]
        config = ["--config", str(ROOT / "configs" / "sb3-skat.toml"), "--out", str(tmp_path / "run")]
        return main(["train", "sb3", *config, "--set", *small, *changes])

    assert command() == 0
    assert capsys.readouterr().out == f"written to {tmp_path / 'run'}\n"
    assert json.loads((tmp_path / "run" / RUN).read_text())["learner"] == "sb3"
    assert Sb3Agent(str(tmp_path / "run"), game="klaverjas").card.steps == 64
    assert command("steps=65") == 0, "more steps go on with the run"
    assert Sb3Agent(str(tmp_path / "run"), game="klaverjas").card.steps == 128
    capsys.readouterr()
    assert command("seed=7") == 2
    assert "holds another run (seed 0 there, 7 here)" in capsys.readouterr().err
    assert command('opponents=["rul"]') == 2
    assert "did you mean 'rule'" in capsys.readouterr().err


@pytest.mark.slow
def test_past_selves_are_the_newest_models(tmp_path: Path) -> None:
    options = {"self_play": 0.5, "league": 2}
    trained(tmp_path, steps=256, **options)
    config = tiny(steps=320, **options)
    with TrainingRun(tmp_path, "sb3", config) as run, Ppo(config, run) as ppo:
        ppo.leg(lambda steps: None)
        assert [agent.name.rpartition("/")[2] for agent in ppo.pool.agents] == [
            "rule",
            "000000000192.zip, sample=true)",
            "000000000256.zip, sample=true)",
        ]
        assert ppo.pool.weights == [0.5, 0.25, 0.25]


@pytest.mark.slow
@pytest.mark.parametrize("module", ["skat_env.envs.sb3", "agents.sb3.agent", "agents.sb3.train"])
def test_a_missing_extra_is_one_sentence(module: str) -> None:
    code = f"import sys; sys.modules.update(stable_baselines3=None, sb3_contrib=None); import {module}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith("pip install 'skat_env[learn]'")


@pytest.mark.slow
@both_games
def test_pettingzoo_loop_runs_unchanged(game: str) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "pettingzoo_sb3.py"))
    module = __import__(f"skat_env.{game}_v0", fromlist=["env"])
    model = example["learn"](module, 128, seed=0, n_steps=64, batch_size=64, n_epochs=1, device="cpu")
    totals = example["evaluate"](module, model, 2)
    assert list(totals) == module.env().possible_agents


@both_games
def test_single_file_ppo_runs(game: str) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "cleanrl_ppo.py"))
    options = example["Options"](game=game, total_steps=600, games=8, horizon=32, hidden=8)
    curve = example["train"](options)
    assert len(curve) == 2
    assert np.isfinite(curve).all()
