"""Audits: their sums are exactly what matches differ by, a plain twin finds the same, and they go on when stopped."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env import registry
from skat_env.audit.folder import audit_folder
from skat_env.audit.play import AuditConfig, AuditedGame, audit
from skat_env.audit.report import print_audit
from skat_env.audit.result import AuditResult, Group, summarise
from skat_env.audit.run import kept_audit
from skat_env.beliefs.belief import UniformSampler
from skat_env.cli import main
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import declarer_value
from skat_env.match.statistics import Ratio, interval, ratio
from skat_env.play.randomness import agent_rng, branch_rng, deal_rng, question_rng, worlds_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Decision, World
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent
from skat_env.tools.console import Console
from tests.helpers.scripted import Fixed

GAMES = ("skat", "klaverjas")


class Noisy:
    """Plays at random."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        return Decision(legal[int(rng.integers(len(legal)))])


class Crowd(Noisy):
    """A batch agent that plays at random."""

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        return [self.decide(view, rng) for view, rng in zip(views, rngs, strict=True)]


AGENTS: dict[str, Any] = {
    "low": Fixed("low"),
    "high": Fixed("high"),
    "noisy": Noisy("noisy"),
    "copy": Noisy("copy"),
    "crowd": Crowd("crowd"),
}


def config_of(
    game: str, a: str, b: str, deals: int = 12, players: str = "noisy", **others: Any
) -> AuditConfig:
    return AuditConfig(game, (a, b), deals, 4, players, bidder="random", **others)


def audited(config: AuditConfig, games: Sequence[str] | None = None) -> list[AuditedGame]:
    found = [each for block in audit(config, games, agents=AGENTS) for each in block]
    return sorted(found, key=lambda each: each.deal)


@pytest.mark.parametrize("game", GAMES)
def test_points_of_one_side_add_up_to_the_difference_of_two_games(game: str) -> None:
    """A deviates at every card of the games that A plays on one side against B; B plays on. What each deviation brings
    adds up to what A's game brings more than B's in its place, deal by deal, however agents differ.
    """
    match = MatchConfig(game, ("low", "high"), 12, 3, "mirrored", bidder="random")
    values, texts = {}, {}
    for block in play_match(match, agents=AGENTS):
        for played in block:
            key = played.spec.deal, played.spec.cast[0], played.spec.cast[-1]
            values[key], texts[key] = declarer_value(played), played.position
    seats = len(get_game(game).seats)
    seen = 0.0
    for role, cast in (("declaring", ("low", "high")), ("defence", ("high", "low"))):
        games = [texts[(deal, *cast)] for deal in range(12)]
        config = config_of(game, "low", "high", players="high")
        for each in audited(config, games):
            state = get_game(game).state.parse(each.position)
            plays = state.plays()
            own = [
                answer.points
                for answer in each.answers
                if (state.side(plays[answer.number][0]) == 0) == (role == "declaring")
            ]
            wanted = (values[(each.deal, *cast)] - values[each.deal, "high", "high"]) / seats
            assert sum(own) == pytest.approx(wanted if role == "declaring" else -wanted)
            seen += abs(wanted)
    assert seen > 0


@pytest.mark.parametrize("game", GAMES)
def test_a_plain_audit_finds_the_same(game: str) -> None:
    """One game, one decision, one branch at a time, with agents that draw from their generators."""
    config = config_of(game, "noisy", "high", deals=5, players="copy", played_by="noisy")
    seats = range(len(get_game(game).seats))
    for each in audited(config):
        state = PlayedTo(game, "cardplay", make_agent("random", game))(deal_rng(4, each.deal))
        rngs = [agent_rng(4, each.deal, seat) for seat in seats]
        found = []
        while not state.is_over:
            number, seat = len(state.plays()), state.to_act
            view = state.view(seat)
            if len(view.legal_actions()) > 1:
                a, b = (
                    AGENTS[name].decide(view, question_rng(4, each.deal, number)).action
                    for name in ("noisy", "high")
                )
                ends = []
                for action in (a, b):
                    branch = state.clone()
                    branch.apply(action)
                    luck = [branch_rng(4, each.deal, number, other) for other in seats]
                    while not branch.is_over:
                        acting = branch.to_act
                        branch.apply(AGENTS["copy"].decide(branch.view(acting), luck[acting]).action)
                    points = branch.returns(get_game(game).match_unit)
                    same = sum(points[other] for other in seats if state.side(other) == state.side(seat))
                    ends.append((2 * same - sum(points)) / len(seats))
                found.append((number, a, b, ends[0] - ends[1] if a != b else 0.0))
            state.apply(AGENTS["noisy"].decide(view, rngs[seat]).action)
        assert each.position == state.text()
        answers = [(one.number, one.a, one.b, one.points) for one in each.answers]
        assert [row[:3] for row in answers] == [row[:3] for row in found]
        assert [row[3] for row in answers] == pytest.approx([row[3] for row in found])


