"""The six encodings of Rebstock 2019, Table 4.1: suit, grand and null, each for the soloist and for a defender.

"Relative seat" counts from the observer, who is 0: 1 the player after it, 2 the player before it. Where the paper
leaves something open, the features say what was chosen. Points count tricks only; those of the hand are scaled by the
most that ten cards can have, those of the trick by the most that two can have. The trumps left are those that the
player has not seen: the paper's, "that the soloist does not possess", a defender cannot know.
"""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.features import Feature

OPEN_CARDS: Final[tuple[Feature, ...]]
BID_TYPE: Final[Feature]
"""The bid feature, which Solinas 2019 has too."""

SUIT_SOLOIST: Final[Encoder]
"""387 floats."""
SUIT_DEFENDER: Final[Encoder]
"""389 floats."""
GRAND_SOLOIST: Final[Encoder]
"""383 floats."""
GRAND_DEFENDER: Final[Encoder]
"""385 floats."""
NULL_SOLOIST: Final[Encoder]
"""351 floats."""
NULL_DEFENDER: Final[Encoder]
"""353 floats."""
