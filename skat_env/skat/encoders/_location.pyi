"""The encodings of Solinas 2019, Table 2, from which networks infer where the cards lay before the cardplay.

There is one table for every type of game and every seat; the paper trains a network for each type. `hand_game` is ours:
in a hand game the skat is as dealt, not the soloist's discards.
"""

from typing import Final

from skat_env._encoder import Encoder

LOCATIONS: Final[Encoder]
"""1,129 floats: the paper's BDCI. The last 768 are the history of the cardplay."""
LOCATIONS_BEFORE: Final[Encoder]
"""95 floats, the same throughout the cardplay: what was known before it, the paper's BDI."""
