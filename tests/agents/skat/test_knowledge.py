"""Knowledge vectors: proofs against `Belief`, assumptions against the cards that broke or kept them."""

import numpy as np
import pytest

from skat_env.agents.skat.expert.assumptions import ASSUMPTIONS, SKAT, Course, exclusions
from skat_env.agents.skat.expert.knowledge import believe, knowledge
from skat_env.beliefs.belief import Belief
from skat_env.cards import card_text, cards_of, parse_mask
from skat_env.deal import Deal
from skat_env.errors import UnknownName
from skat_env.skat import SkatState
from skat_env.skat.rules import Declaration
from tests.helpers.endings import skat_choice

DECLARATIONS = ("D", "CH", "G", "N", "NO", "S", "GHO")


def test_proofs_equal_what_the_belief_proves() -> None:
    rng = np.random.default_rng(1)
    for number in range(150):
        state = skat_choice(rng, DECLARATIONS[number % len(DECLARATIONS)], int(rng.integers(4, 29)))
        for seat in range(3):
            view = state.view(seat)
            known, belief = knowledge(view), Belief(view)
            assert cards_of(known.unseen) == sorted(
                {*belief.cards, *(cards_of(view.hands[state.soloist]) if seat != state.soloist else [])}
            )
            possible = belief.possible()
            for card in belief.cards:
                for place in range(4):
                    assert bool(possible[card, place]) == (not known.forbidden[place] >> card & 1), (
                        view.text(), card_text(card), place,
                    )  # fmt: skip
            assert known.assumed == known.forbidden


def test_worlds_under_assumptions_are_those_that_keep_them() -> None:
    rng = np.random.default_rng(2)
    fewer = 0
    for number in range(40):
        state = skat_choice(rng, DECLARATIONS[number % len(DECLARATIONS)], int(rng.integers(7, 14)))
        view = state.view(state.to_act)
        names = tuple(ASSUMPTIONS)
        belief = believe(view, names)
        rows = np.concatenate([*Belief(view).enumerate()])
        kept: list[str] = list(names)
        while True:
            masks = np.array(knowledge(view, kept).assumed, np.uint32)
            expected = ~(rows & masks).any(axis=1)
            if expected.any():
                break
            kept.pop()
        assert np.array_equal(belief.probability(rows) > 0, expected)
        fewer += expected.sum() < len(rows)
    assert fewer > 10


def played(text: str, soloist: int, contract: str, cards: str) -> SkatState:
    """A cardplay from its deal, after some cards."""
    hands = tuple(parse_mask(hand) for hand in text.split("/"))
    bids = (18 * (soloist == 0), 18 * (soloist == 1), 18 * (soloist == 2))
    state = SkatState.cardplay(
        Deal((hands[0], hands[1], hands[2], hands[3])), soloist, Declaration.parse(contract), bids
    )
    for card in cards.split():
        state.apply(cards_of(parse_mask(card))[0])
    return state


DEAL = "D7.DJ.H8.HK.S8.SJ.C7.C8.CT.CJ/D8.DT.HT.HJ.HQ.HA.SQ.SA.C9.CQ/D9.DK.DA.H7.S7.S9.ST.SK.CK.CA/DQ.H9"
"""Seat 0 has D7 DJ, hearts 8 K, spades 8 J and clubs; seat 1 the other hearts; seat 2 most of diamonds and spades."""


@pytest.mark.parametrize(
    ("name", "soloist", "contract", "cards", "place", "excluded"),
    [
        ("no_trump_in_the_skat", 0, "C", "", SKAT, "C7 C8 C9 CQ CK CT CA DJ HJ SJ CJ"),
        ("no_trump_in_the_skat", 0, "CH", "", SKAT, ""),
        ("no_trump_in_the_skat", 0, "N", "", SKAT, ""),
        # Seat 1 follows the soloist's king with the ten: no card of fewer points; seat 2 takes the trick from him.
        ("lowest_on_the_soloist", 0, "C", "CJ CQ", 1, "C7 C8 C9"),
        ("lowest_on_the_soloist", 0, "C", "CJ CQ CK", 2, "C7 C8 C9 CQ"),
        ("lowest_on_the_soloist", 0, "C", "CT C9 CA", 2, ""),
        # The partner's ace has the trick: seat 0 gives the king, and has no ten.
        ("highest_on_the_partner", 1, "S", "HK HA H7", 2, ""),
        ("highest_on_the_partner", 2, "S", "HK HA H7", 0, ""),
        ("highest_on_the_partner", 0, "S", "HK HA H7", 2, "HQ HK HT HA"),
        ("red_jack", 1, "S", "DJ HJ", 0, "HJ"),
        ("red_jack", 1, "S", "DJ", 0, "HJ"),
        ("red_jack", 0, "S", "DJ", 0, ""),
        ("red_jack", 1, "N", "DJ", 0, ""),
        # Seat 1 wins with the ace of hearts and leads spades; seat 0 had led hearts.
        ("returned_suit", 2, "G", "HK HA H7 SA", 1, "H7 H8 H9 HQ HK HT HA"),
        ("returned_suit", 2, "G", "HK HA H7 HT", 1, ""),
        ("returned_suit", 0, "G", "HK HA H7 SA", 1, ""),
        ("returned_suit", 2, "N", "HK HA H7 SA", 1, ""),
    ],
)
def test_an_assumption_excludes(
    name: str, soloist: int, contract: str, cards: str, place: int, excluded: str
) -> None:
    state = played(DEAL, soloist, contract, cards)
    found = 0
    for exclusion in exclusions(Course.of(state), [name]):
        if exclusion.place == place:
            found |= exclusion.cards
    assert found == parse_mask(excluded.replace(" ", ".")) if excluded else not found


def test_all_assumptions_can_be_switched_one_by_one() -> None:
    state = played(DEAL, 0, "C", "CJ CQ CK")
    view = state.view(0)
    alone = {name: knowledge(view, [name]).assumed for name in ASSUMPTIONS}
    together = knowledge(view, list(ASSUMPTIONS)).assumed
    for place in range(4):
        union = 0
        for name in ASSUMPTIONS:
            union |= alone[name][place]
        assert union == together[place]
    with pytest.raises(UnknownName, match="assumption 'red'"):
        knowledge(view, ["red"])
