"""What matches and their like show when Ctrl-C stops them: the result of the deals so far."""

import re
from pathlib import Path
from typing import Any

import pytest

from skat_env.cli import main
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.run import match_so_far, whole_deals
from skat_env.tools.journal import Journal

CALLS = {
    "match": ("match", "--agents", "rule", "random"),
    "exploit": ("exploit", "rule", "--worlds", "--responders", "random", "--roles", "declarer"),
    "audit": ("audit", "rule", "random", "--players", "random"),
}


@pytest.fixture
def stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes when the fourth deal is written."""
    append, left = Journal.append, iter([True] * 3)

    def interrupted(self: Journal, lines: Any) -> None:
        if not next(left, False):
            raise KeyboardInterrupt
        append(self, lines)

    monkeypatch.setattr(Journal, "append", interrupted)


@pytest.mark.parametrize("command", CALLS)
def test_a_stopped_run_shows_the_result_of_its_deals(
    command: str, stops: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = (*CALLS[command], "--seed", "4")
    assert main([*words, "--deals", "9", "--out", str(out)]) == 130
    shown, told = capsys.readouterr()
    assert re.fullmatch(r"stopped after \d+ games; the same command continues\n", told)
    assert not (out / "result.json").exists()
    assert main([*words, "--deals", "4"]) == 0
    assert without_times(shown) == without_times(capsys.readouterr().out)


def without_times(text: str) -> list[str]:
    """The lines of a result without the number at their end, which may be a time and change the width of its table."""
    return [re.sub(r"[ ─]+", " ", re.sub(r" [\d.e-]+ *$", "", line)).rstrip() for line in text.splitlines()]


def test_deals_count_up_to_the_first_that_lacks_a_game() -> None:
    """Whatever later deals came to, which other workers may have finished."""
    assert whole_deals([], 2) == 0
    assert whole_deals([3, 1, 0, 0, 3, 1], 2) == 2
    assert whole_deals([2, 0, 2, 1, 1], 2) == 0
    config = MatchConfig("klaverjas", ("rule", "random"), 5, 4)
    games = [game for played in play_match(config) for game in played]
    lacks = {lost: next(game for game in games if game.spec.deal == lost) for lost in (0, 3)}
    assert match_so_far(config, [game for game in games if game is not lacks[0]]) is None
    assert match_so_far(config, [game for game in games if game is not lacks[3]]) == (
        MatchConfig("klaverjas", ("rule", "random"), 3, 4),
        [game for game in games if game.spec.deal < 3],
    )
    assert match_so_far(config, games) == (config, games)
