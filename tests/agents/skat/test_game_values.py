"""The values of games that a soloist knows, and agents that declare no game below their bid."""

from itertools import product

import numpy as np
import pytest

from skat_env.agents.random import RandomAgent
from skat_env.agents.skat.bidding.search_bidding import SearchBidding
from skat_env.agents.skat.game_values import GAMES, declarable, game_values
from skat_env.cards import mask_of, parse_mask
from skat_env.deal import Deal
from skat_env.play.lockstep import play_game
from skat_env.protocols import Agent
from skat_env.registry import make_agent
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import DECLARE, HAND, PICK_UP, Announcement, Contract, Phase

HAND_GAMES = tuple(
    Declaration(contract, True, announcement)
    for contract, announcement in product(Contract, Announcement)
    if contract != Contract.NULL or announcement in (Announcement.NONE, Announcement.OUVERT)
)
DEALER = np.random.default_rng(5)


def after_auction(seed: int, bid: int) -> SkatState:
    return SkatState.after_auction(Deal.random(np.random.default_rng(seed), (10, 10, 10, 2)), 0, (bid, 0, 0))


def is_below_bid(state: SkatState) -> bool:
    """Whether a declared game does not reach the bid though another would: grand, if nothing else."""
    declaration = state.declaration
    assert declaration is not None
    known = state.dealt[state.soloist] | (0 if state.hand_game else state.dealt[3])
    games = HAND_GAMES if state.hand_game else GAMES
    values = game_values((declaration, *games), np.array([known], np.uint32))[0]
    return bool(values[0] < state.bid <= values.max())


@pytest.mark.parametrize("declaration", [*GAMES, *HAND_GAMES], ids=Declaration.text)
def test_values_are_those_of_the_rules(declaration: Declaration) -> None:
    """Without schneider and schwarz that were reached, but not announced."""
    for seed in range(6):
        deal = Deal.random(DEALER, (10, 10, 10, 2))
        state = SkatState.cardplay(
            deal, seed % 3, declaration, tuple(18 * (seat == seed % 3) for seat in range(3))
        )
        twelve = state.dealt[seed % 3] | state.dealt[3]
        play_game(state, [RandomAgent()] * 3, [DEALER] * 3)
        result = state.result()
        reached = (result.schneider and not declaration.announcement) + (
            result.schwarz and declaration.announcement < Announcement.SCHWARZ
        )
        value = game_values([declaration], np.array([twelve], np.uint32))[0, 0]
        base = 0 if declaration.contract == Contract.NULL else (9, 10, 11, 12, 24)[declaration.contract]
        assert result.value == value + base * reached


def with_one(bid: int) -> SkatState:
    """Forehand plays at a bid, holds the jack of clubs without that of spades, and finds no jack."""
    hand, skat = parse_mask("CJ.HJ.C9.C8.S8.S7.H8.H7.D8.D7"), parse_mask("HA.DA")
    rest = [card for card in range(32) if not (hand | skat) >> card & 1]
    return SkatState.after_auction(Deal((hand, mask_of(rest[:10]), mask_of(rest[10:]), skat)), 0, (bid, 0, 0))


@pytest.mark.parametrize(
    ("bid", "reach"), [(18, "D H S C G N NO"), (24, "C G NO"), (48, "G"), (50, "D H S C G N NO")]
)
def test_games_below_the_bid_are_left_out(bid: int, reach: str) -> None:
    """All are left in if none reaches it."""
    state = with_one(bid)
    state.apply(PICK_UP)
    allowed = declarable(GAMES, [state.view(0)])[0]
    assert [game for game, is_left in zip(GAMES, allowed, strict=True) if is_left] == [
        Declaration.parse(text) for text in reach.split()
    ]


def test_a_declared_null_is_announced_open_to_reach_the_bid() -> None:
    state = with_one(30)
    for action in (PICK_UP, DECLARE + Contract.NULL):
        state.apply(action)
    assert declarable(GAMES, [state.view(0)])[0].tolist() == [False] * 6 + [True]


def test_announced_levels_are_no_reason_to_refuse_games() -> None:
    """Spades by hand are below the bid. An open hand would reach it, and lose more."""
    state = with_one(50)
    for action in (HAND, DECLARE + Contract.SPADES):
        state.apply(action)
    allowed = declarable(HAND_GAMES, [state.view(0)])[0]
    assert allowed.tolist() == [game.contract == Contract.SPADES for game in HAND_GAMES]


def test_the_skat_is_picked_up_if_no_hand_game_reaches_the_bid() -> None:
    allowed = declarable((None, *HAND_GAMES), [with_one(240).view(0)])[0]
    assert allowed[0]
    assert not allowed[[1 + HAND_GAMES.index(Declaration.parse(text)) for text in ("CH", "GH", "NOH")]].any()


def check_declarations(agent: Agent, games: int, bids: tuple[int, ...]) -> None:
    for seed, bid, first in product(range(games), bids, (None, HAND)):
        state, rng = after_auction(seed, bid), np.random.default_rng(seed)
        if first is not None:
            state.apply(first)
        while state.phase != Phase.PLAY:
            state.apply(agent.decide(state.view(0), rng).action)
        assert not is_below_bid(state), (seed, bid, state.declaration)


def test_search_declares_no_game_below_its_bid() -> None:
    check_declarations(SearchBidding(2, worlds=2, games=2), 4, (24, 35, 60))


@pytest.mark.parametrize("variant", ["DI.M", "DI.S", "MV", "MLV"])
def test_networks_declare_no_game_below_their_bid(variant: str) -> None:
    check_declarations(make_agent(f"policy(variant={variant})", "skat"), 12, (24, 35, 60))


def test_networks_asked_for_many_games_declare_none_below_their_bid() -> None:
    """Whole auctions, in step: with the bids that the networks make themselves."""
    agent = make_agent("policy", "skat")
    states = [SkatState.random(np.random.default_rng(seed)) for seed in range(120)]
    rngs = [np.random.default_rng(seed) for seed in range(120)]
    while going := [i for i, state in enumerate(states) if not state.is_over and state.stage != "cardplay"]:
        views = [states[i].view(states[i].to_act) for i in going]
        for i, decision in zip(going, agent.decide_many(views, [rngs[i] for i in going]), strict=True):
            states[i].apply(decision.action)
    declared = [state for state in states if state.soloist >= 0]
    assert len(declared) > 80
    assert [state.text() for state in declared if is_below_bid(state)] == []
