"""The encoding of Solinas 2019, Table 2, from which networks infer where the cards lay before the cardplay.

One table for every type of game, and for every seat; the paper trains a network for each type.
"""

from typing import Final

from skat_env._encoder import Encoder

LOCATIONS: Final[Encoder]
"""1,128 floats, the last 768 the history of the cardplay."""
