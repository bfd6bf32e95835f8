"""Gauntlets: rows are those of the matches, folders go on, and what is asked wrongly is one sentence."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skat_env import compare, play_gauntlet
from skat_env.cli import main
from skat_env.errors import OptionError, ParseError
from skat_env.gauntlet.play import PlayedGauntlet, labelled, place_of
from skat_env.gauntlet.plot import draw_gauntlet
from skat_env.gauntlet.result import Encounter, Gauntlet
from skat_env.match.folder import THINKING, MatchFolder
from skat_env.match.play import MatchConfig, PlayedGame, play_match
from skat_env.match.result import summarise
from skat_env.match.run import kept_match
from skat_env.play.casts import pair_casts
from tests.conftest import ROOT

LOWEST = f"engine(command='{sys.executable} {ROOT / 'engines' / 'lowest' / 'lowest.py'}')"


def rows(out: Path) -> list[dict[str, Any]]:
    """The encounters of a result, without what differs between two runs."""
    found = json.loads((out / "result.json").read_text())["encounters"]
    for row in found:
        for agent in row["agents"]:
            del agent["seconds_per_move"]
    return found


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_alone_an_agent_has_each_seat_once(game: str) -> None:
    casts = pair_casts(game, ("a", "b"), "alone")
    if game == "skat":
        assert casts == [("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")]
    else:
        assert casts == [("a", "b", "a", "b"), ("b", "a", "b", "a")]


def test_alone_the_difference_is_that_of_the_seats() -> None:
    match = compare("rule", "random", deals=6, mode="alone", seed=3)
    assert len(match.games) == 18
    differences = []
    for deal in range(6):
        mine, theirs = [], []
        for game in match.games:
            if game.spec.deal == deal:
                assert game.agents.count("rule") == 1
                for name, points in zip(game.agents, game.returns, strict=True):
                    (mine if name == "rule" else theirs).append(points)
        differences.append(sum(mine) / 3 - sum(theirs) / 6)
    assert match.difference.mean == pytest.approx(sum(differences) / 6)
    seats = match.result.comparisons[0].seats
    assert sum(seat.difference.mean for seat in seats) / 3 == pytest.approx(match.difference.mean)


@pytest.mark.slow
def test_rows_are_those_of_matches(tmp_path: Path) -> None:
    played = play_gauntlet(
        tmp_path / "g", ["rule", "any=random"], [f"low={LOWEST}"], "klaverjas", deals=4, seed=2
    )
    assert [(each.form, each.agent) for each in played.gauntlet.encounters] == [
        (form, agent) for form in ("alone", "all-seats", "mirrored") for agent in ("rule", "any")
    ]
    for each in played.gauntlet.encounters:
        match = compare(*each.names, game="klaverjas", deals=4, seed=2, mode=each.form)
        assert each.comparison == match.result.comparisons[0]
        assert each.summaries[0].declared == match.result.agents[each.names[0]].declared
    assert "low" in str(played)
    assert "the agent alone against engines" in str(played)


@pytest.mark.slow
def test_agents_forms_and_deals_can_be_added(tmp_path: Path) -> None:
    def play(out: str, agents: list[str], **options: Any) -> Any:
        return play_gauntlet(tmp_path / out, agents, ["random"], deals=options.pop("deals", 3), **options)

    play("grown", ["rule"], forms=["alone"], deals=2)
    before = {path for path in (tmp_path / "grown").iterdir() if path.is_dir()}
    play("grown", ["rule", "quick=policy"], forms=["alone", "all-seats"])
    assert before < {path for path in (tmp_path / "grown").iterdir() if path.is_dir()}
    play("whole", ["rule", "quick=policy"], forms=["alone", "all-seats"])
    assert rows(tmp_path / "grown") == rows(tmp_path / "whole")
    with pytest.raises(FileExistsError, match="seed"):
        play("grown", ["rule"], seed=9)


@pytest.mark.slow
def test_what_is_finished_stays_in_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def play(agents: list[str], deals: int, forms: Any = ("alone",)) -> list[tuple[str, str, int]]:
        played = play_gauntlet(tmp_path / "g", agents, ["random"], "klaverjas", deals=deals, forms=forms)
        return [
            (each.form, each.agent, each.comparison.difference.pairs) for each in played.gauntlet.encounters
        ]

    assert play(["rule"], 2) == [("alone", "rule", 2)]
    assert play(["other=rule(variant=thesis)"], 1, ("mirrored",)) == [
        ("alone", "rule", 2),
        ("mirrored", "other", 1),
    ]
    assert "finished before" not in capsys.readouterr().err
    assert play(["rule"], 3) == [("alone", "rule", 3), ("mirrored", "other", 1)]
    assert "finished before" not in capsys.readouterr().err
    assert len(rows(tmp_path / "g")) == 2
    with pytest.raises(FileExistsError):
        play(["rule"], 2)
    assert "finished before" not in capsys.readouterr().err
    play(["rule"], 3)
    assert "this gauntlet was finished before" in capsys.readouterr().err


def test_the_figure_names_every_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has not played in the first form."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    played = [
        play_gauntlet(tmp_path / agent, [agent], ["random"], "klaverjas", deals=2, forms=forms).gauntlet
        for agent, forms in (("rule", ["alone"]), ("rule(variant=thesis)", ["mirrored"]))
    ]
    figures: list[Any] = []
    monkeypatch.setattr(pyplot, "close", figures.append)
    draw_gauntlet(
        Gauntlet("klaverjas", 0, None, [each.encounters[0] for each in played]), tmp_path / "gauntlet.png"
    )
    [legend] = figures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["rule", "rule(variant=thesis)"]
    monkeypatch.undo()
    pyplot.close(figures[0])


def test_an_agent_that_became_another_is_refused(tmp_path: Path) -> None:
    def play() -> Any:
        return play_gauntlet(tmp_path / "g", ["rule"], ["random"], "klaverjas", deals=1, forms=["alone"])

    play()
    head = tmp_path / "g" / "gauntlet.json"
    kept = json.loads(head.read_text())
    assert kept["names"].keys() == {"rule", "random"}
    changed = kept | {"names": kept["names"] | {"rule": "rule(variant=older)"}}
    head.write_text(json.dumps(changed))
    before = {path: path.read_bytes() for path in head.parent.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"has 'rule' when it was rule\(variant=older\)"):
        play()
    assert {path: path.read_bytes() for path in head.parent.rglob("*") if path.is_file()} == before
    # Heads once had neither names nor agents and forms.
    head.write_text(json.dumps({key: kept[key] for key in ("game", "seed", "rules", "engines")}))
    play()
    assert json.loads(head.read_text()) == kept


@pytest.mark.slow
def test_a_stopped_gauntlet_goes_on_with_more_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(out: str, deals: int) -> Any:
        return play_gauntlet(tmp_path / out, ["rule", "policy"], ["random"], deals=deals, forms=["alone"])

    def stopped(folder: MatchFolder, played: list[PlayedGame]) -> None:
        append(folder, played)
        if folder.config.agents[0] == "policy":
            raise KeyboardInterrupt

    append = MatchFolder.append
    with monkeypatch.context() as patch:
        patch.setattr(MatchFolder, "append", stopped)
        with pytest.raises(KeyboardInterrupt):
            play("stopped", 3)
    play("stopped", 5)
    play("whole", 5)
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole")


@pytest.mark.slow
def test_a_gauntlet_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["gauntlet", "--out", str(tmp_path / "g"), "--agents", "rule", "--engines", "other=random"]
    command += ["--deals", "3", "--seed", "1"]
    pytest.importorskip("matplotlib", reason="needs the extra 'plot'")
    assert main(command) == 0
    first = capsys.readouterr().out
    assert (tmp_path / "g" / "gauntlet.png").stat().st_size > 10_000
    assert main(command) == 0
    assert capsys.readouterr().out == first


def test_what_is_asked_wrongly(tmp_path: Path) -> None:
    for options, sentence in (
        ({"agents": []}, "without agents"),
        ({"engines": ["a=random", "a=rule"]}, "'a' is given twice"),
        ({"engines": ["rule"]}, "as an agent and as an engine"),
        ({"engines": ["nobody"]}, "nobody"),
        ({"forms": []}, "forms"),
        ({"forms": ["solo"]}, "solo"),
        ({"deals": 0}, "deals"),
        ({"rules": "choice=free"}, "choice"),
    ):
        asked: dict[str, Any] = {"agents": ["rule"], "engines": ["random"], **options}
        with pytest.raises(ValueError, match=sentence):
            play_gauntlet(tmp_path / "g", **asked)
    assert not (tmp_path / "g").exists()


def test_labels_and_places() -> None:
    assert labelled("agents", ["rule(variant=thesis)", "x.1=pimc(worlds=2)"]) == {
        "rule(variant=thesis)": "rule(variant=thesis)",
        "x.1": "pimc(worlds=2)",
    }
    with pytest.raises(OptionError, match="given twice"):
        labelled("agents", ["a=rule", "b=rule"])
    places = {place_of("alone", ("a", text), ("b", "rule")) for text in ("policy", "random")}
    assert len(places) == 2
    assert all(place.startswith("alone-a-b-") for place in places)


FAILING = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "skat_env": print("engine failing", flush=True)
    if word == "game": print("ready", flush=True)
    if word == "go": print("play nothing", flush=True)
    if word == "quit": break
"""


