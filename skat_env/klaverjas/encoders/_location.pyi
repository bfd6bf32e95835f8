"""The encodings of Klaverjas from which networks infer where the cards lay before the cardplay.

They tell what Solinas 2019, Table 2, tells of Skat. The suits are relabelled as `suits.py` says: trumps come first, and
network outputs for cards are relabelled in the same way.
"""

from typing import Final

from skat_env._encoder import Encoder

LOCATIONS: Final[Encoder]
"""1,356 floats, the last 896 the history of the cardplay."""
LOCATIONS_BEFORE: Final[Encoder]
"""44 floats that stay the same during the cardplay: what was known before it."""
