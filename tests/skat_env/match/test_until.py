"""Matches that end when their intervals are narrow: when they end, that they go on, and what their intervals cover."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.cli import main
from skat_env.match import until as until_module
from skat_env.match.folder import match_folder
from skat_env.match.play import DEALS_IN_LANES, MatchConfig, play_match
from skat_env.match.statistics import interval
from skat_env.match.until import FIRST_LOOK, first_look, next_look

AGENTS = ("rule", "rule(variant=thesis)")
WORDS = ("--game", "klaverjas", "--agents", *AGENTS, "--mode", "swapped", "--seed", "3")


def config(deals: int, kinds: tuple[str, ...] | None = None) -> MatchConfig:
    mode = "all-seats" if kinds is None else "mirrored"
    return MatchConfig("skat", ("rule", "random"), deals, mode=mode, kinds=kinds)  # type: ignore[arg-type]


def test_looks_are_at_whole_blocks_or_the_last_deal() -> None:
    assert first_look(config(10_000)) == FIRST_LOOK == 256
    assert first_look(config(100)) == 100
    assert first_look(config(10_000, ("suit", "null"))) == 512
    assert next_look(config(10_000), 256, 2.0, 2.0) is None
    assert next_look(config(256), 256, 9.0, 1.0) is None
    assert next_look(config(10_000), 256, 2.0, 1.0) == 1024  # four times the deals for half the width
    assert next_look(config(10_000), 256, 2.01, 1.0) == 1088
    assert next_look(config(10_000), 1024, 1.0001, 1.0) == 1088  # never the same look again
    assert next_look(config(1000), 256, 2.0, 1.0) == 1000
    assert next_look(config(10**9), 256, 1e9, 1e-9) == 10**9
    assert next_look(config(1000), 256, 5.0, 1e-300) == next_look(config(1000), 256, 5.0, 5e-324) == 1000
    assert next_look(config(10**6, ("suit", "grand", "null")), 768, 2.0, 1.0) == 3072
    assert next_look(config(10**6, ("suit", "grand", "null")), 768, 1.1, 1.0) == 960


def match_length(differences: NDArray[np.float64], half: float) -> int:
    """The deals of a match with some differences by deal, under the plan of looks."""
    plan = config(len(differences))
    look: int | None = first_look(plan)
    while look is not None:
        deals = look
        low, high = interval(differences[:deals])
        look = next_look(plan, deals, (high - low) / 2, half)
    return deals


def skat_differences(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Differences of deals as matches of Skat have them: half are 0, the others are games won or lost in one place."""
    sizes = rng.choice([20.0, 48, 60, 72, 96, 120, 168], size=shape, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    signs = rng.choice([-1.0, 0, 1], size=shape, p=[0.15, 0.55, 0.3])
    return sizes * signs


def covered(first: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """The share of simulated matches whose interval has the true difference in it."""
    monkeypatch.setattr(until_module, "FIRST_LOOK", first)
    rng = np.random.default_rng(1)
    true = 0.15 * float(np.dot([20, 48, 60, 72, 96, 120, 168], [0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05]))
    hits = []
    for differences in skat_differences(rng, (1500, 1600)):
        low, high = interval(differences[: match_length(differences, 4.5)])
        hits.append(low <= true <= high)
    return float(np.mean(hits))


@pytest.mark.slow
def test_intervals_cover_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """benchmarks/quality/until_coverage.py has the coverage for the differences of real matches, from more of them."""
    assert covered(FIRST_LOOK, monkeypatch) == pytest.approx(0.95, abs=0.015)
    assert covered(4, monkeypatch) < 0.93  # what the first look is for


def run(out: Path, *words: str) -> int:
    return main(["match", *WORDS, "--out", str(out), *words])


def result(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "result.json").read_text())
    return found


def half(out: Path) -> float:
    difference = result(out)["comparisons"][0]["difference"]
    return float(difference["high"] - difference["low"]) / 2


@pytest.mark.slow
def test_a_match_ends_at_the_first_look_that_is_narrow_enough(tmp_path: Path) -> None:
    """It is the match of as many deals, and can be stopped, continued by several workers, and made narrower."""
    out, plain, stopped = tmp_path / "out", tmp_path / "plain", tmp_path / "stopped"
    assert run(out, "--until", "6", "--deals", "3000") == 0
    deals = result(out)["deals"]
    assert FIRST_LOOK < deals < 3000
    assert deals % DEALS_IN_LANES == 0
    assert half(out) <= 6 < half(out) * 1.2
    assert result(out)["until"] == 6
    assert run(plain, "--deals", str(deals)) == 0
    assert (plain / "games.jsonl").read_bytes() == (out / "games.jsonl").read_bytes()
    assert result(plain)["config"] == result(out)["config"]
    assert result(plain)["comparisons"] == result(out)["comparisons"]
    assert "until" not in result(plain)

    whole = MatchConfig("klaverjas", AGENTS, 3000, 3, "swapped")
    with match_folder(stopped, whole, until=6.0) as folder:
        for number, games in enumerate(play_match(whole)):
            folder.append(games)
            if number == deals - 100:
                break
    assert run(stopped, "--until", "6", "--deals", "3000", "--workers", "2") == 0
    assert (stopped / "games.jsonl").read_bytes() == (out / "games.jsonl").read_bytes()

    before = (out / "result.json").read_bytes()
    assert run(out, "--until", "6", "--deals", "3000") == 0
    assert (out / "result.json").read_bytes() == before

    assert run(out, "--until", "5", "--deals", "4000", "--extend") == 0
    assert run(tmp_path / "narrow", "--until", "5", "--deals", "4000") == 0
    assert half(out) <= 5
    assert result(out)["deals"] > deals
    assert (out / "games.jsonl").read_bytes() == (tmp_path / "narrow" / "games.jsonl").read_bytes()


def test_a_match_of_too_few_deals_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "out", "--until", "1", "--deals", "70") == 0
    assert "after 70 deals, the most that --deals allows" in capsys.readouterr().err
    assert result(tmp_path / "out")["deals"] == 70
    assert run(tmp_path / "one", "--until", "1", "--deals", "1") == 0
    assert capsys.readouterr().err == "one deal has no interval\n"


def test_what_does_not_go_together_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plain = tmp_path / "out", tmp_path / "plain"
    assert run(out, "--until", "9", "--deals", "300") == 0
    assert run(plain, "--deals", "3") == 0
    games = str(plain / "games.jsonl")
    cases = [
        (out, ("--until", "8", "--deals", "300"), "another match (until 9.0 there, 8.0 here)"),
        (
            out,
            ("--until", "10", "--deals", "300", "--extend"),
            "which cannot be extended to at most 300 deals",
        ),
        (
            out,
            ("--until", "9", "--deals", "290", "--extend"),
            "which cannot be extended to at most 290 deals",
        ),
        (out, ("--deals", "400", "--extend"), "which cannot be extended to 400 deals"),
        (plain, ("--until", "9", "--extend"), "which cannot be extended to at most 1000 deals until 9.0"),
        (plain, ("--until", "9", "--deals", "3"), "another match (until None there, 9.0 here)"),
        (plain, ("--until", "0"), "above 0"),
        (plain, ("--until", "nan"), "above 0"),
        (plain, ("--until", "9", "--from", games, "--kinds", "deal"), "needs random deals"),
    ]
    capsys.readouterr()
    for folder, words, told in cases:
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert run(folder, *words) == 2, words
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
