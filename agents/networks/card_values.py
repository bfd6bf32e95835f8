"""Networks that value cards: which of them a seat asks, what it answers, and what a game is worth to it.

One forward pass values all cards of a row. The last of its outputs is what the position is worth to the seat, the
others what each card, as the network's encoder numbers it, adds to that: so every card learns from every game what all
have in common (the dueling networks of Wang et al. 2016).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.networks.network import WIDTHS, Network, NetworkSpec

CARDS: Final = 32
OUTPUTS: Final = CARDS + 1


@dataclass(frozen=True)
class Role:
    """What one network is for."""

    name: str
    encoder: str


@dataclass(frozen=True)
class ValueLayout:
    """The networks of a game."""

    game: str
    roles: tuple[Role, ...]
    route: tuple[tuple[int, ...], ...]
    """[contract, seats after the declarer]: the number of the role."""
    share: tuple[float, ...]
    """By seats after the declarer: times what the seats get in the match unit, the sum is the game's worth to the
    declaring side; the other side's is its negative."""
    scale: float
    """Game units of one unit of output."""

    def spec(self, role: Role, hidden: Sequence[int] = WIDTHS["small"]) -> NetworkSpec:
        """The network of a role."""
        return NetworkSpec(role.encoder, OUTPUTS, tuple(hidden), self.scale)

    def role_of(self, position: Any, seat: int) -> Role:
        """The role of a seat in the cardplay of a State or View."""
        declarer: int = position.soloist if self.game == "skat" else position.declarer
        contract: int = position.contract if self.game == "skat" else position.trump
        return self.roles[self.route[contract][(seat - declarer) % len(self.share)]]


_KINDS = ("suit", "grand", "null")

LAYOUTS: Final = {
    "skat": ValueLayout(
        "skat",
        # Who plays before the soloist and who after him have different tasks (SkatZero, 2025, has the same nine).
        tuple(
            role
            for kind in _KINDS
            for role in (
                Role(f"{kind}_soloist", "skat.relabelled_soloist"),
                Role(f"{kind}_left", "skat.relabelled_defender"),
                Role(f"{kind}_right", "skat.relabelled_defender"),
            )
        ),
        ((0, 1, 2),) * 4 + ((3, 4, 5), (6, 7, 8)),
        (1.0, -1.0, -1.0),
        100.0,
    ),
    "klaverjas": ValueLayout(
        "klaverjas",
        # Partners ask the same network: where the declarer sits is of little weight beside the cards.
        (
            Role("declaring", "klaverjas.cardplay"),
            Role("defending", "klaverjas.cardplay"),
        ),
        ((0, 1, 0, 1),) * 4,
        (0.25, -0.25, 0.25, -0.25),
        100.0,
    ),
}


class CardValues:
    """The networks of a game's roles, asked about many views at once."""

    def __init__(self, game: str, networks: Mapping[str, Network]) -> None:
        self.layout = LAYOUTS[game]
        self.networks = dict(networks)

    def values(self, views: Sequence[Any]) -> NDArray[np.float32]:
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

    def start_values(self, positions: Sequence[Any]) -> NDArray[np.float32]:
        """What games that begin the cardplay are worth to the declarer's side, float32 [n] in game units."""
        values = np.empty(len(positions), np.float32)
        declarers = [p.soloist if self.layout.game == "skat" else p.declarer for p in positions]
        for network, members in self._by_network(list(zip(positions, declarers, strict=True))):
            rows = network.outputs_of([positions[i] for i in members], [declarers[i] for i in members])
            values[members] = rows[:, CARDS]
        return values

    def _by_network(self, asked: list[tuple[Any, int]]) -> list[tuple[Network, list[int]]]:
        groups: dict[str, list[int]] = {}
        for number, (position, seat) in enumerate(asked):
            groups.setdefault(self.layout.role_of(position, seat).name, []).append(number)
        return [(self.networks[name], members) for name, members in groups.items()]
