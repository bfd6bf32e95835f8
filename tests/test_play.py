"""A person at the terminal, acted by a list of answers."""

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.commands.play import Table
from skat_env.registry import get_game, make_agent


def play(answers: list[str], agents: str = "random", seat: int = 1) -> tuple[int | None, str]:
    """The points of a deal (None: quit) and what was shown; further answers are always the first choice."""
    shown: list[str] = []
    queue = iter(answers)
    table = Table(
        get_game("skat"),
        [make_agent(agents, "skat")] * 2,
        make_agent("rule", "skat"),
        np.random.default_rng(0),
        lambda prompt: next(queue, "1"),
        shown.append,
    )
    return table.play_deal(seat, 0), "\n".join(shown)


def test_a_deal_is_played_to_its_end_within_80_columns() -> None:
    points, shown = play([])
    assert points is not None
    assert "you are middlehand" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_hints_undo_and_wrong_answers() -> None:
    points, shown = play(["h", "u", "nonsense", "99", "bid 18", "u", "q"])
    assert points is None
    assert "rule would choose: " in shown
    assert "nothing to undo" in shown
    assert "'nonsense' is not a legal action" in shown
    assert "99 is not one of 1..2" in shown


def test_hidden_cards_stay_hidden() -> None:
    _, shown = play(["q"])
    assert shown.count("10 cards") == 2
    assert "? ?" in shown


@pytest.mark.parametrize("answer", ["sj", "SJ", "♠J"])
def test_cards_by_name(answer: str) -> None:
    table = Table(get_game("skat"), [], make_agent("rule", "skat"), np.random.default_rng(0), input, print)
    assert table._choice(answer, [20], ["♠J"]) == 20
    assert table._choice("S10" if answer == "SJ" else "st", [19], ["♠10"]) == 19


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    assert main(["play", "--agents", "random", "--seed", "1", "--deals", "2"]) == 0
    assert "after 2 deals" in capsys.readouterr().out
    assert main(["play", "--agents", "a", "b", "c"]) == 2
    assert main(["play", "--seat", "3"]) == 2
