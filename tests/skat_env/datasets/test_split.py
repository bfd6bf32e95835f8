"""Splits of datasets, what a survey counts, and the preview of games."""

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from skat_env.commands.data import Info, Merge, Sample, Split
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.merge import merge
from skat_env.datasets.preview import game_text
from skat_env.datasets.split import parse_parts, split, split_games
from skat_env.datasets.survey import survey
from skat_env.errors import ParseError
from skat_env.match.play import MatchConfig, play_match
from skat_env.records import GameRecord
from skat_env.registry import get_game
from tests.helpers.datasets import Run, files_of, write_games

PARTS = {"train": 0.6, "valid": 0.3, "test": 0.1}


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_split_is_a_partition_by_game(game: str, tmp_path: Path) -> None:
    dataset, records, _ = write_games(tmp_path / "games", game, 40, 1)
    parts = split(dataset, tmp_path / "parts", PARTS, seed=3)
    chosen = split_games(dataset, PARTS, 3)
    assert {name: len(part) for name, part in parts.items()} == {"train": 24, "valid": 12, "test": 4}
    assert sorted(np.concatenate(list(chosen.values())).tolist()) == list(range(40))
    for name, part in parts.items():
        assert list(part) == [records[number] for number in chosen[name].tolist()]
        for at, number in enumerate(chosen[name].tolist()):
            ours, theirs = part.searches(at), dataset.searches(number)
            assert ours is not None
            assert theirs is not None
            for array in ("counts", "shares", "values"):
                np.testing.assert_array_equal(getattr(ours, array), getattr(theirs, array))
        assert part.manifest["split"]["seed"] == 3
    again = split(dataset, tmp_path / "again", PARTS, seed=3)
    for name in PARTS:
        ours, theirs = files_of(parts[name].folder), files_of(again[name].folder)
        assert ours == theirs
    assert any(split_games(dataset, PARTS, 4)[name].tolist() != chosen[name].tolist() for name in PARTS)


def test_merging_gives_back_what_was_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset, _, _ = write_games(tmp_path / "games", "skat", 40, 1)
    folders = tuple(part.folder for part in split(dataset, tmp_path / "parts", PARTS, seed=3).values())
    for told in ("", "this merge was finished before"):  # again, its result is shown
        run = Run(Merge(folders, tmp_path / "merged"), capsys)
        assert run.out == f"{tmp_path / 'merged'}: 40 games\n"
        assert run.err.startswith(told)
        assert bool(run.err) == bool(told)
    with pytest.raises(FileExistsError, match="merged"):
        merge([Dataset(folders[0])], tmp_path / "merged")
    merged = Dataset(tmp_path / "merged")
    order = np.concatenate(list(split_games(dataset, PARTS, 3).values())).tolist()
    assert list(merged) == [dataset[number] for number in order]
    for at, number in enumerate(order):
        ours, theirs = merged.searches(at), dataset.searches(number)
        assert ours is not None
        assert theirs is not None
        np.testing.assert_array_equal(ours.values, theirs.values)
    assert merged.manifest["merged"] == [str(folder) for folder in folders]


def test_what_cannot_be_merged_leaves_nothing(tmp_path: Path) -> None:
    skat, klaverjas = (write_games(tmp_path / game, game, 3, 1)[0] for game in ("skat", "klaverjas"))
    with pytest.raises(ParseError, match="klaverjas and skat: expected one game"):
        merge([skat, klaverjas], tmp_path / "both")
    with pytest.raises(FileExistsError):
        merge([skat], skat.folder)
    assert not (tmp_path / "both").exists()
    assert len(Dataset(skat.folder)) == 3