@pytest.mark.slow
def test_failures_are_counted_and_kept(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where an engine fails another agent decides: the games are that agent's, and every decision is counted."""
    (tmp_path / "failing.py").write_text(FAILING)
    failing = f"engine(command='{sys.executable} {tmp_path / 'failing.py'}', instead=rule)"
    config = MatchConfig("klaverjas", ("random", failing), 2, 1, "alone")
    result, games = kept_match(tmp_path / "kept", config)
    summary = result.agents[failing]
    assert summary.counts == {"failure": summary.moves}
    assert result.agents["random"].counts == {}
    assert '{"failure":8}' in (tmp_path / "kept" / THINKING).read_text()
    again, _ = kept_match(tmp_path / "kept", config)
    assert again.agents == result.agents
    encounter = Encounter.of("a", "b", again)
    flipped = replace(encounter, summaries=encounter.summaries[::-1])
    for each, told in ((encounter, "b against a, alone, in 64"), (flipped, "a against b, alone, in 64")):
        assert told in str(PlayedGauntlet(Gauntlet("klaverjas", 1, None, [each]), tmp_path))
    assert encounter.as_json()["agents"][1]["counts"] == summary.counts
    plain = MatchConfig("klaverjas", ("random", "rule"), 2, 1, "alone")
    same = [game for block in play_match(plain) for game in block]
    assert sorted(game.position for game in games) == sorted(game.position for game in same)
    assert summarise(plain, same).comparisons[0].difference == again.comparisons[0].difference
    assert "rule decides" in capfd.readouterr().err


@pytest.mark.parametrize(
    "line", ["[[1,2,3]]", "[[1,2,[1]]]", '[[1,0.5,{"failure":-1}]]', '[[1,2,{"a":"b"}]]', "[[1,2,{},4]]"]
)
def test_damaged_counts_are_one_sentence(tmp_path: Path, line: str) -> None:
    config = MatchConfig("klaverjas", ("random", "rule"), 1, 1, "alone")
    kept_match(tmp_path / "kept", config)
    (tmp_path / "kept" / THINKING).write_text(f"{line}\n{line}\n")
    with pytest.raises(ParseError, match="the seats' thinking is"):
        kept_match(tmp_path / "kept", config)


def test_a_single_deal_has_no_interval(tmp_path: Path) -> None:
    played = play_gauntlet(tmp_path / "g", ["rule"], ["random"], deals=1, forms=["alone"])
    [encounter] = played.gauntlet.encounters
    mean, interval, p = encounter.comparison.difference.cells()
    assert (interval, p) == ("-", "-")
    assert f"{mean} -" in str(played)
    assert "inf" not in str(played)
