"""Endings against plain twins, and what must hold between their values."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skat_env.deal import Deal
from skat_env.errors import OptionError, UnknownName
from skat_env.klaverjas import KlaverjasRules
from skat_env.registry import make_agent
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, SkatRules
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.policy import AgentPolicy, Strategy, UniformPolicy
from skat_env.solvers.endings.pure import best_pure
from skat_env.solvers.endings.response import best_response, nash_conv, team_response, value_of
from tests.helpers import plain_endings as plain
from tests.helpers.endings import klaverjas_ending, skat_ending

OUTCOMES = {"skat": ("win", "points", "tournament_points"), "klaverjas": ("made", "final_difference")}
SEATS = {"skat": 3, "klaverjas": 4}
GRAND = " play_out=1 declarer=0 bids=18,0,0 game=G : SJ HJ CJ CT CQ C7 DA D7 HK H7 HA H9 ST SQ DQ S7 S8 CA SA C8 S9"
DEALS = (
    "D7.D8.HA.S7.S9.ST.SJ.SK.CQ.CK/H9.HT.HJ.HQ.HK.S8.SQ.SA.C7.C9/D9.DT.DQ.DA.H7.H8.C8.CT.CJ.CA/DJ.DK",
    "D7.DT.DJ.HQ.HA.S7.S9.ST.SJ.CQ/H8.H9.HJ.HK.S8.SQ.SK.SA.C7.C9/D8.DQ.DK.DA.H7.C8.CT.CJ.CK.CA/D9.HT",
    "D7.D9.DJ.HT.HA.S7.S9.ST.SJ.CQ/H8.H9.HJ.HQ.HK.S8.SQ.SK.SA.C7/D8.DQ.DK.DA.H7.C8.CT.CJ.CK.CA/DT.C9",
)
"""Three deals in which the grand can have been played so."""


def an_ending(seed: int, tricks: int, worlds: int, outcome: int | None = None) -> tuple[Ending, int]:
    """An ending of some worlds of a view, with random weights, and the seat to act."""
    rng = np.random.default_rng(seed)
    game = ("skat", "klaverjas")[seed % 2]
    cards = tricks * SEATS[game] - int(rng.integers(SEATS[game]))
    state: Any = (
        skat_ending(rng, Contract(int(rng.integers(6))), cards)
        if game == "skat"
        else klaverjas_ending(rng, KlaverjasRules(), cards)
    )
    names = OUTCOMES[game]
    name = names[int(rng.integers(len(names))) if outcome is None else outcome % len(names)]
    whole = Ending.of_view(state.view(state.to_act), game=game)
    chosen = rng.permutation(len(whole.states))[:worlds]
    weights = rng.random(len(chosen)) + 0.01
    return Ending([whole.states[i] for i in chosen], weights, game=game, outcome=name), state.to_act


def uniform(ending: Ending) -> dict[int, Any]:
    return dict.fromkeys(range(len(ending.game.seats)), UniformPolicy())


def by_rule(ending: Ending) -> dict[int, Any]:
    agent = AgentPolicy(make_agent("rule", ending.game.name))
    return dict.fromkeys(range(len(ending.game.seats)), agent)


class Counting:
    """A policy that counts how often it is asked in each view."""

    def __init__(self, policy: Any) -> None:
        self._policy, self._counts = policy, Counter[int]()

    @property
    def most(self) -> int:
        return max(self._counts.values(), default=0)

    def probabilities(self, views: Any) -> Any:
        self._counts.update(view.key() for view in views)
        return self._policy.probabilities(views)


class TestTwins:
    @pytest.mark.parametrize("seed", range(16))
    def test_the_best_response_is_that_of_plain_enumeration(self, seed: int) -> None:
        ending, seat = an_ending(seed, 2, 12)
        for policies in (uniform(ending), by_rule(ending)):
            for other in range(SEATS[ending.game.name]):
                found = best_response(ending, other, policies)
                assert found.value == pytest.approx(plain.best_response(ending, other, policies))
        assert max(best_response(ending, seat, uniform(ending)).cards.values()) == pytest.approx(
            best_response(ending, seat, uniform(ending)).value
        )

    @pytest.mark.parametrize("seed", range(8))
    def test_nash_conv_is_what_best_responses_win_and_asks_once(self, seed: int) -> None:
        ending, _ = an_ending(seed, 2, 12)
        seats = range(SEATS[ending.game.name])
        for policies in (uniform(ending), by_rule(ending)):
            gains = [
                plain.best_response(ending, seat, policies) - value_of(ending, seat, policies)
                for seat in seats
            ]
            counting = Counting(policies[0])
            assert nash_conv(ending, dict.fromkeys(seats, counting)) == pytest.approx(sum(gains))
            assert counting.most <= 1

    @pytest.mark.parametrize("seed", range(6))
    def test_no_pure_strategy_of_plain_enumeration_is_better(self, seed: int) -> None:
        ending, seat = an_ending(seed, 2, 3)
        policies = uniform(ending)
        strategies = plain.pure_strategies(ending, seat)
        values = []
        for number, strategy in enumerate(strategies):
            if number == 64:
                break
            cards = {view.key(): card for view, card in strategy.items()}
            values.append(value_of(ending, seat, {**policies, seat: Strategy(cards, UniformPolicy())}))
        assert max(values) <= best_response(ending, seat, policies).value + 1e-9
        if number < 64:
            assert max(values) == pytest.approx(best_response(ending, seat, policies).value)

    @pytest.mark.parametrize("seed", range(40))
    def test_the_best_pure_strategy_of_two_tricks(self, seed: int) -> None:
        ending, seat = an_ending(seed, 2, 20)
        assert best_pure(ending, seat).value == pytest.approx(plain.best_pure(ending, seat))

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(24))
    def test_the_best_pure_strategy_of_three_tricks(self, seed: int) -> None:
        ending, seat = an_ending(seed, 3, 8)
        found = best_pure(ending, seat)
        assert found.value == pytest.approx(plain.best_pure(ending, seat))
        every = best_pure(ending, seat, every=True)
        assert every.value == pytest.approx(found.value)
        assert every.best == found.best


class TestInvariants:
    @given(st.integers(0, 10_000))
    @settings(max_examples=40, deadline=None)
    def test_a_best_response_is_no_worse_than_any_play(self, seed: int) -> None:
        ending, seat = an_ending(seed, 2, 30)
        policies = uniform(ending)
        found = best_response(ending, seat, policies)
        assert found.value >= value_of(ending, seat, policies) - 1e-9
        assert value_of(ending, seat, {**policies, seat: found.strategy}) == pytest.approx(found.value)

    @given(st.integers(0, 10_000))
    @settings(max_examples=40, deadline=None)
    def test_opponents_who_see_more_are_never_worse(self, seed: int) -> None:
        """The best pure strategy <= open cards, and the same strategy gets more from players who see less."""
        ending, seat = an_ending(seed, 3, 30)
        found = best_pure(ending, seat)
        assert found.value <= found.open_value + 1e-9
        alone = Ending(ending.states[:1], game=ending.game.name, outcome=ending.outcome.name)
        one = best_pure(alone, seat)
        assert one.value == pytest.approx(one.open_value)

    @given(st.integers(0, 10_000))
    @settings(max_examples=25, deadline=None)
    def test_knowing_the_world_is_never_worse(self, seed: int) -> None:
        ending, seat = an_ending(seed, 2, 20)
        policies = uniform(ending)
        apart = sum(
            weight
            * best_response(
                Ending([state], game=ending.game.name, outcome=ending.outcome.name), seat, policies
            ).value
            for state, weight in zip(ending.states, ending.weights, strict=True)
        )
        assert best_response(ending, seat, policies).value <= apart + 1e-9

    @pytest.mark.parametrize("seed", range(6))
    def test_a_team_gets_no_less_than_a_member_alone(self, seed: int) -> None:
        ending, _ = an_ending(seed, 2, 20)
        policies = uniform(ending)
        state = ending.states[0]
        team = [seat for seat in range(SEATS[ending.game.name]) if state.side(seat) == 1]
        found = team_response(ending, team, policies)
        assert found.upper >= found.lower - 1e-9
        for seat in team:
            assert found.lower >= best_response(ending, seat, policies).value - 1e-9
        assert value_of(ending, team[0], {**policies, **found.strategies}) == pytest.approx(found.lower)

    def test_no_member_of_a_team_gains_alone(self) -> None:
        """Two strategies of a member may be as good, and the other's best response to only one of them."""
        ending = Ending([SkatState.parse(deal + GRAND) for deal in DEALS], game="skat", outcome="points")
        policies = by_rule(ending)
        found = team_response(ending, (1, 2), policies)
        for seat in (1, 2):
            alone = best_response(ending, seat, {**policies, **found.strategies})
            assert alone.value == pytest.approx(found.lower)

    def test_the_joint_deals_are_all_there(self) -> None:
        """The seats of a fresh ending of two cards a hand may hold 2,520 joint deals at most."""
        rng = np.random.default_rng(0)
        state = skat_ending(rng, Contract.CLUBS, 6)
        ending = Ending.of_state(state, game="skat")
        assert 0 < len(ending.states) <= 2520
        assert len(set(ending.states)) == len(ending.states)
        for seat in range(3):
            views = {world.view(seat) for world in ending.states}
            assert state.view(seat) in views or (seat == state.soloist and state.picked_up)
            held = [world for world in ending.states if world.view(seat) == state.view(seat)]
            assert (
                len(held) == len(Ending.of_view(state.view(seat), game="skat").states)
                or seat == state.soloist
            )


