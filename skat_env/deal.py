"""A deal: which of the 32 cards lies at which place before the first move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from skat_env.cards import ALL_CARDS_MASK, mask_text, parse_mask
from skat_env.errors import ParseError
from skat_env.options import check_fields, check_option, shown


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards at every place: the hands by seat, then any other places (Skat: the skat).

    Raises:
        ParseError: if a card lies at two places or at none.
        OptionError: if the places are no masks.
    """

    places: tuple[int, ...]
    """One 32-bit mask per place."""

    def __post_init__(self) -> None:
        if type(self.places) is not tuple or any(type(mask) is not int for mask in self.places):
            check_fields(self, "a deal")
        seen = 0
        for mask in self.places:
            if not 0 <= mask <= ALL_CARDS_MASK:
                raise ParseError(f"{mask} is no mask of the 32 cards: expected 0..{ALL_CARDS_MASK}")
            if seen & mask:
                raise ParseError(f"the deal has {mask_text(seen & mask)} twice")
            seen |= mask
        if seen != ALL_CARDS_MASK:
            raise ParseError(f"the deal lacks {mask_text(ALL_CARDS_MASK & ~seen)}")

    @classmethod
    def random(cls, rng: np.random.Generator, sizes: Sequence[int]) -> Self:
        """A uniformly random deal with `sizes[i]` cards at place `i`.

        Raises:
            OptionError: if it is given no numpy Generator, but a seed, say.
        """
        check_option("a random deal", "rng", np.random.Generator, rng)
        cards = rng.permutation(32).tolist()
        places, start = [], 0
        for size in sizes:
            places.append(sum(1 << card for card in cards[start : start + size]))
            start += size
        return cls(tuple(places))

    def text(self) -> str:
        """The places joined by slashes: `C7.C8…/…/…/D7.DA`."""
        return "/".join(mask_text(mask) for mask in self.places)

    @classmethod
    def parse(cls, text: str, sizes: Sequence[int]) -> Self:
        """The deal that a text describes.

        Raises:
            ParseError: if a place has the wrong number of cards, or a card is unknown, listed twice or missing.
        """
        words = check_option("a deal", "text", str, text).split("/")
        if len(words) != len(sizes):
            raise ParseError(f"a deal has {len(sizes)} places joined by '/', this one has {len(words)}")
        deal = cls(tuple(parse_mask(word) for word in words))
        require_deal(deal, sizes)
        return deal


def require_deal(deal: object, sizes: Sequence[int]) -> None:
    """Raises a ParseError unless this is a deal in which place `i` has `sizes[i]` cards."""
    if not isinstance(deal, Deal):
        raise ParseError(f"a game is dealt with a Deal, not with {shown(deal)}")
    if len(deal.places) != len(sizes):
        raise ParseError(f"the deal has {len(deal.places)} places, expected {len(sizes)}")
    for place, (mask, size) in enumerate(zip(deal.places, sizes, strict=True)):
        if mask.bit_count() != size:
            raise ParseError(f"place {place} of the deal holds {mask.bit_count()} cards, expected {size}")
