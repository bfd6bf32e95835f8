"""`value(checkpoint=klaverjas-value)`: a value network at the leaves of a tree search (Aaldering 2023, section 3.2).

The network sees a leaf as the searching seat does, without the other hands of the world drawn.
"""

from collections.abc import Sequence

import numpy as np

from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.call_text import call_text
from skat_env.errors import NotFinite
from skat_env.options import checked_options
from skat_env.registry import get_game

VALUE = "value"
"""The network's name in a checkpoint."""


class ValueEvaluator:
    """Values leaves with a network of one output: the result of the observer's side less that of the other side.

    Args:
        network: the network; its encoder must read every position of the cardplay but the last.
        game: the game's name.
        name: the registry text of this evaluator.
    """

    priors = False

    def __init__(self, network: Network, game: str, name: str = "value") -> None:
        self._network = network
        self.name = name
        self.unit = get_game(game).match_unit

    def settle(self, searches: Sequence[Search]) -> None:
        """Values the leaves with one forward pass."""
        network = self._network
        starts = np.cumsum([0, *(search.tree.waiting for search in searches)]).tolist()
        rows = np.empty((starts[-1], network.encoder.width), np.float32)
        for search, start, end in zip(searches, starts, starts[1:], strict=False):
            search.tree.encode(network.encoder, False, rows[start:end])
        try:
            values = network(rows)[:, 0].astype(np.float64) * network.spec.scale
        except NotFinite as error:
            number = int(np.searchsorted(starts, error.row, side="right")) - 1
            raise error.at(searches[number].leaf_text(error.row - starts[number])) from None
        for search, start, end in zip(searches, starts, starts[1:], strict=False):
            declares = search.view.side(search.view.seat) == 0
            search.tree.settle(values[start:end] if declares else -values[start:end])


@checked_options("value")
def value(checkpoint: str | None = None, *, game: str) -> ValueEvaluator:
    """The evaluator with a checkpoint's value network, by name or path; None: `GAME-value`.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, belongs to another game, or has no value network.
    """
    checkpoint = f"{game}-value" if checkpoint is None else checkpoint
    network = load_checkpoint(checkpoint, game).network(VALUE)
    return ValueEvaluator(network, game, call_text("value", {"checkpoint": checkpoint}))
