"""The encoding of a whole world of Skat: where all cards lie, and what is left to play for."""

from typing import Final

from skat_env._encoder import Encoder

WORLD: Final[Encoder]
"""292 floats of a State of the cardplay, the same for every seat; views have none."""
