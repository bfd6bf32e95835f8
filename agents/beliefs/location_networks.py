"""Networks that tell where the cards lay before the cardplay: which there are, and what their outputs stand for.

Solinas 2019, figure 1: 32 cards by places, each card's places a softmax. Places are relative: the observer's hand, the
hands of those who play after him in turn, then what is no hand (the skat). One network a type of game in Skat, for both
roles; in Klaverjas, where suits are relabelled, one for all. `BDCI` knows bidding, declaration and cardplay, `BDI` what
was known before the first card (section 4).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.networks.network import NetworkSpec
from skat_env.registry import get_game, get_part

CARDS: Final = 32
BRANCH: Final = "history"
"""The feature that goes through layers of its own."""
ENCODERS: Final = {"BDCI": "locations", "BDI": "locations_before"}
"""What the networks of each set of features read."""


@dataclass(frozen=True, slots=True)
class LocationLayout:
    """The part `locations` of a game: which of its contracts have a network of their own."""

    kinds: tuple[str, ...]
    """The types of game that have one; empty: one network serves all."""
    kind_of: Callable[[int], str]
    """The type of game of a contract."""


def network_names(game: str) -> tuple[str, ...]:
    """All networks of a game."""
    layout: LocationLayout = get_part(game, "locations")
    return tuple(_name(kind, features) for features in ENCODERS for kind in layout.kinds or ("",))


def network_name(game: str, contract: int, features: str) -> str:
    """The network to ask in a contract."""
    layout: LocationLayout = get_part(game, "locations")
    return _name(layout.kind_of(contract) if layout.kinds else "", features)


def _name(kind: str, features: str) -> str:
    return f"{kind}_{features.lower()}".removeprefix("_")


def network_spec(game: str, name: str, hidden: tuple[int, ...], history: tuple[int, ...]) -> NetworkSpec:
    """What a network is; `history` are the widths of the layers of its branch, if it has one."""
    features = name.rpartition("_")[2].upper()
    outputs = CARDS * len(get_game(game).place_sizes)
    branch = (BRANCH, history) if features == "BDCI" else ("", ())
    return NetworkSpec(f"{game}.{ENCODERS[features]}", outputs, hidden, 1.0, "elu", *branch)


def relative_places(places: NDArray[np.uint32], seats: NDArray[Any], hands: int) -> NDArray[np.uint8]:
    """The place of each card as the seats count them, uint8 [n, 32].

    Args:
        places: uint32 [n, places], the cards at each place as masks, the hands first.
        seats: int [n].
        hands: how many of the places are.
    """
    held = places[:, None, :] >> np.arange(CARDS, dtype=np.uint32)[:, None] & np.uint32(1)
    place = held.argmax(axis=2)
    turned = (place - np.asarray(seats, np.int64)[:, None]) % hands
    return np.asarray(np.where(place < hands, turned, place), np.uint8)


def by_seat(matrix: NDArray[Any], seat: int, hands: int) -> NDArray[Any]:
    """A matrix [32, places] by relative place, by place of the game."""
    return np.concatenate((np.roll(matrix[:, :hands], seat, axis=1), matrix[:, hands:]), axis=1)
