"""Location networks: they predict where each card lay before the cardplay. Their names, inputs and outputs.

The output is a matrix of 32 cards by places, with a softmax over the places of each card (Solinas 2019, figure 1).
Places are relative to the observer: its own hand, the hands of the next players in turn, then the skat. Skat has one
network for each type of game, used in both roles; Klaverjas has a single one, as its suits are relabelled. `BDCI` reads
bidding, declaration and cardplay; `BDI` reads what was known before the first card (section 4).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import NetworkSpec
from skat_env.registry import get_game, get_part

CARDS: Final = 32
BRANCH: Final = "history"
"""The feature that has its own layers before it joins the others."""
ENCODERS: Final = {"BDCI": "locations", "BDI": "locations_before"}
"""The encoder of each set of features."""


@dataclass(frozen=True, slots=True)
class LocationLayout:
    """The part `locations` of a game: which types of game have their own network."""

    kinds: tuple[str, ...]
    """The types of game with their own network; empty: one network serves all contracts."""
    kind_of: Callable[[int], str]
    """Maps a contract to its type of game."""


def network_names(game: str) -> tuple[str, ...]:
    """All networks of a game."""
    layout: LocationLayout = get_part(game, "locations")
    return tuple(_name(kind, features) for features in ENCODERS for kind in layout.kinds or ("",))


def network_name(game: str, contract: int, features: str) -> str:
    """The name of the network for a contract."""
    layout: LocationLayout = get_part(game, "locations")
    return _name(layout.kind_of(contract) if layout.kinds else "", features)


def _name(kind: str, features: str) -> str:
    return f"{kind}_{features.lower()}".removeprefix("_")


def network_spec(game: str, name: str, hidden: tuple[int, ...], history: tuple[int, ...]) -> NetworkSpec:
    """The specification of a network; `history` gives the layer widths of its branch, if it has one."""
    features = name.rpartition("_")[2].upper()
    outputs = CARDS * len(get_game(game).place_sizes)
    branch = (BRANCH, history) if features == "BDCI" else ("", ())
    return NetworkSpec(f"{game}.{ENCODERS[features]}", outputs, hidden, 1.0, "elu", *branch)


def relative_places(places: NDArray[np.uint32], seats: NDArray[Any], hands: int) -> NDArray[np.uint8]:
    """The place of each card relative to a seat, uint8 [n, 32].

    Args:
        places: uint32 [n, places], the cards at each place as masks; the hands come first.
        seats: int [n], the observers.
        hands: the number of places that are hands.
    """
    held = places[:, None, :] >> np.arange(CARDS, dtype=np.uint32)[:, None] & np.uint32(1)
    place = held.argmax(axis=2)
    turned = (place - np.asarray(seats, np.int64)[:, None]) % hands
    return np.asarray(np.where(place < hands, turned, place), np.uint8)


def by_seat(matrix: NDArray[Any], seat: int, hands: int) -> NDArray[Any]:
    """Turns the columns of a matrix [32, places] from relative places into the game's places."""
    return np.concatenate((np.roll(matrix[:, :hands], seat, axis=1), matrix[:, hands:]), axis=1)
