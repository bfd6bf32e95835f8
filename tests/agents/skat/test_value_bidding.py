"""Bidding by the networks' worth of starts: whole, consistent with the rows of real positions, fast enough to use."""

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.networks.card_values import CARDS, value_layout
from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.skat.bidding.value_bidding import GAMES, HAND_GAMES, ValueBidding
from skat_env.agents.skat.game_values import game_values
from skat_env.agents.skat.policy._declarations import write_declarations
from skat_env.cards import ALL_CARDS_MASK, cards_of, mask_of
from skat_env.deal import Deal
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat.rules import ACTION_TEXTS, BID_LEVEL, HAND, PICK_UP, YES, Contract, Phase
from tests.helpers.networks import random_network

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    """Tiny networks that know nothing."""
    torch.manual_seed(1)
    layout = value_layout("skat")
    networks = {role.name: random_network(layout.spec(role, (8, 8))) for role in layout.roles}
    return Checkpoint("skat", networks, name="tiny")


def start_value(checkpoint: Checkpoint, state: SkatState) -> float:
    """What the soloist's network says that its side gets from the start of the cardplay."""
    network = checkpoint.networks[value_layout("skat").role_of(state, state.soloist).name]
    return float(network.outputs_of([state], [state.soloist])[0, CARDS])


def start_of(view: SkatView, ten: int, skat: int, declaration: Declaration, bid: int) -> SkatState:
    """The cardplay that the soloist sees before him: the others' cards in any order."""
    rest = cards_of(ALL_CARDS_MASK & ~(ten | skat))
    places = [0, 0, 0, skat or mask_of(rest[20:])]
    places[view.seat] = ten
    places[(view.seat + 1) % 3], places[(view.seat + 2) % 3] = mask_of(rest[:10]), mask_of(rest[10:20])
    bids = [0, 0, 0]
    bids[view.seat] = bid
    return SkatState.cardplay(
        Deal((places[0], places[1], places[2], places[3])),
        view.seat,
        declaration,
        (bids[0], bids[1], bids[2]),
    )


@pytest.mark.parametrize("game", ["D", "C", "G", "N", "NO", "SH", "GH", "NH", "HHS"])
def test_rows_are_those_of_the_positions(game: str) -> None:
    declaration, encoder = Declaration.parse(game), get_encoder("skat.relabelled_soloist")
    for seat in range(3):
        view = SkatState.random(RNG).view(seat)
        laid = 0 if declaration.hand else mask_of(RNG.choice(cards_of(view.hand), 2, replace=False).tolist())
        others = cards_of(ALL_CARDS_MASK & ~view.hand)
        ten = view.hand if declaration.hand else view.hand & ~laid | mask_of(others[:2])
        state = start_of(view, ten, laid, declaration, 24)
        rows = np.empty((1, encoder.width), np.float32)
        write_declarations(
            encoder,
            seat,
            [BID_LEVEL[24] if each == seat else 0 for each in range(3)],
            np.array([ten], np.uint32),
            np.array([laid], np.uint32),
            declaration.contract,
            declaration.announcement,
            rows,
        )
        assert (rows == encoder.encode([state], [seat])).all()


def test_it_declares_what_is_worth_most(checkpoint: Checkpoint) -> None:
    """After the skat is picked up, the game of all 66 x 7 that the networks value most."""
    bidder = ValueBidding(checkpoint)
    for deal in range(4):
        state = SkatState.random(np.random.default_rng(deal))
        for action in (YES, 32, 32, PICK_UP):  # middlehand plays at 18, so that every game reaches the bid
            state.apply(action)
        view = state.view(1)
        twelve = view.hand | view.skat
        best = max(
            start_value(checkpoint, start_of(view, twelve & ~laid, laid, declaration, 18))
            for laid in (mask_of(pair) for pair in combinations(cards_of(twelve), 2))
            for declaration in (Declaration(game.contract, False, game.announcement) for game in GAMES)
        )
        promised = []
        while state.stage != "cardplay":
            decision = bidder.decide(state.view(1), RNG)
            promised.append(decision.value)
            state.apply(decision.action)
        assert promised == pytest.approx([best] * len(promised), abs=1e-2)
        assert start_value(checkpoint, state) == pytest.approx(best, abs=1e-2)


