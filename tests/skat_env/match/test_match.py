"""Matches: what is played, that it is the same every time, and that its arithmetic is the thesis's."""

import dataclasses
import gzip
import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env import klaverjas
from skat_env.cards import mask_text
from skat_env.cli import main
from skat_env.datasets.importer import import_games
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.errors import UnknownName
from skat_env.klaverjas import KlaverjasState
from skat_env.klaverjas import start_table as start_table_module
from skat_env.match.folder import match_folder
from skat_env.match.league import league
from skat_env.match.play import GameSpec, MatchConfig, PlayedGame, play_match
from skat_env.match.result import summarise
from skat_env.match.run import finish_match
from skat_env.match.start_files import read_starts
from skat_env.match.statistics import estimate
from skat_env.play import starts
from skat_env.play.casts import Mode
from skat_env.play.lockstep import Thinking
from skat_env.play.randomness import agent_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Decision, Outcome
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.skat import SkatState
from skat_env.skat.rules import PASS
from skat_env.tools.provenance import commit
from skat_env.tools.run_folder import locked
from tests.conftest import ROOT, random_skat_games
from tests.helpers.scores import random_rows
from tests.helpers.scripted import Fixed


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


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_swapped_is_the_difference_of_mirrored_in_half_its_games(game: str) -> None:
    agents = ("rule", "random", "pimc(worlds=2)")
    whole = MatchConfig(game, agents, 6, 2, "mirrored")
    half = dataclasses.replace(whole, mode="swapped")
    games = {one.spec: one.position for one in played(whole)}
    of_half = {one.spec: one.position for one in played(half)}
    assert len(of_half) == 6 * 3 * 2
    assert of_half == {spec: games[spec] for spec in games if len(set(spec.cast)) == 2}
    found = [summarise(config, played(config)).comparisons for config in (whole, half)]
    for mirrored, swapped in zip(*found, strict=True):
        assert mirrored.defence is not None
        assert swapped == dataclasses.replace(mirrored, defence=None, declaring=None)


def test_the_same_games_with_any_number_of_workers() -> None:
    config = MatchConfig("skat", ("rule", "random"), 8, 3)

    def texts(workers: int) -> list:
        return sorted(
            (game.spec.deal, game.spec.cast, game.position) for game in played(config, workers=workers)
        )

    assert texts(1) == texts(2)


def test_an_agent_meets_the_same_luck_in_every_game_of_a_deal() -> None:
    """Its generator depends on seed, deal and seat only."""

    def numbers(*key: int) -> tuple[int, ...]:
        return tuple(agent_rng(*key).integers(10**9, size=3).tolist())

    assert numbers(1, 2, 0) == numbers(1, 2, 0)
    assert (
        len({numbers(1, 2, 0), numbers(2, 2, 0), numbers(1, 3, 0), numbers(1, 2, 1), numbers(12, 0, 1)}) == 5
    )


class Peeker:
    """Tries to deal itself everybody's cards from the generator it is given."""

    def __init__(self, game: str, found: list[bool]) -> None:
        self.name, self.game, self.found = "peeker", get_game(game), found

    def deals(self, rng: np.random.Generator) -> Iterator[Any]:
        """What a generator, or the seeds in it, would deal; also after some steps back."""
        sequence: Any = rng.bit_generator.seed_seq
        entropy = sequence.entropy
        keys = [(), *((number,) for number in range(4)), sequence.spawn_key[:1]]
        sources = [np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key)) for key in keys]
        for source in sources:
            yield self.game.random_deal(source)
        copy, state = np.random.default_rng(0), rng.bit_generator.state
        for back in range(60):
            copy.bit_generator.state = state
            copy.bit_generator.advance(-back)
            yield self.game.random_deal(copy)
        for source in (np.random.default_rng(entropy), np.random.default_rng(sequence)):
            yield self.game.random_deal(np.random.default_rng(int(source.integers(2**63))))

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        mine = view.dealt[view.seat]
        self.found.append(any(deal.places[view.seat] == mine for deal in self.deals(rng)))
        return Decision(view.legal_actions()[-1])  # bids, so that a game comes about


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_no_generator_leads_back_to_the_deal(game: str) -> None:
    found: list[bool] = []
    peeker = Peeker(game, found)
    kinds = [None] if game == "klaverjas" else ["suit"]
    for mode in ("all-seats", "swapped"):
        config = MatchConfig(
            game, ("peeker", "random"), 3, 1, mode, bidder="peeker" if kinds == [None] else "rule"
        )
        list(play_match(config, agents={"peeker": peeker}))
    PlayedTo(game, get_game(game).stages[-1], peeker)(np.random.default_rng(5))
    for seed in range(3):
        env = SingleSeatEnv(game, seat=0, opponents=peeker)
        env.reset(seed=seed)
        env.step(env.state.legal_actions()[0])
        lanes = SeatVectorEnv(game, 3, seat=0, opponents=peeker)
        observations, _ = lanes.reset(seed=seed)
        lanes.step(observations["action_mask"].argmax(axis=1))
    assert len(found) > 100
    assert not any(found)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("mode", ["all-seats", "mirrored"])
