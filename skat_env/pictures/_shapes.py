"""The outlines of suits, emblems and characters, as SVG paths. All are drawn for this package, under its licence."""

from typing import Final

INK, PAPER = "ink", "paper"
"""What fills a part of a shape: the colour of its suit, or that of the card."""

_LEFT: Final = "M0-10C3-5.5 9.5-1.5 9.5 3C9.5 6 7.4 7.6 5.2 7.6C3.3 7.6 1.9 6.7 1 5.4"
_RIGHT: Final = "C-1.9 6.7-3.3 7.6-5.2 7.6C-7.4 7.6-9.5 6-9.5 3C-9.5-1.5-3-5.5 0-10Z"
_DIAMOND: Final = "M0-10Q3.5-4.5 8 0Q3.5 4.5 0 10Q-3.5 4.5-8 0Q-3.5-4.5 0-10Z"
_HEART: Final = (
    "M0 9.8C-3 5-10 1-10-4.2C-10-7.4-7.7-9.5-5-9.5C-2.8-9.5-.9-8.2 0-6.2"
    "C.9-8.2 2.8-9.5 5-9.5C7.7-9.5 10-7.4 10-4.2C10 1 3 5 0 9.8Z"
)
_SPADE: Final = f"{_LEFT}C1.2 7.6 2 9 3.6 10H-3.6C-2 9-1.2 7.6-1 5.4{_RIGHT}"
_CLUB: Final = (
    "M-4.4-5.4a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0Z"
    "M-9.7 2a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0ZM.9 2a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0Z"
    "M-1.9-1H1.9C1.2 5 2 8.5 3.8 10H-3.8C-2 8.5-1.2 5-1.9-1Z"
)
_BELL: Final = "M-8.8 1a8.8 8.8 0 1 1 17.6 0a8.8 8.8 0 1 1-17.6 0ZM-2-10H2V-6H-2Z"
_BELL_LINES: Final = (
    "M-8.9-.6H8.9V1.2H-8.9ZM-1.9 4.2a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0ZM-.6 5H.6V10H-.6Z"
)
_LEAF: Final = "M0-10C4-6 8.5-3.5 8.5 1C8.5 4.8 5 6.6.8 6V10H-.8V6C-5 6.6-8.5 4.8-8.5 1C-8.5-3.5-4-6 0-10Z"
_LEAF_LINES: Final = "M-.5-5H.5V4H-.5ZM0 2.6L4.4-.4L4.8.3L0 3.8L-4.8.3L-4.4-.4Z"
_ACORN: Final = (
    "M-1-10H1V-7.4C5-7.2 8.2-5 8.2-1H-8.2C-8.2-5-5-7.2-1-7.4Z"
    "M-6.6.6H6.6C6.6 5.4 3.6 8 0 10C-3.6 8-6.6 5.4-6.6.6Z"
)
_ACORN_LINES: Final = (
    "M-5.4-3.6L-4.7-4.5L-2.8-2.4L-3.5-1.6ZM-.5-5.2H.5V-2H-.5ZM5.4-3.6L4.7-4.5L2.8-2.4L3.5-1.6Z"
)

Shape = tuple[tuple[str, str], ...]
"""The parts of a shape as (what fills it, path), in a box from -10 to 10."""
SUIT_SHAPES: Final[dict[str, tuple[Shape, ...]]] = {
    "french": (((INK, _DIAMOND),), ((INK, _HEART),), ((INK, _SPADE),), ((INK, _CLUB),)),
    "german": (
        ((INK, _BELL), (PAPER, _BELL_LINES)),
        ((INK, _HEART),),
        ((INK, _LEAF), (PAPER, _LEAF_LINES)),
        ((INK, _ACORN), (PAPER, _ACORN_LINES)),
    ),
}
"""The suits D H S C of each deck: German ones are bells, hearts, leaves and acorns."""

EMBLEMS: Final = (
    # a hat with a feather
    "M-14 4H14V9H-14ZM-12.5 4C-15-5-5-9 2-7C9-6 13-1 12.5 4ZM5-6C8-13 15-15 21-13C19-8 14-5 8-4Z",
    # a coronet
    "M-14 4H14V9H-14ZM-14 2C-14-3-11-5-9-6C-8-2-6-1-4-1C-4-4-2-7 0-8C2-7 4-4 4-1C6-1 8-2 9-6C11-5 14-3 14 2Z"
    "M-11.5-9a2.2 2.2 0 1 1 4.4 0a2.2 2.2 0 1 1-4.4 0ZM-2.2-11a2.2 2.2 0 1 1 4.4 0a2.2 2.2 0 1 1-4.4 0Z"
    "M7.1-9a2.2 2.2 0 1 1 4.4 0a2.2 2.2 0 1 1-4.4 0Z",
    # a crown
    "M-14 4H14V9H-14ZM-14 2L-17-9L-8.5-4L-3-10H-1.2V-12H-3.2V-14H-1.2V-16"
    "H1.2V-14H3.2V-12H1.2V-10H3L8.5-4L17-9L14 2Z",
)
"""The emblems of jack, queen and king, about 30 wide."""

CHARACTERS: Final = {
    "7": (10, "M1 1H9C6 5 4.5 9 4.2 13"),
    "8": (
        10,
        "M5 6.5C2.8 6.5 1.6 5.3 1.6 3.8C1.6 2.2 3 1 5 1S8.4 2.2 8.4 3.8C8.4 5.3 7.2 6.5 5 6.5"
        "C2.4 6.5 1 8 1 9.8C1 11.6 2.6 13 5 13S9 11.6 9 9.8C9 8 7.6 6.5 5 6.5Z",
    ),
    "9": (10, "M9 5C9 7.2 7.3 8.9 5 8.9S1 7.2 1 5S2.7 1 5 1S9 2.8 9 5C9 9.4 7.4 12.3 2.8 13"),
    "10": (14, "M1 3.6L3.6 1V13M10 1C12.4 1 13.2 3.6 13.2 7S12.4 13 10 13S6.8 10.4 6.8 7S7.6 1 10 1Z"),
    "A": (10, "M.8 13L5 1L9.2 13M2.6 9H7.4"),
    "B": (
        10,
        "M1.5 1V13H5.2C7.6 13 9 11.7 9 9.8S7.6 6.7 5.2 6.7H1.5M5.2 6.7C7.2 6.7 8.3 5.5 8.3 3.9S7.2 1 5.2 1H1.5",
    ),
    "D": (10, "M1.5 1V13H4.2C7.4 13 9 10.6 9 7S7.4 1 4.2 1Z"),
    "H": (10, "M1.5 1V13M8.5 1V13M1.5 6.8H8.5"),
    "J": (10, "M7.8 1V9.5C7.8 11.8 6.6 13 4.6 13S1.3 11.7 1.1 9.7"),
    "K": (10, "M1.5 1V13M9 1L1.5 8.4M4.4 5.7L9.2 13"),
    "O": (10, "M5 1C7.8 1 9 3.6 9 7S7.8 13 5 13S1 10.4 1 7S2.2 1 5 1Z"),
    "Q": (10, "M5 1C7.8 1 9 3.6 9 7S7.8 13 5 13S1 10.4 1 7S2.2 1 5 1ZM5.6 9.6L9.4 13.6"),
    "U": (10, "M1.2 1V8.8C1.2 11.4 2.8 13 5 13S8.8 11.4 8.8 8.8V1"),
    "V": (10, "M.8 1L5 13L9.2 1"),
}
"""The width of each character of a rank and its line, 14 high."""
