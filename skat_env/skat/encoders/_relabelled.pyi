"""Encodings of the cardplay for self-play: suits relabelled, the same layout for every kind of game.

The trump suit comes first, the plain suits in the order of what the seat was dealt of them, so that hands that differ
by their suits alone look the same: up to 24 positions are one. Jacks keep their numbers where they are trumps.
"""

from typing import Final

from skat_env._encoder import Encoder

RELABELLED_SOLOIST: Final[Encoder]
RELABELLED_DEFENDER: Final[Encoder]