def test_an_agent_and_its_copy_are_exactly_level(game: str, mode: Mode) -> None:
    agents = {name: make_agent("pimc(worlds=2, bidder=rule)", game) for name in ("one", "other")}
    config = MatchConfig(game, ("one", "other"), 4, 1, mode)
    games = [each for deal in play_match(config, agents=agents) for each in deal]
    [comparison] = summarise(config, games).comparisons
    assert (comparison.difference.mean, comparison.difference.low, comparison.difference.high) == (0, 0, 0)


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


@pytest.mark.parametrize(
    ("game", "mode"),
    [
        *(("skat", mode) for mode in ("all-seats", "swapped", "mirrored", "mixed")),
        *(("klaverjas", mode) for mode in ("all-seats", "swapped", "mirrored")),
    ],
)
def test_the_difference_at_each_seat(game: str, mode: Mode) -> None:
    """Counted by hand from the games; each agent has each seat equally often, so the mean is the whole difference."""
    config = MatchConfig(game, ("low", "random"), 25, 5, mode, bidder="random")
    games = played(config, agents=AGENTS)
    [comparison] = summarise(config, games).comparisons
    about = get_game(game)
    names = {"skat": ["forehand", "middlehand", "rearhand"], "klaverjas": ["south + north", "west + east"]}
    assert [seat.name for seat in comparison.seats] == names[game]
    for team, found in zip(about.teams, comparison.seats, strict=True):
        points: dict[tuple[int, str], list[int]] = {}
        for each in games:
            others = {each.agents[seat] for seat in range(len(about.seats)) if each.sides[seat] != 0}
            declarer = {each.agents[seat] for seat in range(len(about.seats)) if each.sides[seat] == 0}
            if mode == "all-seats" or (len(others) == 1 and others != declarer):
                points.setdefault((each.spec.deal, each.agents[team[0]]), []).append(each.returns[team[0]])
        differences = [
            float(np.mean(points[deal, "low"]) - np.mean(points[deal, "random"])) for deal in range(25)
        ]
        assert found.difference.mean == pytest.approx(float(np.mean(differences)))
        assert found.difference == estimate(differences)
        assert found.points_a - found.points_b == pytest.approx(found.difference.mean)
    whole = np.mean([seat.difference.mean for seat in comparison.seats])
    assert whole == pytest.approx(comparison.difference.mean)
    told = summarise(config, games).as_json()["comparisons"][0]["seats"]
    assert [row["name"] for row in told] == names[game]


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
    assert len(config.casts()) == 3 * 6


def run(*words: str) -> int:
    return main(["match", *words])


