"""Networks that value cards: which of them a seat asks, what it answers, and what a game is worth to it.

One forward pass values all cards of a row. The last of its outputs is what the position is worth to the seat, the
others what each card, as the network's encoder numbers it, adds to that: so every card learns from every game what all
have in common (the dueling networks of Wang et al. 2016).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.networks.checkpoint import Checkpoint
from agents.networks.network import WIDTHS, Network, NetworkSpec
from skat_env.protocols import Agent, Position, View
from skat_env.registry import get_part

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1


@dataclass(frozen=True)
class Role:
    """What one network is for."""

    name: str
    encoder: str


@dataclass(frozen=True)
class ValueLayout:
    """The part `card_values` of a game: its networks."""

    game: str
    roles: tuple[Role, ...]
    route: tuple[tuple[int, ...], ...]
    """[contract, seats after the declarer]: the number of the role."""
    share: tuple[float, ...]
    """By seats after the declarer: times what the seats get in the match unit, the sum is the game's worth to the
    declaring side; the other side's is its negative."""
    scale: float
    """Game units of one unit of output."""
    bidder: Callable[[Checkpoint], str | Agent]
    """What plays before the cardplay by default, given the networks: an agent or its name."""

    def spec(self, role: Role, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
        """The network of a role."""
        return NetworkSpec(role.encoder, OUTPUTS, tuple(hidden), self.scale)

    def role_of(self, position: Position, seat: int) -> Role:
        """The role of a seat in the cardplay of a State or View."""
        assert position.contract is not None
        return self.roles[self.route[position.contract][(seat - position.declarer) % len(self.share)]]


def value_layout(game: str) -> ValueLayout:
    """The networks of a game.

    Raises:
        ValueError: if it has none.
    """
    layout: ValueLayout = get_part(game, "card_values")
    return layout


class CardValues:
    """The networks of a game's roles, asked about many views at once."""

    def __init__(self, game: str, networks: Mapping[str, Network]) -> None:
        self.layout = value_layout(game)
        self.networks = dict(networks)

    def values(self, views: Sequence[View]) -> NDArray[np.float32]:
        """What each card would bring to the side of the seat to act, float32 [n, 32] in game units.

        Cards that are not legal have values without meaning.
        """
        values = np.empty((len(views), CARDS), np.float32)
        for network, members in self._by_network([(view, view.seat) for view in views]):
            some = [views[i] for i in members]
            outputs = network.outputs_of(some)
            added = np.take_along_axis(outputs, network.encoder.labels(some), axis=1)
            values[members] = added + outputs[:, CARDS:]
        return values

    def start_values(self, positions: Sequence[Position]) -> NDArray[np.float32]:
        """What games that begin the cardplay are worth to the declarer's side, float32 [n] in game units."""
        values = np.empty(len(positions), np.float32)
        declarers = [position.declarer for position in positions]
        for network, members in self._by_network(list(zip(positions, declarers, strict=True))):
            rows = network.outputs_of([positions[i] for i in members], [declarers[i] for i in members])
            values[members] = rows[:, CARDS]
        return values

    def _by_network(self, asked: list[tuple[Position, int]]) -> list[tuple[Network, list[int]]]:
        groups: dict[str, list[int]] = {}
        for number, (position, seat) in enumerate(asked):
            groups.setdefault(self.layout.role_of(position, seat).name, []).append(number)
        return [(self.networks[name], members) for name, members in groups.items()]
