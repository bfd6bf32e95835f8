"""The encodings of Klaverjas from which networks infer where the cards lay before the cardplay.

They correspond to those of Solinas 2019, Table 2, for Skat. The suits are relabelled as in `suits.py`: trumps come
first; network outputs for cards are relabelled in the same way.
"""

from typing import Final

from skat_env._encoder import Encoder

LOCATIONS: Final[Encoder]
"""1,358 floats, the last 896 the history of the cardplay."""
LOCATIONS_BEFORE: Final[Encoder]
"""46 floats, the same throughout the cardplay: what was known before it."""
