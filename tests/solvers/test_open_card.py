"""Lines of open-card positions of both games, and the command that solves them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.cards import parse_card
from skat_env.cli import main
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Declaration
from skat_env.solvers.commands.solve import Solve
from skat_env.solvers.open_card import parse_position, read_open_card_lines
from tests.helpers import minimax
from tests.helpers.endings import klaverjas_ending, skat_endings
from tests.helpers.open_card_rows import klaverjas_row, skat_row


def klaverjas_endings() -> list[KlaverjasState]:
    rng = np.random.default_rng(9)
    rules = [KlaverjasRules(), KlaverjasRules("amsterdam", tie="made", four_jacks=100, pit="both")]
    return [klaverjas_ending(rng, rules[number % 2], 8) for number in range(12)]


def skat_keys(state: SkatState) -> dict[str, str]:
    return {
        "soloist_takes_a_trick" if state.contract == Contract.NULL else "soloist_points": "points",
        "actions": "points",
    }


def klaverjas_keys(state: KlaverjasState) -> dict[str, str]:
    return {
        "difference_declarers": "difference", "final_difference_declarers": "final_difference",
        "actions": "difference", "final_actions": "final_difference",
    }  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A game's lines."""

    name: str
    endings: Callable[[], list[Any]]
    row: Callable[..., dict[str, Any]]
    keys: Callable[[Any], dict[str, str]]
    """The keys of the answers to `actions`, and the aims that they have the value of."""
    words: str
    """Of the printed position."""


CASES = [
    Case("skat", lambda: skat_endings(12, 9, 9), skat_row, skat_keys, "with open cards the soloist"),
    Case("klaverjas", klaverjas_endings, klaverjas_row, klaverjas_keys, "final difference"),
]
both_games = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@both_games
def test_the_command_writes_and_checks_values(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = case.endings()
    path = write(tmp_path / "deals", [case.row(state, id=number) for number, state in enumerate(states)])
    assert Solve(path, question="actions").run() == 0
    rows = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    for number, (row, state) in enumerate(zip(rows, states, strict=True)):
        assert row["id"] == number
        for key, aim in case.keys(state).items():
            if key.endswith("actions"):
                found = {parse_card(card): value for card, value in row[key].items()}
                assert found == minimax.action_values(state, aim)
            else:
                assert row[key] == minimax.value(state, aim)
    solved = write(tmp_path / "solved", rows)
    for question in ("exact", "decision", "actions"):
        assert Solve(solved, question=question, check=True, threads=2).run() == 0
        assert "12 compared, 0 different" in capsys.readouterr().err

    value, *_, actions = case.keys(states[0])
    right = rows[0][value]
    rows[0][value] = right + 2
    assert Solve(write(solved, rows), check=True).run() == 1
    assert f"position 1: {value} is {right}, the line has {right + 2}" in capsys.readouterr().err
    card = next(iter(rows[1][actions]))
    rows[1][actions][card] += 1
    assert Solve(write(solved, rows[1:2]), question="actions", check=True).run() == 1
    assert f"position 1: {card} brings" in capsys.readouterr().err
    assert Solve(deal=json.dumps(rows[1]), question="actions", check=True).run() == 1
    assert f"{card} brings" in capsys.readouterr().err
    assert Solve(deal=states[2].text()).run() == 0
    printed = capsys.readouterr().out
    assert case.words in printed
    assert "best play" in printed


DEAL = "C7.C8.CK.CA.HA.HT.H9.S7.SJ.CJ/D7.D8.D9.DQ.DK.H7.H8.S8.S9.ST/C9.CT.CQ.DT.DA.HQ.HK.SQ.SK.SA/DJ.HJ"


@pytest.mark.parametrize(
    ("bid", "declaration", "ends"),
    [
        (18, "HH", "wins with 79 card points"),
        (18, "HHS", "loses with 79 card points"),
        (18, "CHS", "wins with 99 card points"),
        (18, "CHZ", "loses with 99 card points"),
        (264, "C", "loses with 99 card points"),
        (23, "N", "wins, with no trick"),
        (24, "N", "loses, with no trick"),
    ],
)
def test_the_soloist_wins_by_announcement_and_bid(
    bid: int, declaration: str, ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Solve(deal=f"{DEAL} declarer=0 bids={bid},0,0 game={declaration} :").run() == 0
    assert f"with open cards the soloist {ends} (" in capsys.readouterr().out


def test_a_deal_is_asked_for_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "--deal", f"{DEAL} declarer=0 bids=18,0,0 game=C :"]
    for target, answer in ((99, "true"), (100, "false")):
        assert main([*words, "--question", "decision", "--target", str(target)]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == f'{{"target": {target}, "soloist_reaches_target": {answer}}}'
    assert main([*words, "--target", "500"]) == 2
    assert "target=500" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threads", "99"], "threads=99: it needs a file"),
        (["--question", "exact", "--target", "90"], "target=90: it needs --question decision"),
    ],
)
def test_options_without_effect_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", "--deal", f"{DEAL} declarer=0 bids=18,0,0 game=C :", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_decision_of_klaverjas_has_no_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "deals", [klaverjas_row(klaverjas_endings()[0])])
    assert main(["solve", str(path), "--question", "decision", "--target", "81"]) == 2
    assert "target=81: decisions of Klaverjas ask whether the game is made" in capsys.readouterr().err


