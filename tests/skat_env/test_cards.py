import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env import cards
from skat_env.deal import Deal
from skat_env.errors import ParseError

SIZES = (10, 10, 10, 2)


def test_numbers_and_texts() -> None:
    assert cards.parse_card("D7") == 0
    assert cards.parse_card("CA") == 31
    assert cards.card_text(cards.parse_card("SJ")) == "SJ"
    assert cards.card_symbol(cards.parse_card("HT")) == "♥10"
    assert cards.mask_text(0) == "-"
    assert cards.rank_mask(cards.JACK) == cards.parse_mask("DJ.HJ.SJ.CJ")
    assert cards.cards_of(cards.suit_mask(1)) == list(range(8, 16))


@given(st.integers(0, 2**32 - 1))
def test_masks_round_trip(mask: int) -> None:
    assert cards.parse_mask(cards.mask_text(mask)) == mask
    assert cards.mask_of(cards.cards_of(mask)) == mask


@pytest.mark.parametrize("text", ["", "X7", "D1", "DJ.DJ", "DJ,HJ", "♠J"])
def test_malformed_sets_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        cards.parse_mask(text)


@given(
    st.text(max_size=20) | st.lists(st.sampled_from([*cards.CARD_TEXTS, "DX", ""]), max_size=3).map(".".join)
)
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        mask = cards.parse_mask(text)
    except ParseError:
        return
    assert set(cards.mask_text(mask).split(".")) == set(text.split("."))


def test_deals() -> None:
    deal = Deal.random(np.random.default_rng(1), SIZES)
    assert Deal.parse(deal.text(), SIZES) == deal
    assert [mask.bit_count() for mask in deal.places] == list(SIZES)
    assert Deal.random(np.random.default_rng(1), SIZES) == deal


def test_random_deals_are_uniform() -> None:
    rng = np.random.default_rng(2)
    counts = np.zeros((4, 32))
    for _ in range(2000):
        for place, mask in enumerate(Deal.random(rng, SIZES).places):
            counts[place, cards.cards_of(mask)] += 1
    expected = 2000 * np.array(SIZES)[:, None] / 32
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.replace("D7", "D8", 1), "twice"),
        (lambda t: t.replace("D7", "D0", 1), "not a card"),
        (lambda t: t.replace("/", " "), "4 places"),
        (lambda t: t.replace("/", ".", 1) + "/-", "expected 10"),
    ],
)
def test_bad_deals_raise(change, told: str) -> None:
    text = Deal.random(np.random.default_rng(3), SIZES).text()
    with pytest.raises(ParseError, match=told):
        Deal.parse(change(text), SIZES)


def test_a_deal_lacking_a_card_raises() -> None:
    with pytest.raises(ParseError, match="lacks CA"):
        Deal((2**31 - 1, 0, 0, 0))
