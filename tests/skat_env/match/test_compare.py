"""A match in one line of Python equals the match of its parts, and says what is wrong with its arguments."""

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

import skat_env
from skat_env.errors import OptionError, UnknownName
from skat_env.match.compare import PlayedMatch
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.protocols import Decision, View
from skat_env.registry import make_agent


class First:
    def __init__(self, name: str = "first") -> None:
        self.name = name

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal_actions()[0])


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("mode", ["all-seats", "mirrored"])
def test_it_is_the_match_of_its_parts(game: str, mode: Any) -> None:
    found = skat_env.compare("rule", First(), game=game, mode=mode, deals=6, seed=4)
    config = MatchConfig(game=game, agents=("rule", "first"), deals=6, seed=4, mode=mode)
    games = list(itertools.chain(*play_match(config, agents={"first": First()})))
    assert found.result.as_json()["comparisons"] == summarise(config, games).as_json()["comparisons"]
    assert len(found.games) == len(games)
    assert found.difference == found.result.comparisons[0].difference


def test_it_prints_its_tables_and_draws_in_a_notebook() -> None:
    found = skat_env.compare("rule", "random", deals=10, seed=1)
    text = str(found)
    for words in ("skat, all-seats: 10 deals", "difference", "at forehand", "declares"):
        assert words in text
    assert repr(found) == f"PlayedMatch(rule - random: {found.difference.text()})"
    page = found._repr_html_()
    assert page.startswith("<pre>")
    assert page.endswith("</svg>")


def test_names_and_files_are_printed_as_they_are() -> None:
    """Brackets and colons in them are no markup."""
    played = skat_env.compare(First("[/x]"), First("[old]"), First(":cat:"), deals=2)
    for name in ("[/x]", "[old]", ":cat:"):
        assert str(played).count(name) == 4  # in the tables of all games, of two pairs and of the league
    config = dataclasses.replace(played.result.config, source="x[/b]/[old].jsonl")
    result = dataclasses.replace(played.result, config=config)
    assert "2 deals from x[/b]/[old].jsonl" in str(PlayedMatch(result, played.games))


def test_three_agents_have_ratings_and_no_one_difference() -> None:
    found = skat_env.compare("rule", "random", First(), deals=2)
    assert "league" in str(found)
    with pytest.raises(ValueError, match="3 pairs"):
        _ = found.difference
    assert len(skat_env.compare("rule", "random", First(), deals=2, against="rule").result.comparisons) == 2


@pytest.mark.parametrize(
    ("agents", "options", "words"),
    [
        ((), {}, "agents none: expected two"),
        (("rule",), {}, "agents rule: expected two"),
        (("rule", "rule"), {}, "different names"),
        ((First(), First()), {}, "different names"),
        (("rule", 5), {}, "compare with agents=5"),
        (("rule", "random"), {"deals": 0}, "compare with deals=0"),
        (("rule", "random"), {"mode": "both"}, "mode"),
        (("rule", "random"), {"bidder": "random"}, "a match with bidder=random has none"),
        ((First("rule"), "random"), {"mode": "swapped"}, "an agent has the name of the bidder, rule"),
    ],
)
def test_wrong_arguments_are_one_sentence(agents: Any, options: Any, words: str) -> None:
    with pytest.raises((ValueError, OptionError), match=words):
        skat_env.compare(*agents, **options)
    with pytest.raises(UnknownName, match="unknown agent for skat 'ruel'"):
        skat_env.compare("ruel", "random")


def test_an_agent_that_was_made_may_have_the_name_of_the_bidder() -> None:
    made, named = (
        skat_env.compare(rule, "random", game="klaverjas", mode="swapped", deals=2)
        for rule in (make_agent("rule", "klaverjas"), "rule")
    )
    assert [game.position for game in made.games] == [game.position for game in named.games]
    assert skat_env.compare(First("rule"), "random", deals=1).games


def test_the_package_shows_its_names() -> None:
    """All of them are there, and completion shows no others."""
    assert dir(skat_env) == sorted(skat_env.__all__)
    for name in skat_env.__all__:
        assert getattr(skat_env, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = skat_env.nothing