def test_an_agent_and_its_copy_never_differ() -> None:
    [*_, last] = audited(config_of("skat", "noisy", "copy", players="low"))
    assert last.answers
    for each in audited(config_of("skat", "noisy", "copy", players="low")):
        assert all(answer.a == answer.b and answer.points == 0 for answer in each.answers)
    differing = audited(config_of("skat", "low", "high", players="low"))
    assert any(answer.points for each in differing for answer in each.answers)


class Twice:
    """A uniform belief that counts its first world three times."""

    name = "twice"
    cheats = False

    def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[World]:
        worlds = UniformSampler().worlds(view, n, rng)
        return [*worlds, World(worlds[0].state, 2 * worlds[0].weight)]


def test_points_on_several_deals_are_their_weighted_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {("skat_env.beliefs", "twice"): Twice})
    single = audited(config_of("klaverjas", "low", "high", players="low", worlds=1, belief="uniform"))
    assert single != audited(config_of("klaverjas", "low", "high", players="low"))
    some = audited(config_of("klaverjas", "low", "high", players="low", worlds=3, belief="twice"))
    game = get_game("klaverjas")
    checked = 0
    for each in some:
        last = game.state.parse(each.position)
        for answer in each.answers:
            state = last.clone()
            for _ in range(len(last.plays()) - answer.number):
                state.undo()
            rng = worlds_rng(4, each.deal, answer.number)
            total = weights = 0.0
            for world in Twice().worlds(state.view(state.to_act), 3, rng):
                ends = []
                for action in (answer.a, answer.b):
                    branch = world.state.clone()
                    branch.apply(action)
                    while not branch.is_over:
                        branch.apply(branch.legal_actions()[0])
                    points = branch.returns(game.match_unit)
                    own = [
                        value if state.side(s) == state.side(state.to_act) else -value
                        for s, value in enumerate(points)
                    ]
                    ends.append(sum(own) / 4)
                total += world.weight * (ends[0] - ends[1])
                weights += world.weight
            assert answer.points == pytest.approx(total / weights)
            checked += answer.points != 0
    assert checked > 10


def test_groups_add_up() -> None:
    config = config_of("skat", "low", "noisy", deals=30, kinds=("null", "grand"))
    games = audited(config)
    result = summarise(config, games)
    assert set(result.groups["kind"]) == {"null", "grand"}
    assert list(result.groups["role"]) == ["declaring", "defence"]
    assert list(result.groups["trick"]) == [
        str(number) for number in range(1, 1 + len(result.groups["trick"]))
    ]
    whole = result.whole
    assert whole.asked == sum(len(each.answers) for each in games)
    assert whole.share is not None
    assert whole.points is not None
    assert whole.share.mean == pytest.approx(whole.differing / whole.asked)
    assert whole.points_a_game.mean == pytest.approx(whole.differing_a_game.mean * whole.points.mean)
    for groups in result.groups.values():
        for name in ("asked", "differing", "level"):
            assert sum(getattr(group, name) for group in groups.values()) == getattr(whole, name)
        assert sum(group.points_a_game.mean for group in groups.values()) == pytest.approx(
            whole.points_a_game.mean
        )
    assert json.dumps(result.as_json(), allow_nan=False)


@pytest.mark.parametrize("game", GAMES)
def test_games_of_a_deal_count_as_one(game: str) -> None:
    """Of a match's games, several a deal; with one game a deal it is the interval of a mean."""
    config = config_of(game, "low", "noisy")
    games = audited(config)
    once, twice = (
        summarise(config, [replace(each, deal=12 * n + each.deal) for n in range(times) for each in games])
        for times in (1, 2)
    )
    assert twice.games == 2 * once.games
    assert twice.whole.asked == 2 * once.whole.asked
    for part, other in [(once.whole, twice.whole)] + [
        (once.groups[by][name], twice.groups[by][name]) for by in once.groups for name in once.groups[by]
    ]:
        for name in ("share", "points", "differing_a_game", "points_a_game"):
            assert getattr(other, name) == getattr(part, name)
    sums = [sum(answer.points for answer in each.answers) for each in games]
    a_game = once.whole.points_a_game
    assert (a_game.low, a_game.high) == pytest.approx(interval(sums))
    assert a_game.clusters == 12


