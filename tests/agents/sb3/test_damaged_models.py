"""Models of stable-baselines3 whose card is wrong or whose weights are not finite are refused when they are loaded."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'learn'")

import torch

from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.sb3.agent import Sb3Agent
from skat_env.agents.sb3.card import card_path, newest_model
from skat_env.agents.sb3.model import save_model
from skat_env.agents.sb3.train import Config, Ppo
from skat_env.errors import OptionError, ParseError
from skat_env.registry import make_agent
from tests.helpers.tiny_runs import tiny_config, train


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train("sb3", tiny_config("sb3", folder), folder / "run")
    return newest_model(folder / "run")


def test_weights_that_are_not_finite(tmp_path: Path) -> None:
    config = tiny_config("sb3", tmp_path)
    assert isinstance(config, Config)
    with TrainingRun(tmp_path / "run", "sb3", config) as run, Ppo(config, run) as ppo:
        path = newest_model(tmp_path / "run")
        card = Sb3Agent(str(path), game="klaverjas").card
        with torch.no_grad():
            ppo.model.policy.action_net.bias[2] = torch.nan
        save_model(ppo.model, path, card)
    with pytest.raises(ParseError, match=r"zip: tensor 'action_net.bias' has numbers that are not finite"):
        Sb3Agent(str(path), game="klaverjas")


def test_tensors_that_are_damaged(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(model) as whole, zipfile.ZipFile(path, "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, b"rubbish" if name == "policy.pth" else whole.read(name))
    with pytest.raises(ParseError, match=r"damaged.zip is not a whole model of stable-baselines3"):
        Sb3Agent(str(path), game="klaverjas")


@pytest.mark.parametrize("name", ["my model.zip", "a,b.zip", "7", "a=b(c).zip"])
def test_names_read_back(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(model, name)
    shutil.copy(card_path(model), card_path(Path(name)))
    agent = Sb3Agent(name, sample=True, bidder="random", game="klaverjas")
    assert make_agent(agent.name, "klaverjas").name == agent.name
    assert Sb3Agent(str(model), game="klaverjas").name == f"sb3({model})"


def test_options_are_checked(model: Path) -> None:
    with pytest.raises(OptionError, match="sb3 with sample=no: expected true or false"):
        Sb3Agent(str(model), sample="no", game="klaverjas")  # type: ignore[arg-type]


def test_any_value_in_the_card_is_read_or_one_sentence(model: Path) -> None:
    path = card_path(model)
    whole = path.read_text()
    wrong: list[Any] = [None, [], {}, -1, 0, 1.5, "x", True, [-8], [0], ["8"], [10**9], 10**30, float("nan")]
    for key in json.loads(whole):
        for value in wrong:
            path.write_text(json.dumps(json.loads(whole) | {key: value}))
            try:
                Sb3Agent(str(model), game="klaverjas")
            except (ParseError, ValueError) as error:
                assert "\n" not in str(error)
    path.write_text("[" * 100_000)
    with pytest.raises(ParseError, match="is not the card of a model"):
        Sb3Agent(str(model), game="klaverjas")
    path.write_text(whole)
    Sb3Agent(str(model), game="klaverjas")
