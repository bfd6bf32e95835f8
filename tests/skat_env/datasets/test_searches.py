"""What searches found: into a dataset and back, by game and as targets, and what damage does."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skat_env.datasets.array_file import read_arrays, write_arrays
from skat_env.datasets.dataset import Dataset, DatasetWriter, shard_path
from skat_env.datasets.searches import Found, Searches, found
from skat_env.errors import ParseError
from skat_env.protocols import Decision
from skat_env.records import GameRecord
from skat_env.registry import get_game
from tests.conftest import random_games
from tests.helpers.datasets import legal_sets, write_games


def assert_close(searches: Searches | None, finds: list[Found]) -> None:
    """A weight to half a byte of the largest one, a value to three digits."""
    assert searches is not None
    for step, (weights, value) in enumerate(finds):
        kept, told = searches.weights(step), searches.value(step)
        assert (kept is None) == (weights is None)
        assert (told is None) == (value is None)
        if kept is not None:
            np.testing.assert_allclose(kept / kept.max(), weights / np.max(weights), atol=0.5 / 255 + 1e-6)
            assert kept.sum() == pytest.approx(1)
        if told is not None:
            assert told == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_searches_come_back(game: str, tmp_path: Path) -> None:
    dataset, records, finds = write_games(tmp_path / "games", game, 40, 1)
    assert list(dataset) == records
    for number, steps in enumerate(finds):
        assert_close(dataset.searches(number), steps or [(None, None)] * len(records[number].state.history()))


@settings(max_examples=30)
@given(st.data())
def test_any_weights_and_values_come_back(data: st.DataObject) -> None:
    share = st.floats(0, 2, width=32)
    weights = st.lists(share, min_size=1, max_size=12).filter(lambda each: max(each) > 1e-3)
    step = st.tuples(st.none() | weights, st.none() | st.floats(-65504, 65504, width=16))
    finds = data.draw(st.lists(step, max_size=40))
    searches = Searches.of(finds)
    for number, (kept, value) in enumerate(finds):
        assert searches.value(number) == value
        shares = searches.weights(number)
        assert (shares is None) == (kept is None)
        if kept is not None and shares is not None:
            np.testing.assert_allclose(
                shares / shares.max(), np.array(kept) / max(kept), atol=0.5 / 255 + 1e-6
            )


def test_a_decision_tells_what_was_found() -> None:
    weights = np.zeros(64, np.float32)
    weights[[3, 9]] = 0.25, 0.75
    kept, value = found([3, 5, 9], Decision(9, weights, 0.5), "score")
    assert (kept.tolist(), value) == ([0.25, 0, 0.75], 0.5)
    assert found([3], Decision(3), "score") == (None, None)
    assert found([3], Decision(3, value=0.5, unit="score"), "score") == (None, 0.5)
    assert found([3], Decision(3, value=0.5, unit="made"), "score") == (None, None)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_targets_are_the_searches_by_action(game: str, tmp_path: Path) -> None:
    """All decisions, shuffled over games and files, against the games one by one."""
    dataset, records, _ = write_games(tmp_path / "games", game, 30, 2)
    rows = [
        (number, step, legal)
        for number, record in enumerate(records)
        for step, legal in enumerate(legal_sets(record.state))
    ]
    order = np.random.default_rng(3).permutation(len(rows))
    games = np.array([rows[i][0] for i in order])
    steps = np.array([rows[i][1] for i in order])
    legal = np.array([sum(1 << action for action in rows[i][2]) for i in order], np.uint64)
    weights, values = dataset.targets(games, steps, legal)
    assert (weights.shape, weights.dtype, values.dtype) == ((len(rows), 64), np.float32, np.float32)
    for i, (number, step, actions) in enumerate(rows[i] for i in order):
        searches = dataset.searches(number)
        assert searches is not None
        kept = searches.weights(step)
        expected = np.zeros(64, np.float32)
        expected[actions] = 0 if kept is None else kept
        np.testing.assert_array_equal(weights[i], expected)
        np.testing.assert_equal(None if np.isnan(values[i]) else float(values[i]), searches.value(step))
    with pytest.raises(IndexError, match=f"of a dataset of {len(records)}"):
        dataset.targets(np.array([len(records)]), np.array([0]), legal[:1])
    with pytest.raises(IndexError, match="not one of its game"):
        dataset.targets(np.array([0]), np.array([200]), legal[:1])
    empty = np.empty(0, np.int64)
    assert dataset.targets(empty, empty, legal[:0])[0].shape == (0, 64)


def test_games_without_searches_are_stored_as_before(tmp_path: Path) -> None:
    states = random_games(get_game("skat"), 5, 3)
    with DatasetWriter(tmp_path / "none", "skat") as writer:
        for state in states:
            record = GameRecord.of("skat", state, ("a", "b", "c"))
            writer.add(record, Searches.of([(None, None)] * len(state.history())))
    with DatasetWriter(tmp_path / "before", "skat") as writer:
        for state in states:
            writer.add(GameRecord.of("skat", state, ("a", "b", "c")))
    shards = [shard_path(tmp_path / name, 0).read_bytes() for name in ("none", "before")]
    assert shards[0] == shards[1]
    dataset = Dataset(tmp_path / "none")
    assert dataset.searches(0) is None
    weights, values = dataset.targets(np.array([0, 1]), np.array([0, 1]), np.array([1, 3], np.uint64))
    assert not weights.any()
    assert np.isnan(values).all()


def test_wrong_searches_raise(tmp_path: Path) -> None:
    for weights in ([0.0, 0.0], [0.5, -0.1], [np.nan, 1.0], [np.inf, 1.0], []):
        with pytest.raises(ValueError, match="of a search: expected finite numbers"):
            Searches.of([(weights, None)])
    with pytest.raises(ValueError, match="value 1e\\+06 of a search is beyond"):
        Searches.of([(None, 1e6)])
    record = GameRecord.of("skat", random_games(get_game("skat"), 1, 3)[0], ("a", "b", "c"))
    with (
        pytest.raises(ParseError, match="searches of 1 decisions for a game of"),
        DatasetWriter(tmp_path / "games", "skat") as writer,
    ):
        writer.add(record, Searches.none(1))


def test_damaged_searches_raise(tmp_path: Path) -> None:
    folder = write_games(tmp_path / "games", "skat", 5, 4)[0].folder
    path = shard_path(folder, 0)
    header, arrays = read_arrays(path)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    whole = path.read_bytes()
    header = {key: header[key] for key in header if key not in ("arrays", "bytes")}
    counts = arrays["weight_counts"].copy()
    counts[np.flatnonzero(counts > 1)[0]] -= 1
    for changed in (
        {"weights": arrays["weights"][:-1]},
        {"values": arrays["values"][:-1]},
        {"weight_counts": arrays["weight_counts"][1:]},
        {"weight_counts": counts},
    ):
        write_arrays(path, header, arrays | changed)
        with pytest.raises(ParseError, match=r"00000\.shard is damaged: .*weights or values are missing"):
            Dataset(folder).searches(0)
    write_arrays(path, header, {name: arrays[name] for name in arrays if name != "values"})
    with pytest.raises(ParseError, match=r"00000\.shard is damaged"):
        Dataset(folder).searches(0)
    path.write_bytes(whole)
    step = int(np.flatnonzero(arrays["weight_counts"])[0])
    game = int(np.searchsorted(Dataset(folder).column("length").cumsum(), step, side="right"))
    first = int(Dataset(folder).column("length")[:game].sum())
    with pytest.raises(ParseError, match="more or fewer actions than are legal"):
        Dataset(folder).targets(np.array([game]), np.array([step - first]), np.array([0], np.uint64))
    path.write_bytes(whole[:-100])
    with pytest.raises(ParseError, match="is truncated"):
        Dataset(folder).searches(0)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_copied_games_keep_everything(game: str, tmp_path: Path) -> None:
    """Across files, into files of another size; the players are those of the games copied."""
    dataset, records, _ = write_games(tmp_path / "games", game, 30, 5)
    chosen = np.flatnonzero(np.random.default_rng(1).random(30) < 0.6)
    with DatasetWriter(tmp_path / "some", game, 5) as writer:
        writer.copy(dataset, chosen[:4])
        writer.copy(dataset, chosen[4:])
    with DatasetWriter(tmp_path / "one by one", game, 5) as writer:
        for number in chosen.tolist():
            writer.add(records[number], dataset.searches(number))
    copied = Dataset(tmp_path / "some")
    assert list(copied) == [records[number] for number in chosen.tolist()]
    for path in (tmp_path / "one by one").iterdir():
        assert (tmp_path / "some" / path.name).read_bytes() == path.read_bytes()
    other = "klaverjas" if game == "skat" else "skat"
    with (
        pytest.raises(ParseError, match=f"among games of {other}"),
        DatasetWriter(tmp_path / "x", other) as writer,
    ):
        writer.copy(dataset, chosen)
