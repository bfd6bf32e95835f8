"""The six encodings of Rebstock 2019, Table 4.1: suit, grand and null, each for the soloist and for a defender.

"Relative seat" counts from the observer: 0 himself, 1 who plays after him, 2 who plays before him. Where the paper
leaves something open, the features say what was chosen: points are of tricks only, the hand's scaled by the most that
ten cards have, the trick's by the most that two have; the trumps left are those that the player himself has not seen
(the paper's, "that the soloist does not possess", a defender cannot know).
"""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.features import Feature

OPEN_CARDS: Final[tuple[Feature, ...]]
BID_TYPE: Final[Feature]
"""The features that Solinas 2019 has too."""

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
