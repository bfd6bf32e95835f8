"""The 32 cards that both games share: numbers, bit masks, and text.

A card is `suit * 8 + rank`, suits D 0, H 1, S 2, C 3 and ranks 7 8 9 T J Q K A = 0..7. The numbers say
nothing about strength or points: those depend on the contract. A set of cards is a 32-bit mask.
Text is suit letter then rank letter: `SJ`, `HT`; sets are joined by dots: `CJ.SA.H7`.
"""

from collections.abc import Iterable
from typing import Final

from skat_env.errors import ParseError

SUITS: Final = "DHSC"
RANKS: Final = "789TJQKA"
SUIT_SYMBOLS: Final = "♦♥♠♣"
SUIT_NAMES: Final = ("diamonds", "hearts", "spades", "clubs")
SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(8)
ALL_CARDS_MASK: Final = 0xFFFFFFFF
CARD_TEXTS: Final = tuple(suit + rank for suit in SUITS for rank in RANKS)
_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def suit_of(card: int) -> int:
    """The suit 0..3 of a card."""
    return card >> 3


def rank_of(card: int) -> int:
    """The rank 0..7 of a card."""
    return card & 7


def suit_mask(suit: int) -> int:
    """The eight cards of a suit."""
    return 0xFF << (suit * 8)


def rank_mask(rank: int) -> int:
    """The four cards of a rank."""
    return 0x01010101 << rank


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> list[int]:
    """The cards of a set, in ascending order.

    >>> cards_of(0b10100001)
    [0, 5, 7]
    """
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def card_text(card: int) -> str:
    """A card as text: `SJ`.

    >>> card_text(12)
    'HJ'
    """
    return CARD_TEXTS[card]


def parse_card(text: str) -> int:
    """The card that a text names.

    Raises:
        ParseError: if it names none.
    """
    try:
        return _CARD_OF_TEXT[text]
    except KeyError:
        raise ParseError(
            f"'{text}' is not a card: expected a suit of {SUITS} and a rank of {RANKS}, as in SJ"
        ) from None


def mask_text(mask: int) -> str:
    """A set of cards as text, in ascending order: `D7.SJ`; `-` for none.

    >>> mask_text(0b10100001)
    'D7.DQ.DA'
    """
    return ".".join(CARD_TEXTS[card] for card in cards_of(mask)) or "-"


def parse_mask(text: str) -> int:
    """The set of cards that a text such as `D7.SJ` lists; `-` is the empty set.

    Raises:
        ParseError: if a card is unknown or listed twice.
    """
    mask = 0
    if text == "-":
        return mask
    for word in text.split("."):
        card = parse_card(word)
        if mask >> card & 1:
            raise ParseError(f"card {word} is listed twice in '{text}'")
        mask |= 1 << card
    return mask


def card_symbol(card: int) -> str:
    """A card as people write it: `♠J`; the ten is `10`.

    >>> card_symbol(12)
    '♥J'
    """
    rank = RANKS[rank_of(card)]
    return SUIT_SYMBOLS[suit_of(card)] + ("10" if rank == "T" else rank)