@pytest.fixture(scope="module")
def opinionated() -> Checkpoint:
    """Tiny networks that know nothing either, but value one game far above another."""
    torch.manual_seed(3)
    layout = value_layout("skat")
    networks = {
        role.name: random_network(layout.spec(role, (8, 8)), 0 if role.name == "null_soloist" else 5)
        for role in layout.roles
    }
    return Checkpoint("skat", networks, name="opinionated")


@pytest.mark.parametrize("bid", [24, 27, 30, 40])
def test_it_declares_no_game_below_its_bid(opinionated: Checkpoint, bid: int) -> None:
    """Not even one that schneider would lift to the bid."""
    bidder = ValueBidding(opinionated)
    for seed in range(6):
        deal = Deal.random(np.random.default_rng(seed), (10, 10, 10, 2))
        state = SkatState.after_auction(deal, 0, (bid, 0, 0))
        state.apply(PICK_UP)
        while state.stage != "cardplay":
            state.apply(bidder.decide(state.view(0), RNG).action)
        twelve = np.array([deal.places[0] | deal.places[3]], np.uint32)
        assert state.declaration is not None
        assert game_values([state.declaration], twelve)[0, 0] >= bid


@pytest.mark.slow
def test_a_hand_is_worth_the_mean_over_the_skats(checkpoint: Checkpoint) -> None:
    bidder = ValueBidding(checkpoint)
    view = SkatState.random(np.random.default_rng(5)).view(2)
    prospects = bidder.prospects(view)
    assert prospects.points.shape == prospects.values.shape == (231, len(GAMES))
    assert prospects.hand_values.shape == (231, len(HAND_GAMES))
    others = cards_of(ALL_CARDS_MASK & ~view.hand)
    for number in (0, 100, 230):
        skat = list(combinations(others, 2))[number]
        _, points = bidder._discards(view.hand | mask_of(skat), 2, 18)
        assert points.max(axis=1) == pytest.approx(prospects.points[number], abs=1e-2)
    assert prospects.pick_up(18) == pytest.approx(prospects.points.max(axis=1).mean())
    # Ever higher bids are reached by fewer games, and lose more.
    bids = [prospects.best(bid) for bid in (18, 30, 60, 120, 264)]
    assert bids == sorted(bids, reverse=True)
    assert bids[-1] == -2 * 23 - 50 - 80  # a null game, lost, is the cheapest


@pytest.mark.slow
def test_it_comes_to_the_cardplay_from_every_auction(checkpoint: Checkpoint) -> None:
    seen = set()
    for threshold in (-1000.0, 0.0):
        bidder = ValueBidding(checkpoint, threshold=threshold)
        for deal in range(3):
            state = SkatState.random(np.random.default_rng(deal))
            while not state.is_over and state.stage != "cardplay":
                seen.add(state.phase)
                decision = bidder.decide(state.view(state.to_act), RNG)
                assert decision.action < len(ACTION_TEXTS)
                state.apply(decision.action)
    assert Phase.BID in seen
    state = SkatState.cardplay(Deal.random(RNG, (10, 10, 10, 2)), 0, Declaration(Contract.GRAND), (18, 0, 0))
    with pytest.raises(ValueError, match="does not play cards"):
        bidder.decide(state.view(0), RNG)


def test_hand_games_are_declared(checkpoint: Checkpoint) -> None:
    bidder = ValueBidding(checkpoint)
    state = SkatState.random(np.random.default_rng(1))
    for action in (YES, 32, 32, HAND):
        state.apply(action)
    while state.stage != "cardplay":
        state.apply(bidder.decide(state.view(1), RNG).action)
    assert state.hand_game


def test_networks_that_value_nothing_are_refused() -> None:
    with pytest.raises(ParseError, match="of checkpoint skat-policy has 32 outputs: expected 33"):
        ValueBidding("skat-policy")


def test_bad_rows() -> None:
    encoder = get_encoder("skat.relabelled_soloist")
    one = np.zeros(1, np.uint32)
    with pytest.raises(ValueError, match="does not fill"):
        write_declarations(encoder, 0, [1, 0, 0], one, one, 0, 0, np.zeros((1, 5), np.float32))
    with pytest.raises(ValueError, match="expected equal numbers"):
        write_declarations(
            encoder, 0, [1, 0, 0], one, np.zeros(2, np.uint32), 0, 0, np.zeros((1, 473), np.float32)
        )
    with pytest.raises(ValueError, match=r"klaverjas\.cardplay"):
        write_declarations(
            get_encoder("klaverjas.cardplay"), 0, [1, 0, 0], one, one, 0, 0, np.zeros((1, 387), np.float32)
        )
