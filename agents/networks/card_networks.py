"""Networks with a policy and a value for the cardplay: which of them a seat asks, and what its outputs stand for.

The first 32 outputs are the logits of the cards, the last is what the side of the seat to act will have more than the
other in the game's match unit, divided by the network's scale.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.networks.network import WIDTHS, NetworkSpec
from agents.skat.networks import CARDPLAY, card_network
from skat_env.klaverjas.suits import ENCODED

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1
NAMES: Final = {
    "skat": CARDPLAY,
    "klaverjas": ("cardplay",),
}
"""The networks of each game; each reads the encoder of its name."""
SCALES: Final = {"skat": 100.0, "klaverjas": 100.0}
"""Game units of a value of 1: about the spread of the games' results."""


def network_name(view: Any, game: str, side: int) -> str:
    """The network that the seats of a side ask in the cardplay: 0 the declaring side, 1 the other."""
    if game == "klaverjas":
        return NAMES[game][0]
    return card_network(view.kind, side)


def outputs_of_cards(view: Any, game: str) -> NDArray[np.uint8]:
    """uint8 [32]: the output that stands for each card."""
    return ENCODED[view.trump] if game == "klaverjas" else np.arange(CARDS, dtype=np.uint8)


def network_spec(game: str, name: str, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
    """What the network of a name is."""
    return NetworkSpec(f"{game}.{name}", OUTPUTS, tuple(hidden), SCALES[game])
