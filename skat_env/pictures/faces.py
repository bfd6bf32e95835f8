"""The faces of the 32 cards and their back, as SVG: French and German suits, letters of three languages.

A face is 100 wide and 140 high and consists of paths only: it looks the same everywhere, without fonts.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from skat_env.cards import ACE, JACK, KING, RANKS, card_text, rank_of, suit_of
from skat_env.options import check_fields
from skat_env.pictures._shapes import CHARACTERS, EMBLEMS, INK, SUIT_SHAPES

FACE_WIDTH: Final = 100
FACE_HEIGHT: Final = 140

Deck = Literal["french", "german"]
Language = Literal["en", "de", "nl"]
Colours = Literal["four", "two"]

_LETTERS: Final = {"en": "JQK", "de": "BDK", "nl": "BVH"}
_INKS: Final = {
    "four": ("#d97700", "#c4161c", "#00735a", "#161616"),
    "two": ("#c4161c", "#c4161c", "#161616", "#161616"),
}
"""The colours of D H S C. Four: those of Skat tournaments; they differ in lightness too, and the shapes in any case."""
_PIPS: Final = {
    "7": ((28, 46), (72, 46), (28, 70), (72, 70), (28, 94), (72, 94), (50, 58)),
    "8": ((28, 46), (72, 46), (28, 70), (72, 70), (28, 94), (72, 94), (50, 58), (50, 82)),
    "9": ((28, 43), (72, 43), (28, 61), (72, 61), (28, 79), (72, 79), (28, 97), (72, 97), (50, 70)),
    "T": ((28, 43), (72, 43), (28, 61), (72, 61), (28, 79), (72, 79), (28, 97), (72, 97), (50, 52), (50, 88)),
}


@dataclass(frozen=True, slots=True)
class Style:
    """How cards look."""

    deck: Deck = "french"
    """French suits, or German ones: bells for diamonds, leaves for spades, acorns for clubs."""
    language: Language = "en"
    """The letters of jack, queen and king: J Q K, B D K or B V H; German suits have U O K."""
    colours: Colours = "four"
    """Four colours, one for each suit, or red and black."""

    def __post_init__(self) -> None:
        check_fields(self, "the style of cards")

    def rank(self, card: int) -> str:
        """The characters of a card's rank: `10`, `J`."""
        rank = rank_of(card)
        letters = "UOK" if self.deck == "german" else _LETTERS[self.language]
        if JACK <= rank <= KING:
            return letters[rank - JACK]
        return "10" if RANKS[rank] == "T" else RANKS[rank]

    def ink(self, suit: int) -> str:
        """The colour of a suit, as `#rrggbb`."""
        return _INKS[self.colours][suit]

    def name(self, card: int | None) -> str:
        """A name of a face, for ids in a document."""
        if card is None:
            return "card-back"
        return f"card-{self.deck}-{self.language}-{self.colours}-{card_text(card)}"


def suit_paths(suit: int, x: float, y: float, size: float, style: Style, ink: str = "") -> str:
    """A suit's symbol around a point, `size` high, as SVG paths."""
    where = f'transform="translate({x:g} {y:g})scale({size / 20:.3g})"'
    return "".join(
        f'<path {where} fill="{(ink or style.ink(suit)) if fill == INK else "#fff"}" d="{path}"/>'
        for fill, path in SUIT_SHAPES[style.deck][suit]
    )


@cache
def face(card: int | None, style: Style = Style()) -> str:
    """The inside of an SVG of 100 by 140 with a card's face; None: the back."""
    paper = '<rect x="1" y="1" width="98" height="138" rx="8" fill="#fff" stroke="#555" stroke-width="1.6"/>'
    if card is None:
        diamonds = "".join(
            f"M{20 + 20 * column} {14 + 28 * row}l8 14l-8 14l-8-14Z"
            for column in range(4)
            for row in range(4)
        )
        return (
            f'{paper}<rect x="7" y="7" width="86" height="126" rx="5" fill="#27517f"/>'
            f'<path d="{diamonds}" fill="#4f7fb3"/>'
        )
    suit, rank, ink = suit_of(card), rank_of(card), style.ink(suit_of(card))
    width, line = CHARACTERS[style.rank(card)]
    corner = (
        f'<path transform="translate(7 7)scale(1.75)" d="{line}" fill="none" stroke="{ink}" stroke-width="2.1" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
        f"{suit_paths(suit, 19 + 1.75 * width, 19.5, 20, style)}"
    )
    if rank == ACE:
        middle = suit_paths(suit, 50, 70, 54, style)
    elif rank >= JACK:
        emblem = f'<path d="{EMBLEMS[rank - JACK]}" fill="{ink}"'
        middle = (
            f'<rect x="20" y="38" width="60" height="64" rx="5" fill="{ink}" fill-opacity=".13"/>'
            f'{emblem} transform="translate(50 54)scale(1.05)"/>'
            f"{suit_paths(suit, 50, 82, 30, style)}"
        )
    else:
        middle = "".join(suit_paths(suit, x, y, 15.5, style) for x, y in _PIPS[RANKS[rank]])
    return f'{paper}{middle}{corner}<g transform="rotate(180 50 70)">{corner}</g>'


def face_svg(card: int | None, style: Style = Style(), width: float = FACE_WIDTH) -> str:
    """A card's face as an SVG document, `width` pixels wide; None: the back."""
    height = width * FACE_HEIGHT / FACE_WIDTH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {FACE_WIDTH} {FACE_HEIGHT}">{face(card, style)}</svg>'
    )
