"""The examples run, and the agent of one is better than random."""

import re
import runpy
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import tyro

from skat_env import registry
from skat_env.cards import card_text, parse_card
from skat_env.registry import AGENT_GROUP, make_agent, register
from tests.conftest import ROOT
from tests.helpers.chat_server import chat_server, plays_first


@pytest.mark.slow
def test_own_agent_beats_random() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    difference = example["play"](example["Options"](deals=100, seed=1))
    assert difference.low > 0
    assert difference.pairs == 100


def test_own_agent_lays_away_what_it_planned() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    twelve = sum(
        1 << parse_card(card)
        for card in ["CJ", "SJ", "CA", "CT", "C9", "C8", "C7", "HA", "HT", "DA", "DT", "D7"]
    )
    planned = example["plan"](twelve)
    assert planned.suit == 3
    assert sorted(map(card_text, planned.discards)) == ["DT", "HT"]


def test_a_jack_is_no_card_of_its_suit_when_the_own_agent_lays_away() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    cards = ["CJ", "SJ", "DJ", "CA", "CT", "C9", "C8", "C7", "SA", "D7", "HT", "HK"]
    planned = example["plan"](sum(1 << parse_card(card) for card in cards))
    assert planned.suit == 3
    assert sorted(map(card_text, planned.discards)) == ["D7", "HT"]


@pytest.mark.parametrize("name", ["pettingzoo_sb3", "cleanrl_ppo", "llm_agent"])
def test_examples_name_their_games(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra skat_env[learn]")
    pytest.importorskip("openai", reason="needs the extra skat_env[llm]")
    example = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    with pytest.raises(SystemExit):
        tyro.cli(example["Options"], args=["--model", "x", "--game", "nope"][2 * (name != "llm_agent") :])
    assert "klaverjas" in capsys.readouterr().err


def test_own_agent_is_made_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    register(AGENT_GROUP, "skat.planner", example["Planner"])
    assert make_agent("planner(trumps=7)", "skat").name == "planner(trumps=7)"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_torchrl_plays_our_games(game: str) -> None:
    pytest.importorskip("torchrl", reason="needs the extra skat_env[torchrl]")
    pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")
    example = runpy.run_path(str(ROOT / "examples" / "torchrl_openspiel.py"))
    steps = example["rollout"](example["Options"](game=game, seed=1))
    assert bool(steps["next", "done"][-1])


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_pettingzoo_loop_runs_unchanged(game: str) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra skat_env[learn]")
    example = runpy.run_path(str(ROOT / "examples" / "pettingzoo_sb3.py"))
    module = import_module(f"skat_env.{game}_v0")
    model = example["learn"](module, 128, seed=0, n_steps=64, batch_size=64, n_epochs=1, device="cpu")
    totals = example["evaluate"](module, model, 2)
    assert list(totals) == module.env().possible_agents


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_single_file_ppo_runs(game: str) -> None:
    pytest.importorskip("torch", reason="needs the extra skat_env[learn]")
    example = runpy.run_path(str(ROOT / "examples" / "cleanrl_ppo.py"))
    options = example["Options"](game=game, total_steps=600, games=8, horizon=32, hidden=8)
    curve = example["train"](options)
    assert len(curve) == 2
    assert np.isfinite(curve).all()
    # A batch of one step has no deviation of its own.
    options = example["Options"](game=game, total_steps=8, games=2, horizon=4, hidden=8)
    assert np.isfinite(example["train"](options)).all()


@pytest.mark.slow
def test_rllib_trains_with_masks() -> None:
    pytest.importorskip(
        "ray.rllib.algorithms.ppo",
        reason="needs ray[rllib], which pins another gymnasium",
        exc_type=ImportError,
    )
    example = runpy.run_path(str(ROOT / "examples" / "rllib_masks.py"), run_name="rllib_masks")
    played = example["train"](example["Options"](iterations=2, batch=256))
    assert len(played) == 2
    assert min(played) >= 256


@pytest.mark.slow
def test_tianshou_trains() -> None:
    pytest.importorskip("tianshou", reason="needs the extra skat_env[tianshou]", exc_type=ImportError)
    example = runpy.run_path(str(ROOT / "examples" / "tianshou_dqn.py"), run_name="tianshou_dqn")
    assert np.isfinite(example["train"](example["Options"](epochs=1, steps=320, lanes=4)))


def test_the_words_shown_are_of_this_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai", reason="needs the extra skat_env[llm]")
    example = runpy.run_path(str(ROOT / "examples" / "llm_agent.py"))
    with chat_server(lambda messages, _: plays_first(messages)) as server:
        for game in ("skat", "klaverjas"):
            log = str(tmp_path / "log.jsonl")
            example["main"](example["Options"]("scripted", server.address, game=game, deals=1, log=log))
            assert capsys.readouterr().out.startswith(f"user: {game.capitalize()}")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_language_model_is_scored(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai", reason="needs the extra skat_env[llm]")
    example = runpy.run_path(str(ROOT / "examples" / "llm_agent.py"))
    options = example["Options"]("scripted", game=game, deals=1, seed=3, log=str(tmp_path / "log.jsonl"))

    def stubborn(messages: list[dict[str, str]], _: int) -> str:
        """Every second decision is a card that nobody has."""
        return "[the ace of cups]" if len(messages[1]["content"]) % 2 else plays_first(messages)

    with chat_server(stubborn) as server:
        options.base_url = server.address
        example["main"](options)
    told = capsys.readouterr().out
    assert re.match(rf"user: {game.capitalize()}.*You are", told)
    assert "assistant: " in told
    assert f"in {game} (0 random," in told
    assert "tokens" in told
    assert "failure" in told