@pytest.mark.parametrize("wide", [99.994, 99.995, 253.33, 1680.12])
def test_no_figure_is_cut_in_80_columns(wide: float) -> None:
    small, large = Ratio(0.4, 0.3, 0.5, 9), Ratio(-wide, -2 * wide, 0.0, 9)
    group = Group(43_859, 20_000, 1_000, small, large, Ratio(10.55, 10.0, 11.1, 9), large)
    config = AuditConfig("klaverjas", ("low", "high"), 9, bidder="random")
    written = io.StringIO()
    result = AuditResult(config, 9, group, {"role": {"declaring": group, "defence": group}}, {})
    print_audit(result, Console(file=written, width=80))
    figure = f"{wide:.{2 if wide < 99.995 else 0}f}"
    assert written.getvalue().count(f"-{figure} ± {figure}") == 6
    assert "…" not in written.getvalue()


def test_ratios_are_of_clusters() -> None:
    """With equal clusters it is the interval of a mean; decisions of a cluster do not count as independent."""
    values = np.random.default_rng(0).normal(1, 2, 50)
    found = ratio(values * 4, np.full(50, 4))
    assert (found.mean, found.low, found.high) == pytest.approx((values.mean(), *interval(values)))
    assert ratio([3.0, 0.0], [2.0, 0.0]).clusters == 1
    assert ratio([3.0, 0.0], [2.0, 0.0]).high == np.inf
    with pytest.raises(ValueError, match="come to 0"):
        ratio([0.0], [0.0])
    with pytest.raises(ValueError, match="as many of both"):
        ratio([0.0], [1.0, 2.0])
    hits, rng = 0, np.random.default_rng(1)
    for _ in range(1000):
        sizes = rng.integers(0, 6, 200)
        tops = sizes * (0.5 + rng.normal(0, 1, 200)) + rng.normal(0, 0.3, 200) * (sizes > 0)
        found = ratio(tops, sizes)
        hits += found.low <= 0.5 <= found.high
    assert hits / 1000 == pytest.approx(0.95, abs=0.025)


def run(*words: str) -> int:
    players = () if "--players" in words else ("--players", "random")
    bidder = () if "--from" in words else ("--bidder", "random")
    return main(["audit", "--game", "klaverjas", *words, *bidder, *players])


def figures(out: Path) -> tuple[Any, str]:
    """The result and the games of a folder, without seconds, command and tree."""
    result = json.loads((out / "result.json").read_text())
    games = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    for each in games:
        del each["seconds"]
    return {key: result[key] for key in ("config", "games", "whole", "groups")}, json.dumps(games)


def test_the_command_resumes_with_any_number_of_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("rule", "random", "--deals", "9", "--seed", "4")
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert run(*words, "--out", str(whole)) == 0
    table = capsys.readouterr().out
    assert "points each" in table
    assert "defence" in table
    assert max(map(len, table.splitlines()[:-1])) <= 80
    result = json.loads((whole / "result.json").read_text())
    assert {"command", "versions", "commit", "seconds"} <= set(result)

    config = AuditConfig("klaverjas", ("rule", "random"), 9, 4, "random", bidder="random")
    with audit_folder(stopped, config) as folder:
        for number, games in enumerate(audit(config)):
            folder.append(games)
            if number == 3:
                break
    with (stopped / "games.jsonl").open("a") as file:
        file.write('{"deal":7,"ga')
    assert run(*words, "--out", str(stopped), "--workers", "2") == 0
    assert figures(stopped) == figures(whole)
    before = (whole / "result.json").read_bytes()
    assert run(*words, "--out", str(whole)) == 0
    assert (whole / "result.json").read_bytes() == before


def test_batch_agents_are_audited_in_blocks() -> None:
    config = config_of("skat", "crowd", "low", deals=20, players="crowd")
    plain = config_of("skat", "noisy", "low", deals=20, players="noisy")
    blocks = list(audit(config, agents=AGENTS))
    assert [len(block) for block in blocks] == [16, 4]
    ours = [(each.position, each.answers) for each in audited(config)]
    assert ours == [(each.position, each.answers) for each in audited(plain)]
    [rest] = audit(config, done=frozenset((*range(10), *range(11, 20))), agents=AGENTS)
    assert [each.deal for each in rest] == [10]


def test_recorded_games_are_audited(tmp_path: Path) -> None:
    words = ("match", "--agents", "rule", "random", "--deals", "2", "--game", "klaverjas")
    assert main([*words, "--out", str(tmp_path / "match")]) == 0
    games = tmp_path / "match" / "games.jsonl"
    out = tmp_path / "out"
    assert run("rule", "random", "--from", str(games), "--deals", "3", "--out", str(out)) == 0
    lines = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    recorded = [GameRecord.parse(line) for line in games.read_text().splitlines()]
    assert [line["game"] for line in lines] == [record.state.text() for record in recorded[:3]]


