"""Bidding by search: sensible, legal, repeatable."""

import numpy as np
import pytest

from skat_env.agents.skat.bidding.search_bidding import SearchBidding
from skat_env.cards import parse_mask
from skat_env.deal import Deal
from skat_env.skat import GAME, SkatState
from skat_env.skat.rules import PASS, PICK_UP, YES, Phase

SMALL = {"skats": 4, "worlds": 3}


def deal_with(hand: str, seat: int, rng: np.random.Generator) -> Deal:
    """A random deal in which a seat has a hand."""
    mask = parse_mask(hand)
    others = rng.permutation([card for card in range(32) if not mask >> card & 1]).tolist()
    places = []
    for place, size in enumerate((10, 10, 10, 2)):
        if place == seat:
            places.append(mask)
        else:
            places.append(sum(1 << card for card in others[:size]))
            others = others[size:]
    return Deal(tuple(places))


def to_declaration(bidder: SearchBidding, state: SkatState, rng: np.random.Generator) -> SkatState:
    while not state.is_over and state.phase != Phase.PLAY:
        state.apply(bidder.decide(state.view(state.to_act), rng).action)
    return state


def test_a_monster_plays_grand_and_a_wreck_passes() -> None:
    rng = np.random.default_rng(0)
    bidder = SearchBidding(**SMALL)
    strong = to_declaration(bidder, SkatState.new(deal_with("CJ.SJ.HJ.CA.CT.CK.SA.ST.HA.DA", 1, rng)), rng)
    assert strong.soloist == 1
    assert strong.contract.name in ("GRAND", "CLUBS")
    wreck = SkatState.new(deal_with("D8.DQ.DK.H9.HQ.HK.S9.SQ.CQ.CK", 1, rng))
    assert bidder.decide(wreck.view(1), rng).action == 32


def test_a_hand_without_risk_is_null() -> None:
    rng = np.random.default_rng(1)
    bidder = SearchBidding(**SMALL)
    deal = deal_with("D7.D8.D9.H7.H8.H9.S7.S8.S9.C7", 1, rng)
    assert bidder.decide(SkatState.new(deal).view(1), rng).action == 33
    won = SkatState.after_auction(deal, 1, (0, 18, 0))
    assert to_declaration(bidder, won, rng).declaration.text()[0] == "N"


@pytest.mark.slow
def test_decisions_are_legal_and_repeat() -> None:
    """The same with a fresh bidder, and whatever it was asked before."""
    used = SearchBidding(**SMALL)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        state = SkatState.new(GAME.random_deal(rng))
        while not state.is_over and state.phase != Phase.PLAY:
            view = state.view(state.to_act)
            action = used.decide(view, rng).action
            assert action in view.legal_actions()
            if state.phase >= Phase.PICK_UP:
                assert SearchBidding(**SMALL).decide(view, rng).action == action
            # What was chosen is not always what is played: any auction and contract must be bid on from.
            legal = view.legal_actions()
            state.apply(action if rng.random() < 0.7 else legal[int(rng.integers(len(legal)))])


@pytest.mark.slow
def test_games_reach_the_bid() -> None:
    bidder = SearchBidding(**SMALL)
    declared = overbid = 0
    for seed in range(25):
        rng = np.random.default_rng(100 + seed)
        state = to_declaration(bidder, SkatState.new(GAME.random_deal(rng)), rng)
        if state.phase == Phase.PLAY:
            declared += 1
            overbid += state.result(claim=True).overbid and not state.hand_game
    assert declared >= 15
    assert overbid <= 1


def test_a_hand_that_takes_all_tricks_is_bid_up_to_what_it_is_worth() -> None:
    """Grand ouvert with one matador is worth 192; the next bid is 198."""
    rng, held = np.random.default_rng(2), []
    bidder = SearchBidding(skats=2, worlds=1)
    deal = deal_with("CJ.HJ.DJ.DA.DT.DK.DQ.D9.D8.D7", 0, rng)
    state = SkatState.new(deal)
    while state.stage == "auction":
        action = YES if state.to_act == 1 else PASS
        if state.to_act == 0:
            action = bidder.decide(state.view(0), rng).action
            held += [state.bid] * (action == YES)
        state.apply(action)
    assert held[-1] == 192
    assert state.bid == 198
    won = to_declaration(bidder, SkatState.after_auction(deal, 0, (192, 18, 0)), rng)
    assert won.declaration.text() == "GO"
    lost = SkatState.after_auction(deal, 0, (198, 18, 0))
    assert bidder.decide(lost.view(0), rng).action == PICK_UP


def test_it_does_not_play_cards() -> None:
    state = SkatState.new(GAME.random_deal(np.random.default_rng(0)))
    for action in (33, 32, 32, 35, 40, 42):
        state.apply(action)
    with pytest.raises(ValueError, match="does not play cards"):
        SearchBidding().decide(state.view(0), np.random.default_rng(0))