def test_a_result_names_the_commit_that_its_match_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "begun"

    def git(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        told = str(ROOT) if "--show-toplevel" in words else head if "HEAD" in words else ""
        return subprocess.CompletedProcess(words, 0, told)

    config = MatchConfig("skat", ("rule", "random"), 2, 5)
    commit.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr("skat_env.tools.provenance.subprocess.run", git)
        with match_folder(tmp_path, config) as folder:
            head = "edited since"
            games = [game for games in play_match(config) for game in games]
            finish_match(folder, games, summarise(config, games), [])
    commit.cache_clear()
    assert json.loads((tmp_path / "result.json").read_text())["commit"] == "begun"


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
    with match_folder(stopped, config) as folder:
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


def test_wrong_commands_raise_and_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run("--agents", "rule", "random", "--deals", "1", "--out", str(out)) == 0
    capsys.readouterr()
    before = {path: path.read_bytes() for path in out.iterdir()}
    cases = {
        ("--agents", "rule", "random", "--deals", "2", "--out", str(out)): "another match",
        ("--agents", "rule", "random", "--out", str(tmp_path)): "not empty",
        ("--agents", "rule"): "two or more",
        ("--agents", "rule random"): "each a word of its own, got 1: 'rule random'",
        ("--agents", "rule", "rule"): "different agents",
        ("--agents", "rule", "randon"): "did you mean 'random'",
        ("--agents", "rule", "random(level=1)"): "unknown option",
        ("--agents", "rule", "random", "--game", "scat"): "did you mean 'skat'",
        ("--agents", "rule", "random", "--deals", "0"): "at least 1",
        ("--agents", "rule", "random", "--workers", "-1"): "at least 1",
        ("--agents", "rule", "random", "--from", str(tmp_path / "missing")): "missing",
        ("--agents", "rule", "random", "--bidder", "nobody"): "with bidder=nobody has none",
        (
            *("--agents", "rule", "random", "--mode", "swapped", "--bidder", "random"),
            *("--from", str(out / "games.jsonl")),
        ): "with bidder=random has none",
    }
    for words, told in cases.items():
        assert run(*words) == 2, words
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.slow
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


def test_games_of_the_same_deal_are_one_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The games of a match, which has each deal six times, give back its deals and its interval."""
    words = ["--agents", "rule", "random", "--seed", "3", "--deals"]
    first, again = tmp_path / "first", tmp_path / "again"
    assert run(*words, "5", "--out", str(first)) == 0
    games = first / "games.jsonl"
    capsys.readouterr()
    assert run(*words, "1000", "--from", str(games), "--out", str(again)) == 0
    assert "games.jsonl: 25 games of deals that come up again are left out" in capsys.readouterr().err
    results = [json.loads((folder / "result.json").read_text()) for folder in (first, again)]
    assert results[0]["deals"] == results[1]["deals"] == 5
    assert results[0]["comparisons"] == results[1]["comparisons"]

    line = next(line for line in games.read_text().splitlines() if GameRecord.parse(line).state.kind)
    same = tmp_path / "same.jsonl"
    same.write_text(f"{line}\n" * 10)
    modes: tuple[Mode, ...] = ("all-seats", "mirrored")
    for mode in modes:
        found = read_starts(same, "skat", mode, 1000)
        assert (len(found.texts), found.repeated) == (1, 9)
    import_games(same, tmp_path / "same")
    assert read_starts(tmp_path / "same", "skat", "all-seats", 1000) == read_starts(
        same, "skat", "all-seats", 1000
    )


def test_unknown_modes_raise() -> None:
    with pytest.raises(UnknownName, match="mirrored"):
        MatchConfig("skat", ("a", "b"), 1, 0, "mirored")


def test_games_of_another_seed_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On resuming, and in a finished match."""
    for seed in (5, 6):
        config = MatchConfig("skat", ("rule", "random"), 2, seed)
        with match_folder(tmp_path / str(seed), config) as folder:
            folder.append(next(iter(play_match(config))))
    words = ["--agents", "rule", "random", "--deals", "2", "--seed", "5", "--out", str(tmp_path / "5")]
    own = (tmp_path / "5" / "journal.jsonl").read_bytes()
    shutil.copy(tmp_path / "6" / "journal.jsonl", tmp_path / "5")
    assert run(*words) == 2
    told = "line 1 is damaged: its game has the seed 6, expected 5"
    assert told in capsys.readouterr().err
    (tmp_path / "5" / "journal.jsonl").write_bytes(own)
    assert run(*words) == 0
    games = tmp_path / "5" / "games.jsonl"
    games.write_text(games.read_text().replace('"seed":5', '"seed":6', 1))
    assert run(*words) == 2
    assert told in capsys.readouterr().err


def test_a_folder_is_one_process_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with locked(tmp_path):
        assert run("--agents", "rule", "random", "--deals", "1", "--out", str(tmp_path)) == 2
    assert "another process" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def start_table(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join([start_table_module.HEADER, *rows]) + "\n")
    return path


@pytest.mark.parametrize("mode", ["all-seats", "mirrored"])
def test_partners_are_one_agent_and_both_teams_play_both_sides(mode: str) -> None:
    config = MatchConfig("klaverjas", ("low", "random"), 5, 1, mode)
    games = played(config, agents=AGENTS)
    mixed = [game for game in games if len(set(game.agents)) > 1]
    assert len(mixed) == 5 * 2
    assert len(games) == 5 * (2 if mode == "all-seats" else 4)
    for deal in range(5):
        of_deal = [game for game in mixed if game.spec.deal == deal]
        casts = {game.agents for game in of_deal}
        assert casts == {("low", "random", "low", "random"), ("random", "low", "random", "low")}
        assert len({KlaverjasState.parse(game.position).deal for game in of_deal}) == 1


def test_partnership_matches_count_the_papers_difference_a_round() -> None:
    """The mean over all rounds of A's score minus B's, in both modes, and twice the half of each side's part."""
    names = ("rule", "random")
    for mode in ("all-seats", "mirrored"):
        config = MatchConfig("klaverjas", names, 30, 3, mode)
        games = played(config)
        [comparison] = summarise(config, games).comparisons
        rounds = []
        for game in games:
            scores = KlaverjasState.parse(game.position).result().scores
            assert game.returns == (*scores, *scores)
            if game.agents[0] != game.agents[1]:
                rounds.append((scores[0] - scores[1]) * (1 if game.agents[0] == "rule" else -1))
        assert comparison.difference.mean == pytest.approx(np.mean(rounds))
        assert comparison.points_a - comparison.points_b == pytest.approx(np.mean(rounds))
        if mode == "mirrored":
            assert comparison.defence.mean + comparison.declaring.mean == pytest.approx(np.mean(rounds))
            by_cast = {
                cast: np.mean(
                    [g.returns[s] for g in games if g.spec.cast == cast for s in range(4) if g.sides[s] == 0]
                )
                - np.mean(
                    [g.returns[s] for g in games if g.spec.cast == cast for s in range(4) if g.sides[s] == 1]
                )
                for cast in itertools.product(names, repeat=2)
            }
            a, b = names
            defended = (by_cast[a, b] - by_cast[a, a] + by_cast[b, b] - by_cast[b, a]) / 4
            assert comparison.defence.mean == pytest.approx(defended)


def test_partnership_summary_counts_teams() -> None:
    config = MatchConfig("klaverjas", ("low", "random"), 10, 6)
    result = summarise(config, played(config, agents=AGENTS))
    for summary in result.agents.values():
        assert summary.seats == 20
        assert summary.moves == 20 * 16
        assert summary.declared_share == 0.5
    assert result.as_json()["reward"] == "score"


def test_leagues_of_partnership_games() -> None:
    config = MatchConfig("klaverjas", ("random", "rule", "low"), 60, 7)
    ratings = league(config, played(config, agents=AGENTS))
    assert ratings[0].agent == "rule"
    assert config.casts()[:2] == [("random", "rule") * 2, ("rule", "random") * 2]


def test_the_table_of_a_game_of_one_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--game", "klaverjas", "--agents", "rule", "random", "--deals", "5") == 0
    table = capsys.readouterr().out
    assert "points per game and team" in table
    assert [line.split() for line in table.splitlines() if "ms/move" in line] == [
        ["agent", "points", "declares", "wins", "ms/move"]
    ]


def test_a_table_of_start_deals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Good rows are played, forehand by seed and number of the deal; bad ones are told and counted."""
    rows = random_rows(30)
    bad = [rows[0].rpartition(",")[0], rows[0].replace(",", ",X", 1), rows[0] + " D7", "\x00"]
    path = start_table(tmp_path / "deals.csv", [*rows[:10], *bad, *rows[10:], ""])
    words = ("--game", "klaverjas", "--agents", "rule", "random", "--from", str(path))
    texts = []
    for folder, more in (("one", ("--workers", "1")), ("two", ("--workers", "2"))):
        assert run(*words, "--seed", "4", *more, "--out", str(tmp_path / folder)) == 0
        errors = capsys.readouterr().err.splitlines()
        assert [error.partition(": ")[0] for error in errors[:4]] == [
            f"{path}:{row}" for row in range(12, 16)
        ]
        assert "4 games that cannot start" in errors[4]
        texts.append((tmp_path / folder / "games.jsonl").read_text())
    assert texts[0] == texts[1]
    states = [GameRecord.parse(line).state for line in texts[0].splitlines()][::2]
    assert len(states) == 30
    for row, state in zip(rows, states, strict=True):
        _, trump, declarer, *hands = row.split(",")
        assert [mask_text(hand).replace(".", " ") for hand in state.deal.places] == hands
        assert (state.trump, state.declarer) == ("DHSC".index(trump), int(declarer))
    assert {state.forehand for state in states} == {0, 1, 2, 3}

    def forehands(seed: int, limit: int) -> list[int]:
        starts = read_starts(path, "klaverjas", "mirrored", limit, seed)
        return [KlaverjasState.parse(text).forehand for text in starts.texts]

    assert forehands(4, 12) == [state.forehand for state in states][:12]
    assert forehands(5, 30) != forehands(4, 30)


def test_wrong_tables_and_rules_raise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = start_table(tmp_path / "deals.csv", random_rows(3))
    empty = start_table(tmp_path / "empty.csv", [])
    games = tmp_path / "games.jsonl"
    state = KlaverjasState.random(np.random.default_rng(0))
    games.write_text(GameRecord.of("klaverjas", state, ("a",) * 4).text() + "\n")
    words = ("--game", "klaverjas", "--agents", "rule", "random", "--deals", "2")
    cases = {
        ("--agents", "rule", "random", "--from", str(path)): "games of klaverjas, the match is of skat",
        (*words, "--from", str(empty)): "none of the 0 games",
        (*words, "--from", str(games), "--rules", "choice=free"): "have their own rules",
        (*words, "--from", str(path), "--rules", "choice=free", "--mode", "mirrored"): "before the cardplay",
        (*words, "--rules", "legality=amsterdan"): "did you mean 'amsterdam'",
        (*words, "--rules", "legalty=amsterdam"): "did you mean 'legality'",
        (*words, "--rules", "legality"): "expected option=value",
        (*words, "--rules", "choice=free choice=forced"): "given twice",
    }
    for case, told in cases.items():
        assert run(*case) == 2, case
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
    with gzip.open(tmp_path / "deals.csv.gz", "wt") as packed:
        packed.write(path.read_text())
    assert run(*words, "--from", str(tmp_path / "deals.csv.gz")) == 0


def test_options_of_the_rules() -> None:
    rules = parse_rules("legality=amsterdam  four_jacks=100", klaverjas.GAME)
    assert rules == klaverjas.KlaverjasRules(legality="amsterdam", four_jacks=100)
    assert parse_rules(rules.text(), klaverjas.GAME) == rules
    assert parse_rules("", klaverjas.GAME) == klaverjas.KlaverjasRules()
    assert parse_rules("play_out=true", get_game("skat")).play_out
    for mode in ("all-seats", "mirrored"):
        config = MatchConfig("klaverjas", ("rule", "random"), 3, 1, mode, rules="choice=free pit=both")
        for game in played(config):
            assert KlaverjasState.parse(game.position).rules.text() == config.rules


def test_the_shared_table_of_deals(shared) -> None:
    starts = read_starts(shared("data/klaverjas/deals.csv"), "klaverjas", "all-seats", 20000)
    assert (len(starts.texts), starts.without, starts.problems) == (10000, 0, [])


def test_against_compares_all_agents_with_one() -> None:
    config = MatchConfig("skat", ("low", "high", "noise"), 4, seed=2, against="high")
    assert config.pairs == [("low", "high"), ("noise", "high")]
    assert not any({"low", "noise"} <= set(cast) for cast in config.casts())
    games = played(config, agents={**AGENTS, "noise": Noisy("noise")})
    result = summarise(config, games)
    assert [comparison.agents for comparison in result.comparisons] == config.pairs
    both = MatchConfig("skat", ("low", "high"), 4, seed=2)
    [alone] = summarise(both, played(both, agents=AGENTS)).comparisons
    assert result.comparisons[0] == alone
    with pytest.raises(UnknownName, match="did you mean 'high'"):
        MatchConfig("skat", ("low", "high"), 4, against="hihg")


def game_of(
    deal: int, cast: tuple[str, str, str], soloist: int, points: int, kind: str = "suit"
) -> PlayedGame:
    """A finished game in which the soloist gets some points; if they are negative, each defender gets 40."""
    agents = tuple(cast[(seat - soloist) % 3] for seat in range(3))
    returns = tuple(points if seat == soloist else 40 * (points < 0) for seat in range(3))
    sides = tuple(int(seat != soloist) for seat in range(3))
    outcome = Outcome(soloist, kind, points > 0)
    return PlayedGame(GameSpec(deal, cast), "", returns, outcome, agents, sides, (Thinking(),) * 3)


def test_known_answers_of_the_thesis_equations() -> None:
    """Rebstock 2019, eq. 6.1 to 6.4 and table 6.3, with one deal's values worked out by hand."""
    points = {"AAA": 70, "AAB": 72, "ABA": -90, "ABB": 74, "BAA": -86, "BAB": 60, "BBA": -94, "BBB": 62}
    # The soloist's points minus the defenders', who get 80 together when he loses.
    value = {"AAA": 70, "AAB": 72, "ABA": -170, "ABB": 74, "BAA": -166, "BAB": 60, "BBA": -174, "BBB": 62}
    config = MatchConfig("skat", ("A", "B"), 2, mode="mixed")
    games = [game_of(deal, tuple(cast), deal, points[cast]) for deal in range(2) for cast in points]
    [comparison] = summarise(config, games).comparisons
    assert comparison.difference.mean == pytest.approx((74 + 166) / 3)
    assert comparison.defence.mean == pytest.approx(((74 + 62) - (70 - 166)) / 6)
    assert comparison.declaring.mean == pytest.approx(((70 + 166) + (74 - 62)) / 6)
    mixed = comparison.mixed
    assert mixed.declaring.mean == pytest.approx(((72 - 60) + (-170 + 174)) / 6)
    joined_by_a = [value["ABB"] - value["AAB"], value["ABB"] - value["ABA"]]
    joined_by_a += [value["BBB"] - value["BAB"], value["BBB"] - value["BBA"]]
    assert mixed.defence_a.mean == pytest.approx(np.mean(joined_by_a) / 3)
    joined_by_b = [value["AAA"] - value["AAB"], value["AAA"] - value["ABA"]]
    joined_by_b += [value["BAA"] - value["BAB"], value["BAA"] - value["BBA"]]
    assert mixed.defence_b.mean == pytest.approx(np.mean(joined_by_b) / 3)
    assert mixed.defence_a.mean - mixed.defence_b.mean == pytest.approx(comparison.defence.mean)
    assert comparison.defence.mean + comparison.declaring.mean == pytest.approx(comparison.difference.mean)
    # A's nine seats in the six games that have both: as soloist 72 - 90 + 74, beside B as soloist 40 + 0 + 40 each
    # (twice 40 in BAA, once in BBA and none in BAB), and as a defender of ABA 40.
    a = 72 - 90 + 74 + 40 + (40 + 40) + 40 + 0
    b = -86 + 60 - 94 + 40 + 40 + 0
    assert mixed.difference.mean == pytest.approx((a - b) / 9)
    assert (comparison.points_a, comparison.points_b) == pytest.approx(((74 + 80) / 3, (-86 + 0) / 3))


def test_comparisons_by_kind_of_game() -> None:
    config = MatchConfig("skat", ("A", "B"), 4, mode="mirrored", kinds=("suit", "null"))
    games = []
    for deal, kind in enumerate(("suit", "null", "suit", "null")):
        for cast, points in (("AAA", 50), ("ABB", 80 if kind == "null" else 50), ("BAA", 50), ("BBB", 50)):
            games.append(game_of(deal, tuple(cast), 0, points, kind))
    result = summarise(config, games)
    [whole] = result.comparisons
    assert whole.difference.mean == pytest.approx(5)
    assert {kind: each.difference.mean for kind, [each] in result.kinds.items()} == {"suit": 0, "null": 10}
    assert {kind: each.difference.pairs for kind, [each] in result.kinds.items()} == {"suit": 2, "null": 2}


def test_mixed_matches_seat_every_trio() -> None:
    config = MatchConfig("skat", ("low", "random"), 3, 2, "mixed", bidder="random")
    for deal in range(3):
        games = [game for game in played(config, agents=AGENTS) if game.spec.deal == deal]
        assert len({game.agents for game in games}) == 8
        for game in games:
            soloist = SkatState.parse(game.position).soloist
            assert game.spec.cast == tuple(game.agents[(soloist + k) % 3] for k in range(3))
    with pytest.raises(ValueError, match="partners are one agent"):
        MatchConfig("klaverjas", ("low", "random"), 3, mode="mixed")


@pytest.mark.slow
def test_as_many_deals_of_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same with any number of workers, and stopped and gone on with; from random deals and from a file."""
    words = ["--agents", "rule", "random", "--deals", "3", "--kinds", "null", "grand", "--mode", "mixed"]
    texts = []
    for name, workers in (("one", "1"), ("two", "2")):
        assert run(*words, "--workers", workers, "--out", str(tmp_path / name)) == 0
        texts.append((tmp_path / name / "games.jsonl").read_text())
    assert texts[0] == texts[1]
    config = MatchConfig("skat", ("rule", "random"), 6, 0, "mixed", kinds=("null", "grand"))
    with match_folder(tmp_path / "stopped", config) as folder:
        for number, games in enumerate(play_match(config)):
            if number < 2:
                folder.append(games[: len(games) - number])
    assert run(*words, "--out", str(tmp_path / "stopped")) == 0
    assert (tmp_path / "stopped" / "games.jsonl").read_text() == texts[0]
    kinds = [GameRecord.parse(line).state.kind for line in texts[0].splitlines()]
    assert kinds == (["null"] * 8 + ["grand"] * 8) * 3

    source = tmp_path / "one" / "games.jsonl"
    few = ["--agents", "rule", "random", "--deals", "2", "--mode", "mirrored", "--from", str(source)]
    assert run(*few, "--kinds", "grand", "null", "--out", str(tmp_path / "from")) == 0
    lines = (tmp_path / "from" / "games.jsonl").read_text().splitlines()
    kinds = [GameRecord.parse(line).state.kind for line in lines]
    assert sorted(kinds) == ["grand"] * 8 + ["null"] * 8

    # As many of each as there are of the rarest.
    unequal, made = tmp_path / "unequal.jsonl", texts[0].splitlines(keepends=True)
    unequal.write_text("".join(made[:32] + made[40:]))
    many = ["--agents", "rule", "random", "--deals", "9", "--mode", "swapped", "--from", str(unequal)]
    capsys.readouterr()
    assert run(*many, "--kinds", "grand", "null", "--out", str(tmp_path / "fewest")) == 0
    assert "1 deals are left out, so that there are 2 of each kind of game" in capsys.readouterr().err
    lines = (tmp_path / "fewest" / "games.jsonl").read_text().splitlines()
    assert sorted(GameRecord.parse(line).state.kind for line in lines) == ["grand"] * 4 + ["null"] * 4

    capsys.readouterr()
    cases = {
        (*few, "--kinds", "suit"): "has no suit game",
        (*few, "--kinds", "nul"): "did you mean 'null'",
        (*few, "--kinds", "null", "null"): "each once",
        (*few, "--kinds"): "expected",
        ("--agents", "rule", "random", "--deals", "1", "--kinds", "null"): "from the cardplay on",
    }
    for case, told in cases.items():
        try:
            assert run(*case) == 2, case
        except SystemExit as error:
            assert error.code == 2
        assert told in capsys.readouterr().err, case


def test_a_bidder_that_never_declares_a_kind_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "MAX_DEALS", 5)

    class Passer(Fixed):
        def decide(self, view, rng):
            return Decision(PASS)

    with pytest.raises(
        ValueError, match="low brought none of 5 deals of skat to the stage cardplay of a null game"
    ):
        PlayedTo("skat", "cardplay", Passer("low"), kind="null")(np.random.default_rng(0))
    with pytest.raises(UnknownName, match="kind of game"):
        PlayedTo("skat", "cardplay", "random", kind="nul")
