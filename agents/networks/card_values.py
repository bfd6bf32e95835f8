"""Action-value networks for the cardplay: which network a seat uses, and what its outputs stand for.

One forward pass values all cards of a row. The last output is the value of the position to the seat, the others are the
advantages of the cards in the encoder's numbering. So every game teaches all cards the value that they have in common
(dueling networks, Wang et al. 2016).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.networks.network import WIDTHS, Network, NetworkSpec
from skat_env.protocols import Agent, Position, View
from skat_env.registry import get_part

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1


@dataclass(frozen=True)
class Role:
    """The role that a network plays."""

    name: str
    encoder: str


@dataclass(frozen=True)
class ValueLayout:
    """The part `card_values` of a game: its networks."""

    game: str
    roles: tuple[Role, ...]
    route: tuple[tuple[int, ...], ...]
    """[contract, seats after the declarer]: the index of the role."""
    scale: float
    """Game units of one unit of output."""
    bidder: Callable[[Checkpoint], str | Agent]
    """Maps the networks to the default agent for everything before the cardplay, or its name."""

    def spec(self, role: Role, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
        """The specification of a role's network."""
        return NetworkSpec(role.encoder, OUTPUTS, tuple(hidden), self.scale)

    def role_of(self, position: Position, seat: int) -> Role:
        """The role of a seat at a State or View of the cardplay."""
        assert position.contract is not None
        return self.roles[self.route[position.contract][(seat - position.declarer) % len(self.route[0])]]


def value_layout(game: str) -> ValueLayout:
    """The action-value networks of a game.

    Raises:
        ValueError: if the game has none.
    """
    layout: ValueLayout = get_part(game, "card_values")
    return layout


class CardValues:
    """The networks of a game's roles, evaluated on many views at once."""

    def __init__(self, game: str, networks: Mapping[str, Network]) -> None:
        self.layout = value_layout(game)
        self.networks = dict(networks)

    def values(self, views: Sequence[View]) -> NDArray[np.float32]:
        """The value of each card to the side of the seat to act, float32 [n, 32] in game units.

        The values of illegal cards are meaningless.
        """
        by_role: dict[str, list[int]] = {}
        for number, view in enumerate(views):
            by_role.setdefault(self.layout.role_of(view, view.seat).name, []).append(number)
        values = np.empty((len(views), CARDS), np.float32)
        for role, members in by_role.items():
            network = self.networks[role]
            some = [views[i] for i in members]
            outputs = network.outputs_of(some)
            added = np.take_along_axis(outputs, network.encoder.labels(some), axis=1)
            values[members] = added + outputs[:, CARDS:]
        return values
