"""The table as people see it."""

import numpy as np
from hypothesis import given

from skat_env.cards import card_symbol, cards_of, parse_mask
from skat_env.skat import GAME, SkatState
from skat_env.skat.render import hand_text, label
from skat_env.skat.rules import Contract
from tests.conftest import skat_positions


def test_hands_are_sorted_as_players_hold_them() -> None:
    hand = parse_mask("D7.DA.HJ.CJ.ST.S7.SA.C8")
    assert hand_text(hand, Contract.SPADES) == "♣J ♥J ♠A ♠10 ♠7 ♣8 ♦A ♦7"
    assert hand_text(hand, Contract.NULL) == "♣J ♣8 ♠A ♠10 ♠7 ♥J ♦A ♦7"
    assert hand_text(0, None) == "-"


@given(skat_positions())
def test_every_position_fits_80_columns_and_hides_what_is_hidden(state: SkatState) -> None:
    for seat in (None, 0, 1, 2):
        text = GAME.render(state, seat)
        assert max(map(len, text.splitlines())) <= 80
        if seat is None or state.is_over or state.announcement == 3:
            continue
        seen = state.view(seat)
        known = seen.hand | seen.skat | state.played_mask()
        for card in cards_of(~known & 0xFFFFFFFF):
            assert card_symbol(card) not in text


@given(skat_positions())
def test_hand_sizes_are_shown(state: SkatState) -> None:
    for seat in range(3):
        for line, hand in zip(GAME.render(state, seat).splitlines(), state.hands, strict=False):
            if " cards " in f"{line} ":
                assert f" {hand.bit_count()} cards" in line


def test_labels() -> None:
    state = SkatState.new(GAME.random_deal(np.random.default_rng(0)))
    assert label(state, 33) == "bid 18"
    state.apply(33)
    assert label(state, 33) == "hold 18"
    assert [label(state, action) for action in (5, 34, 36, 40, 42, 45)] == [
        "♦Q", "pick up", "♦ diamonds", "grand", "nothing to announce", "ouvert",
    ]  # fmt: skip
