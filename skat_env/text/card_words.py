"""The words for cards in English, German and Dutch, and the cards that words name."""

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

from skat_env.cards import CARD_TEXTS, RANKS, SUIT_SYMBOLS, rank_of, suit_of

Cards = Literal["codes", "symbols", "en", "de", "nl"]
"""How cards are written: `CJ`, `♣J`, `jack of clubs`, `Kreuz-Bube`, `klaverboer`."""

_SUIT_WORDS: Final = {
    "en": ("diamonds", "hearts", "spades", "clubs"),
    "de": ("Karo", "Herz", "Pik", "Kreuz"),
    "nl": ("ruiten", "harten", "schoppen", "klaver"),
}
_RANK_WORDS: Final = {
    "en": ("7", "8", "9", "10", "jack", "queen", "king", "ace"),
    "de": ("7", "8", "9", "10", "Bube", "Dame", "König", "Ass"),
    "nl": ("7", "8", "9", "10", "boer", "vrouw", "heer", "aas"),
}
_OTHER_SUITS: Final = {
    "d": 0, "♦": 0, "♢": 0, "diamond": 0, "karos": 0, "ruit": 0,
    "h": 1, "♥": 1, "♡": 1, "heart": 1, "herzen": 1, "hart": 1,
    "s": 2, "♠": 2, "♤": 2, "spade": 2, "schop": 2, "schuppen": 2,
    "c": 3, "♣": 3, "♧": 3, "club": 3, "klavers": 3, "klaveren": 3,
}  # fmt: skip
_OTHER_RANKS: Final = {
    "seven": 0, "sieben": 0, "zeven": 0, "eight": 1, "acht": 1, "nine": 2, "neun": 2, "negen": 2,
    "t": 3, "ten": 3, "zehn": 3, "tien": 3, "j": 4, "jacks": 4, "q": 5, "k": 6, "koenig": 6, "koning": 6,
    "a": 7, "as": 7, "aces": 7,
}  # fmt: skip


def suits_by_word() -> dict[str, int]:
    """The suits by every word for them, in small letters."""
    words = {word.casefold(): suit for all_ in _SUIT_WORDS.values() for suit, word in enumerate(all_)}
    return words | _OTHER_SUITS


def _ranks_by_word() -> dict[str, int]:
    words = {word.casefold(): rank for all_ in _RANK_WORDS.values() for rank, word in enumerate(all_)}
    return words | _OTHER_RANKS


SUIT_OF_WORD: Final = suits_by_word()
RANK_OF_WORD: Final = _ranks_by_word()
_ONE_SUIT: Final = frozenset(("diamond", "heart", "spade", "club"))
"""English words for a suit before which `a` is an article: in `a diamond` it is no ace."""
_RANK: Final = "|".join(sorted(map(re.escape, RANK_OF_WORD), key=len, reverse=True))
_SUIT: Final = "|".join(sorted(map(re.escape, SUIT_OF_WORD), key=len, reverse=True))
_COMPOUND: Final = re.compile(rf"(?:(?P<suit>{_SUIT})(?P<rank>{_RANK})|(?P<rank2>{_RANK})(?P<suit2>{_SUIT}))")
"""A suit and a rank written as one word: `cj`, `10♦`, `kreuzbube`."""


def card_writer(style: Cards) -> Callable[[int], str]:
    """How cards are written in a style."""
    if style == "codes":
        return lambda card: CARD_TEXTS[card]
    if style == "symbols":
        return lambda card: f"{SUIT_SYMBOLS[suit_of(card)]}{RANKS[rank_of(card)]}"
    suits, ranks = _SUIT_WORDS[style], _RANK_WORDS[style]
    if style == "en":
        return lambda card: f"{ranks[rank_of(card)]} of {suits[suit_of(card)]}"
    joint = "-" if style == "de" else ""
    return lambda card: f"{suits[suit_of(card)]}{joint}{ranks[rank_of(card)]}"


def cards_in(words: Sequence[str]) -> tuple[list[int], list[str]]:
    """The cards that words name, and what is left of the words: `jack of clubs`, `clubs j`, `kreuz-bube`, `10c`.

    Args:
        words: in small letters, without punctuation.
    """
    cards: list[int] = []
    rest: list[str] = []
    at = 0
    while at < len(words):
        one, *following = words[at : at + 3]
        found = _COMPOUND.fullmatch(one)
        if found:
            suit, rank = found["suit"] or found["suit2"], found["rank"] or found["rank2"]
            cards.append(8 * SUIT_OF_WORD[suit] + RANK_OF_WORD[rank])
            at += 1
            continue
        skipped = 1 if following[:1] in (["of"], ["von"], ["van"]) else 0
        other = following[skipped] if len(following) > skipped else ""
        article = one == "a" and not skipped and other in _ONE_SUIT
        if one in RANK_OF_WORD and other in SUIT_OF_WORD and not article:
            cards.append(8 * SUIT_OF_WORD[other] + RANK_OF_WORD[one])
            at += 2 + skipped
        elif one in SUIT_OF_WORD and other in RANK_OF_WORD and not skipped:
            cards.append(8 * SUIT_OF_WORD[one] + RANK_OF_WORD[other])
            at += 2
        else:
            rest.append(one)
            at += 1
    return cards, rest
