"""`skat-env generate`: the games of the seeds, the same bytes with any workers and after a stop, and who plays."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.datasets import generation
from skat_env.datasets.dataset import MANIFEST, Dataset, Verdict, shard_path
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.errors import ParseError, UnknownName
from skat_env.play import lanes, lockstep
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo, RandomDeals
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent
from tests.helpers.agents import Sensitive
from tests.helpers.datasets import files_of, stop_after


class Searcher:
    """Plays at random, and tells weights and a value where it had a choice."""

    name = "searcher"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        if len(legal) == 1:
            return Decision(legal[0])
        weights = np.zeros(64, np.float32)
        weights[legal] = rng.random(len(legal))
        return Decision(int(weights.argmax()), weights, float(len(legal)))


AGENTS = {"searcher": Searcher(), "sensitive": Sensitive()}


def games_of(folder: Path) -> dict[str, bytes]:
    """The files of a dataset, of its description only what does not tell of the command."""
    files = files_of(folder)
    manifest = json.loads(files.pop(MANIFEST))
    told = {key: manifest[key] for key in ("game", "players", "shards", "config")}
    return files | {MANIFEST: json.dumps(told).encode()}


@pytest.mark.parametrize(
    ("game", "start"),
    [("skat", "deal"), ("klaverjas", "deal"), ("skat", "cardplay"), ("klaverjas", "cardplay")],
)
def test_games_are_those_of_the_seeds(game: str, start: str, tmp_path: Path) -> None:
    """The contract that other tools make the same games by, and what was searched in them."""
    rules = "choice=free" if game == "klaverjas" else None
    config = GenerationConfig(game, ("searcher",), 12, 7, start, "rule", rules, games_per_shard=5)
    dataset = generate(config, tmp_path / "games", agents=AGENTS)
    assert [len(shard) for shard in dataset.shards()] == [5, 5, 2]
    kind, agent, options = get_game(game), AGENTS["searcher"], config.starts().sources[0].rules
    deals = RandomDeals(game, options)
    source = deals if start == "deal" else PlayedTo(game, start, make_agent("rule", game), options)
    for number, record in enumerate(dataset):
        state = source(deal_rng(7, number))
        rngs = [agent_rng(7, number, seat) for seat in range(len(kind.seats))]
        searches = dataset.searches(number)
        assert searches is not None
        for step in range(len(state.history())):
            assert (searches.weights(step), searches.value(step)) == (None, None)
        while not state.is_over:
            step, legal = len(state.history()), state.legal_actions()
            decision = agent.decide(state.view(state.to_act), rngs[state.to_act])
            weights = searches.weights(step)
            assert (weights is None) == (decision.weights is None)
            if weights is not None:
                assert (
                    weights[legal.index(decision.action)] == weights.max()
                )  # a byte a weight: some are equal
                assert searches.value(step) == len(legal)
            state.apply(decision.action)
        assert record.state == state
        assert (record.seed, record.source.id) == (7, number)
    assert (dataset.check() == Verdict.AGREES).all()


def test_kinds_of_game_are_made_in_turn(tmp_path: Path) -> None:
    words = [
        "generate",
        "--agents",
        "random",
        "--start",
        "cardplay",
        "--kinds",
        "null",
        "grand",
        "--deals",
        "4",
    ]
    assert main([*words, "--seed", "3", "--games-per-shard", "3", "--out", str(tmp_path / "games")]) == 0
    states = [record.state for record in Dataset(tmp_path / "games")]
    assert [state.kind for state in states] == ["null", "grand"] * 4
    start = PlayedTo("skat", "cardplay", "rule", kind="grand")(deal_rng(3, 5))
    assert states[5].history()[: len(start.history())] == start.history()


def test_several_agents_are_drawn_by_team(tmp_path: Path) -> None:
    agents = ("a", "b", "c")
    for game, casts in (("skat", 27), ("klaverjas", 9)):
        config = GenerationConfig(game, agents, 200, 1)
        seen = [
            record.agents
            for record in generate(config, tmp_path / game, agents=dict.fromkeys(agents, Searcher()))
        ]
        assert len(set(seen)) == casts
        assert seen == [config.cast(number) for number in range(200)]
        if game == "klaverjas":
            assert all(cast[:2] == cast[2:] for cast in seen)
        other = GenerationConfig(game, agents, 200, 2)
        assert seen != [other.cast(number) for number in range(200)]


def test_one_team_plays_against_others(tmp_path: Path) -> None:
    agents = {name: Searcher() for name in "abcd"}
    for game, casts in (("skat", 3 * 2 * 2 * 2), ("klaverjas", 2 * 2 * 2)):
        config = GenerationConfig(game, ("a", "b"), 200, 1, against=("c", "d"))
        dataset = generate(config, tmp_path / game, agents=agents)
        assert dataset.players == ("a", "b", "c", "d")
        teams = get_game(game).teams
        seen = [record.agents for record in dataset]
        assert len(set(seen)) == casts
        assert seen == [config.cast(number) for number in range(200)]
        for cast in seen:
            by_team = [{cast[seat] for seat in team} for team in teams]
            assert all(len(names) == 1 for names in by_team)
            assert sum(names <= {"a", "b"} for names in by_team) == 1


@pytest.mark.slow
def test_the_same_bytes_with_any_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of agents whose decisions depend on what else is in the batch."""
    config = GenerationConfig("skat", ("sensitive", "searcher"), 30, 3, games_per_shard=8)
    one = generate(config, tmp_path / "one", agents=AGENTS)
    two = generate(config, tmp_path / "two", workers=2, agents=AGENTS)
    assert games_of(one.folder) == games_of(two.folder)
    monkeypatch.setattr(lockstep, "GAMES_IN_STEP", 4)
    smaller = generate(config, tmp_path / "smaller", agents=AGENTS)
    assert games_of(one.folder) != games_of(smaller.folder)


