"""Reviews of both games: what does not depend on the game, and the command on its files."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tyro

from skat_env.datasets.importer import import_games
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas.live_table import HEADER
from skat_env.records import GameRecord, Source
from skat_env.registry import get_game
from skat_env.skat.iss.notation import write
from skat_env.solvers import klaverjas, skat
from skat_env.solvers.commands.review import Review as ReviewCommand
from skat_env.solvers.review import Review, review
from tests.conftest import ROOT, random_games
from tests.helpers.klaverjas_lines import live_line, live_row, playout
from tests.helpers.reviews import check, run

SKAT_GAMES = ROOT / "skat_env/data/skat_games.jsonl"
SOLVERS: dict[str, Any] = {"skat": skat.Solver(), "klaverjas": klaverjas.Solver()}
both_games = pytest.mark.parametrize("game", list(SOLVERS))


def records_of(game: str) -> list[GameRecord]:
    """Some games that can be reviewed."""
    if game == "skat":
        return [GameRecord.parse(line) for line in SKAT_GAMES.read_text().splitlines()[:4]]
    return [GameRecord.of(game, state, KLAVERJAS.seats) for state in random_games(KLAVERJAS, 4, 3)]


@both_games
def test_a_review_depends_on_the_game_alone(game: str) -> None:
    record = records_of(game)[2]
    before = record.state.clone()
    first = review(record)
    check(first)
    assert first == review(record, SOLVERS[game]) == review(record, SOLVERS[game], threads=2)
    assert record.state == before
    unnamed = review(record.state)
    assert unnamed.cards == first.cards
    assert unnamed.record.agents == get_game(game).seats


def test_what_is_no_state_of_a_game_is_refused() -> None:
    view: Any = records_of("skat")[0].state.view(0)
    with pytest.raises(TypeError, match="SkatView is no state of a game"):
        review(view)


@both_games
def test_a_line_that_is_no_review(game: str) -> None:
    text = review(records_of(game)[0], SOLVERS[game]).text()
    assert Review.parse(text).text() == text
    costs, card = '"costs":[', text.partition('"card":"')[2][:2]
    for wrong in (
        "",
        "[]",
        "{}",
        text[:-1],
        text.replace(costs, '"costs":[1'),
        text.replace('"cost":', '"costs":', 1),
        text.replace(f'"card":"{card}"', f'"card":"{card[0]}1"'),
        text.replace('"cards":[', '"cards":[1,'),
        text.replace('"declarer":' if game == "klaverjas" else '"soloist":', '"seat":', 1),
        text.replace(f'"game":"{game}"', '"game":"bridge"'),
        text.replace(" : ", " : C7 C7 ", 1),
    ):
        assert wrong != text
        with pytest.raises(ParseError):
            Review.parse(wrong)


def write_skat(folder: Path, records: list[GameRecord]) -> list[str]:
    lines = "".join(record.text() + "\n" for record in records)
    (folder / "text.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "sgf").write_text("".join(write(record) + "\n" for record in records))
    return ["text.gz", "sgf"]


def write_klaverjas(folder: Path, records: list[GameRecord]) -> list[str]:
    states: list[Any] = [record.state for record in records]
    (folder / "playouts").write_text("".join(playout(state) + "\n" for state in states))
    (folder / "live").write_text(
        "".join(line + "\n" for line in (HEADER, *(live_line(live_row(state)) for state in states)))
    )
    return ["playouts", "live"]


@pytest.mark.parametrize(("game", "write_formats"), [("skat", write_skat), ("klaverjas", write_klaverjas)])
def test_every_format_gives_the_same_reviews(
    game: str,
    write_formats: Callable[[Path, list[GameRecord]], list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = records_of(game)
    (tmp_path / "text").write_text("".join(record.text() + "\n" for record in records))
    import_games(tmp_path / "text", tmp_path / "dataset", workers=1)
    expected = [review(record, SOLVERS[game]).fields()["review"] for record in records]
    for name in ("text", "dataset", *write_formats(tmp_path, records)):
        status, out, err = run(capsys, tmp_path / name, "--json")
        assert (status, err.strip()) == (0, "4 reviewed"), name
        assert [json.loads(line)["review"] for line in out.splitlines()] == expected
        assert [Review.parse(line).text() for line in out.splitlines()] == out.splitlines()


def test_a_file_may_hold_both_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text(
        records_of("klaverjas")[0].text() + "\n" + records_of("skat")[2].text() + "\n"
    )
    status, out, err = run(capsys, tmp_path / "x")
    assert (status, err.strip()) == (0, "2 reviewed")
    assert out.index("* declarers") < out.index("* soloist")


@both_games
def test_one_game(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        replace(record, source=Source("sample", 0, number)) for number, record in enumerate(records_of(game))
    ]
    (tmp_path / "x").write_text("".join(record.text() + "\n" for record in records))
    expected = review(records[2], SOLVERS[game]).text() + "\n"
    for wanted in ("2", "sample/0/2"):
        status, out, _ = run(capsys, tmp_path / "x", "--id", wanted, "--json")
        assert (status, out) == (0, expected)


def test_ids_that_name_no_game_or_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = replace(records_of("skat")[0], seed=None)

    def lines(*sources: Source | None) -> list[str]:
        return [replace(record, source=source).text() for source in sources]

    files = {
        "few": lines(Source("A B", 1, 5), Source("A B", 2, 5), Source("A B", 2, 6), Source("C", 0, 1234)),
        "many": lines(*(Source("C", 0, number) for number in range(100, 120))),
        "runs": [
            replace(record, source=Source("match", 0, 5), seed=seed, agents=agents).text()
            for seed in (1, 2)
            for agents in (record.agents, record.agents[::-1])
        ],
        "nameless": [*lines(None), "{}"],
        "empty": [],
        "prose": ["Once upon a time"],
    }
    for name, content in files.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in content))
    for words, sentence in {
        "few --id 5": "has 2 games with the id 5, which one is meant: 'A B/1/5', 'A B/2/5'?",
        "runs --id 5": "has 2 games with the id 5, which one is meant: 'match/0/5/1', 'match/0/5/2'?",
        "runs --id match/0/5": "has 2 games with the id match/0/5",
        "few --id 7": "has no game with the id '7': its games have the ids 5, 6, 1234",
        "few --id x": "has no game with the id 'x'",
        "many --id 121": "its games have 20 ids from 100 to 119, the nearest are 119, 118, 117",
        "nameless --id 1": "its games have no ids (1 of its lines cannot be read)",
        "empty": "is not a file of games: it is empty",
        "prose": "is not a file of games",
        "missing": "No such file",
        "few --threads 65": "threads 65 is not in 1..64",
    }.items():
        name, *options = words.split()
        status, out, err = run(capsys, tmp_path / name, *options)
        last = err.splitlines()[-1]
        assert (status, out) == (2, ""), words
        assert last.startswith("skat-env: ")
        assert sentence in last
        assert "Traceback" not in err
    status, out, _ = run(capsys, tmp_path / "few", "--id", "A B/2/5", "--json")
    assert status == 0
    assert Review.parse(out).record.text() == files["few"][1]
    status, out, _ = run(capsys, tmp_path / "runs", "--id", "match/0/5/2", "--json")
    assert status == 0
    assert [Review.parse(line).record.text() for line in out.splitlines()] == files["runs"][2:]


def test_the_command_line() -> None:
    assert tyro.cli(ReviewCommand, args=["x.sgf"]) == ReviewCommand(Path("x.sgf"))
    words = ["x", "--id", "7", "--json", "--threads", "2"]
    assert tyro.cli(ReviewCommand, args=words) == ReviewCommand(Path("x"), "7", True, 2)
