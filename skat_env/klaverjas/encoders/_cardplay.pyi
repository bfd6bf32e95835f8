"""The encodings of Klaverjas: Aaldering's 299 values for networks that value positions, and ours for those that play.

In both the suits are relabelled as `suits.py` says: trumps come first. "Relative seat" counts from the observer.
"""

from typing import Final

from skat_env._encoder import Encoder

PERSPECTIVE: Final[Encoder]
"""299 floats (Aaldering 2023, section 3.2).

Where the thesis is silent, the author's program (Klaverjas_thesis, `to_nparray`) is followed: the starting player is
the trick's, the scores have the roem in them. After the last trick nobody leads or is to act. The plain suits keep
their order; `suits.shuffle_plain_suits` draws one, as the thesis does, when rows are used for training.
"""
CARDPLAY: Final[Encoder]
"""373 floats; network outputs for cards are relabelled in the same way."""
