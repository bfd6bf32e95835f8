"""Encodings of the cardplay for self-play: suits relabelled, the same layout for every kind of game.

The trump suit comes first. The plain suits follow in an order determined by the cards that the seat was dealt in them,
so that hands that differ only in their suits look the same: up to 24 positions become one. Jacks keep their numbers if
they are trumps.
"""

from typing import Final

from skat_env._encoder import Encoder

RELABELLED_SOLOIST: Final[Encoder]
RELABELLED_DEFENDER: Final[Encoder]
TACTICAL_SOLOIST: Final[Encoder]
TACTICAL_DEFENDER: Final[Encoder]
