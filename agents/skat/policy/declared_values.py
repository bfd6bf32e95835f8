"""What declared games are worth with their discards, by the network `declared_value` (ours)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.skat.policy._declarations import write_declarations
from skat_env.agents.skat.policy.networks import (
    DECLARED_VALUE,
    DISCARDS,
    PAIR_MASKS,
    SHORTLIST,
    discard_legal,
)
from skat_env.errors import NotFinite
from skat_env.skat import Declaration, SkatView
from skat_env.skat.rules import BID_LEVEL, Announcement, Phase

NETWORK: Final = "declared_value"


class DeclaredValues:
    """Values games with the discards that their network of discards finds most probable.

    Args:
        checkpoint: the networks.

    Raises:
        ParseError: if it lacks one that is needed.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        checkpoint.require_any(DECLARED_VALUE)

    def of(self, view: SkatView, game: Declaration) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """A shortlist of discards for a game, and what the game is worth with each.

        Args:
            view: the soloist's, after it has picked up and before the second discard.
            game: not a hand game.

        Returns:
            uint32 [n], masks of two cards, the most probable first; float32 [n, 3], the outputs of `declared_value`.

        Raises:
            NotFinite: if a network has an output that is not finite.
        """
        pairs = self._shortlist(view, game)
        return pairs, self.of_pairs(view, game, pairs)

    def of_pairs(self, view: SkatView, game: Declaration, pairs: NDArray[np.uint32]) -> NDArray[np.float32]:
        """What a game is worth with given discards.

        Args:
            view: as in `of`.
            game: not a hand game.
            pairs: uint32 [n], masks of two of the soloist's twelve cards.

        Returns:
            float32 [n, 3], the outputs of `declared_value`.

        Raises:
            NotFinite: if the network has an output that is not finite.
        """
        network = self._checkpoint.network(NETWORK)
        rows = np.empty((len(pairs), network.encoder.width), np.float32)
        levels = [BID_LEVEL.get(bid, 0) for bid in view.bids]
        hands = np.uint32(view.hand | view.skat) & ~pairs
        write_declarations(
            network.encoder, view.seat, levels, hands, pairs, game.contract, game.announcement, rows
        )
        return _infer(network, rows, view)

    def _shortlist(self, view: SkatView, game: Declaration) -> NDArray[np.uint32]:
        network = self._checkpoint.network(DISCARDS[game.contract])
        row = np.zeros((1, network.encoder.width), np.float32)
        # `skat.discard` adds to the features of `skat.declare` whether the game is ouvert.
        before = (
            network.encoder if view.phase == Phase.DISCARD else self._checkpoint.network("declare").encoder
        )
        row[0, : before.width] = before.encode([view])[0]
        row[0, -1] = game.announcement == Announcement.OUVERT
        logits = _infer(network, row, view)[0]
        legal = np.flatnonzero(discard_legal([view])[0])
        return np.asarray(PAIR_MASKS[legal[np.argsort(-logits[legal], kind="stable")[:SHORTLIST]]])


def _infer(network: Network, rows: NDArray[np.float32], view: SkatView) -> NDArray[np.float32]:
    """The outputs of a network; where one is not finite, the error names the view."""
    try:
        return network.infer(rows)
    except NotFinite as error:
        raise error.at(view.text()) from None
