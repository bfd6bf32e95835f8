"""Matches: what is played, that it is the same every time, and that its arithmetic is the thesis's."""

import json
from pathlib import Path

import pytest
from conftest import random_skat_games

from skat_env.cli import main
from skat_env.errors import UnknownName
from skat_env.files import locked
from skat_env.league import league
from skat_env.match import MatchConfig, agent_rng, match_casts, play_match
from skat_env.match_folder import MatchFolder
from skat_env.match_result import summarise
from skat_env.protocols import Decision
from skat_env.records import GameRecord
from skat_env.skat import SkatState


class Fixed:
    """Takes the lowest or the highest legal action."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decide(self, view, rng):
        legal = view.legal_actions()
        return Decision(legal[0] if self.name == "low" else legal[-1])


class Noisy:
    """Plays at random, and differs from others of its kind by name only."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decide(self, view, rng):
        legal = view.legal_actions()
        return Decision(legal[int(rng.integers(len(legal)))])


AGENTS = {"low": Fixed("low"), "high": Fixed("high")}


def played(config: MatchConfig, **options) -> list:
    return [game for deal in play_match(config, **options) for game in deal]


def test_all_seats_plays_every_seating_but_the_uniform_ones() -> None:
    config = MatchConfig("skat", ("low", "random"), 5, 1)
    games = played(config, agents=AGENTS)
    assert len(games) == 5 * 6
    for deal in range(5):
        of_deal = [game for game in games if game.spec.deal == deal]
        assert len({game.agents for game in of_deal}) == 6
        assert all(len(set(game.agents)) == 2 for game in of_deal)
        assert len({SkatState.parse(game.position).deal for game in of_deal}) == 1
        for name in config.agents:
            assert sum(game.agents.count(name) for game in of_deal) == 9


def test_mirrored_plays_each_side_by_each_agent_from_the_same_start() -> None:
    config = MatchConfig("skat", ("low", "random"), 6, 2, "mirrored", bidder="random")
    games = played(config, agents=AGENTS)
    assert len(games) == 6 * 4
    for deal in range(6):
        states = [SkatState.parse(game.position) for game in games if game.spec.deal == deal]
        prefixes = {tuple(s.history()[: len(s.history()) - len(s.plays())]) for s in states}
        assert len(prefixes) == 1
        for game, state in zip([g for g in games if g.spec.deal == deal], states, strict=True):
            assert game.agents[state.soloist] == game.spec.cast[0]
            assert {game.agents[seat] for seat in range(3) if seat != state.soloist} == {game.spec.cast[1]}


def test_the_same_games_with_any_number_of_workers() -> None:
    config = MatchConfig("skat", ("rule", "random"), 8, 3)

    def texts(workers: int) -> list:
        return sorted(
            (game.spec.deal, game.spec.cast, game.position) for game in played(config, workers=workers)
        )

    assert texts(1) == texts(2)


def test_an_agent_meets_the_same_luck_in_every_game_of_a_deal() -> None:
    """Its generator depends on seed, deal, seat and name only; deals and seats differ."""

    def numbers(*key) -> tuple:
        return tuple(agent_rng(*key).integers(10**9, size=3).tolist())

    assert numbers(1, 2, 0, "a") == numbers(1, 2, 0, "a")
    different = {numbers(1, 2, 0, "a"), numbers(2, 2, 0, "a"), numbers(1, 3, 0, "a"), numbers(1, 2, 1, "a")}
    assert len(different | {numbers(1, 2, 0, "b")}) == 5


def test_equal_agents_do_not_differ() -> None:
    """A player compared with itself under another name: the interval holds zero."""
    agents = {name: Noisy(name) for name in ("x", "y")}
    config = MatchConfig("skat", ("x", "y"), 300, 4)
    difference = summarise(config, played(config, agents=agents)).comparisons[0].difference
    assert difference.low < 0 < difference.high
    assert difference.p > 0.01


def test_mirrored_equations() -> None:
    """Rebstock 2019, eq. 6.1 to 6.3: defence and declaring add up to the whole, and change sign with the agents."""
    config = MatchConfig("skat", ("low", "random"), 40, 5, "mirrored", bidder="random")
    games = played(config, agents=AGENTS)
    [comparison] = summarise(config, games).comparisons
    total = comparison.difference.mean
    assert comparison.defence.mean + comparison.declaring.mean == pytest.approx(total)

    value = {"low": 0.0, "random": 0.0}
    for game in games:
        if len(set(game.agents)) == 2:
            for seat, name in enumerate(game.agents):
                value[name] += game.returns[seat] / (3 * 40)
    assert total == pytest.approx(value["low"] - value["random"])
    assert (comparison.points_a, comparison.points_b) == pytest.approx((value["low"], value["random"]))

    swapped = MatchConfig("skat", ("random", "low"), 40, 5, "mirrored", bidder="random")
    [other] = summarise(swapped, played(swapped, agents=AGENTS)).comparisons
    for name in ("difference", "defence", "declaring"):
        assert getattr(other, name).mean == pytest.approx(-getattr(comparison, name).mean)


