"""OpenSpiel's own `skat` beside ours: 1,000 random cardplays, card by card."""

import numpy as np
import pytest

from skat_env.cards import card_text, cards_of, mask_of
from skat_env.deal import Deal
from skat_env.skat import SkatRules, SkatState
from skat_env.skat.rules import CONTRACT_LETTERS, PLACE_SIZES, Contract, Declaration

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")

GAME = pyspiel.load_game("skat")
DEALT_TO = [0] * 3 + [1] * 3 + [2] * 3 + [3] * 2 + [0] * 4 + [1] * 4 + [2] * 4 + [0] * 3 + [1] * 3 + [2] * 3
"""The place of each card in the order in which OpenSpiel deals."""
GAME_NAMES = ("diamonds", "hearts", "spades", "clubs", "grand", "null")


def numbers() -> dict[str, int]:
    """OpenSpiel's actions by their texts."""
    state = GAME.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return {state.action_to_string(0, action): action for action in range(GAME.num_distinct_actions())}


NUMBERS = numbers()
CARDS = {NUMBERS[card_text(card)]: card for card in range(32)}
"""Our cards by OpenSpiel's."""


def theirs_of(deal: Deal, soloist: int, contract: Contract, discards: list[int]) -> "pyspiel.State":
    """OpenSpiel's state at the cardplay: its bidding ends with the first who names a game."""
    places = [cards_of(mask) for mask in deal.places]
    state = GAME.new_initial_state()
    for place in DEALT_TO:
        state.apply_action(NUMBERS[card_text(places[place].pop())])
    for _ in range(soloist):
        state.apply_action(NUMBERS["unknown/pass"])
    state.apply_action(NUMBERS[GAME_NAMES[contract]])
    for card in discards:
        state.apply_action(NUMBERS[card_text(card)])
    return state


def ours_of(deal: Deal, soloist: int, contract: Contract, discards: list[int]) -> SkatState:
    """Our state at the cardplay."""
    places = list(deal.places)
    places[soloist] |= places[3]
    places[3] = mask_of(discards)
    places[soloist] &= ~places[3]
    bids = tuple(18 * (seat == soloist) for seat in range(3))
    return SkatState.cardplay(
        Deal(tuple(places)),
        soloist,
        Declaration(contract),
        bids,
        SkatRules(play_out=contract != Contract.NULL),
    )


def test_the_contracts_are_ours() -> None:
    assert [name[0].upper() for name in GAME_NAMES] == list(CONTRACT_LETTERS)


@pytest.mark.parametrize("contract", list(Contract), ids=lambda contract: contract.name.lower())
def test_random_cardplays(contract: Contract) -> None:
    """167 games of each contract: legal cards, who is to act, tricks, points and who has won a null game."""
    rng = np.random.default_rng(int(contract))
    tricks = 0
    for _ in range(167):
        deal = Deal.random(rng, PLACE_SIZES)
        soloist = int(rng.integers(3))
        twelve = cards_of(deal.places[soloist] | deal.places[3])
        discards = [int(card) for card in rng.choice(twelve, 2, replace=False)]
        ours, theirs = (make(deal, soloist, contract, discards) for make in (ours_of, theirs_of))
        while not ours.is_over:
            assert theirs.current_player() == ours.to_act
            legal = ours.legal_actions()
            allowed = sorted(CARDS[action] for action in theirs.legal_actions())
            assert allowed == legal
            card = int(rng.choice(legal))
            ours.apply(card)
            theirs.apply_action(NUMBERS[card_text(card)])
            tricks += not ours.trick()
        assert theirs.is_terminal()
        solo = theirs.returns()[soloist]
        if contract == Contract.NULL:
            assert (solo > 0) == (ours.returns("win")[soloist] == 1)
        else:
            assert 60 + 120 * solo == pytest.approx(ours.returns("card_points")[soloist])
    assert tricks == 1670 or contract == Contract.NULL
