"""Positions of both games before their last cards, reached by random play."""

from itertools import product

import numpy as np

from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Declaration, SkatRules

KLAVERJAS_RULES = [
    KlaverjasRules(legality, "given", tie, four_jacks, pit)
    for legality, tie, four_jacks, pit in product(
        ("rotterdam", "amsterdam"), ("nat", "made"), (200, 100), ("declarers", "both")
    )
]


def skat_ending(rng: np.random.Generator, contract: Contract, cards_left: int) -> SkatState:
    """A game played at random until some cards are left to play."""
    deal = Deal.random(rng, PLACE_SIZES)
    seat = int(rng.integers(3))
    bids = (18 * (seat == 0), 18 * (seat == 1), 18 * (seat == 2))
    while True:
        state = SkatState.cardplay(deal, seat, Declaration(contract), bids, SkatRules(play_out=True))
        while not state.is_over and 30 - len(state.plays()) > cards_left:
            legal = state.legal_actions()
            # The soloist of a null game ducks where he can, or few endings would be undecided.
            low = contract == Contract.NULL and state.to_act == state.soloist and rng.random() < 0.8
            state.apply(legal[0] if low else legal[int(rng.integers(len(legal)))])
        if not state.is_over:
            return state


def skat_choice(rng: np.random.Generator, declaration: str, cards_left: int, bid: int = 18) -> SkatState:
    """An ending of a declared game in which the seat to act has a choice; the bid may be more than the game is worth."""
    while True:
        seat = int(rng.integers(3))
        bids = (bid * (seat == 0), bid * (seat == 1), bid * (seat == 2))
        deal = Deal.random(rng, PLACE_SIZES)
        state = SkatState.cardplay(deal, seat, Declaration.parse(declaration), bids)
        while not state.is_over and 30 - len(state.plays()) > cards_left:
            legal = state.legal_actions()
            low = declaration[0] == "N" and state.to_act == seat
            state.apply(legal[0] if low else legal[int(rng.integers(len(legal)))])
        if not state.is_over and len(state.legal_actions()) > 1:
            return state


def skat_endings(count: int, seed: int, cards_left: int = 18) -> list[SkatState]:
    """Endings of all contracts, of three lengths."""
    rng = np.random.default_rng(seed)
    return [skat_ending(rng, Contract(number % 6), cards_left - number % 3) for number in range(count)]


def klaverjas_ending(rng: np.random.Generator, rules: KlaverjasRules, cards_left: int) -> KlaverjasState:
    """A deal played at random until some cards are left to play."""
    state = KlaverjasState.random(rng, rules)
    while 32 - len(state.plays()) > cards_left:
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])
    return state


def klaverjas_choice(rng: np.random.Generator, cards_left: int) -> KlaverjasState:
    """An ending under the default rules in which the seat to act has a choice."""
    while True:
        state = klaverjas_ending(rng, KlaverjasRules(), cards_left)
        if len(state.legal_actions()) > 1:
            return state


def klaverjas_endings(count: int, seed: int, cards_left: int = 20) -> list[KlaverjasState]:
    """Endings under all rules, of four lengths."""
    rng = np.random.default_rng(seed)
    rules = KLAVERJAS_RULES
    return [
        klaverjas_ending(rng, rules[number % len(rules)], cards_left - number % 4) for number in range(count)
    ]