def test_summary_counts() -> None:
    config = MatchConfig("skat", ("low", "random"), 30, 6)
    games = played(config, agents=AGENTS)
    result = summarise(config, games)
    assert result.games == 180
    assert sum(agent.seats for agent in result.agents.values()) == 540
    declared = sum(agent.total.games for agent in result.agents.values())
    assert declared == sum(SkatState.parse(game.position).soloist >= 0 for game in games)
    assert sum(agent.moves for agent in result.agents.values()) == sum(
        len(SkatState.parse(game.position).history()) for game in games
    )
    assert json.dumps(result.as_json())


def test_league_rates_the_better_agent_higher() -> None:
    config = MatchConfig("skat", ("high", "low", "random"), 30, 7)
    ratings = league(config, played(config, agents=AGENTS))
    assert ratings[-1].agent == "high"  # bids to the last and loses everything
    assert len(match_casts(config)) == 3 * 6


def run(*words: str) -> int:
    return main(["match", *words])


def test_the_command_writes_a_folder_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agents", "rule", "random", "--deals", "6", "--seed", "5"]
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert run(*words, "--out", str(whole)) == 0
    table = capsys.readouterr().out
    assert "Wilcoxon p" in table
    assert max(map(len, table.splitlines()[:-1])) <= 80
    records = [GameRecord.parse(line) for line in (whole / "games.jsonl").read_text().splitlines()]
    assert len(records) == 36
    result = json.loads((whole / "result.json").read_text())
    assert {"command", "versions", "commit", "config", "comparisons"} <= set(result)

    # Killed after two deals, in the middle of writing a line.
    config = MatchConfig("skat", ("rule", "random"), 6, 5)
    folder = MatchFolder(stopped, config)
    for number, games in enumerate(play_match(config)):
        if number == 2:
            break
        folder.append(games)
    with (stopped / "journal.jsonl").open("a") as journal:
        journal.write('[[1,0.1]]\t{"game":"sk')
    assert run(*words, "--out", str(stopped)) == 0
    assert (stopped / "games.jsonl").read_text() == (whole / "games.jsonl").read_text()
    assert not (stopped / "journal.jsonl").exists()

    # A finished match is shown again, not played again.
    before = (whole / "result.json").read_bytes()
    assert run(*words, "--out", str(whole)) == 0
    assert (whole / "result.json").read_bytes() == before


def test_wrong_commands_are_told_and_write_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("--agents", "rule", "random", "--deals", "1", "--out", str(out)) == 0
    capsys.readouterr()
    before = {path: path.read_bytes() for path in out.iterdir()}
    cases = {
        ("--agents", "rule", "random", "--deals", "2", "--out", str(out)): "another match",
        ("--agents", "rule", "random", "--out", str(tmp_path)): "not empty",
        ("--agents", "rule"): "two or more",
        ("--agents", "rule", "rule"): "different agents",
        ("--agents", "rule", "randon"): "did you mean 'random'",
        ("--agents", "rule", "random(level=1)"): "unknown option",
        ("--agents", "rule", "random", "--game", "scat"): "did you mean 'skat'",
        ("--agents", "rule", "random", "--deals", "0"): "at least 1",
        ("--agents", "rule", "random", "--workers", "0"): "at least 1",
        ("--agents", "rule", "random", "--from", str(tmp_path / "missing")): "missing",
    }
    for words, told in cases.items():
        assert run(*words) == 2, words
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in out.iterdir()} == before


def test_deals_and_cardplays_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for state in random_skat_games(60, 3):
        lines.append(GameRecord.of("skat", state, ("a", "b", "c")).text())
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with_soloist = sum(GameRecord.parse(line).state.soloist >= 0 for line in lines)
    assert 0 < with_soloist < 60
    for mode, deals in (("all-seats", 60), ("mirrored", with_soloist)):
        out = tmp_path / mode
        assert run("--agents", "rule", "random", "--mode", mode, "--from", str(path), "--out", str(out)) == 0
        assert json.loads((out / "result.json").read_text())["deals"] == deals


def test_unknown_modes_are_told() -> None:
    with pytest.raises(UnknownName, match="mirrored"):
        MatchConfig("skat", ("a", "b"), 1, 0, "mirored")


def test_a_folder_is_one_process_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with locked(tmp_path):
        assert run("--agents", "rule", "random", "--deals", "1", "--out", str(tmp_path)) == 2
    assert "another process" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
