"""The encoding of a declared game of Skat as its soloist sees it before the first card."""

from typing import Final

from skat_env._encoder import Encoder

DECLARED: Final[Encoder]
"""95 floats, which a soloist's view or a State of the cardplay has."""
