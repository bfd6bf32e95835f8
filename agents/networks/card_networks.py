"""Networks with a policy and a value for the cardplay: which of them a seat asks, and what its outputs stand for.

The first 32 outputs are the logits of the cards. The last is what the side of the seat to act will have more than the
other in the game's match unit, divided by the network's scale.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.networks.network import WIDTHS, NetworkSpec
from skat_env.protocols import Position
from skat_env.registry import get_part

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1


@dataclass(frozen=True, slots=True)
class CardNetworks:
    """The part `card_networks` of a game."""

    game: str
    names: tuple[str, ...]
    """The networks; each reads the encoder `GAME.NAME`."""
    scale: float
    """Game units of a value of 1: about the spread of the game's results."""
    name_of: Callable[[Position, int], str]
    """(position of the cardplay, side) -> the network that the seats of a side ask: 0 the declaring side, 1 the
    other."""
    outputs_of_cards: Callable[[Position], NDArray[np.uint8]]
    """uint8 [32]: the output that stands for each card."""

    def spec(self, name: str, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
        """What the network of a name is."""
        return NetworkSpec(f"{self.game}.{name}", OUTPUTS, tuple(hidden), self.scale)


def card_networks(game: str) -> CardNetworks:
    """The networks of a game.

    Raises:
        ValueError: if it has none.
    """
    networks: CardNetworks = get_part(game, "card_networks")
    return networks
