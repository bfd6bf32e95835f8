"""Matches that are given more deals later: they end as if all had been played at once."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env import registry
from skat_env.cli import main
from skat_env.match import play
from skat_env.match.folder import match_folder
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.start_files import read_starts
from skat_env.protocols import Decision


class Crowd:
    """Decides otherwise in a batch of another size, as a network may in its last bits."""

    name = "crowd"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        return [
            Decision(legal[len(views) % len(legal)]) for legal in (view.legal_actions() for view in views)
        ]


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch agent, and blocks of 4 deals."""
    monkeypatch.setattr(registry, "_registered", {("skat_env.agents", "crowd"): Crowd})
    monkeypatch.setattr(play, "DEALS_IN_STEP", 4)


def run(out: Path, deals: int, *words: str) -> int:
    return main(["match", "--deals", str(deals), "--seed", "5", "--out", str(out), *words])


def games(out: Path) -> str:
    return (out / "games.jsonl").read_text()


def result(out: Path) -> dict[str, Any]:
    """What a match came to, without what depends on the clock, the command and the tree."""
    found: dict[str, Any] = json.loads((out / "result.json").read_text())
    for agent in found["agents"].values():
        del agent["seconds"], agent["seconds_per_move"]
    return {key: found[key] for key in ("config", "deals", "games", "agents", "comparisons", "kinds")}


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.mark.parametrize(
    "words",
    [
        ("--agents", "rule", "random"),
        ("--agents", "rule", "random", "--mode", "mirrored", "--kinds", "null", "suit"),
        ("--game", "klaverjas", "--agents", "rule", "random", "rule(variant=thesis)"),
    ],
    ids=("skat", "kinds", "league"),
)
def test_an_extended_match_is_one_of_all_deals(words: tuple[str, ...], tmp_path: Path) -> None:
    whole, extended = tmp_path / "whole", tmp_path / "extended"
    assert run(whole, 5, *words) == 0
    assert run(extended, 2, *words) == 0
    assert games(whole).startswith(games(extended))
    assert run(extended, 5, *words, "--extend", "--workers", "2") == 0
    assert games(extended) == games(whole)
    assert result(extended) == result(whole)
    assert files(extended).keys() == files(whole).keys()
    assert (extended / "match.json").read_bytes() == (whole / "match.json").read_bytes()
    before = files(extended)
    assert run(extended, 5, *words, "--extend") == 0
    assert files(extended) == before


@pytest.mark.parametrize("steps", [(3, 10), (4, 9), (1, 2, 3, 9)], ids=str)
def test_batch_agents_play_the_last_block_again(steps: tuple[int, ...], crowd: None, tmp_path: Path) -> None:
    words = ("--agents", "crowd", "rule")
    whole, extended = tmp_path / "whole", tmp_path / "extended"
    assert run(whole, steps[-1], *words) == 0
    for deals in steps:
        assert run(extended, deals, *words, "--extend") == 0
    assert games(extended) == games(whole)
    assert result(extended) == result(whole)


@pytest.mark.parametrize("words", [(), ("--extend",)])
def test_a_stopped_match_refuses_another_file(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, stopped = tmp_path / "games.jsonl", tmp_path / "stopped"
    for number, seed in enumerate(("8", "9")):
        made = ["match", "--agents", "rule", "random", "--deals", "3", "--seed", seed]
        assert main([*made, "--out", str(tmp_path / f"made{number}")]) == 0
    given = [games(tmp_path / f"made{number}") for number in (0, 1)]
    source.write_text(given[0])
    config = MatchConfig("skat", ("rule", "random"), 3, 5, source=str(source))
    starts = read_starts(source, "skat", "all-seats", 3).texts
    with match_folder(stopped, config, starts) as folder:
        folder.append(next(iter(play_match(config, starts))))
    before, command = files(stopped), ("--agents", "rule", "random", "--from", str(source), *words)
    source.write_text(given[1])
    assert run(stopped, 3, *command) == 2
    assert f"deal 0 starts otherwise than in this one, as {source} was changed" in capsys.readouterr().err
    assert files(stopped) == before
    source.write_text(given[0])
    assert run(stopped, 3, *command) == 0


def test_a_stopped_match_can_be_extended(crowd: None, tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert run(whole, 9, "--agents", "crowd", "rule") == 0
    config = MatchConfig("skat", ("crowd", "rule"), 6, 5)
    with match_folder(stopped, config) as folder:
        *_, last = play_match(config)  # the deals 4 and 5, cut off
        folder.append(last)
    assert run(stopped, 9, "--agents", "crowd", "rule", "--extend") == 0
    assert games(stopped) == games(whole)


@pytest.mark.parametrize("deals", [8, 9, 11])
def test_a_stopped_match_can_end_earlier(
    deals: int, crowd: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With no fewer deals than the block of four that was played last has, so that no game is lost."""
    words, whole, stopped = ("--agents", "crowd", "rule"), tmp_path / "whole", tmp_path / "stopped"
    assert run(whole, deals, *words) == 0
    config = MatchConfig("skat", ("crowd", "rule"), 20, 5)
    with match_folder(stopped, config) as folder:
        for played in itertools.islice(play_match(config), 2):
            folder.append(played)
    before = files(stopped)
    for fewer in (1, 4, 7):
        assert run(stopped, fewer, *words, "--extend") == 2
        assert (
            f"20 deals, which cannot be extended to {fewer} deals, as 8 are begun" in capsys.readouterr().err
        )
        assert files(stopped) == before
    assert run(stopped, deals, *words, "--extend") == 0
    assert games(stopped) == games(whole)
    assert result(stopped) == result(whole)
    assert (stopped / "match.json").read_bytes() == (whole / "match.json").read_bytes()


def test_what_cannot_be_extended_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, other, more = tmp_path / "out", tmp_path / "other", tmp_path / "more"
    agents = ("--agents", "rule", "random")
    assert run(out, 3, *agents) == 0
    assert run(more, 9, *agents) == 0
    source = tmp_path / "games.jsonl"
    lines = games(more).splitlines(keepends=True)[::6]
    source.write_text("".join(lines))
    assert run(other, 3, *agents, "--from", str(source)) == 0
    source.write_text("".join(lines[1:] + lines[:1]))
    (tmp_path / "head").mkdir()
    (tmp_path / "head" / "match.json").write_text(
        (out / "match.json").read_text().replace('"deals": 3', '"deals": "3"')
    )
    kinds = (*agents, "--mode", "swapped", "--kinds", "null", "grand")
    assert run(tmp_path / "kinds", 3, *kinds) == 0
    cases = [
        (
            *(tmp_path / "kinds", 2, kinds),
            "a match of 3 deals of each kind, which cannot be extended to 2 deals of each kind:",
        ),
        (tmp_path / "kinds", -2, kinds, "a match of -2 deals of each kind: expected at least 1"),
        (out, 2, agents, "a match of 3 deals, which cannot be extended to 2"),
        (out, 5, ("--agents", "rule", "policy"), "another match (agents"),
        (out, 5, (*agents, "--mode", "mirrored"), "another match (mode"),
        (other, 5, agents, "another match (source"),
        (other, 9, (*agents, "--from", str(source)), "deal 0 starts otherwise"),
        (tmp_path / "head", 5, agents, "match.json is damaged: its 'deals'"),
    ]
    capsys.readouterr()
    for folder, deals, words, told in cases:
        before = files(folder)
        assert run(folder, deals, *words, "--extend") == 2
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
        assert files(folder) == before
    assert main(["match", *agents, "--extend"]) == 2
    assert "--out" in capsys.readouterr().err
