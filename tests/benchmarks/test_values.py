"""Values are held against games as `policy` plays them, and games of one deal share their luck."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality import value_calibration
from benchmarks.quality.declared_values import Options, declaration_of, played, recorded, rows_of
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.skat.game_values import GAMES, declarable
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.agents.skat.policy.networks import POINTS
from skat_env.cli import main
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.registry import make_agent
from skat_env.skat import SkatState

DEALS, SEED = 200, 5


@pytest.fixture(scope="module")
def values() -> DeclaredValues:
    return DeclaredValues(load_checkpoint("skat-policy", "skat"))


@pytest.mark.slow
def test_games_are_declared_as_policy_declares_them(values: DeclaredValues) -> None:
    agent = make_agent("policy", "skat")
    own = [SkatState.random(deal_rng(SEED, deal)) for deal in range(DEALS)]
    rngs = [[agent_rng(SEED, deal, seat) for seat in range(3)] for deal in range(DEALS)]
    play_games(own, [[agent] * 3] * DEALS, rngs)
    expected = {str(state.dealt): state for state in own if state.picked_up}
    found = played(Options(deals=DEALS, seed=SEED), values)
    assert {str(each.end.dealt) for each in found} == expected.keys()
    for each in found:
        state = expected[str(each.end.dealt)]
        assert (each.end.contract, each.end.announcement, each.end.skat) == (
            state.contract,
            state.announcement,
            state.skat,
        )
        assert each.end.history() == state.history()
        if each.other is not None:
            assert each.other.is_over
            assert each.other.dealt == state.dealt
            assert each.other.contract != state.contract


@pytest.mark.slow
def test_the_other_contract_is_that_of_the_highest_value(values: DeclaredValues) -> None:
    for each in played(Options(deals=40, seed=SEED), values):
        game, before = declaration_of(each.end)
        view = before.view(each.end.soloist)
        legal = declarable(GAMES, [view])[0]
        worths = {
            other.contract: values.of(view, other)[1][:, POINTS].max()
            for other, allowed in zip(GAMES[::-1], legal[::-1], strict=True)
            if allowed and other.contract != game.contract
        }
        if each.other is None:
            assert not worths
        else:
            assert each.other.contract is not None
            best, _ = declaration_of(each.other)
            assert values.of(view, best)[1][:, POINTS].max() == pytest.approx(max(worths.values()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of `policy` as a file and as a dataset, once (a) and each of them twice (b)."""
    path = tmp_path_factory.mktemp("values")
    main(f"generate --agents policy --deals 60 --seed 4 --no-searches --out {path}/games".split())
    main(f"data export {path}/games {path}/a.jsonl".split())
    lines = (path / "a.jsonl").read_text()
    (path / "b.jsonl").write_text(lines + lines)
    for name in "ab":
        main(f"data import {path}/{name}.jsonl {path}/{name}".split())
    return path


@pytest.mark.slow
def test_games_written_twice_have_the_same_intervals(folder: Path, values: DeclaredValues) -> None:
    once, twice = (rows_of(recorded(folder / f"{name}.jsonl", values)) for name in "ab")
    assert [2 * row.games for row in once] == [row.games for row in twice]
    assert [row.difference for row in once] == [row.difference for row in twice]


@pytest.mark.slow
def test_values_of_games_written_twice_have_the_same_intervals(folder: Path, tmp_path: Path) -> None:
    once: dict[str, Any] = {}
    twice: dict[str, Any] = {}
    for name, kept in (("a", once), ("b", twice)):
        options = value_calibration.Options(
            folder / name, ("pass_value",), parts=1, out=tmp_path / "out.json"
        )
        value_calibration.main(options)
        kept |= json.loads((tmp_path / "out.json").read_text())["networks"]["pass_value"][0]
    assert 2 * once["rows"] == twice["rows"]
    assert once["difference"] == pytest.approx(twice["difference"])
