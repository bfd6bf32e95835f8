"""Policy-value networks for the cardplay: which network a seat uses, and what its outputs stand for.

The first 32 outputs are the logits of the cards, in the encoder's numbering. The last is the value: the expected result
of the side to act less that of the other side, in the game's match unit, divided by the network's scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from skat_env.agents.networks.network import WIDTHS, NetworkSpec
from skat_env.protocols import Position
from skat_env.registry import get_part

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1


@dataclass(frozen=True, slots=True)
class CardNetworks:
    """The part `card_networks` of a game."""

    game: str
    names: tuple[str, ...]
    """The names of the networks; each reads the encoder `GAME.NAME`."""
    scale: float
    """Game units of a value of 1: about the standard deviation of the game's results."""
    route: tuple[tuple[int, int], ...]
    """[contract, side]: the index of the network; side 0 is the declaring one, 1 the other."""

    def name_of(self, position: Position, side: int) -> str:
        """The network that a side uses at a State or View of the cardplay."""
        assert position.contract is not None
        return self.names[self.route[position.contract][side]]

    def spec(self, name: str, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
        """The specification of a network."""
        return NetworkSpec(f"{self.game}.{name}", OUTPUTS, tuple(hidden), self.scale)


def card_networks(game: str) -> CardNetworks:
    """The policy-value networks of a game.

    Raises:
        ValueError: if the game has none.
    """
    networks: CardNetworks = get_part(game, "card_networks")
    return networks
