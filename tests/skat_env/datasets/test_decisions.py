"""Training rows against replayed states, and the labels of the auction."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.skat.policy.max_bids import MaxBids, max_bids
from skat_env.datasets.array_file import read_arrays, write_arrays
from skat_env.datasets.dataset import Dataset, DatasetWriter, Shard, shard_path
from skat_env.datasets.decisions import DECISION, Decisions
from skat_env.encoders import encoders_of, get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.records import GameRecord, Status
from skat_env.registry import get_game
from skat_env.skat import SkatState
from skat_env.skat.rules import BID_LEVEL
from tests.conftest import random_games
from tests.helpers.records import make_records


def written(folder: Path, records: list[GameRecord], games_per_shard: int = 20) -> Dataset:
    with DatasetWriter(folder, records[0].game, games_per_shard) as writer:
        for record in records:
            writer.add(record)
    return Dataset(folder)


@pytest.fixture(scope="module")
def skat(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Games of every status and start, in several files."""
    return written(tmp_path_factory.mktemp("data") / "skat", make_records())


@pytest.fixture(scope="module")
def klaverjas(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    game = get_game("klaverjas")
    rng = np.random.default_rng(6)
    records = []
    for number in range(12):
        state = game.state.random(rng)
        for _ in range(40 if number % 3 else 20):
            if not state.is_over:
                state.apply(int(rng.choice(state.legal_actions())))
        claimed = not state.is_over and number % 2
        status, claim = (Status.CLAIMED, True) if claimed else (Status.ABORTED, None)
        record = GameRecord("klaverjas", state, tuple("abcd"), status, claim)
        records.append(GameRecord.of("klaverjas", state, tuple("abcd")) if state.is_over else record)
    return written(tmp_path_factory.mktemp("data") / "klaverjas", records, 5)


def replayed(dataset: Dataset, game: int, step: int) -> Any:
    """A game after some actions."""
    state = dataset.state(game)
    while len(state.history()) > step:
        state.undo()
    return state


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_decisions_are_those_of_the_games(name: str, request: pytest.FixtureRequest) -> None:
    dataset = request.getfixturevalue(name)
    decisions = Decisions(dataset)
    found = iter(decisions.find())
    for game, record in enumerate(dataset):
        if record.status is Status.ABORTED:
            continue
        for step, action in enumerate(record.state.history()):
            state = replayed(dataset, game, step)
            trick = len(state.plays()) // len(record.agents)
            expected = (game, state.legal(), step, state.to_act, action, int(state.phase), trick)
            assert next(found).tolist() == expected
    assert next(found, None) is None
    assert len(decisions) == len(dataset)


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_rows_are_those_of_replayed_states(name: str, request: pytest.FixtureRequest) -> None:
    dataset = request.getfixturevalue(name)
    decisions = Decisions(dataset)
    rng = np.random.default_rng(0)
    for encoder in encoders_of(name):
        found = decisions.find(encoder)
        assert len(found), encoder.name
        found = found[rng.integers(len(found), size=25)]
        states = [replayed(dataset, int(row["game"]), int(row["step"])) for row in found]
        out = np.empty((25, encoder.width), np.float32)
        assert decisions.rows(encoder, found["game"], found["step"], out=out) is out
        assert (out == encoder.encode(states)).all()
        assert found["seat"].tolist() == [state.to_act for state in states]


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_places_are_those_of_replayed_states(name: str, request: pytest.FixtureRequest) -> None:
    dataset = request.getfixturevalue(name)
    decisions, rng = Decisions(dataset), np.random.default_rng(1)
    found = rng.choice(decisions.find(), 60)
    places = decisions.places(found["game"], found["step"])
    for row, masks in zip(found, places.tolist(), strict=True):
        assert tuple(masks) == replayed(dataset, int(row["game"]), int(row["step"])).places
    with pytest.raises(ValueError, match="there is no step 200"):
        decisions.places([0], [200])
    with pytest.raises(ValueError, match="game -1 is not one of"):
        decisions.places([-1], [0])


def test_one_encoder_reads_each_decision_of_skat(skat: Dataset) -> None:
    """Those of Rebstock 2019; the locations and ours are asked for beside them."""
    decisions = Decisions(skat)
    beside = (
        "skat.locations",
        "skat.locations_before",
        "skat.world",
        "skat.declared",
        "skat.bid",
        "skat.relabelled_soloist",
        "skat.relabelled_defender",
        "skat.tactical_soloist",
        "skat.tactical_defender",
    )
    found = [decisions.find(encoder) for encoder in encoders_of("skat") if encoder.name not in beside]
    together = np.concatenate(found)
    assert (np.sort(together, order=["game", "step"]) == decisions.find()).all()


def test_every_perspective_of_every_position(klaverjas: Dataset) -> None:
    """33 positions of four seats each, the last one finished (Aaldering 2023, section 3.4)."""
    decisions = Decisions(klaverjas)
    encoder = get_encoder("klaverjas.perspective")
    game = next(number for number, record in enumerate(klaverjas) if record.state.is_over)
    last = len(klaverjas.state(game).history())
    steps = np.repeat(np.arange(last - 32, last + 1), 4)
    seats = np.tile(np.arange(4), 33)
    rows = decisions.rows(encoder, np.full(132, game), steps, seats)
    states = [replayed(klaverjas, game, int(step)) for step in steps]
    assert (rows == encoder.encode(states, seats)).all()
    assert (decisions.rows(encoder, np.full(132, game), steps[::-1], seats[::-1]) == rows[::-1]).all()


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_outcomes_are_those_of_the_records(name: str, request: pytest.FixtureRequest) -> None:
    dataset = request.getfixturevalue(name)
    for unit in (None, *dataset.game.reward_units):
        outcomes = Decisions(dataset).outcomes(unit)
        for game, record in enumerate(dataset):
            assert tuple(outcomes.returns[game]) == record.state.returns(unit, record.claim)
            state = record.state
            chosen = state.soloist if name == "skat" else state.declarer
            contract = state.contract if name == "skat" else state.trump
            assert outcomes.declarer[game] == chosen
            assert outcomes.contract[game] == (-1 if contract is None else contract)


def test_games_that_were_broken_off_have_no_result(tmp_path: Path) -> None:
    """Not even one whose last card was played, if its record says so."""
    state = next(each for each in random_games(get_game("klaverjas"), 9, 1) if each.is_over)
    record = GameRecord.of("klaverjas", state, tuple("abcd"))
    broken_off = dataclasses.replace(record, status=Status.ABORTED, result=None)
    returns = Decisions(written(tmp_path / "games", [record, broken_off])).outcomes().returns
    assert returns.tolist() == [list(state.returns()), [0] * 4]


def test_one_file_and_some_games(skat: Dataset) -> None:
    second = Shard(shard_path(skat.folder, 1))
    part, whole = Decisions(second), Decisions(skat)
    games = np.arange(len(whole)) // 20 == 1
    found, same = part.find(), whole.find(games=games)
    assert (found["game"] + 20 == same["game"]).all()
    assert (found[["step", "action", "legal"]] == same[["step", "action", "legal"]]).all()
    encoder = get_encoder("skat.locations")
    found, same = part.find(encoder), whole.find(encoder, games)
    rows = part.rows(encoder, found["game"], found["step"])
    assert (rows == whole.rows(encoder, same["game"], same["step"])).all()


def test_bad_input(skat: Dataset) -> None:
    decisions = Decisions(skat)
    encoder = get_encoder("skat.bid_answer")
    length = len(skat.state(3).history())
    cases = [
        (([len(skat)], [0]), f"game {len(skat)} is not one of"),
        (([3], [length + 1]), f"game 3 has {length} actions: there is no step {length + 1}"),
        (([3], [-1]), "there is no step -1"),
        (([3], [0], [3]), "seat 3"),
        (([3, 4], [0]), "2 games, 1 steps"),
        (([3], [length]), f"reads auctions of Skat .* not game 3 at step {length}"),
        (([3], [0], None, np.zeros((2, 35), np.float32)), "expected float32 .* C-contiguous"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            decisions.rows(encoder, *arguments)
    with pytest.raises(ValueError, match=r"klaverjas\.cardplay reads the cardplay of Klaverjas, not"):
        decisions.rows(get_encoder("klaverjas.cardplay"), [0], [0])
    with pytest.raises(ValueError, match=r"games of shape \[1\] and type bool: expected"):
        decisions.find(games=[True])
    with pytest.raises(UnknownName):
        decisions.outcomes("card_pionts")


def test_a_dataset_of_nothing_and_one_with_an_illegal_action(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "empty", "skat"):
        pass
    empty = Decisions(Dataset(tmp_path / "empty"))
    assert empty.find().dtype == DECISION
    assert (len(empty), len(empty.find()), len(empty.outcomes().returns)) == (0, 0, 0)
    written(tmp_path / "bad", make_records()[:1])
    path = shard_path(tmp_path / "bad", 0)
    header, arrays = read_arrays(path)
    actions = np.array(arrays["actions"])
    actions[0] = 40
    write_arrays(path, header, {**arrays, "actions": actions})
    with pytest.raises(ParseError, match="game 0 has illegal actions"):
        Decisions(Dataset(tmp_path / "bad"))


DEAL = "C7.C8.C9.CT.CJ.CQ.CK.CA.S7.S8/H7.H8.H9.HT.HJ.HQ.HK.HA.S9.ST/D7.D8.D9.DT.DJ.DQ.DK.DA.SJ.SQ/SK.SA"
L = BID_LEVEL


@pytest.mark.parametrize(
    ("auction", "first", "second"),
    [
        ("pass pass pass", [(0, 0)], [(1, 0), (2, 0)]),
        ("pass pass yes", [(0, 0)], [(1, 0)]),
        ("pass yes yes pass", [(0, 0)], [(1, L[18])]),  # rearhand bid 18, forehand held it
        ("pass yes pass", [(0, 0)], [(2, 0)]),  # forehand did not hold 18
        ("yes pass pass", [(1, 0)], [(2, 0)]),  # middlehand bid 18, forehand did not hold it, rearhand passed
        ("yes yes yes yes pass pass", [(0, L[20])], [(5, 0)]),  # middlehand stopped at 20
        (
            "yes yes yes pass yes yes yes pass",
            [(1, L[18])],
            [(5, L[22])],
        ),  # middlehand had bid 20, held 22, not 23
        ("yes yes pass yes yes yes pass", [(0, L[18])], [(4, L[20])]),  # forehand had held 20, not 22
    ],
)
def test_max_bids_of_auctions(
    auction: str, first: list[tuple[int, int]], second: list[tuple[int, int]], tmp_path: Path
) -> None:
    state = SkatState.parse(f"{DEAL} : {auction}")
    assert state.is_over or state.phase.name == "PICK_UP"
    # Claims need a declared game: one is played to its end.
    rng = np.random.default_rng(0)
    while not state.is_over:
        state.apply(int(rng.choice(state.legal_actions())))
    other = GameRecord.of("skat", SkatState.parse(f"{DEAL} : pass pass pass"), tuple("abc"))
    dataset = written(tmp_path / "d", [other, GameRecord.of("skat", state, tuple("abc"))])
    decisions = Decisions(dataset)
    labels = max_bids(decisions, [False, True])
    assert [pairs(rows) for rows in labels] == [first, second]
    for rows, encoder in zip(labels, ("skat.bid_answer", "skat.continue_answer"), strict=True):
        assert (rows.game == 1).all()
        decisions.rows(get_encoder(encoder), rows.game, rows.step)
    assert [len(rows.game) for rows in max_bids(decisions)] == [1 + len(first), 2 + len(second)]


def pairs(rows: MaxBids) -> list[tuple[int, int]]:
    return list(zip(rows.step.tolist(), rows.level.tolist(), strict=True))


def test_max_bids_are_what_the_passers_had_reached(skat: Dataset) -> None:
    """Level by level as the state counts the bids of each seat."""
    for rows in max_bids(Decisions(skat)):
        for game, step, level in zip(rows.game, rows.step, rows.level, strict=True):
            state, final = replayed(skat, int(game), int(step)), skat.state(int(game))
            seat = state.to_act
            assert final.passed[seat]
            assert L.get(final.bids[seat], 0) == level
