"""The cards of `rule` against a plain twin: equal to the last bit."""

import numpy as np
import pytest

from skat_env.agents.skat.rule import RuleAgent
from skat_env.agents.skat.rule._discards import all_discards
from skat_env.agents.skat.rule.situation import Situation
from skat_env.agents.skat.rule.soloist import SUIT, best_card, facts_of
from skat_env.play.starts import PlayedTo
from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from tests.helpers import plain_rule

FIELDS = [
    *(
        "seat",
        "soloist",
        "position",
        "led",
        "best",
        "best_seat",
        "table_points",
        "tricks_left",
        "hand",
        "legal",
    ),
    *("hidden", "trump_mask", "banked", "could", "known", "left", "chances"),
]


@pytest.mark.parametrize("declarer", ["rule", "random"])
@pytest.mark.parametrize("kind", ["suit", "grand"])
def test_cards_facts_and_chances_are_those_of_the_plain_twin(declarer: str, kind: str) -> None:
    """Whole games in which a third of the cards are random; `random` declares hand games and ouvert, too."""
    rng, rule = np.random.default_rng(5), RuleAgent()
    start = PlayedTo("skat", "cardplay", declarer, None, kind)
    ouvert = 0
    for _ in range(40):
        state = start(rng)
        while not state.is_over:
            view = state.view(state.to_act)
            situation, plain = Situation(view), plain_rule.PlainTable(view)
            for field in FIELDS:
                assert getattr(situation, field) == getattr(plain, field), (field, state.text())
            assert facts_of(situation) == plain_rule.facts_of(plain)
            for seat in ((view.seat + 1) % 3, (view.seat + 2) % 3):
                for group in range(5):
                    assert situation.chance_of_ruff(seat, group) == plain.chance_of_ruff(seat, group)
            decided = rule.decide(view, rng).action
            assert decided == plain_rule.plain_card(view), state.text()
            ouvert += any(view.hands[seat] for seat in range(3) if seat != view.seat)
            state.apply(int(rng.choice(state.legal_actions())) if rng.random() < 0.3 else decided)
    assert declarer == "rule" or ouvert


def test_a_table_needs_a_cardplay_in_which_the_seat_is_to_play() -> None:
    state = SkatState.random(np.random.default_rng(1))
    with pytest.raises(ValueError, match="not of a cardplay"):
        Situation(state.view(0))
    for stage in ("declaration", "cardplay"):
        state = PlayedTo("skat", stage, "rule")(np.random.default_rng(1))
        with pytest.raises(ValueError, match="not of a cardplay in which its seat is to play"):
            Situation(state.view((state.to_act + 1) % 3))


def test_weights_are_one_for_each_fact() -> None:
    state = PlayedTo("skat", "cardplay", "rule", None, "suit")(np.random.default_rng(1))
    assert state.contract != Contract.GRAND
    with pytest.raises(ValueError, match="26 weights for 27 facts"):
        best_card(Situation(state.view(state.to_act)), SUIT[0][1:], SUIT[1])


def test_all_discards() -> None:
    """Each pair of unseen cards is a skat, and each pair of the twelve cards is laid away once."""
    hand = 0b1010_1010_1010_1010_1010
    skats, hands, laid = all_discards(hand)
    assert len(set(skats.tolist())) == 231
    assert all(skat.bit_count() == 2 and not skat & hand for skat in skats.tolist())
    for skat, kept, given in zip(skats.tolist(), hands.tolist(), laid.tolist(), strict=True):
        assert len(set(given)) == 66
        assert all(
            a | b == hand | skat and not a & b and b.bit_count() == 2
            for a, b in zip(kept, given, strict=True)
        )
    with pytest.raises(ValueError, match="9 cards"):
        all_discards(511)