def test_games_of_a_deal_stay_together(tmp_path: Path) -> None:
    """Those of a match: six seatings of each deal."""
    config = MatchConfig("skat", ("random", "player(bidding=random, cardplay=random)"), 40, 1)
    with DatasetWriter(tmp_path / "games", "skat") as writer:
        for games in play_match(config):
            for game in games:
                state = get_game("skat").state.parse(game.position)
                writer.add(GameRecord.of("skat", state, game.agents, 1))
    dataset = Dataset(tmp_path / "games")
    parts = split_games(dataset, PARTS, 0)
    assert {name: len(games) for name, games in parts.items()} == {"train": 144, "valid": 72, "test": 24}
    deals = [{dataset.state(game).deal for game in games.tolist()} for games in parts.values()]
    assert sum(map(len, deals)) == len(set.union(*deals)) == 40


def test_no_deal_is_lost_to_shares_a_little_below_one() -> None:
    class Deals(Dataset):
        def __init__(self) -> None:
            pass

        def column(self, name: str) -> np.ndarray:
            return np.arange(2_000_000) if name == "low" else np.zeros(2_000_000, np.int64)

    thirds = dict.fromkeys("abc", 0.3333331)
    assert sum(map(len, split_games(Deals(), thirds, 0).values())) == 2_000_000


def test_parts_are_read() -> None:
    assert parse_parts(("train=0.9", "test=.1")) == {"train": 0.9, "test": 0.1}
    for words, told in (
        (("train",), "'train' is not a part"),
        (("train=x",), "'train=x' is not a part"),
        (("=1",), "'=1' is not a part"),
        (("../a=1",), "'../a=1' is not a part"),
        (("a=0.5", "a=0.5"), "'a=0.5' is not a part"),
        (("a=1", "b=-0.1"), "'b=-0.1' is not a part"),
        (("a=nan",), "'a=nan' is not a part"),
        (("a=0.5", "b=0.4"), "add up to 0.9, not to 1"),
        ((), "add up to 0"),
    ):
        with pytest.raises(ParseError, match=told):
            parse_parts(words)


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_games(tmp_path / "games", "skat", 10, 1)[0].folder
    out = tmp_path / "parts"
    for told in ("", "this split was finished before"):  # again, its result is shown
        run = Run(Split(folder, out, ("a=0.5", "b=0.5")), capsys)
        assert run.out == f"{out / 'a'}: 5 games\n{out / 'b'}: 5 games\n"
        assert run.err.startswith(told)
        assert bool(run.err) == bool(told)
    before = files_of(out / "a")
    with pytest.raises(FileExistsError, match="a exists already: nothing is changed"):
        split(Dataset(folder), out, {"c": 0.5, "a": 0.5})
    assert files_of(out / "a") == before
    assert not (out / "c").exists()


def test_the_same_games_at_another_place_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_games(tmp_path / "games", "skat", 10, 1)[0].folder
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, "moved")
    for told, path in (
        ("", folder),
        ("was finished before", Path("games")),
        ("was finished before", Path("moved")),
    ):
        for run in Split(path, Path("parts"), ("a=0.5", "b=0.5")), Merge((path, path), Path("merged")):
            assert told in Run(run, capsys).err
    assert Dataset(Path("merged")).manifest["merged"] == [str(folder)] * 2


def test_parts_in_another_order_are_other_parts(tmp_path: Path) -> None:
    """What is there of the one order has games of the other's other part."""
    dataset, out = write_games(tmp_path / "games", "skat", 10, 1)[0], tmp_path / "parts"
    split(dataset, out, {"a": 0.5, "b": 0.5})
    shutil.rmtree(out / "b")
    with pytest.raises(FileExistsError, match="a exists already: nothing is changed"):
        split(dataset, out, {"b": 0.5, "a": 0.5})
    assert not (out / "b").exists()


