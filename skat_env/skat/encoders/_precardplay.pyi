"""The five encodings of Rebstock 2019, Table 3.1: what is known at each decision before the cardplay.

The paper counts 67 bids, which are our 63 bid values and passing. Levels of bids count from 0, "none", to 63.
"""

from typing import Final

from skat_env._encoder import Encoder

BID_ANSWER: Final[Encoder]
"""35 floats: the maximal bid of fore- and middlehand against each other (any seat's can be asked for)."""
CONTINUE_ANSWER: Final[Encoder]
"""99 floats: the maximal bid of rearhand and of whoever is left; also whether forehand takes a game nobody bid on."""
HAND_PICKUP: Final[Encoder]
"""163 floats: pick up, or which hand game; asked again when a hand game is named, the features are the same."""
DECLARE: Final[Encoder]
"""163 floats: the game after picking up; asked again for null or null ouvert, the features are the same."""
DISCARD_PAIR: Final[Encoder]
"""164 floats: which pair to lay away; both cards are decided on the twelve, so the features are the same for both."""
