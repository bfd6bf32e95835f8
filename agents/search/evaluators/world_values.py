"""`world_values(checkpoint=None, policy=None)`: a network that values whole worlds, at the leaves of a tree search.

The network has learnt what a world is worth if all go on as players do who do not see the cards. With `policy`, the
cardplay networks of a checkpoint give the priors of the tree (PUCT), each seat's on what it sees.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.networks.world_values import WorldValues
from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.call_text import call_text
from skat_env.errors import NotFinite
from skat_env.options import checked_options
from skat_env.protocols import State
from skat_env.registry import get_game

ACTIONS_OF_CARDS = np.arange(CARDS, dtype=np.uint8)


class WorldEvaluator:
    """Values leaves as whole worlds.

    Args:
        game: the game's name.
        checkpoint: the network that values worlds, by name or path; None: `GAME-world`.
        policy: the networks that choose cards, by the names of `card_networks`; None: the tree has no priors.
        name: the registry text of this evaluator.
    """

    def __init__(
        self,
        game: str,
        checkpoint: str | None = None,
        policy: Mapping[str, Network] | None = None,
        name: str = "world_values",
    ) -> None:
        self._worlds = WorldValues(game, checkpoint)
        self._layout = card_networks(game)
        self._policy = dict(policy or {})
        self.priors = policy is not None
        self.name = name
        self.unit = get_game(game).match_unit

    def settle(self, searches: Sequence[Search]) -> None:
        """Values the leaves with one forward pass for each network."""
        leaves = [search.tree.leaves(search.worlds) for search in searches]
        states = [leaf for part in leaves for leaf in part]
        values = self._worlds.worths(states)
        logits = self._logits(states) if self.priors else None
        start = 0
        for search, part in zip(searches, leaves, strict=True):
            rows = slice(start, start + len(part))
            start += len(part)
            if logits is None:
                search.tree.settle(values[rows])
            else:
                search.tree.settle(values[rows], logits[rows], ACTIONS_OF_CARDS)

    def _logits(self, states: list[State]) -> NDArray[np.float32]:
        """The policy's logit of each card for the seat to act, float32 [states, 32]."""
        logits = np.empty((len(states), CARDS), np.float32)
        views = [state.view(state.to_act) for state in states]
        names = [self._layout.name_of(view, view.side(view.seat)) for view in views]
        for name in sorted(set(names)):
            numbers = [number for number, own in enumerate(names) if own == name]
            network, batch = self._policy[name], [views[number] for number in numbers]
            try:
                outputs = network(network.encoder.encode(batch))
            except NotFinite as error:
                raise error.at(batch[error.row].text()) from None
            logits[numbers] = np.take_along_axis(outputs[:, :CARDS], network.encoder.labels(batch), axis=1)
        return logits


@checked_options("world_values")
def world_values(checkpoint: str | None = None, *, policy: str | None = None, game: str) -> WorldEvaluator:
    """The evaluator with a checkpoint's network, and the policy of another as priors, by name or path.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, belongs to another game, or lacks a network.
    """
    networks = None
    if policy is not None:
        found = load_checkpoint(policy, game)
        networks = {name: found.network(name) for name in card_networks(game).names}
    given = {"checkpoint": checkpoint, "policy": policy}
    name = call_text("world_values", {option: text for option, text in given.items() if text is not None})
    return WorldEvaluator(game, checkpoint, networks, name)