@pytest.mark.parametrize(("number", "seed"), [(20, 1), (10, 2)], ids=("more", "other"))
def test_what_was_made_of_other_games_is_not_shown_as_finished(
    number: int, seed: int, tmp_path: Path
) -> None:
    folder, out = tmp_path / "games", tmp_path / "parts"
    parts = {"a": 0.5, "b": 0.5}
    split(write_games(folder, "skat", 10, 1)[0], out, parts)
    merge([Dataset(folder)], tmp_path / "merged")
    shutil.rmtree(folder)
    others = write_games(folder, "skat", number, seed)[0]
    with pytest.raises(FileExistsError, match="a exists already: nothing is changed"):
        split(others, out, parts)
    with pytest.raises(FileExistsError, match="merged"):
        merge([others], tmp_path / "merged")
    assert len(Dataset(out / "a")) == 5
    assert len(Dataset(tmp_path / "merged")) == 10


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_survey_counts_games_and_decisions(game: str, tmp_path: Path) -> None:
    dataset, records, finds = write_games(tmp_path / "games", game, 60, 2)
    counts = survey(dataset)
    assert (counts.games, counts.damaged) == (60, 0)
    results = [record.state.result() for record in records]
    if game == "skat":
        letters = Counter("passed" if each.declarer < 0 else each.contract[0] for each in results)
        names = {
            "D": "diamonds",
            "H": "hearts",
            "S": "spades",
            "C": "clubs",
            "G": "grand",
            "passed": "passed",
        }
        assert {name: counts.labels["game"][name] for name in names.values()} == {
            name: letters[letter] for letter, name in names.items()
        }
        ouvert = sum(each.contract.startswith("NO") for each in results)
        assert counts.labels["game"]["null ouvert"] == ouvert
        assert counts.labels["game"]["null"] == letters["N"] - ouvert
        assert counts.labels["result"]["won"] == sum(each.won for each in results)
        assert counts.stages["cardplay"].decisions == sum(len(each.state.plays()) for each in records)
    else:
        assert counts.labels["trumps"].total() == 60
        assert counts.labels["result"]["nat"] == sum(not each.made for each in results)
        assert counts.labels["result"]["pit"] == sum(each.pit and each.made for each in results)
        assert counts.stages["cardplay"].decisions == 60 * 32
    steps = [step for each in finds if each for step in each]
    stages = counts.stages.values()
    assert list(counts.stages) == list(dataset.game.stages)
    assert sum(each.decisions for each in stages) == dataset.column("length").sum()
    assert sum(each.weights for each in stages) == sum(weights is not None for weights, _ in steps)
    assert sum(each.values for each in stages) == sum(value is not None for _, value in steps)
    assert survey(dataset, max_games=7).games == 7


def test_info_tells_of_games_and_decisions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_games(tmp_path / "games", "klaverjas", 20, 1)[0].folder
    out = Run(Info(folder), capsys).out
    for text in (
        "trumps      ",
        " nat (",
        "choice      ",
        "cardplay    640 decisions, ",
        " with search weights, ",
    ):
        assert text in out
    assert max(map(len, out.splitlines()[1:])) <= 80


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_games_as_text(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset, records, _ = write_games(tmp_path / "games", game, 10, 6)
    for number, record in enumerate(records):
        text, table = game_text(dataset, number), game_text(dataset, number, decisions=True)
        assert text.startswith(f"game {number}, {record.status}: a, b, c")
        assert text.splitlines()[-1] == table.splitlines()[-1]
        steps = [line for line in table.splitlines() if line[:4].strip().isdecimal()]
        assert len(steps) == len(record.state.history())
        searches = dataset.searches(number)
        assert searches is not None
        for step, line in enumerate(steps):
            assert ("%" in line) == (searches.weights(step) is not None)
            value = searches.value(step)
            assert value is None or f"{value:+.2f}" in line
        assert max(map(len, (text + table).splitlines())) <= 80

    def shown(number: int) -> str:
        return game_text(dataset, number)

    run = Run(Sample(dataset.folder, 2, seed=1), capsys)
    assert run.out.count("game ") == 2
    assert Run(Sample(dataset.folder, 2, seed=1), capsys).out == run.out
    assert Run(Sample(dataset.folder, 100), capsys).out == "\n\n".join(map(shown, range(10))) + "\n"
