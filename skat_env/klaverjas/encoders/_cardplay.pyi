"""The encodings of Klaverjas: Aaldering's 299 values for value networks, and ours for policy networks.

Both relabel the suits as in `suits.py`: trumps come first. "Relative seat" counts from the observer.
"""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.features import Feature

PERSPECTIVE: Final[Encoder]
"""299 floats (Aaldering 2023, section 3.2).

Where the thesis is silent, this follows the author's program (Klaverjas_thesis, `to_nparray`): the starting player is
that of the trick, and the scores include roem. After the last trick nobody leads or is to act. The plain suits keep
their order; `suits.shuffle_plain_suits` draws a random order for training, as the thesis does.
"""
CARDPLAY: Final[Encoder]
"""387 floats; network outputs for cards are relabelled in the same way."""
CHOICE: Final[tuple[Feature, ...]]
"""What is known of the choice of trumps, and the rules."""
