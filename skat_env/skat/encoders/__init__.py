"""All encoders of Skat."""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.skat.encoders._cardplay import (
    GRAND_DEFENDER,
    GRAND_SOLOIST,
    NULL_DEFENDER,
    NULL_SOLOIST,
    SUIT_DEFENDER,
    SUIT_SOLOIST,
)
from skat_env.skat.encoders._declared import DECLARED
from skat_env.skat.encoders._location import LOCATIONS, LOCATIONS_BEFORE
from skat_env.skat.encoders._precardplay import (
    BID_ANSWER,
    CONTINUE_ANSWER,
    DECLARE,
    DISCARD_PAIR,
    HAND_PICKUP,
    NEXT_BID,
)
from skat_env.skat.encoders._relabelled import (
    RELABELLED_DEFENDER,
    RELABELLED_SOLOIST,
    TACTICAL_DEFENDER,
    TACTICAL_SOLOIST,
)
from skat_env.skat.encoders._world import WORLD

ENCODERS: Final[tuple[Encoder, ...]] = (
    BID_ANSWER,
    CONTINUE_ANSWER,
    NEXT_BID,
    HAND_PICKUP,
    DECLARE,
    DISCARD_PAIR,
    DECLARED,
    SUIT_SOLOIST,
    SUIT_DEFENDER,
    GRAND_SOLOIST,
    GRAND_DEFENDER,
    NULL_SOLOIST,
    NULL_DEFENDER,
    LOCATIONS,
    LOCATIONS_BEFORE,
    RELABELLED_SOLOIST,
    RELABELLED_DEFENDER,
    TACTICAL_SOLOIST,
    TACTICAL_DEFENDER,
    WORLD,
)
