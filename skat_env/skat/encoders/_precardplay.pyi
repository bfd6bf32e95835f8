"""The five encodings of Rebstock 2019, Table 3.1: what a seat knows at each decision before the cardplay.

`NEXT_BID` is ours: a single bid or answer, where the paper predicts the maximum. The paper counts 67 bids; here there
are 63 bid values and passing. Bid levels run from 0, "none", to 63.
"""

from typing import Final

from skat_env._encoder import Encoder

BID_ANSWER: Final[Encoder]
"""35 floats: the maximal bid of forehand and middlehand against each other; any seat can be encoded."""
CONTINUE_ANSWER: Final[Encoder]
"""99 floats: the maximal bid of rearhand and of the seat still in; also whether forehand plays after two passes."""
NEXT_BID: Final[Encoder]
"""166 floats: the next bid or answer. The first 163 are those of `HAND_PICKUP` if the seat accepts and all others pass.

Any seat can be encoded, but the level asked is that of the seat to act."""
HAND_PICKUP: Final[Encoder]
"""163 floats: whether to pick up, or which hand game to play. Both decisions of a hand game have the same features."""
DECLARE: Final[Encoder]
"""163 floats: the game after picking up. The decision between null and null ouvert has the same features."""
DISCARD_PAIR: Final[Encoder]
"""164 floats: the pair to discard. Both cards are chosen among the twelve, so both decisions have the same features."""
