"""Files and options that are wrong: bad lines are counted and listed, wrong commands end with one sentence."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from skat_env.cli import main
from skat_env.datasets.dataset import Dataset
from skat_env.match.play import MatchConfig, play_match
from skat_env.records import GameRecord
from skat_env.registry import get_game
from tests.conftest import random_games, random_skat_games
from tests.helpers.records import write_dataset

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
    assert "latin:1: not a JSON object: it is not UTF-8" in refused(capsys, "solve", str(tmp_path / "latin"))
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


def finished_and_stopped(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """The folders of a match of two deals that is finished, and of the same when it was stopped after one game."""
    out, stopped = folder / "finished", folder / "stopped"
    assert main(match_words(out)) == 0
    stopped.mkdir()
    (stopped / "match.json").write_bytes((out / "match.json").read_bytes())
    lines = [(out / name).read_text().splitlines()[0] for name in ("thinking.jsonl", "games.jsonl")]
    (stopped / "journal.jsonl").write_text("\t".join(lines) + "\n")
    capsys.readouterr()
    return out, stopped


def match_words(out: Path) -> tuple[str, ...]:
    return ("match", "--agents", "rule", "random", "--deals", "2", "--out", str(out))


def without_source(text: str) -> str:
    return re.sub(r',"source":{[^}]*}', "", text)


GAME_DAMAGE: dict[str, Callable[[str], str]] = {
    "no source": without_source,
    "source of another kind": lambda text: re.sub(r'"source":{[^}]*}', '"source":[]', text),
    "another deal": lambda text: re.sub(r'"id":\d+', '"id":7', text),
    "a negative deal": lambda text: re.sub(r'"id":\d+', '"id":-1', text),
    "other agents": lambda text: text.replace('"rule"', '"pimc"'),
    "another game": lambda text: text.replace('"skat"', '"klaverjas"'),
    "half a game": lambda text: re.sub(r' \w\w","agents"', '","agents"', text),
    "the same twice": lambda text: "".join(2 * line for line in text.splitlines(keepends=True)[:1]),
    "no record": lambda text: text.replace("{", "[", 1),
    "deep": lambda text: text[: text.index("{")] + "[" * 100_000 + "\n",
}
THINKING_DAMAGE = (
    "5",
    "[[1,0.5]]",
    '[[1,"x"],[1,2],[1,2]]',
    "[[1,NaN],[1,2],[1,2]]",
    "{}",
    "",
    "[[-1,0],[1,2],[1,2]]",
)


@pytest.mark.parametrize("kind", GAME_DAMAGE)
def test_damaged_games_of_a_match_are_named(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished, stopped = finished_and_stopped(tmp_path, capsys)
    for folder, name, advice in (
        (finished, "games.jsonl", "delete the folder"),
        (stopped, "journal.jsonl", "delete the line"),
    ):
        whole = (folder / name).read_text()
        damaged = GAME_DAMAGE[kind](whole)
        assert damaged != whole
        (folder / name).write_text(damaged)
        error = refused(capsys, *match_words(folder))
        assert f"{folder / name}" in error
        assert "is damaged: " in error
        assert f"nothing is changed: {advice}" in error
        assert "zip" not in error
        assert (folder / name).read_text() == damaged


def test_damaged_thinking_of_a_match_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished, stopped = finished_and_stopped(tmp_path, capsys)
    games = (finished / "games.jsonl").read_text().count("\n")
    record = (stopped / "journal.jsonl").read_text().partition("\t")[2]
    for text in THINKING_DAMAGE:
        (finished / "thinking.jsonl").write_text(f"{text}\n" * games)
        assert "thinking.jsonl, line 1 is damaged: " in refused(capsys, *match_words(finished))
        (stopped / "journal.jsonl").write_text(f"{text}\t{record}")
        assert "journal.jsonl, line 1 is damaged: " in refused(capsys, *match_words(stopped))


@pytest.mark.parametrize("name", ["games.jsonl", "thinking.jsonl", "both", "result.json", "match.json"])
def test_a_finished_match_that_lacks_something_is_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished, _ = finished_and_stopped(tmp_path, capsys)
    for path in finished.iterdir():
        if path.name == name or (name == "both" and path.suffix == ".jsonl"):
            path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    error = refused(capsys, *match_words(finished))
    assert str(finished / ("games.jsonl" if name in ("both", "thinking.jsonl") else name)) in error
    assert "is damaged: " in error


def test_the_advice_about_a_damaged_line_helps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished, stopped = finished_and_stopped(tmp_path, capsys)
    whole = (stopped / "journal.jsonl").read_text()
    (stopped / "journal.jsonl").write_text(whole + "damaged\n")
    assert "journal.jsonl, line 2 is damaged" in refused(capsys, *match_words(stopped))
    (stopped / "journal.jsonl").write_text(whole)
    assert main(match_words(stopped)) == 0
    assert (stopped / "games.jsonl").read_bytes() == (finished / "games.jsonl").read_bytes()


def test_the_result_of_a_single_deal_is_strict_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("match", "--agents", "rule", "random", "--deals", "1", "--out", str(tmp_path / "out"))
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "inf" not in shown

    def refuse(name: str) -> None:
        raise ValueError(name)

    result = json.loads((tmp_path / "out" / "result.json").read_text(), parse_constant=refuse)
    [comparison] = result["comparisons"]
    assert (comparison["difference"]["low"], comparison["difference"]["high"]) == (None, None)
    assert main(words) == 0
    assert capsys.readouterr().out == shown
