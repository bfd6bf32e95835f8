"""`skat-env draw`: positions, views and records become files; bad input leaves nothing behind."""

from pathlib import Path

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.pictures.layout import layout
from skat_env.pictures.strip import strip
from skat_env.pictures.svg import document, position_svg
from skat_env.pictures.table import table_of
from skat_env.records import GameRecord
from skat_env.skat import GAME as SKAT
from skat_env.skat import SkatState
from skat_env.skat.iss.notation import write
from skat_env.skat.rules import Declaration
from tests.conftest import random_games

KNOWN = '{"contract": "H", "hand": ["HK"], "unseen": ["DA", "H7"], "leader": 0}'
"""What one player knows, as `solve --question guaranteed` reads it."""
both_games = pytest.mark.parametrize("game", [SKAT, KLAVERJAS], ids=lambda game: game.name)


def drawn(tmp_path: Path, *words: str) -> str:
    out = tmp_path / "picture.svg"
    assert main(["draw", *words, "--out", str(out)]) == 0
    return out.read_text()


@both_games
def test_states_and_views(game, tmp_path: Path) -> None:
    state = random_games(game, 1, 5)[0]
    while len(state.plays()) > 7:
        state.undo()
    assert drawn(tmp_path, state.text()) == position_svg(game.name, state)
    for seat in range(len(game.seats)):
        (tmp_path / "picture.svg").unlink()
        expected = position_svg(game.name, state.view(seat))
        assert drawn(tmp_path, state.text(), "--seat", str(seat)) == expected
        (tmp_path / "picture.svg").unlink()
        assert drawn(tmp_path, state.view(seat).text()) == expected


@both_games
def test_records(game, tmp_path: Path) -> None:
    state = random_games(game, 1, 5)[0]
    record = GameRecord.of(game.name, state, ["rule"] * len(game.seats))
    assert drawn(tmp_path, record.text()) == document(strip(game.name, state, record.agents, 10))
    (tmp_path / "picture.svg").unlink()
    assert drawn(tmp_path, record.text(), "--last") == position_svg(game.name, state)


@pytest.mark.parametrize("seed", range(3))
def test_lines_of_the_iss(seed: int, tmp_path: Path) -> None:
    (state,) = random_games(SKAT, 1, seed)
    record = GameRecord.of("skat", state, ("Ann", "Bob", "Cem"))
    line = write(record)
    assert line.startswith("(;GM[Skat]")
    assert drawn(tmp_path, line) == document(strip("skat", state, record.agents, 10))
    for words, position in (("--last",), state), (("--last", "--seat", "2"), state.view(2)):
        (tmp_path / "picture.svg").unlink()
        assert drawn(tmp_path, line, *words) == position_svg("skat", position)


def test_open_card_positions(tmp_path: Path) -> None:
    line = (
        '{"contract": "G", "declarer": 1, "hands": ["D7 D8 D9 DT DJ DQ DK DA H7 H8", "H9 HT HJ HQ HK HA S7 S8 S9 ST", '
        '"SJ SQ SK SA C7 C8 C9 CT CJ CQ"], "skat": "CK CA", "played": "D7"}'
    )
    svg = drawn(tmp_path, line, "--deck", "german", "--width", "400", "--height", "600")
    assert 'width="400" height="600"' in svg
    assert "card-german-en-four-SJ" in svg
    assert "grand" in svg


def test_png(tmp_path: Path) -> None:
    pixels = pytest.importorskip("skat_env.pictures.pixels")
    state = SKAT.state.random(np.random.default_rng(1))
    out = tmp_path / "a.png"
    assert main(["draw", state.text(), "--out", str(out)]) == 0
    assert out.read_bytes() == pixels.png(layout(table_of("skat", state)))


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.svg"
    out.write_text("mine")
    text = SKAT.state.random(np.random.default_rng(1)).text()
    assert main(["draw", text, "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert out.read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x"], "the colon or the deal is missing"),
        (["D7/D8 :"], "1/1 cards at its places"),
        (["D7/?/?/? seat=0 :"], "the deal has 1/?/?/? cards at its places"),
        (["{}"], "{}"),
        (["STATE", "--seat", "3"], "seat 3"),
        (["VIEW", "--seat", "1"], "view of seat 0 already"),
        (["STATE", "--width", "20"], "width=20"),
        (["(;GM[Skat]MV[x];)"], "the game lacks the property P0"),
        (['{"position": "x"}'], "a record needs the key 'game'"),
        ([KNOWN], "a line with the key unseen is what one player knows: expected a state or a view"),
    ],
)
def test_bad_input(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = SkatState.cardplay(
        SKAT.random_deal(np.random.default_rng(1)), 0, Declaration.parse("G"), (18, 0, 0)
    )
    texts = {"STATE": state.text(), "VIEW": state.view(0).text()}
    out = tmp_path / "a.svg"
    assert main(["draw", *(texts.get(word, word) for word in words), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert message in error or message == "{}"
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_only_pictures_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "x", "--out", str(tmp_path / "a.jpg")]) == 2
    assert ".svg or .png" in capsys.readouterr().err
