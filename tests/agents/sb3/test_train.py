"""Training with stable-baselines3: it learns, goes on after a stop, and refuses what it cannot do."""

import json
from pathlib import Path

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.errors import ParseError
from skat_env.play.starts import Positions
from skat_env.registry import get_game
from skat_env.skat.starts import FixedAuction
from tests.conftest import ROOT

pytest.importorskip("sb3_contrib", reason="needs the extra skat_env[learn]")

import msgspec
import torch
from sb3_contrib import MaskablePPO

from skat_env.agents.learners.config import read_config
from skat_env.agents.learners.metrics import read_metrics
from skat_env.agents.learners.run import METRICS, RUN, TrainingFailed, TrainingRun
from skat_env.agents.sb3.agent import Sb3Agent
from skat_env.agents.sb3.card import CHECKPOINTS
from skat_env.agents.sb3.model import policy_options, read_parameters
from skat_env.agents.sb3.train import Config, Ppo, train
from skat_env.envs.sb3 import Sb3VecEnv
from tests.helpers.sb3_runs import tiny, trained

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])
torch.set_num_threads(1)


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
    env = Sb3VecEnv(game, 64, seat=0, start=Positions(positions), seed=0)
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


def weights(path: Path) -> dict[str, torch.Tensor]:
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


@pytest.mark.slow
def test_a_model_is_evaluated_once_with_the_same_options(tmp_path: Path) -> None:
    for deals, lines in (2, 2), (2, 2), (3, 3):
        trained(tmp_path, evaluation_deals=deals)
        metrics = read_metrics(tmp_path / METRICS)
        assert [line["step"] for line in metrics if "evaluation/rule/mean" in line] == [0, 64, 64][:lines]
        with TrainingRun(tmp_path, "sb3", tiny(evaluation_deals=deals)) as run:
            train(run.config, run)
        assert not run.has_worked


@pytest.mark.slow
def test_a_budget_is_kept_to_a_rollout(tmp_path: Path) -> None:
    """The last leg is shorter; legs are of three rollouts, of 64 steps each."""
    assert trained(tmp_path, steps=100, leg=192).name == "000000000128.zip"
    assert trained(tmp_path, steps=250, leg=192).name == "000000000256.zip"


def test_another_configuration_is_refused(tmp_path: Path) -> None:
    trained(tmp_path, steps=1)
    with pytest.raises(FileExistsError, match=r"another run \(learning_rate 0.0005 there, 0.1 here\)"):
        trained(tmp_path, learning_rate=0.1)


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
