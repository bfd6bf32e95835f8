"""Play ahead of learning: which weights a wave is played with, and that the workers change nothing."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch
from hypothesis import given
from hypothesis import strategies as st

from skat_env.agents.learners.ahead import AheadConfig, Piece, PlayedAhead
from skat_env.agents.learners.config import LearnerConfig
from skat_env.agents.learners.experience.played_games import PlayedGames
from skat_env.agents.learners.run import STATE, TrainingRun
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.play.starts import start_source
from skat_env.registry import get_game
from tests.helpers.kills import KILLS, NEVER, RENAMES, Killed, killed_at, stop
from tests.helpers.networks import changed, random_network
from tests.helpers.tiny_runs import generate_data, left, tiny_config, train

LEARNERS = ("selfplay", "expert")
SPECS = {"n": NetworkSpec("skat.bid_answer", 1, ())}


def echo(piece: Piece) -> tuple[int, float, range]:
    """What a piece is: its wave, the version of its weights, its games."""
    return piece.wave, piece.networks.value["n"].weights()["0.bias"].item(), range(piece.first, piece.stop)


def networks(version: int) -> dict[str, Network]:
    bias = np.array([version], np.float32)
    return {"n": changed(random_network(SPECS["n"]), lambda arrays: arrays.update({"0.bias": bias}))}


@given(
    age=st.integers(0, 4),
    pieces=st.integers(1, 5),
    games=st.integers(1, 9),
    waves=st.integers(1, 8),
    stopped=st.integers(0, 8),
)
def test_each_wave_has_the_weights_of_the_stated_age(
    age: int, pieces: int, games: int, waves: int, stopped: int
) -> None:
    """Also of a run that is stopped and goes on."""
    config = AheadConfig(age=age, pieces=pieces)
    wave, played = 0, []
    saved: dict[str, torch.Tensor] = {}
    for end in (min(stopped, waves), waves):
        with PlayedAhead(echo, config, games, waves, 1) as ahead:
            ahead.restore(wave, saved, SPECS)
            while wave < end:
                played.append(ahead.wave(networks(wave)))
                wave += 1
            saved = {name: torch.from_numpy(array) for name, array in ahead.arrays().items()}
            assert len(saved) == 2 * min(age, waves - wave) * (wave > 0)
    assert [{(each[0], each[1]) for each in one} for one in played] == [
        {(number, max(0, number - age))} for number in range(waves)
    ]
    for one in played:
        assert [game for *_, part in one for game in part] == list(range(games))
        assert len(one) == min(pieces, games)


def test_a_state_without_the_weights_of_a_wave_is_damaged() -> None:
    weights = networks(0)["n"].weights().items()
    first = {f"ahead/0/n/{name}": torch.tensor(array) for name, array in weights}
    with (
        PlayedAhead(echo, AheadConfig(age=2), 1, 9, 1) as ahead,
        pytest.raises(ValueError, match=r"tensor '0\.weight' is missing"),
    ):
        ahead.restore(3, first, SPECS)


@pytest.mark.slow
def test_workers_change_nothing_of_the_order() -> None:
    found = []
    for workers in (1, 3):
        with PlayedAhead(echo, AheadConfig(age=2, pieces=4), 9, 6, workers) as ahead:
            found.append([ahead.wave(networks(version)) for version in range(6)])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_packed_games_give_back_the_positions_of_their_decisions(name: str) -> None:
    game, rng = get_game(name), np.random.default_rng(3)
    begin = start_source(game, game.stages[-1], "random")
    states: list[Any] = [begin(np.random.default_rng(seed)) for seed in range(4)]
    texts, decisions = [], []
    while playing := [number for number, state in enumerate(states) if not state.is_over]:
        number = int(rng.choice(playing))
        decisions.append((number, len(states[number].plays())))
        texts.append(states[number].text())
        states[number].apply(int(rng.choice(states[number].legal_actions())))
    games = PlayedGames.of(states, decisions)
    assert [state.text() for state in games.states(game)] == [state.text() for state in states]
    assert [state.text() for state in games.positions(game)] == texts
    none = PlayedGames.of(states, [])
    assert none.positions(game) == []


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    generate_data(folder)
    return folder


def ahead_config(learner: str, data: Path) -> LearnerConfig:
    """A tiny config of a run that plays ahead, in several pieces."""
    longer = {"cycles": 4} if learner == "selfplay" else {"iterations": 4}
    return msgspec.structs.replace(tiny_config(learner, data), age=2, pieces=2, **longer)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_workers_change_nothing_of_a_run(learner: str, data: Path, tmp_path: Path) -> None:
    config = ahead_config(learner, data)
    for workers in (1, 2):
        train(learner, config, tmp_path / str(workers), workers)
    assert left(tmp_path / "1") == left(tmp_path / "2")
    assert b"ahead/" not in (tmp_path / "1" / STATE).read_bytes()  # at the end nothing is in play


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_age_is_part_of_the_run(learner: str, data: Path, tmp_path: Path) -> None:
    config = ahead_config(learner, data)
    train(learner, config, tmp_path / "two")
    train(learner, msgspec.structs.replace(config, age=0), tmp_path / "none")
    assert left(tmp_path / "two")[STATE] != left(tmp_path / "none")[STATE]
    with pytest.raises(FileExistsError, match="age 2 there, 0 here"):
        train(learner, msgspec.structs.replace(config, age=0), tmp_path / "two")


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_that_plays_ahead_goes_on_after_a_kill_at_any_write(
    learner: str, data: Path, tmp_path: Path
) -> None:
    """SKAT_ENV_KILLS is the number of writes tried, from the first to the last; the default is 2, and one is added."""
    config = ahead_config(learner, data)
    writes = (*RENAMES, (TrainingRun, "report"))
    with killed_at(NEVER, stop, writes) as found:
        train(learner, config, tmp_path / "whole")
    in_play = 0
    for number in np.linspace(0, len(found) - 1, min(KILLS + 1, len(found))).astype(int).tolist():
        folder = tmp_path / str(number)
        with killed_at(number, stop, writes), pytest.raises(Killed):
            train(learner, config, folder)
        in_play += (folder / STATE).exists() and b"ahead/1" in (folder / STATE).read_bytes()
        train(learner, config, folder)
        assert left(folder) == left(tmp_path / "whole")
    assert in_play
