"""Networks for which suits stand in an order of their own: what they learn of one suit holds for those that are alike.

Trumps come last, and before them the other suits, by how many cards of them the seat was dealt. Until the contract is
known suits differ in more than that, and stand as they are; jacks that are trumps stay, too.
"""

from itertools import permutations
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from skat_env.features import Feature, SuitFeatures, slices
from skat_env.registry import get_game, get_part

SUITS: Final = 4
JACK: Final = 4
"""The rank of jacks."""
LAST: Final = 1 << 20
"""More than any rank of a suit among the others."""


class SuitOrder:
    """Puts suits in order in what a network sees, and back in what it says.

    Args:
        game: the game.
    """

    def __init__(self, game: str) -> None:
        features, actions_of_game = get_game(game).features, len(get_game(game).actions)
        self._places = slices(features)
        self._suits: SuitFeatures = get_part(game, "suit_features")
        orders = list(permutations(range(SUITS)))
        self._number = torch.zeros((SUITS,) * SUITS, dtype=torch.int64)
        columns, actions, cards_of = [], [], []
        for jacks_stay in (False, True):
            for number, order in enumerate(orders):
                self._number[order] = number
                suits = np.array(order)
                cards = (8 * suits[:, None] + np.arange(8)).ravel()
                if jacks_stay:
                    cards[JACK::8] = np.arange(JACK, 32, 8)
                columns.append(_columns(features, self._suits.by_suit, cards, suits))
                to = np.argsort(cards)
                cards_of.append(to)
                actions.append(np.append(to, np.arange(32, actions_of_game)))
        self._columns, self._cards = np.array(columns), np.array(cards_of)
        self._actions = torch.from_numpy(np.array(actions))
        self._orders = len(orders)

    def of(self, observation: Tensor) -> Tensor:
        """The order of the suits in observations int8 [n, features], as numbers int64 [n]."""
        known = observation[:, self._places[self._suits.trump]]
        hand = observation[:, self._places["hand"]] | observation[:, self._places["played"]][:, :32]
        own = hand.reshape(-1, SUITS, 8).long()
        stay = torch.zeros(len(own), dtype=torch.bool)
        if self._suits.plain_jacks is not None:
            stay = known[:, self._suits.plain_jacks] == 0
            own[stay, :, JACK] = 0
        key = (own * (256 + (1 << torch.arange(8)))).sum(2) + LAST * known[:, :SUITS].long()
        order = torch.argsort(key, stable=True)
        order[~known.any(1)] = torch.arange(SUITS)
        return self._number[*order.T] + self._orders * stay

    def observations(self, observation: Tensor, order: Tensor) -> Tensor:
        """Observations int8 [n, features] with suits in an order."""
        return _ordered(observation, order, self._columns)

    def places(self, cards: Tensor, order: Tensor) -> Tensor:
        """Cards of several places, int8 [n, places * 32], with suits in an order."""
        places = cards.reshape(len(cards), -1, 32)
        each = _ordered(places.flatten(0, 1), order.repeat_interleave(places.shape[1]), self._cards)
        return each.view_as(cards)

    def actions(self, logits: Tensor, order: Tensor) -> Tensor:
        """What a network says of each action, [n, actions], by actions as they are; gradients go through."""
        return logits.gather(1, self._actions[order].to(logits.device))


def _columns(
    features: tuple[Feature, ...],
    by_suit: tuple[str, ...],
    cards: NDArray[np.int64],
    suits: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The column that each column of an observation goes to, int64 [features]."""
    columns = np.arange(sum(feature.width for feature in features))
    for feature, place in zip(features, slices(features).values(), strict=True):
        part = columns[place].reshape(-1, feature.shape[-1])
        if feature.shape[-1] == len(cards):
            part[:] = part[:, cards]
        elif feature.name in by_suit:
            part[:, :SUITS] = part[:, suits]
    return np.argsort(columns)


def _ordered(bits: Tensor, order: Tensor, columns: NDArray[np.int64]) -> Tensor:
    """Bits int8 [n, width], few of which are set, with the columns of each row in the order that has its number."""
    width = bits.shape[1]
    found = np.flatnonzero(bits.contiguous().numpy().view(np.bool_))
    rows = found // width
    ordered = np.zeros(bits.shape, np.int8)
    ordered.reshape(-1)[rows * width + columns[order.numpy()[rows], found - rows * width]] = 1
    return torch.from_numpy(ordered)
