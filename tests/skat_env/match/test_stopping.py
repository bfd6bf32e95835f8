"""What a match shows when Ctrl-C stops it: the result of the deals so far."""

from pathlib import Path
from typing import Any

import pytest

from skat_env.cli import main
from skat_env.match.folder import MatchFolder
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.match.run import match_so_far

WORDS = ("match", "--agents", "rule", "random", "--seed", "4")


@pytest.fixture
def stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes when the fourth deal is written."""
    append, left = MatchFolder.append, iter([True] * 3)

    def interrupted(self: MatchFolder, games: Any) -> None:
        if not next(left, False):
            raise KeyboardInterrupt
        append(self, games)

    monkeypatch.setattr(MatchFolder, "append", interrupted)


def test_a_stopped_match_shows_the_result_of_its_deals(
    stops: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main([*WORDS, "--deals", "9", "--out", str(out)]) == 130
    shown, told = capsys.readouterr()
    assert told == "stopped after 24 games; the same command continues\n"
    assert sorted(path.name for path in out.iterdir()) == ["journal.jsonl", "match.json"]
    assert main([*WORDS, "--deals", "4"]) == 0
    of_four = capsys.readouterr().out

    def comparison(text: str) -> str:
        return text[text.index("(points per game and seat)") :]

    assert comparison(shown) == comparison(of_four)
    assert "4 deals from random deals, 24 games" in shown


@pytest.mark.parametrize("lost", [0, 3, 4])
def test_deals_count_up_to_the_first_that_lacks_a_game(lost: int) -> None:
    """Whatever later deals came to, which other workers may have finished."""
    config = MatchConfig("klaverjas", ("rule", "random"), 5, 4)
    games = [game for played in play_match(config) for game in played]
    lacks = next(game for game in games if game.spec.deal == lost)
    found = match_so_far(config, [game for game in reversed(games) if game is not lacks])
    if lost == 0:
        assert found is None
    else:
        assert found is not None
        kept = MatchConfig("klaverjas", ("rule", "random"), lost, 4)
        expected = summarise(kept, [game for game in games if game.spec.deal < lost])
        assert (found.config, found.games, found.comparisons) == (kept, 2 * lost, expected.comparisons)
