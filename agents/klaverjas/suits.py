"""Suits of Klaverjas that are alike, and rows in which they have changed places; encoders put trumps first."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.value_network import ValueNetwork

Rows = dict[str, NDArray[Any]]
CARDS: Final = 32
MASKS: Final = 11
"""Sets of cards at the start of a row of `klaverjas.cardplay`; the other features know no suits."""


def shuffle_plain_suits(rows: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Shuffles the three plain suits in each row of `klaverjas.perspective`, float32 [n, 299], in place.

    Aaldering 2023, section 3.2: the plain suits are in random order, so that they look alike to the network.
    """
    suits = rows[:, 72:288].reshape(len(rows), 3, 72)
    order = rng.permuted(np.tile(np.arange(3), (len(rows), 1)), axis=1)
    rows[:, 72:288] = np.take_along_axis(suits, order[:, :, None], axis=1).reshape(len(rows), 216)


VALUE_NETWORK: Final = ValueNetwork("klaverjas.perspective", shuffle_plain_suits)


def alike_suits(network: str) -> tuple[tuple[int, ...], bool]:
    """The suits that can change places in a network's rows, the plain ones; their jacks go along."""
    return (1, 2, 3), True


def shuffle_cards(rows: Rows, rng: np.random.Generator) -> Rows:
    """Rows of `klaverjas.cardplay`, `legal` and `targets` by card too, with the plain suits in another order.

    The order is the same for all rows.
    """
    order = [0, *(1 + rng.permutation(3))]
    features = rows["features"].copy()
    masks = features[:, : MASKS * CARDS].reshape(-1, MASKS, 4, 8)
    features[:, : MASKS * CARDS] = masks[:, :, order].reshape(len(features), -1)
    cards = {name: rows[name].reshape(-1, 4, 8)[:, order].reshape(-1, CARDS) for name in ("legal", "targets")}
    return {**rows, **cards, "features": features}
