"""The encoding of a whole world of Klaverjas: where all cards lie, and what is left to play for.

Suits are relabelled as in `suits.py`: trumps come first.
"""

from typing import Final

from skat_env._encoder import Encoder

WORLD: Final[Encoder]
"""274 floats of a State of the cardplay, the same for every seat; views have none."""
