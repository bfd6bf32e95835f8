"""A deal: which of the 32 cards lies at which place before the first move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from skat_env.cards import ALL_CARDS_MASK, mask_text, parse_mask
from skat_env.errors import ParseError


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards at every place: the hands by seat, then any other places (Skat: the skat).

    Raises:
        ParseError: if a card lies at two places or at none.
    """

    places: tuple[int, ...]
    """One 32-bit mask per place."""

    def __post_init__(self) -> None:
        seen = 0
        for mask in self.places:
            if seen & mask:
                raise ParseError(f"the deal has {mask_text(seen & mask)} twice")
            seen |= mask
        if seen != ALL_CARDS_MASK:
            raise ParseError(f"the deal lacks {mask_text(ALL_CARDS_MASK & ~seen)}")

    @classmethod
    def random(cls, rng: np.random.Generator, sizes: Sequence[int]) -> Self:
        """A uniformly random deal with `sizes[i]` cards at place `i`."""
        cards = rng.permutation(32).tolist()
        places, start = [], 0
        for size in sizes:
            places.append(sum(1 << card for card in cards[start : start + size]))
            start += size
        return cls(tuple(places))

    def require(self, sizes: Sequence[int]) -> None:
        """Raises a ParseError unless place `i` has `sizes[i]` cards."""
        if len(self.places) != len(sizes):
            raise ParseError(f"the deal has {len(self.places)} places, expected {len(sizes)}")
        for place, (mask, size) in enumerate(zip(self.places, sizes, strict=True)):
            if mask.bit_count() != size:
                raise ParseError(f"place {place} of the deal holds {mask.bit_count()} cards, expected {size}")

    def text(self) -> str:
        """The places joined by slashes: `C7.C8…/…/…/D7.DA`."""
        return "/".join(mask_text(mask) for mask in self.places)

    @classmethod
    def parse(cls, text: str, sizes: Sequence[int]) -> Self:
        """The deal that a text describes.

        Raises:
            ParseError: if a place has the wrong number of cards, or a card is unknown, listed twice or missing.
        """
        words = text.split("/")
        if len(words) != len(sizes):
            raise ParseError(f"a deal has {len(sizes)} places joined by '/', this one has {len(words)}")
        deal = cls(tuple(parse_mask(word) for word in words))
        deal.require(sizes)
        return deal
