"""Rows of files of open-card deals."""

from typing import Any

from skat_env.cards import SUITS, card_text, cards_of
from skat_env.klaverjas import KlaverjasState
from skat_env.skat import SkatState
from skat_env.skat.rules import CONTRACT_LETTERS


def skat_row(state: SkatState, **fields: Any) -> dict[str, Any]:
    hands = [" ".join(card_text(card) for card in cards_of(hand)) for hand in state.dealt]
    assert state.contract is not None
    return {
        "contract": CONTRACT_LETTERS[state.contract], "declarer": state.soloist, "hands": hands[:3], "skat": hands[3],
        "played": [card_text(card) for _, card in state.plays()], **fields,
    }  # fmt: skip


def klaverjas_row(state: KlaverjasState, **fields: Any) -> dict[str, Any]:
    assert state.trump is not None
    rules = {name: getattr(state.rules, name) for name in ("legality", "tie", "four_jacks", "pit")}
    return {
        "trump": SUITS[state.trump], "declarer": state.declarer, "forehand": state.forehand,
        "hands": [" ".join(card_text(card) for card in cards_of(hand)) for hand in state.dealt],
        "played": [card_text(card) for _, card in state.plays()], **rules, **fields,
    }  # fmt: skip
