"""Card-location inference (Solinas, Rebstock and Buro 2019): a network's card locations weigh the worlds.

For every card the network gives a distribution over the places where it lay before the cardplay. A world's probability
is proportional to the product over its cards (equation 1), with hand sizes exact. The paper computes the product for
each world, up to 42 million of them; `Belief` represents the same distribution by dynamic programming.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.beliefs.location_networks import (
    CARDS,
    ENCODERS,
    by_seat,
    network_name,
    network_names,
    network_spec,
)
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import PosteriorSampler, Trust
from skat_env.errors import ParseError, UnknownName
from skat_env.options import Floor, NonNegative, checked_options
from skat_env.own_text import own_text
from skat_env.protocols import View
from skat_env.registry import get_game

MAX_HALVINGS: Final = 10
"""How often the exponent is halved when every weight underflows; after that all worlds count as equally likely."""


class LocationSampler(PosteriorSampler):
    """Weighs worlds by the places of their cards.

    The networks are trained on the first eight tricks, as in the paper, but used in all: on held-out games of Skat they
    make the defenders' true world likelier in the ninth too (by 0.2 to 0.7 nats), and do no harm in the tenth. Outside
    the cardplay every world is equally likely.

    If the weights of all worlds underflow, the exponent is halved until they do not; in the end all worlds count as
    equally likely. `fallbacks` counts the views where this happened.

    Args:
        features: `BDCI`: bidding, declaration and cardplay; `BDI`: what was known before the first card.
        checkpoint: the networks, by name or path; None: `GAME-locations`.
        temper: the exponent of the location probabilities; 1 as in the paper, 0 makes all worlds equally likely.
        floor: the minimum probability of a place, before the exponent; 0 as in the paper.

    Raises:
        UnknownName: if there are no such features, or no such checkpoint.
        ValueError: if temper or floor is out of range.
        ParseError: if the checkpoint is damaged, of another version, or has no network of these features.
    """

    @checked_options("locations")
    def __init__(
        self,
        features: str = "BDCI",
        *,
        checkpoint: str | None = None,
        temper: NonNegative = 1.0,
        floor: Floor = 0.0,
        game: str,
    ) -> None:
        if features not in ENCODERS:
            raise UnknownName("features of locations", features, ENCODERS)
        self._game, self._features = get_game(game), features
        self._networks = _networks(
            load_checkpoint(f"{game}-locations" if checkpoint is None else checkpoint, game), features
        )
        self._trust = Trust(temper, floor)
        self.name = own_text(self, "locations")

    def posterior(self, view: View, rng: np.random.Generator) -> Belief:
        """The exact posterior of equation 1; `rng` is not used."""
        if not self._is_cardplay(view):
            return Belief(view)
        logs = self._trust.temper * np.maximum(self._log_locations(view), self._trust.log_floor)
        for halvings in range(MAX_HALVINGS + 1):
            try:
                belief = Belief(view, np.exp(logs * 0.5**halvings))
            except ValueError:  # all weights are 0 or not finite
                continue
            self.fallbacks += halvings > 0
            return belief
        self.fallbacks += 1
        return Belief(view)

    def locations(self, view: View) -> NDArray[np.float64]:
        """The network's own prediction of where each card lay before the cardplay, float64 [32, places of the game].

        This is the paper's matrix L: its rows sum to 1, but its columns need not sum to the hand sizes. The marginals
        of the unknown cards under the exact hand sizes are `posterior(view).marginals()`.

        Raises:
            ValueError: outside the cardplay.
            ParseError: if the checkpoint has no network for this type of game.
        """
        if not self._is_cardplay(view):
            raise ValueError(f"locations are inferred during the cardplay, not from '{view.text()}'")
        return np.exp(self._log_locations(view))

    def _is_cardplay(self, view: View) -> bool:
        return bool(view.stage == self._game.stages[-1] and view.to_act >= 0)

    def _log_locations(self, view: View) -> NDArray[np.float64]:
        assert view.contract is not None
        network = self._networks.network(network_name(self._game.name, view.contract, self._features))
        logits = network.outputs_of([view])[0].reshape(CARDS, -1).astype(np.float64)
        logits = logits[network.encoder.labels([view])[0]]
        logits -= logits.max(axis=1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return by_seat(logs, view.seat, len(self._game.seats))


def _networks(checkpoint: Checkpoint, features: str) -> Checkpoint:
    """Checks that a checkpoint has a location network with these features for some type of game; returns it."""
    names = [name for name in network_names(checkpoint.game) if name.rpartition("_")[2] == features.lower()]
    found = [name for name in names if name in checkpoint.networks]
    for name in found or names[:1]:
        spec = checkpoint.network(name).spec
        expected = network_spec(checkpoint.game, name, spec.hidden, spec.branch_hidden)
        if (spec.encoder, spec.outputs) != (expected.encoder, expected.outputs):
            raise ParseError(
                f"network '{name}' of checkpoint {checkpoint.name} has {spec.outputs} outputs and reads "
                f"{spec.encoder}, expected {expected.outputs} and {expected.encoder}"
            )
    return checkpoint
