"""Card numberings by strength, in which every group of a contract is a run of bits from weak to strong."""

from functools import cache
from typing import Final

from skat_env.cards import SUITS, rank_of, suit_of
from skat_env.skat.rules import CARD_POINTS, NULL_RANKS, TRUMP_GAME_RANKS, Contract

TRUMPS: Final = 4
"""The number of the trump group; 0..3 are the suits D H S C (without their trumps)."""


class Layout:
    """The cards of a contract renumbered 0..31 so that comparing strengths is comparing bits.

    Plain suits come first, then the trumps. A card's number is called its code. `arrange` makes a mask of codes from a
    mask of cards; `card[code]` is the inverse for a single card.
    """

    card: tuple[int, ...]
    """The card of each code."""
    group: tuple[int, ...]
    """The group 0..4 of each code."""
    points: tuple[int, ...]
    """The card points of each code."""
    groups: tuple[int, ...]
    """The mask of codes of each group; empty if the contract has no such group."""
    follow: tuple[int, ...]
    """The mask of codes that follow suit to each code."""
    above: tuple[int, ...]
    """The mask of stronger codes of the same group, for each code."""
    beaters: tuple[int, ...]
    """The mask of codes that beat a code in a trick: stronger codes of its group, and trumps."""

    def __init__(self, contract: int) -> None:
        self.contract = contract
        ordered = sorted(range(32), key=lambda card: self._strength(card, contract))
        self.card = tuple(ordered)
        self.group = tuple(self._strength(card, contract)[0] for card in ordered)
        self.points = tuple(CARD_POINTS[rank_of(card)] for card in ordered)
        self.groups = tuple(
            sum(1 << code for code in range(32) if self.group[code] == group) for group in range(5)
        )
        self.trumps = self.groups[TRUMPS]
        self.plain = tuple(group for group in range(4) if self.groups[group])
        self.follow = tuple(self.groups[group] for group in self.group)
        self.above = tuple(self.follow[code] & -(2 << code) for code in range(32))
        self.beaters = tuple(
            above | (0 if group == TRUMPS else self.trumps)
            for above, group in zip(self.above, self.group, strict=True)
        )
        code_of = {card: code for code, card in enumerate(ordered)}
        self.code = tuple(code_of[card] for card in range(32))
        # A byte of a card mask is a suit: four look-ups rearrange a whole mask.
        self._bytes = tuple(
            tuple(
                sum(1 << code_of[suit * 8 + rank] for rank in range(8) if byte >> rank & 1)
                for byte in range(256)
            )
            for suit in range(len(SUITS))
        )

    @staticmethod
    def _strength(card: int, contract: int) -> tuple[int, int]:
        """(group, strength in it), the order of the codes."""
        suit, letter = suit_of(card), "789TJQKA"[rank_of(card)]
        if contract == Contract.NULL:
            return suit, NULL_RANKS.index(letter)
        if letter == "J":
            return TRUMPS, 7 + suit
        return TRUMPS if suit == contract else suit, TRUMP_GAME_RANKS.index(letter)

    def arrange(self, mask: int) -> int:
        """The codes of a set of cards."""
        diamonds, hearts, spades, clubs = self._bytes
        return diamonds[mask & 255] | hearts[mask >> 8 & 255] | spades[mask >> 16 & 255] | clubs[mask >> 24]


@cache
def layout_of(contract: int) -> Layout:
    """The layout of a contract 0..5."""
    return Layout(contract)


def codes_of(mask: int) -> list[int]:
    """The codes of a set, from weak to strong within a group."""
    codes = []
    while mask:
        low = mask & -mask
        codes.append(low.bit_length() - 1)
        mask ^= low
    return codes
