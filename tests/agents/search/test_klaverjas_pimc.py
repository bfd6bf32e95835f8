"""PIMC and the choice of trumps in Klaverjas: objectives against plain minimax, votes, whole deals."""

import numpy as np
import pytest

from agents.klaverjas.bidding import SearchBidding
from agents.random import RandomAgent
from agents.search.objectives import make_objective
from agents.search.pimc import Pimc
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.deal import Deal
from skat_env.errors import UnknownName
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.klaverjas.rules import NAME, PASS
from skat_env.play.lockstep import play_game
from skat_env.registry import get_part
from solvers.klaverjas import Question, Solver
from tests.helpers import minimax


def ending(rng: np.random.Generator, cards_left: int) -> KlaverjasState:
    """A deal of random cards that some cards are missing to end, with a choice for the seat to act."""
    while True:
        state = KlaverjasState.random(rng)
        while 32 - len(state.plays()) > cards_left:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        if len(state.legal_actions()) > 1:
            return state


@pytest.mark.parametrize(
    ("objective", "aim", "tied"),
    [
        ("made", "made", "difference"),
        ("difference", "difference", None),
        ("final_difference", "final_difference", None),
    ],
)
def test_objectives_are_what_the_rules_say(objective: str, aim: str, tied: str | None) -> None:
    rng = np.random.default_rng(1)
    made = make_objective(objective, "klaverjas", 1)
    for _ in range(30):
        state = ending(rng, 10)
        actions = state.legal_actions()
        sign = 1 if state.side(state.to_act) == 0 else -1
        expected = minimax.action_values(state, aim)
        assert (sign * made.values([state], actions)[0]).tolist() == [expected[each] for each in actions]
        expected = minimax.action_values(state, tied) if tied else dict.fromkeys(actions, 0)
        assert (sign * made.tie_values([state], actions)[0]).tolist() == [expected[each] for each in actions]


def test_each_game_has_its_own_default() -> None:
    assert make_objective(None, "klaverjas", 1).name == "made"
    assert make_objective(None, "skat", 1).name == "win"
    assert list(get_part("klaverjas", "objectives")) == ["made", "difference", "final_difference"]
    with pytest.raises(UnknownName, match="did you mean 'made'"):
        make_objective("mad", "klaverjas", 1)


@pytest.mark.parametrize("objective", ["made", "difference", "final_difference"])
def test_knowing_the_cards_it_plays_perfectly(objective: str) -> None:
    rng = np.random.default_rng(2)
    agent = Pimc(belief="cheating", objective=objective, bidder=RandomAgent(), game="klaverjas")
    for _ in range(20):
        state = ending(rng, 10)
        expected = minimax.action_values(state, objective)
        best = (max if state.side(state.to_act) == 0 else min)(expected.values())
        decision = agent.decide_knowing(state.view(state.to_act), state, rng)
        assert expected[decision.action] == best


def test_small_information_sets_are_enumerated_and_decisions_repeat() -> None:
    state = ending(np.random.default_rng(6), 8)
    view = state.view(state.to_act)
    decisions = [
        Pimc(worlds=100_000, threads=threads, bidder=RandomAgent(), game="klaverjas").decide(
            view, np.random.default_rng(0)
        )
        for threads in (1, 2)
    ]
    assert decisions[0].stats["worlds"] == Belief(view).count
    assert decisions[0].stats == decisions[1].stats
    assert decisions[0].action == decisions[1].action


STRONG = Deal.parse(
    "CJ.C9.CA.CT.CK.HA.DA.SA/C8.C7.H7.H8.D7.D8.S7.S8/CQ.H9.HT.D9.DT.S9.ST.HJ/HQ.HK.DJ.DQ.DK.SJ.SQ.SK",
    (8, 8, 8, 8),
)


@pytest.mark.parametrize("choice", ["forced", "free"])
def test_names_the_suit_that_brings_most(choice: str) -> None:
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice=choice))
    decision = SearchBidding(worlds=3).decide(state.view(0), np.random.default_rng(1))
    assert decision.action == NAME + 3
    assert decision.value == max(decision.stats["means"].values())
    assert decision.value > 0


def test_passes_with_nothing_unless_it_must_choose() -> None:
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice="free"), forehand=1)
    agent = SearchBidding(worlds=3)
    rng = np.random.default_rng(1)
    assert agent.decide(state.view(1), rng).action == PASS
    for _ in range(4):
        state.apply(PASS)
    forced = agent.decide(state.view(1), rng)
    assert forced.action == max(forced.stats["means"], key=forced.stats["means"].__getitem__)
    eager = SearchBidding(worlds=3, threshold=-1000.0)
    start = KlaverjasState.new(STRONG, KlaverjasRules(choice="free"), forehand=1)
    assert eager.decide(start.view(1), rng).action >= NAME


def test_its_values_are_those_of_the_solver() -> None:
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice="forced"))
    decision = SearchBidding(worlds=2).decide(state.view(0), np.random.default_rng(3))
    worlds = UniformSampler().worlds(state.view(0), 2, np.random.default_rng(3))
    for action, mean in decision.stats["means"].items():
        values = []
        for world in worlds:
            named = world.state.clone()
            named.apply(action)
            values.append(Solver().solve(named, Question("final_difference")).value)
        assert mean == np.mean(values)


def test_wrong_options_and_cardplay_are_refused() -> None:
    with pytest.raises(ValueError, match="worlds=0"):
        SearchBidding(worlds=0)
    with pytest.raises(ValueError, match="does not play cards"):
        SearchBidding().decide(
            KlaverjasState.random(np.random.default_rng(1)).view(0), np.random.default_rng(1)
        )


def test_plays_a_whole_deal() -> None:
    rng = np.random.default_rng(4)
    agent = Pimc(worlds=4, bidder=SearchBidding(worlds=2), game="klaverjas")
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice="free"), forehand=2)
    play_game(state, [agent] * 4, [rng] * 4)
    assert (state.declarer, state.trump) == (0, 3), "the seat with six trumps and aces names them"
    assert state.result().made


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["made", "difference", "final_difference"])
def test_beats_random(objective: str) -> None:
    rng = np.random.default_rng(8)
    pimc = Pimc(worlds=8, objective=objective, bidder=RandomAgent(), game="klaverjas")
    total = 0
    for _ in range(30):
        state = KlaverjasState.random(rng)
        for team in (0, 1):
            end = state.clone()
            play_game(end, [pimc if seat & 1 == team else RandomAgent() for seat in range(4)], [rng] * 4)
            total += end.returns()[team]
    assert total / 60 > 15