LANES = {
    ("skat", "deal"): (
        "policy",
        "exploring(agent=policy, temperature=2, random_cards=0.05, random_declarations=0.2)",
    ),
    ("skat", "cardplay"): ("policy(cardplay=sample)",),
    ("skat", "random_declaration"): ("policy",),
    ("klaverjas", "deal"): ("policy(cardplay=sample)", "policy"),
}


@pytest.mark.parametrize(("game", "start"), LANES)
def test_networks_play_in_lanes(
    game: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes however many files and lanes there are, and the games of Python."""
    agents = LANES[game, start]
    rules = "choice=free" if game == "klaverjas" else None
    config = GenerationConfig(game, agents, 33, 7, start, "policy", rules)
    assert config.starts()
    whole = generate(config, tmp_path / "whole")
    monkeypatch.setattr(lanes, "LANES", 5)
    again = generate(config, tmp_path / "again")
    assert games_of(again.folder) == games_of(whole.folder)
    files = generate(dataclasses.replace(config, games_per_shard=10), tmp_path / "files")
    monkeypatch.setattr(generation, "lane_players", lambda agents: None)
    monkeypatch.setattr("skat_env.play.players.lane_players", lambda agents: None)
    slow = generate(config, tmp_path / "slow")
    assert (whole.check() == Verdict.AGREES).all()
    shard, plain = (next(iter(dataset.shards())) for dataset in (whole, slow))
    assert (shard.rows.starts, shard.rows.servers) == (plain.rows.starts, plain.rows.servers)
    assert shard.arrays.keys() == plain.arrays.keys()
    for name, array in shard.arrays.items():
        assert array.dtype == plain.arrays[name].dtype
        assert name in ("weights", "values") or (array == plain.arrays[name]).all()
    for number, (ours, theirs) in enumerate(zip(whole, slow, strict=True)):
        assert ours == theirs
        assert ours == files[number]
        found, expected, part = (dataset.searches(number) for dataset in (whole, slow, files))
        assert found is not None
        assert expected is not None
        assert part is not None
        assert (found.counts == expected.counts).all()
        # A weight between two bytes may be rounded either way.
        assert np.abs(found.shares.astype(int) - expected.shares).max() <= 1
        np.testing.assert_allclose(found.values, expected.values, rtol=2e-3)
        assert part.shares.tobytes() == found.shares.tobytes()


@pytest.mark.slow
def test_lanes_make_the_same_bytes_with_any_workers_and_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = GenerationConfig("skat", LANES["skat", "deal"], 50, 3, games_per_shard=8)
    one = generate(config, tmp_path / "one")
    two = generate(config, tmp_path / "two", workers=2)
    assert games_of(one.folder) == games_of(two.folder)
    with monkeypatch.context() as patch:
        stop_after(3, generation, patch)
        with pytest.raises(KeyboardInterrupt):
            generate(config, tmp_path / "stopped")
    stopped = generate(config, tmp_path / "stopped")
    assert games_of(one.folder) == games_of(stopped.folder)


def test_a_teacher_marks_the_games_of_networks(tmp_path: Path) -> None:
    """It is asked in Python, about the same games."""
    played = generate(GenerationConfig("skat", ("policy",), 6, 2), tmp_path / "played")
    config = GenerationConfig("skat", ("policy",), 6, 2, mark="searcher")
    marked = generate(config, tmp_path / "marked", agents=AGENTS)
    assert [record.state for record in marked] == [record.state for record in played]


@pytest.mark.parametrize(("agent", "valued"), [("pimc(worlds=2)", False), ("ismcts(simulations=9)", True)])
def test_values_in_another_unit_are_left_out(agent: str, valued: bool, tmp_path: Path) -> None:
    """PIMC values a position by its share of worlds won, matches by points."""
    config = GenerationConfig("skat", (agent,), 2, 2, start="cardplay")
    games = generate(config, tmp_path / "played")
    found = [games.searches(number) for number in range(2)]
    assert all(each is not None and each.counts.any() for each in found)
    assert valued == any(each is not None and np.isfinite(each.values).any() for each in found)


@pytest.mark.parametrize("agent", ["policy", "searcher"])
def test_searches_may_be_left_out(agent: str, tmp_path: Path) -> None:
    """The games are the same; only then does the description say so."""
    config = GenerationConfig("skat", (agent,), 30, 2)
    whole = generate(config, tmp_path / "whole", agents=AGENTS)
    bare = generate(dataclasses.replace(config, searches=False), tmp_path / "bare", agents=AGENTS)
    assert list(bare) == list(whole)
    assert whole.searches(3) is not None
    assert bare.searches(3) is None
    assert "searches" not in whole.manifest["config"]
    assert bare.manifest["config"]["searches"] is False
    sizes = [sum(map(len, files_of(dataset.folder).values())) for dataset in (bare, whole)]
    assert sizes[0] < sizes[1] / 2


@pytest.mark.parametrize("stops", [(0,), (1,), (0, 2, 1)])
def test_a_stopped_generation_goes_on(
    stops: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = GenerationConfig("klaverjas", ("sensitive",), 22, 3, games_per_shard=5)
    whole = generate(config, tmp_path / "whole", agents=AGENTS)
    folder = tmp_path / "stopped"
    for shards in stops:
        with monkeypatch.context() as patch:
            stop_after(shards, generation, patch)
            with pytest.raises(KeyboardInterrupt):
                generate(config, folder, agents=AGENTS)
    with pytest.raises(ParseError, match="unfinished dataset: the command that began it resumes it"):
        Dataset(folder)
    done: list[int] = []
    dataset = generate(config, folder, progress=done.append, agents=AGENTS)
    assert done == [*range(5 * sum(stops), 22, 5), 22]
    assert games_of(folder) == games_of(whole.folder)
    assert len(dataset.manifest["resumed"]) == len(stops)
    before = files_of(folder)
    generate(config, folder, agents=AGENTS)
    assert files_of(folder) == before


def test_other_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = GenerationConfig("skat", ("rule",), 10, games_per_shard=5)
    other = GenerationConfig("skat", ("rule",), 10, 1, games_per_shard=5)
    finished, unfinished, foreign = (tmp_path / name for name in ("finished", "unfinished", "foreign"))
    generate(config, finished)
    with monkeypatch.context() as patch:
        stop_after(1, generation, patch)
        with pytest.raises(KeyboardInterrupt):
            generate(config, unfinished)
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("precious")
    before = [files_of(folder) for folder in (finished, unfinished, foreign)]
    for folder in (finished, unfinished):
        with pytest.raises(FileExistsError, match=r"another .* \(seed 0 there, 1 here\): nothing is changed"):
            generate(other, folder)
    with pytest.raises(FileExistsError, match="holds no generated dataset: nothing is changed"):
        generate(config, foreign)
    assert [files_of(folder) for folder in (finished, unfinished, foreign)] == before


def test_files_of_another_seed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = GenerationConfig("klaverjas", ("rule",), 15, 1, games_per_shard=5)
    other = generate(dataclasses.replace(config, seed=2), tmp_path / "other")
    with monkeypatch.context() as patch:
        stop_after(1, generation, patch)
        with pytest.raises(KeyboardInterrupt):
            generate(config, tmp_path / "games")
    shutil.copy(shard_path(other.folder, 1), tmp_path / "games")
    before = files_of(tmp_path / "games")
    with pytest.raises(ParseError, match=r"00001.shard has games of another seed than 1; nothing is changed"):
        generate(config, tmp_path / "games")
    assert files_of(tmp_path / "games") == before


def test_wrong_commands_raise_and_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games"
    cases = {
        ("--agents", "randon"): "did you mean 'random'",
        ("--agents", "rule", "rule"): "different agents",
        ("--agents", "rule", "--against", "rule"): "different agents, got rule against rule",
        ("--agents", "rule", "--deals", "0"): "deals 0: expected at least 1",
        ("--agents", "rule", "--games-per-shard", "0"): "at least 1",
        ("--agents", "rule", "--seed", "-1"): "seed -1 is not in 0..",
        ("--agents", "rule", "--workers", "-1"): "-1 workers: expected at least 1",
        ("--agents", "rule", "--game", "scat"): "did you mean 'skat'",
        ("--agents", "rule", "--start", "cardply"): "did you mean 'cardplay'",
        ("--agents", "rule", "--start", "cardplay", "--bidder", "rul"): "did you mean 'rule'",
        ("--agents", "rule", "--rules", "playout=1"): "did you mean 'play_out'",
        ("--agents", "rule", "--kinds", "null"): "from the cardplay on",
        ("--agents", "rule", "--mark", "rule", "--no-searches"): "--mark goes without --no-searches",
        ("--agents", "rule", "--start", "cardplay", "--kinds", "nul"): "did you mean 'null'",
        ("--agents", "rule", "--start", "cardplay", "--kinds", "null", "null"): "each once",
    }
    for words, told in cases.items():
        assert main(["generate", *words, "--out", str(out)]) == 2, words
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
        assert not out.exists()
    with pytest.raises(UnknownName):
        GenerationConfig("skat", ("rule",), 1, start="trick")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "generate",
        "--agents",
        "rule",
        "random",
        "--deals",
        "12",
        "--seed",
        "4",
        "--games-per-shard",
        "5",
    ]
    assert main([*words, "--out", str(tmp_path / "games")]) == 0
    assert "12 games of skat" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "games" / MANIFEST).read_text())
    assert {"command", "config", "versions", "commit"} <= set(manifest)
    assert manifest["config"]["seed"] == 4
    before = files_of(tmp_path / "games")
    assert main([*words, "--out", str(tmp_path / "games")]) == 0
    assert "this generation was finished before" in capsys.readouterr().err
    assert files_of(tmp_path / "games") == before
