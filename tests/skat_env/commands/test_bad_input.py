"""Files and options that are wrong: bad lines are counted and listed, wrong commands end with one sentence."""

import json
from pathlib import Path

import pytest

from skat_env.cli import main
from skat_env.datasets.dataset import Dataset
from skat_env.match.play import MatchConfig, play_match
from skat_env.records import GameRecord
from skat_env.registry import get_game
from tests.conftest import random_games, random_skat_games
from tests.skat_env.datasets.test_dataset import write_dataset

HUGE = (2**31, 2**32, 2**40, 2**63, 2**64, 10**30)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one sentence with which a command ends."""
    assert main(words) == 2, words
    error = capsys.readouterr().err
    assert error.startswith("skat-env: "), error
    assert error.count("\n") == 1, error
    return error


def damaged_records() -> list[str]:
    """Records with a number that is too large at every place."""
    skat = GameRecord.of("skat", next(iter(random_skat_games(1, seed=3))), ("a", "b", "c"), 5).text()
    klaverjas = GameRecord.of(
        "klaverjas", next(iter(random_games(get_game("klaverjas"), 1, 4))), ("a",) * 4
    ).text()
    lines = []
    for number in HUGE:
        for text, keys in ((skat, ("declarer", "bids")), (klaverjas, ("declarer", "forehand"))):
            lines += [text.replace(" :", f" {key}={number} :", 1) for key in keys if f" {key}=" not in text]
            lines.append(text.replace(" :", f" declarer={number} bids=18/0/0 game=G :", 1))
            lines.append(text.replace(" :", f" declarer=1 bids={number}/0/0 game=G :", 1))
            fields = json.loads(text)
            head, colon, actions = fields["position"].partition(":")
            words = head.split()
            for at, word in enumerate(words[1:], start=1):
                name = word.partition("=")[0]
                for changed in (str(number), f"{number}/0/0", f"0/{number}/0"):
                    again = [*words[:at], f"{name}={changed}", *words[at + 1 :]]
                    lines.append(json.dumps(fields | {"position": " ".join(again) + f" {colon}{actions}"}))
            lines.append(json.dumps(fields | {"position": f"{head}{colon} {number}"}))
            lines.append(json.dumps(fields | {"seed": number + 2**63}))
            lines.append(json.dumps(fields | {"result": [number] * len(fields["agents"])}))
            for key in ("series", "id"):
                source = {"server": "s", "series": 1, "id": 2} | {key: number * 2}
                lines.append(json.dumps(fields | {"source": source}))
    return lines


def test_a_record_with_a_huge_number_is_one_bad_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = [
        GameRecord.of("klaverjas", state, ("a",) * 4).text()
        for state in random_games(get_game("klaverjas"), 2, 5)
    ]
    bad = damaged_records()
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([good[0], *bad, good[1]]) + "\n")
    assert main(["replay", str(path)]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert f"{len(bad)} malformed lines" in err
    assert main(["data", "import", str(path), str(tmp_path / "imported")]) == 0
    assert f"{len(bad)}" in capsys.readouterr().out
    dataset = Dataset(tmp_path / "imported")
    assert len(dataset) == 2
    assert len(list(dataset.problems("bad"))) == len(bad)
    words = ["match", "--game", "klaverjas", "--agents", "rule", "random", "--from", str(path)]
    assert main([*words, "--deals", "2"]) == 0
    assert main(["review", str(path)]) == 1


def test_a_playout_with_a_huge_number_is_one_bad_line(
    tmp_path: Path, shared: object, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shared("data/klaverjas/playouts.jsonl")  # type: ignore[operator]
    with source.open() as file:
        good = file.readline().strip()
    fields = json.loads(good)
    bad = [
        json.dumps(fields | {key: number}, separators=(",", ":"))
        for number in HUGE
        for key in ("declarer", "forehand", "difference_team0")
    ]
    path = tmp_path / "playouts.jsonl"
    path.write_text("\n".join([good, *bad, good]) + "\n")
    assert main(["replay", str(path)]) == 1
    assert f"{len(bad)} malformed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["match", "generate"])
def test_numbers_of_deals_and_seeds_have_a_maximum(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (command, "--agents", "rule", "random", "--out", str(tmp_path / "out"))
    for deals in ("99999999999999999999", "1000000001", "0", "-3"):
        assert "at most 1,000,000,000" in refused(capsys, *words, "--deals", deals)
    for seed in (str(2**63), "-1"):
        assert "seed" in refused(capsys, *words, "--deals", "1", "--seed", seed)
    assert not (tmp_path / "out").exists()


def test_a_match_of_very_many_deals_begins_at_once() -> None:
    games = play_match(MatchConfig("skat", ("rule", "random"), deals=10**9))
    assert next(iter(games))[0].spec.deal == 0


def test_input_without_a_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sgf = tmp_path / "games.sgf"
    sgf.write_text("(;GM[Skat]nothing;)\n(;GM[Skat]\n")
    assert "no line of" in refused(capsys, "data", "import", str(sgf), str(tmp_path / "imported"))
    assert not (tmp_path / "imported").exists()
    (tmp_path / "empty").write_text("\n \n")
    assert "no positions" in refused(capsys, "solve", str(tmp_path / "empty"))
    (tmp_path / "latin").write_bytes(b'{"contract": "\xe4"}\n')
    assert "latin is not UTF-8" in refused(capsys, "solve", str(tmp_path / "latin"))
    write_dataset(tmp_path / "nothing", [])
    assert "has no games" in refused(capsys, "replay", str(tmp_path / "nothing"))


def test_folders_and_workers_that_cannot_be_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(write_dataset(tmp_path / "games").folder)
    before = sorted(path.name for path in (tmp_path / "games").iterdir())
    assert "is a dataset" in refused(capsys, "data", "split", folder, "--out", folder)
    assert sorted(path.name for path in (tmp_path / "games").iterdir()) == before
    target = str(tmp_path / "games.jsonl")
    assert main(["data", "export", folder, target]) == 0
    capsys.readouterr()
    assert "-1 workers" in refused(
        capsys, "data", "import", target, str(tmp_path / "imported"), "--workers", "-1"
    )
    assert not (tmp_path / "imported").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(write_dataset(tmp_path / "games").folder)
    (tmp_path / ".games.jsonl.partial").symlink_to("/dev/full")
    assert "games.jsonl'" in refused(capsys, "data", "export", folder, str(tmp_path / "games.jsonl"))


def test_a_damaged_finished_match_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ("match", "--agents", "rule", "random", "--deals", "1", "--out", str(out))
    assert main(words) == 0
    assert "inf" not in capsys.readouterr().out
    for name, text in (("thinking.jsonl", ""), ("thinking.jsonl", "5\n" * 6), ("games.jsonl", "{}\n" * 6)):
        whole = (out / name).read_text()
        (out / name).write_text(text)
        error = refused(capsys, *words)
        assert str(out) in error
        assert "damaged" in error
        assert "zip" not in error
        (out / name).write_text(whole)
