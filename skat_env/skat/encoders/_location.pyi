"""The encodings of Solinas 2019, Table 2, from which networks infer where the cards lay before the cardplay.

One table for every type of game, and for every seat; the paper trains a network for each type. `hand_game` is ours: in
a hand game the skat is not what the soloist laid away but what was dealt.
"""

from typing import Final

from skat_env._encoder import Encoder

LOCATIONS: Final[Encoder]
"""1,129 floats, the last 768 the history of the cardplay: the paper's BDCI."""
LOCATIONS_BEFORE: Final[Encoder]
"""95 floats that stay the same during the cardplay: what was known before it, the paper's BDI."""