@both_games
def test_a_text_is_told_by_the_sizes_of_its_places(case: Case) -> None:
    for state in case.endings():
        game, line = parse_position(state.text())
        assert (game.name, line.position) == (case.name, state)
        game, line = parse_position(json.dumps(case.row(state)))
        assert (game.name, line.position.plays()) == (case.name, state.plays())


def full_deal(name: str) -> dict[str, Any]:
    """The line of a deal before the first card."""
    rng = np.random.default_rng(3)
    if name == "klaverjas":
        return klaverjas_row(KlaverjasState.random(rng))
    deal = Deal.random(rng, PLACE_SIZES)
    return skat_row(SkatState.cardplay(deal, 0, Declaration(Contract.SPADES), (18, 0, 0)))


@pytest.mark.parametrize(
    ("game", "fields", "message"),
    [
        ("skat", {"contract": "X"}, "contract 'X' is not one of"),
        ("skat", {"declarer": 3}, "declarer 3"),
        ("skat", {"skat": "D7"}, "skat has 1 cards"),
        ("skat", {"hands": ["D7", "D8"]}, "hands is not a list of 3 texts"),
        ("skat", {"played": "D7 D7"}, "card . played"),
        ("skat", {"soloist_points": "61"}, "soloist_points is '61'"),
        ("skat", {"actions": [1]}, "actions is not an object"),
        ("klaverjas", {"trump": "X"}, "trump 'X' is not one of"),
        ("klaverjas", {"declarer": 4}, "declarer 4"),
        ("klaverjas", {"forehand": True}, "forehand True"),
        ("klaverjas", {"hands": ["D7", "D8"]}, "hands is not a list of 4 texts"),
        ("klaverjas", {"hands": ["D7", "D8", "D9", "DT"]}, "hand 0 has 1 cards"),
        ("klaverjas", {"legality": "paris"}, "rule 'legality'"),
        ("klaverjas", {"played": "D7 D7"}, "card . played"),
        ("klaverjas", {"difference_declarers": "61"}, "difference_declarers is '61'"),
        ("klaverjas", {"final_actions": [1]}, "final_actions is not an object"),
        ("klaverjas", {"skat": "D7 D8"}, "this one has skat and trump"),
    ],
)
def test_malformed_lines_are_refused(game: str, fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "deals", [{**full_deal(game), **fields}])
    with pytest.raises(ValueError, match=f"{path}:1: .*{message}"):
        list(read_open_card_lines(path))


@pytest.mark.parametrize(("game", "key"), [("skat", "contract"), ("klaverjas", "forehand")])
def test_missing_keys_are_named(game: str, key: str) -> None:
    row = full_deal(game)
    assert parse_position(json.dumps(row))[0].name == game
    del row[key]
    with pytest.raises(ValueError, match=f"the key {key} is missing"):
        parse_position(json.dumps(row))


def test_lines_and_texts_of_no_game_are_refused() -> None:
    row = full_deal("klaverjas")
    del row["trump"]
    for text, message in {
        json.dumps(row): "this one has none of them",
        "{": "not a JSON object",
        "D7/D8 :": "1/1 cards at its places, expected 10/10/10/2 .skat. or 8/8/8/8 .klaverjas.",
    }.items():
        with pytest.raises(ValueError, match=message):
            parse_position(text)


DEEP = "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (DEEP.encode(), "nested too deeply"),
        (b'{"id":' + DEEP[:49_000].encode(), "nested too deeply"),
        (b'{"id":' + DEEP[49_900:50_100].encode() + b"}", "nested too deeply"),
        (b'{"id":' + b"9" * 5000 + b"}", "not a JSON object"),
        (b"\xff{}", "not a JSON object"),
    ],
    ids=["lists", "not ended", "a key", "number", "not UTF-8"],
)
def test_lines_of_any_depth_and_bytes_are_one_sentence(
    line: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deals"
    path.write_bytes(json.dumps(full_deal("skat")).encode() + b"\n" + line + b"\n")
    with pytest.raises(ParseError, match=rf"deals:2: .*{message}"):
        list(read_open_card_lines(path))
    assert main(["solve", str(path)]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert f"{path}:2: " in said
    assert len(said) < 400
