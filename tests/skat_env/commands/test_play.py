"""A person at the terminal, acted by a list of answers."""

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.commands.play import Table
from skat_env.errors import ParseError, UnknownName
from skat_env.klaverjas import KlaverjasRules
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.skat import SkatRules


def play(
    answers: list[str], seat: int = 1, game: str = "skat", adviser: str = "rule", rules: str = ""
) -> tuple[int | None, str]:
    """The points of a deal (None: quit) and what was shown; further answers are always the first choice."""
    shown: list[str] = []
    queue = iter(answers)
    table = Table(
        get_game(game),
        [make_agent("random", game)] * (len(get_game(game).seats) - 1),
        make_agent(adviser, game),
        np.random.default_rng(0),
        lambda prompt: next(queue, "1"),
        shown.append,
        parse_rules(rules, get_game(game)),
    )
    return table.play_deal(seat, 0), "\n".join(shown)


def test_a_deal_is_played_to_its_end_within_80_columns() -> None:
    points, shown = play([])
    assert points is not None
    assert "you are middlehand" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("rules", ["", "choice=free legality=amsterdam", "choice=forced"])
def test_a_deal_of_klaverjas(rules: str) -> None:
    for seat in range(4):
        points, shown = play(["h"], seat, "klaverjas", "random", rules)
        assert points is not None
        names = get_game("klaverjas").seats
        assert f"you are {names[seat]}, {names[seat ^ 2]} is your partner" in shown
        assert "random would choose: " in shown
        assert shown.count(f"\n{names[seat ^ 2]:<11} ") > 8
        assert "trumps " in shown
        assert any(symbol in shown for symbol in "♦♥♠♣")
        assert max(map(len, shown.splitlines())) <= 80
        assert ("pass" in shown) <= ("free" in rules)


def test_hidden_hands_of_klaverjas() -> None:
    _, shown = play(["q"], 2, "klaverjas", "random")
    assert shown.count("8 cards") + shown.count("7 cards") == 3


def test_undo_in_klaverjas() -> None:
    points, shown = play(["u", "1", "u", "q"], 0, "klaverjas", "random", "choice=forced")
    assert points is None
    assert "nothing to undo" in shown
    choice = "1: ♦ diamonds   2: ♥ hearts   3: ♠ spades   4: ♣ clubs"
    assert shown.count(choice) == 3


def test_rules_by_name() -> None:
    klaverjas, skat = get_game("klaverjas"), get_game("skat")
    assert parse_rules("", klaverjas) == KlaverjasRules()
    rules = KlaverjasRules("amsterdam", "free", "made", 100, "both")
    assert parse_rules(rules.text(), klaverjas) == rules
    assert parse_rules(rules.text().replace(" ", ","), klaverjas) == rules
    assert parse_rules("play_out=true", skat) == SkatRules(play_out=True)
    assert parse_rules("play_out=0", skat) == SkatRules()
    for text, told in (("legalty=x", "did you mean 'legality'"), ("pit=all", "known are both, declarers")):
        with pytest.raises(UnknownName, match=told):
            parse_rules(text, klaverjas)
    for text in ("legality", "pit=both pit=both"):
        with pytest.raises(ParseError, match="malformed or given twice"):
            parse_rules(text, klaverjas)


def test_hints_undo_and_wrong_answers() -> None:
    points, shown = play(["h", "u", "nonsense", "99", "9" * 5000, "bid 18", "u", "q"])
    assert points is None
    assert "rule would choose: " in shown
    assert "nothing to undo" in shown
    assert "'nonsense' is not a legal action" in shown
    assert "99 is not one of 1..2" in shown
    assert "999… is not a legal action" in shown


def test_hidden_cards_stay_hidden() -> None:
    _, shown = play(["q"])
    assert shown.count("10 cards") == 2
    assert "? ?" in shown


@pytest.mark.parametrize("answer", ["sj", "SJ", "♠J"])
def test_cards_by_name(answer: str) -> None:
    table = Table(get_game("skat"), [], make_agent("rule", "skat"), np.random.default_rng(0), input, print)
    assert table._choice(answer, [20], ["♠J"]) == 20
    assert table._choice("S10" if answer == "SJ" else "st", [19], ["♠10"]) == 19


@pytest.mark.parametrize("answer", ["H", "hearts", "♥ Hearts"])
def test_hearts_by_name(answer: str) -> None:
    _, shown = play([answer, "q"], 0, "klaverjas", rules="choice=forced")
    assert "trumps      ♥ hearts" in shown
    assert "would choose" not in shown


def test_a_small_h_asks_for_a_hint_where_hearts_can_be_named() -> None:
    _, shown = play(["h", "q"], 0, "klaverjas", rules="choice=forced")
    assert "rule would choose: " in shown
    assert "trumps      " not in shown


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    assert main(["play", "--agents", "random", "--seed", "1", "--deals", "2"]) == 0
    assert "after 2 deals" in capsys.readouterr().out
    options = ["--game", "klaverjas", "--agents", "random", "--hint", "random", "--deals", "1"]
    assert main(["play", *options, "--rules", "choice=free"]) == 0
    assert main(["play", *options, "--rules", "choice=freely"]) == 2
    assert main(["play", "--agents", "a", "b", "c"]) == 2
    assert main(["play", "--seat", "3"]) == 2
