"""What a player observes, as text and as a tensor."""

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from skat_env.cards import mask_text
from skat_env.errors import OptionError
from skat_env.features import slices, total_width
from skat_env.openspiel.state import OpenSpielState
from skat_env.openspiel.variant import Variant
from skat_env.protocols import State


class OpenSpielObserver:
    """An observer in the form that OpenSpiel asks of Python games.

    The tensor is the environments' observation, float32 [features]: bits, by which all that the seat remembers is
    known. With `players=sides` it is float32 [seats, features], 0 for the seats of the other side. It is 0 while chance
    deals. The text is the view of the seat with perfect recall, and without it the table as the seat sees it.

    Half an observation has no tensor: what is public is the actions that all have seen, what is private the cards whose
    place the seat knows.

    Raises:
        ValueError: if it is asked to observe the cards of all players, or nothing.
    """

    def __init__(self, variant: Variant, kind: Any, parameters: Any = None) -> None:
        if parameters:
            raise OptionError(f"observers take no parameters, got {parameters}")
        private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS or not (private or kind.public_info):
            raise OptionError("an observer sees what is public, its own player's cards, or both")
        self._text = (
            (_view if kind.perfect_recall else _table)
            if private and kind.public_info
            else (_private if private else _public)
        )
        self.dict: dict[str, NDArray[np.float32]] = {}
        self.tensor: NDArray[np.float32] | None = None
        if not (private and kind.public_info):
            return
        features = variant.game.features
        rows = len(variant.game.seats) if variant.by_side else 1
        self._rows = np.zeros((rows, total_width(features)), np.float32)
        self.tensor = self._rows.reshape(-1)
        if variant.by_side:
            self.dict["observation"] = self._rows
            return
        for feature, where in zip(features, slices(features).values(), strict=True):
            self.dict[feature.name] = self.tensor[where].reshape(feature.shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes what a player observes into `tensor`, of which `dict` has the parts."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        if state.position is None:
            return
        for seat in state.variant.seats_of(state.position, player):
            self._rows[seat if state.variant.by_side else 0] = state.position.observe(seat)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What a player observes, as text; before the cards are dealt nothing."""
        return "dealing" if state.position is None else self._text(state.variant, state.position, player)


def _view(variant: Variant, position: State, player: int) -> str:
    """All that a player knows and remembers."""
    return variant.knowledge(position, player)


def _table(variant: Variant, position: State, player: int) -> str:
    """The table as a player sees it."""
    return "\n".join(variant.game.render(position, seat) for seat in variant.seats_of(position, player))


def _private(variant: Variant, position: State, player: int) -> str:
    """The cards whose places a player knows."""
    views = [position.view(seat) for seat in variant.seats_of(position, player)]
    return " | ".join("/".join(mask_text(cards) for cards in view.places) for view in views)


def _public(variant: Variant, position: State, player: int) -> str:
    """The head and the actions that all seats have seen."""
    seen = zip(*(position.view(seat).history() for seat in range(len(variant.game.seats))), strict=True)
    words = [variant.game.actions[same[0]] if len({*same}) == 1 else "?" for same in seen]
    return " ".join(filter(None, [position.head(), ":", *words]))