class TestBadInput:
    def test_what_is_wrong_is_said(self) -> None:
        ending, seat = an_ending(0, 2, 5)
        state = ending.states[0]
        with pytest.raises(OptionError, match="expected 1 to 400,000"):
            Ending([], game="skat")
        with pytest.raises(UnknownName, match="outcome"):
            Ending([state], game="skat", outcome="glory")
        with pytest.raises(OptionError, match="expected one each"):
            Ending([state], [0.0], game="skat")
        with pytest.raises(OptionError, match="another history"):
            Ending([state, skat_ending(np.random.default_rng(5), Contract.GRAND, 6)], game="skat")
        with pytest.raises(OptionError, match="not in the cardplay"):
            Ending([SkatState.random(np.random.default_rng(0))], game="skat")
        with pytest.raises(OptionError, match="the policy of seat"):
            best_response(ending, seat, {})
        small = Ending(ending.states, game="skat", pairs=3)
        with pytest.raises(OptionError, match="expected fewer tricks or worlds"):
            best_response(small, seat, uniform(small))
        with pytest.raises(OptionError, match="different seats of one side"):
            team_response(ending, (0, 1, 2), uniform(ending))
        with pytest.raises(OptionError, match="expected fewer tricks or worlds"):
            best_pure(an_ending(2, 3, 100)[0], an_ending(2, 3, 100)[1], work=1)

    @pytest.mark.parametrize(
        ("bids", "declaration", "rules"),
        [
            ((180, 0, 0), "CHS", SkatRules()),
            ((20, 0, 0), "C", SkatRules()),
            ((18, 0, 0), "CH", SkatRules()),
            ((18, 0, 0), "C", SkatRules(play_out=True)),
        ],
    )
    def test_worlds_of_other_bids_declarations_or_rules_are_refused(
        self, bids: tuple[int, int, int], declaration: str, rules: SkatRules
    ) -> None:
        deal = Deal.random(np.random.default_rng(3), PLACE_SIZES)
        worlds = [
            SkatState.cardplay(deal, 0, Declaration.parse("C"), (18, 0, 0)),
            SkatState.cardplay(deal, 0, Declaration.parse(declaration), bids, rules),
        ]
        while len(worlds[0].plays()) < 21:
            card = worlds[0].legal_actions()[0]
            for world in worlds:
                world.apply(card)
        with pytest.raises(OptionError, match="world 1 of an ending has another history than world 0"):
            Ending(worlds, game="skat")

    def test_what_is_no_seat_policy_belief_or_limit_is_refused(self) -> None:
        ending, seat = an_ending(0, 2, 5)
        view, policies = ending.states[0].view(seat), uniform(ending)
        for wrong in (-1, 3, 1.5, "0"):
            for asked in (
                lambda wrong: value_of(ending, wrong, policies),
                lambda wrong: best_response(ending, wrong, policies),
                lambda wrong: best_pure(ending, wrong),
                lambda wrong: team_response(ending, [wrong], policies),
            ):
                with pytest.raises(OptionError, match=r"seat=.*: expected a whole number from 0 to 2"):
                    asked(wrong)
        with pytest.raises(OptionError, match="seats=1: expected a list"):
            team_response(ending, 1, policies)  # type: ignore[arg-type]
        for work in (0, -5, 2.5, "many"):
            with pytest.raises(OptionError, match=r"work=.*: expected a whole number"):
                best_pure(ending, seat, work=work)  # type: ignore[arg-type]
        agents: Any = dict.fromkeys(range(3), make_agent("rule", "skat"))
        with pytest.raises(OptionError, match="expected a Policy, as AgentPolicy"):
            nash_conv(ending, agents)
        with pytest.raises(OptionError, match="policies="):
            value_of(ending, seat, [policies[0]] * 3)  # type: ignore[arg-type]
        with pytest.raises(OptionError, match="belief=uniform: expected"):
            Ending.of_view(view, game="skat", belief="uniform")  # type: ignore[arg-type]
        with pytest.raises(OptionError, match=r"outcome=.*: expected a text"):
            Ending.of_view(view, game="skat", outcome=["win"])

    def test_weights_may_be_as_large_as_floats(self) -> None:
        ending, _ = an_ending(0, 2, 3)
        large = Ending(ending.states, [1e308, 1e308, 5e307], game="skat")
        assert large.weights.tolist() == pytest.approx([0.4, 0.4, 0.2])

    def test_too_many_deals_are_refused_as_they_are_counted(self) -> None:
        """There are 184,756 hands of a defender, and each takes milliseconds."""
        state = skat_ending(np.random.default_rng(0), Contract.GRAND, 30)
        with pytest.raises(OptionError, match="or more worlds: expected 1 to 400,000"):
            Ending.of_state(state, game="skat")

    def test_too_many_worlds_are_counted(self) -> None:
        state = skat_ending(np.random.default_rng(0), Contract.GRAND, 30)
        with pytest.raises(OptionError, match="worlds: expected 1 to 400,000"):
            Ending.of_view(state.view(state.to_act), game="skat")

    def test_agents_with_memory_or_open_cards_are_no_policies(self) -> None:
        with pytest.raises(OptionError, match="remembers its games"):
            AgentPolicy(make_agent("ismcts(simulations=10)", "skat"))
        with pytest.raises(OptionError, match="sees all cards"):
            AgentPolicy(make_agent("pimc(worlds=1, belief=cheating)", "skat"))

    def test_a_policy_must_give_probabilities(self) -> None:
        class Wrong:
            def probabilities(self, views: Any) -> Any:
                return np.zeros((len(views), 32))

        ending, seat = an_ending(0, 3, 5)
        with pytest.raises(OptionError, match="sum of 1"):
            value_of(ending, seat, dict.fromkeys(range(3), Wrong()))
