"""`expert`: what it is made of, its options, and whole games."""

from pathlib import Path

import numpy as np
import pytest

from skat_env.agents.skat.expert._reactive import Reactive
from skat_env.agents.skat.expert.openings import OpeningTables
from skat_env.agents.skat.expert.reactive import ALL_RULES, rules_without
from skat_env.errors import ParseError, UnknownName
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from tests.helpers.endings import skat_choice


@pytest.fixture(scope="module")
def openings() -> OpeningTables:
    return OpeningTables.load("skat-openings")


def test_without_votes_the_cards_are_the_reactive_players(openings: OpeningTables) -> None:
    rng = np.random.default_rng(1)
    for text, rules, source in (
        ("expert(endgame=none, without=none)", ALL_RULES, "played"),
        ("expert(endgame=none, without=red_jack+secure_fulls, source=marked)", None, "marked"),
    ):
        agent = make_agent(text, "skat")
        players = Reactive(
            openings.for_play(source),  # type: ignore[arg-type]
            rules_without("red_jack+secure_fulls") if rules is None else rules,
        )
        for number in range(100):
            state = skat_choice(rng, ("D", "S", "G", "CH")[number % 4], int(rng.integers(4, 31)))
            view = state.view(state.to_act)
            assert agent.decide(view, rng).action == players.card(view)


def test_null_is_played_as_by_rule() -> None:
    rng = np.random.default_rng(2)
    agent, rule = make_agent("expert(endgame=none)", "skat"), make_agent("rule", "skat")
    for _ in range(60):
        view = (state := skat_choice(rng, "N", int(rng.integers(4, 31)))).view(state.to_act)
        assert agent.decide(view, rng).action == rule.decide(view, rng).action


def test_bidding_is_by_winning_probabilities() -> None:
    agent, bidder = make_agent("expert", "skat"), make_agent("expert_bidding", "skat")
    rng = np.random.default_rng(3)
    for seed in range(5):
        state = SkatState.random(np.random.default_rng(seed))
        for _ in range(4):
            if state.is_over:
                break
            view = state.view(state.to_act)
            action = agent.decide(view, rng).action
            assert action == bidder.decide(view, rng).action
            state.apply(action)


def test_the_sides_that_are_asked_for_vote() -> None:
    rng = np.random.default_rng(4)
    for side in ("soloist", "defenders", "both", "none"):
        agent = make_agent(f"expert(endgame={side}, start=5, worlds=20)", "skat")
        for _ in range(30):
            left = int(rng.integers(4, 24))
            state = skat_choice(rng, "H", left)
            view = state.view(state.to_act)
            voted = "confidence" in agent.decide(view, rng).stats
            asked = side == "both" or side == ("soloist" if view.is_soloist else "defenders")
            assert voted == (asked and 30 - left >= 15)


def test_its_votes_are_those_of_endgame() -> None:
    rng = np.random.default_rng(5)
    plain = make_agent("expert(endgame=none)", "skat")
    for _ in range(40):
        state = skat_choice(rng, "C", int(rng.integers(4, 13)))
        view = state.view(state.to_act)
        whole = make_agent("expert(start=6, threshold=0.5, worlds=30)", "skat")
        ending = make_agent("endgame(player=expert(endgame=none), start=6, threshold=0.5, worlds=30)", "skat")
        found = whole.decide(view, np.random.default_rng(9))
        assert found.action == ending.decide(view, np.random.default_rng(9)).action
        if found.stats["confidence"] < 0.5:
            assert found.action == plain.decide(view, rng).action


def test_whole_games_are_played_again_the_same_way_and_in_hybrids() -> None:
    for text in ("expert(worlds=20)", "hybrid(policy=expert(endgame=none), search=pimc(worlds=2), trick=8)"):
        agent = make_agent(text, "skat")
        finals = []
        for _ in range(2):
            states = [SkatState.random(np.random.default_rng(seed)) for seed in range(8)]
            play_games(
                states, [[agent] * 3] * 8, [[agent_rng(1, n, seat) for seat in range(3)] for n in range(8)]
            )
            assert all(state.is_over for state in states)
            finals.append([state.text() for state in states])
        assert finals[0] == finals[1]


def test_the_name_makes_it_again() -> None:
    for text in (
        "expert",
        "expert(endgame=none)",
        "expert(endgame=soloist, start=4, threshold=1, worlds=7, assumptions=red_jack)",
        "expert(without=under_ace+red_jack, source=both, bidding=rule)",
    ):
        name = make_agent(text, "skat").name
        assert make_agent(name, "skat").name == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("threshold=1.5", "threshold=1.5: expected a finite number from 0 to 1"),
        ("threshold=-0.1", "threshold=-0.1: expected a finite number from 0 to 1"),
        ("start=11", "start=11: expected a whole number from 0 to 10"),
        ("worlds=0", "worlds=0: expected"),
        ("worlds=42678636", "worlds=42678636: expected"),
        ("endgame=all", "endgame=all: expected one of soloist"),
        ("source=marks", "source=marks: expected one of both"),
        ("bidding=pimc(belief=cheating)", "it may not see the others' cards"),
    ],
)
def test_options_out_of_range_are_refused(options: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        make_agent(f"expert({options})", "skat")


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    for options in ("without=jack", "endgame=none, assumptions=luck", "checkpoint=nowhere"):
        with pytest.raises(UnknownName):
            make_agent(f"expert({options})", "skat")
    for options in ("without=none+red_jack", "assumptions=none+red_jack", "assumptions=all+red_jack"):
        with pytest.raises(UnknownName, match=r"known are (antisuit|highest)"):
            make_agent(f"expert({options})", "skat")
    with pytest.raises(ParseError, match="openings"):
        make_agent("expert(checkpoint=skat-winning)", "skat")
