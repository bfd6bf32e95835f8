"""Scores: what the points are, that the luck of the deal cancels, and that a score goes on where it was stopped."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.errors import OptionError
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.protocols import Scale
from skat_env.registry import get_game, get_part, make_agent
from skat_env.rule_options import parse_rules
from skat_env.score.play import gains_of, score

both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


class Twin:
    """`rule` under another name."""

    name = "twin"

    def __init__(self, game: str) -> None:
        self.decide = make_agent("rule", game).decide


@both_games
def test_the_twin_of_rule_gains_nothing_on_any_deal(name: str) -> None:
    played = score(Twin(name), name, deals=8, seed=3)
    assert played.points.mean == played.deviation == 0
    assert played.value == get_part(name, "scale").value(0)
    assert played.needed == float("inf")


@both_games
def test_gains_are_those_of_games_played_one_by_one(name: str) -> None:
    game, rules = get_game(name), get_part(name, "scale").rules
    config = MatchConfig(name, ("random", "rule"), 3, 5, "alone", rules=rules or None)
    games = [each for played in play_match(config) for each in played]
    random, rule = make_agent("random", name), make_agent("rule", name)
    for deal, gain in enumerate(gains_of(config, games)):
        expected = []
        for team in game.teams:
            results = []
            for agent in (random, rule):
                state = game.state.random(deal_rng(5, deal), parse_rules(rules, game))
                agents = [agent if seat in team else rule for seat in range(len(game.seats))]
                play_game(state, agents, [agent_rng(5, deal, seat) for seat in range(len(agents))])
                results.append(state.returns(game.match_unit)[team[0]])
            expected.append(results[0] - results[1])
        assert gain == pytest.approx(np.mean(expected))


def test_the_scale_is_a_line() -> None:
    scale = Scale("", -40.0, 10.0)
    assert [scale.value(points) for points in (-40, 0, 10, 20)] == [0, 0.8, 1, 1.2]


@both_games
def test_the_published_scale_has_random_below_rule_below_the_champion(name: str) -> None:
    scale = get_part(name, "scale")
    assert scale.random < 0 < scale.champion


@pytest.mark.slow
@both_games
def test_random_scores_about_nothing(name: str) -> None:
    played = score("random", name, deals=60, seed=11)
    low, high = played.interval
    assert low - 0.1 < 0 < high + 0.1


def test_a_stopped_score_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "--agent", "random", "--deals", "4", "--out", str(tmp_path / "s"), "--json"]
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["score"] == pytest.approx(score("random", deals=4).value)
    assert main(words[:-1]) == 0
    assert "points per game and seat against rule" in capsys.readouterr().out


def test_one_deal_has_no_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--agent", "random", "--deals", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (found["low"], found["high"], found["points"]["low"], found["deals_needed"]) == (None,) * 4


class Failing(Twin):
    """`rule`, which counts that it failed."""

    name = "failing"

    def __init__(self, game: str) -> None:
        decide = make_agent("rule", game).decide
        self.decide = lambda view, rng: replace(decide(view, rng), stats={"failure": 1})


def test_json_has_what_is_counted_of_decisions() -> None:
    found = score(Failing("skat"), deals=2).as_json()
    assert found["counts"] == {"failure": found["moves"]}


def test_rule_is_the_table() -> None:
    with pytest.raises(OptionError, match=r"rule is the table: its score is 0\.\d\d by the scale"):
        score("rule")
    with pytest.raises(ValueError, match="unknown agent"):
        score("nobody")
