"""SkatState and SkatView: what they hide, how deals start, and results; what holds in every game is in test_states.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.cards import ALL_CARDS_MASK, cards_of
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.skat import GAME, Declaration, SkatRules, SkatState, SkatView
from skat_env.skat.rules import HIDDEN, Contract, Phase, follow_groups
from tests.conftest import random_skat_games, skat_positions


@given(skat_positions(), st.integers(0, 2**32 - 1))
def test_views_never_change_when_hidden_cards_are_exchanged(state: SkatState, seed: int) -> None:
    """Deals the cards that a seat cannot place anew among where they can be, and replays the game."""
    rng = np.random.default_rng(seed)
    for seat in range(3):
        view = state.view(seat)
        other = exchanged(state, seat, rng)
        if other is not None:
            assert other.view(seat) == view
            assert hash(other.view(seat)) == hash(view)
            assert (other.observe(seat) == state.observe(seat)).all()


def exchanged(state: SkatState, seat: int, rng: np.random.Generator) -> SkatState | None:
    """Another world that a seat cannot tell apart; None where a random exchange breaks the rules of the game."""
    knows_skat = state.picked_up and state.soloist == seat
    if state.announcement == 3:
        return None
    hidden_at = [place for place in range(4) if place != seat and not (place == 3 and knows_skat)]
    played = {place: state.played_mask() & state.dealt[place] for place in range(4)}
    if state.picked_up and state.soloist != seat:
        return None  # the discards would have to be exchanged too
    free = [card for place in hidden_at for card in cards_of(state.dealt[place] & ~played[place])]
    rng.shuffle(free)
    places = list(state.dealt)
    for place in hidden_at:
        size = (state.dealt[place] & ~played[place]).bit_count()
        taken, free = free[:size], free[size:]
        places[place] = played[place] | sum(1 << card for card in taken)
    other = SkatState.new(Deal(tuple(places)), state.rules)
    try:
        for action in state.history():
            other.apply(action)
    except IllegalAction:
        return None
    return other


@given(skat_positions())
def test_views_hold_nothing_hidden(state: SkatState) -> None:
    for seat in range(3):
        view = state.view(seat)
        assert view.seat == seat
        assert view.hand == state.hands[seat]
        assert view.legal() == (state.legal() if state.to_act == seat else 0)
        opened = state.announcement == 3 and state.phase in (Phase.PLAY, Phase.OVER)
        for other in range(3):
            if other != seat:
                assert view.hands[other] == (state.hands[other] if opened and other == state.soloist else 0)
                assert view.dealt[other] == 0
        knows_skat = state.picked_up and state.soloist == seat
        assert view.skat == (state.skat if knows_skat else 0)
        assert view.dealt[3] == (state.dealt[3] if knows_skat else 0)
        own = [
            HIDDEN if 0 <= a < 32 and not knows_skat and i < len(state.history()) - len(state.plays()) else a
            for i, a in enumerate(state.history())
        ]
        assert view.history() == own


def test_starts_after_the_auction_and_at_the_cardplay() -> None:
    rng = np.random.default_rng(7)
    deal = GAME.random_deal(rng)
    state = SkatState.after_auction(deal, 2, (0, 20, 22))
    assert (state.phase, state.to_act, state.bid, state.passed) == (Phase.PICK_UP, 2, 22, (True, True, False))
    state.apply(34)
    state.undo()
    assert state == SkatState.after_auction(deal, 2, (0, 20, 22))
    play = SkatState.cardplay(deal, 1, Declaration.parse("GHS"), (0, 48, 46))
    assert (play.phase, play.to_act, play.soloist, play.declaration.text()) == (Phase.PLAY, 0, 1, "GHS")
    assert play.view(1).skat == 0
    assert SkatState.cardplay(deal, 1, Declaration.parse("G"), (0, 48, 46)).view(1).skat == deal.places[3]
    for start in (state, play):
        assert SkatState.parse(start.text()) == start
        for seat in range(3):
            assert SkatView.parse(start.view(seat).text()) == start.view(seat)


@pytest.mark.parametrize("contract", list(Contract))
def test_views_refuse_cards_that_an_earlier_play_excludes(contract: Contract) -> None:
    """A seat that failed to follow has no card of that suit."""
    rng = np.random.default_rng(9)
    state = SkatState.cardplay(GAME.random_deal(rng), 2, Declaration(contract), (0, 0, 18), SkatRules(True))
    groups = follow_groups(contract)
    refused = 0
    while not state.is_over:
        view = state.view((state.to_act + 1) % 3)
        seen = view.dealt[view.seat] | view.skat | state.played_mask()
        for card in cards_of(ALL_CARDS_MASK & ~seen):
            text = f"{view.text()} {GAME.actions[card]}"
            group = next(number for number, mask in enumerate(groups) if mask >> card & 1)
            if view.is_void(state.to_act, group):
                refused += 1
                with pytest.raises(ParseError, match="is not possible there"):
                    SkatView.parse(text)
            else:
                assert SkatView.parse(text).history()[-1] == card
        state.apply(int(rng.choice(state.legal_actions())))
    assert refused


def test_an_open_hand_has_no_suit_that_the_soloist_failed_to_follow() -> None:
    hand, left = "D7.D8.D9.DQ.DK.H7.H8.S8.S9.ST", "C7.C8.C9.CQ.CJ.HQ.HK.SQ.SK"
    text = f"{hand}/?/?/? seat=0 declarer=1 bids=0,18,0 game=NO open={left} : D7 CT DA"
    assert SkatView.parse(text).to_act == 2
    with pytest.raises(ParseError, match="or of a suit that it failed to follow"):
        SkatView.parse(text.replace("SK", "DT"))


@pytest.mark.parametrize(
    ("declarer", "bids", "told"),
    [
        (3, (18, 0, 0), "not a seat"),
        (0, (19, 0, 0), "not a bid value"),
        (0, (18, 20, 0), "highest"),
        (0, (0, 0, 0), "highest"),
        (0, (18, 0), "2 values"),
    ],
)
def test_impossible_auctions_raise(declarer: int, bids: tuple, told: str) -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    with pytest.raises(ParseError, match=told):
        SkatState.after_auction(deal, declarer, bids)


def test_a_wrong_deal_raises() -> None:
    with pytest.raises(ParseError, match="3 places, expected 4"):
        SkatState.new(Deal.random(np.random.default_rng(0), (12, 10, 10)))


@pytest.mark.parametrize("unit", GAME.reward_units)
def test_reward_units_agree_with_the_result(unit: str) -> None:
    for state in random_skat_games(200, 11):
        result = state.result()
        returns = state.returns(unit)
        if result.declarer < 0:
            assert returns == (0, 0, 0)
            continue
        expected = {
            "tournament_points": (result.value + 50, 0) if result.won else (-2 * result.value - 50, 40),
            "list_score": (result.list_score, 0),
            "win": (1, -1) if result.won else (-1, 1),
            "card_points": (result.card_points, 120 - result.card_points),
        }[unit]
        assert returns == tuple(expected[seat != result.declarer] for seat in range(3))
        assert state.outcome().won == result.won
