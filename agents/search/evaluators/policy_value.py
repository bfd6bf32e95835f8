"""`policy_value(checkpoint=klaverjas-policy)`: policy-value networks that guide a tree search (PUCT).

The value of a leaf and the priors of its actions are those of the seat to act, which knows its cards in the world
drawn; the search averages over worlds.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from skat_env.agents.networks.card_networks import CARDS, OUTPUTS, card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.call_text import call_text
from skat_env.errors import NotFinite, ParseError
from skat_env.options import checked_options
from skat_env.registry import get_game


class PolicyValueEvaluator:
    """Values leaves, and gives priors, with the policy-value networks of the cardplay.

    Args:
        networks: the networks, by the names of `card_networks`.
        game: the game's name.
        name: the registry text of this evaluator.
    """

    priors = True

    def __init__(self, networks: Mapping[str, Network], game: str, name: str = "policy_value") -> None:
        self._networks = dict(networks)
        self._layout = card_networks(game)
        self.name = name
        self.unit = get_game(game).match_unit

    def settle(self, searches: Sequence[Search]) -> None:
        """Values the leaves with one forward pass for each network."""
        actors = [search.tree.actors() for search in searches]
        outputs = [np.empty((len(declares), OUTPUTS), np.float32) for declares in actors]
        parts: dict[str, list[tuple[int, int]]] = {}
        for number, search in enumerate(searches):
            names = [self._layout.name_of(search.view, side) for side in (0, 1)]
            if names[0] == names[1]:
                parts.setdefault(names[0], []).append((number, -1))
            else:
                for side, name in enumerate(names):
                    parts.setdefault(name, []).append((number, side))
        for name, asked in parts.items():
            network = self._networks[name]
            chosen = [np.flatnonzero((side < 0) | (actors[number] == (side == 0))) for number, side in asked]
            starts = np.cumsum([0, *map(len, chosen)]).tolist()
            rows = np.empty((starts[-1], network.encoder.width), np.float32)
            for (number, side), start, end in zip(asked, starts, starts[1:], strict=False):
                searches[number].tree.encode(network.encoder, True, rows[start:end], side)
            try:
                answers = network(rows)
            except NotFinite as error:
                part = int(np.searchsorted(starts, error.row, side="right")) - 1
                search, leaf = searches[asked[part][0]], chosen[part][error.row - starts[part]]
                raise error.at(search.leaf_text(int(leaf))) from None
            answers[:, CARDS] *= network.spec.scale
            for (number, _), leaves, start, end in zip(asked, chosen, starts, starts[1:], strict=False):
                outputs[number][leaves] = answers[start:end]
        for search, declares, answer in zip(searches, actors, outputs, strict=True):
            values = np.where(declares, answer[:, CARDS], -answer[:, CARDS]).astype(np.float64)
            own = self._networks[self._layout.name_of(search.view, search.view.side(search.view.seat))]
            search.tree.settle(values, answer, own.encoder.labels([search.view])[0])


@checked_options("policy_value")
def policy_value(checkpoint: str, game: str) -> PolicyValueEvaluator:
    """The evaluator with a checkpoint's networks, by name or path.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, belongs to another game, or lacks a network or its value.
    """
    found = load_checkpoint(checkpoint, game)
    networks = {name: found.network(name) for name in card_networks(game).names}
    for name, network in networks.items():
        if network.spec.outputs != OUTPUTS:
            raise ParseError(
                f"network {name} of checkpoint {checkpoint} has {network.spec.outputs} outputs, not {OUTPUTS}: "
                "it values no positions; world_values(policy=...) searches with a policy that has no value"
            )
    return PolicyValueEvaluator(networks, game, call_text("policy_value", {"checkpoint": checkpoint}))
