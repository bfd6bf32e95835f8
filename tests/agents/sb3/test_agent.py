"""Saved models of stable-baselines3 as agents."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from skat_env.errors import ParseError, UnknownName
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game, make_agent

pytest.importorskip("sb3_contrib", reason="needs the extra skat_env[learn]")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import FlattenExtractor

from skat_env.agents.sb3.agent import Sb3Agent
from skat_env.agents.sb3.card import ModelCard, card_path
from skat_env.agents.sb3.model import policy_options, save_model
from skat_env.envs.sb3 import Sb3VecEnv
from tests.helpers.sb3_runs import trained

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])
torch.set_num_threads(1)


@pytest.mark.slow
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
    env = Sb3VecEnv(game, 32, seed=0)
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
    assert {decision.unit for decision in decisions} == {get_game(game).reward_units[0]}
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
    with pytest.raises(
        ParseError, match=r"takes 1172 features, which is the observation with its mask: train it on"
    ):
        Sb3Agent(str(copy("mask.zip", features=1135 + 37)), game="klaverjas")
    with pytest.raises(ParseError, match=r"the tensors of .* are not those of its card layers.json"):
        Sb3Agent(str(copy("layers.zip", layers=[9])), game="klaverjas")
    rewards = copy("rewards.zip", config={"reward": "score"})
    state = PlayedTo("klaverjas", "cardplay", "rule")(np.random.default_rng(1))
    decision = Sb3Agent(str(rewards), game="klaverjas").decide(
        state.view(state.to_act), np.random.default_rng(1)
    )
    assert decision.unit == "score"
    with pytest.raises(ParseError, match=r"was trained on rewards in 'marks': expected one of "):
        Sb3Agent(str(copy("marks.zip", config={"reward": "marks"})), game="klaverjas")
    with pytest.raises(ParseError, match="is not the card of a model"):
        Sb3Agent(str(copy("unknown.zip", colour="red")), game="klaverjas")
    short = copy("short.zip")
    short.write_bytes(short.read_bytes()[:1000])
    with pytest.raises(ParseError, match="not a whole model"):
        Sb3Agent(str(short), game="klaverjas")
    card_path(short).unlink()
    with pytest.raises(ParseError, match=r"short.zip is not a whole model"):
        Sb3Agent(str(short), game="klaverjas")
    with pytest.raises(ParseError, match="there is no model"):
        Sb3Agent("no/such.zip", game="klaverjas")
    with pytest.raises(ParseError, match="is not the folder of a training run"):
        Sb3Agent(str(tmp_path), game="klaverjas")


@pytest.mark.slow
@pytest.mark.parametrize("activation", [None, torch.nn.ReLU])
def test_a_model_of_ones_own_plays_without_a_card(tmp_path: Path, activation: type | None) -> None:
    """Its tensors say how it is built; what they do not say is an option, or left out."""
    from sb3_contrib import MaskablePPO

    from skat_env.envs.sb3 import Sb3VecEnv

    options = (
        {} if activation is None else {"policy_kwargs": {"net_arch": [32, 16], "activation_fn": activation}}
    )
    env = Sb3VecEnv("klaverjas", 4, start="cardplay")
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, **options)
    path = tmp_path / "own.zip"
    model.save(path)
    agent = make_agent(f"sb3('{path}')", "klaverjas")
    state = get_game("klaverjas").state.random(np.random.default_rng(1))
    while not state.is_over:
        view = state.view(state.to_act)
        decision = agent.decide(view, np.random.default_rng(0))
        assert decision.value is None
        mask = view.action_mask()
        expected, _ = model.predict(
            view.observe(view.seat), action_masks=mask.astype(bool), deterministic=True
        )
        assert decision.action == int(expected)
        state.apply(decision.action)
    with pytest.raises(ParseError, match=r"takes .* features"):
        make_agent(f"sb3('{path}')", "skat")
    with pytest.raises(UnknownName, match="start of sb3"):
        make_agent(f"sb3('{path}', start=nix)", "klaverjas")


class Doubling(FlattenExtractor):
    """An extractor of features that leaves no tensors."""

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The observation, twice as large."""
        return 2 * super().forward(observations)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"activation_fn": torch.nn.ELU}, "ELU"),
        ({"activation_fn": torch.nn.LeakyReLU}, "LeakyReLU"),
        ({"activation_fn": torch.nn.ReLU6}, "ReLU6"),
        ({"features_extractor_class": Doubling}, "Doubling"),
    ],
)
def test_a_policy_that_no_card_describes_is_refused(tmp_path: Path, options: dict, named: str) -> None:
    env = Sb3VecEnv("klaverjas", 2, start="deal")
    path = tmp_path / "own.zip"
    MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, policy_kwargs=options).save(path)
    with pytest.raises(
        ParseError, match=rf"its policy has .*{named}'>.*: expected Tanh or ReLU, and Flatten"
    ):
        make_agent(f"sb3('{path}')", "klaverjas")
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "damaged.zip", "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, b"[]" if name == "data" else whole.read(name))
    with pytest.raises(ParseError, match=r"damaged.zip is not a whole model of stable-baselines3"):
        make_agent(f"sb3('{tmp_path / 'damaged.zip'}')", "klaverjas")
