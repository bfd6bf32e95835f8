"""The choice of trumps by search."""

import numpy as np
import pytest

from skat_env.agents.klaverjas.bidding import SearchBidding
from skat_env.agents.search.pimc import Pimc
from skat_env.beliefs.belief import UniformSampler
from skat_env.deal import Deal
from skat_env.errors import OptionError
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.klaverjas.rules import NAME, PASS
from skat_env.play.lockstep import play_game
from skat_env.registry import make_agent
from skat_env.solvers.klaverjas import Question, Solver

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


@pytest.mark.parametrize("seat", [0, 1])
def test_worlds_may_be_played_out(seat: int) -> None:
    """Every suit, and passing: the mean of the own team's lead over the same worlds."""
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice="free"))
    for _ in range(seat):
        state.apply(PASS)
    agent = SearchBidding(worlds=4, inner="rule")
    decision = agent.decide(state.view(seat), np.random.default_rng(3))
    worlds = UniformSampler().worlds(state.view(seat), 4, np.random.default_rng(3))
    assert set(decision.stats["means"]) == set(state.legal_actions())
    for action, mean in decision.stats["means"].items():
        leads = []
        for world in worlds:
            played = world.state.clone()
            played.apply(action)
            play_game(played, [make_agent("rule", "klaverjas")] * 4, [np.random.default_rng(0)] * 4)
            points = played.returns("score")
            leads.append(points[seat % 2] - points[1 - seat % 2])
        assert mean == np.mean(leads)
    assert decision.value == max(decision.stats["means"].values())
    assert agent.name == "search_bidding(worlds=4, inner=rule)"


def test_wrong_options_and_cardplay_are_refused() -> None:
    with pytest.raises(ValueError, match="worlds=0"):
        SearchBidding(worlds=0)
    with pytest.raises(OptionError, match="worlds that are played out"):
        SearchBidding(inner="rule", threshold=3.5)
    with pytest.raises(ValueError, match="does not play cards"):
        SearchBidding().decide(
            KlaverjasState.random(np.random.default_rng(1)).view(0), np.random.default_rng(1)
        )


def test_a_strong_hand_names_its_suit_and_makes_it() -> None:
    state = KlaverjasState.new(STRONG, KlaverjasRules(choice="free"))
    rng = np.random.default_rng(4)
    agent = Pimc(worlds=4, bidder=SearchBidding(worlds=2), game="klaverjas")
    play_game(state, [agent] * 4, [rng] * 4)
    assert (state.declarer, state.trump) == (0, 3)
    assert state.result().made
