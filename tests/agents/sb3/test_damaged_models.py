"""Models of stable-baselines3 whose card is wrong or whose weights are not finite are refused when they are loaded."""

import json
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
from skat_env.errors import ParseError
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