def test_games_that_are_left_out_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("match", "--agents", "rule", "random", "--deals", "2", "--game", "klaverjas")
    assert main([*words, "--out", str(tmp_path / "match")]) == 0
    lines = (tmp_path / "match" / "games.jsonl").read_text().splitlines()
    source = tmp_path / "games.jsonl"
    source.write_text("\n".join([lines[0], "{nonsense}", lines[1][:-40], *lines[1:]]) + "\n")
    capsys.readouterr()
    assert run("rule", "random", "--from", str(source)) == 0
    assert capsys.readouterr().err == f"{source}: 2 games that cannot be audited are left out\n"


def test_an_audit_refuses_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out, made = tmp_path / "games.jsonl", tmp_path / "out", []
    for seed in ("1", "2"):
        words = ("match", "--agents", "rule", "random", "--deals", "2", "--game", "klaverjas", "--seed", seed)
        assert main([*words, "--out", str(tmp_path / seed)]) == 0
        made.append((tmp_path / seed / "games.jsonl").read_text())
    source.write_text(made[0])
    words = ("rule", "random", "--from", str(source), "--deals", "3", "--out", str(out))
    assert run(*words) == 0
    audited = (out / "games.jsonl").read_text().splitlines(keepends=True)
    source.write_text(made[1])
    assert run(*words) == 2
    assert f"as {source} was changed" in capsys.readouterr().err
    config = AuditConfig("klaverjas", ("rule", "random"), 3, players="random", source=str(source))
    recorded = [GameRecord.parse(line).state.text() for line in made[1].splitlines()]
    with pytest.raises(FileExistsError, match="was changed"):
        kept_audit(out, config, recorded)
    (out / "result.json").unlink()
    (out / "games.jsonl").write_text(audited[0])
    assert run(*words) == 2
    assert f"game 0 was another when it was audited, as {source} was changed" in capsys.readouterr().err
    assert (out / "games.jsonl").read_text() == audited[0]
    source.write_text(made[0])
    assert run(*words) == 0
    assert [line.partition('"seconds"')[0] for line in (out / "games.jsonl").read_text().splitlines()] == [
        line.partition('"seconds"')[0] for line in audited
    ]


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run("rule", "random", "--deals", "2", "--out", str(out)) == 0
    (tmp_path / "empty.jsonl").write_text("")
    cases = [
        (("rule", "rule"), "two different agents"),
        (("rule", "randon"), "did you mean 'random'"),
        (("rule", "random", "--players", "randon"), "did you mean 'random'"),
        (("rule", "random", "--deals", "0"), "at least 1"),
        (("rule", "random", "--worlds", "0"), "worlds=0"),
        (("rule", "random", "--worlds", "2", "--belief", "unifrom"), "did you mean 'uniform'"),
        (("rule", "random", "--workers", "-1"), "at least 1"),
        (("rule", "random", "--deals", "3", "--out", str(out)), "another audit (deals 2 there, 3 here)"),
        (("rule", "random", "--from", str(tmp_path / "missing.jsonl")), "missing"),
        (("rule", "random", "--from", str(tmp_path / "empty.jsonl")), "empty"),
        (("rule", "random", "--from", str(out), "--kinds", "deal"), "their own kinds"),
        (("rule", "random", "--from", str(out), "--bidder", "nonsense"), "expected no bidder"),
        (("rule", "random", "--from", str(out), "--played-by", "rule"), "nobody who plays them"),
        (("rule", "random", "--belief", "locations"), "expected worlds, too"),
    ]
    capsys.readouterr()
    before = {path: path.read_bytes() for path in out.iterdir()}
    for words, told in cases:
        assert run(*words) == 2, words
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in out.iterdir()} == before


DAMAGE = {
    "another deal": ('"deal":1', '"deal":5'),
    "a truth for a number": ('"deal":1', '"deal":true'),
    "no answers": ('"answers"', '"answer"'),
    "no object": ("{", "["),
    "twice": ('"deal":1', '"deal":0'),
    "no seconds": ('"seconds":[', '"seconds":["x",'),
    "no number": ('"answers":[[', '"answers":[[1000,"C7","C7",0.0],['),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_lines_are_named(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ("rule", "random", "--deals", "2", "--out", str(out))
    assert run(*words) == 0
    path = out / "games.jsonl"
    first, second = path.read_text().splitlines(keepends=True)
    path.write_text(first + second.replace(*DAMAGE[kind], 1))
    assert path.read_text() != first + second
    capsys.readouterr()
    for advice in ("the folder", "the line"):
        before = path.read_bytes()
        assert run(*words) == 2
        error = capsys.readouterr().err
        assert f"{path}, line 2 is damaged: " in error
        assert f"delete {advice}" in error
        assert path.read_bytes() == before
        (out / "result.json").unlink(missing_ok=True)
    path.write_text(first)
    assert run(*words) == 0
