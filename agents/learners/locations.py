"""Locations: networks that predict where all cards lay before the cardplay from what a seat has seen (Solinas 2019).

The rows are the positions of the first eight tricks, as the seat to act sees them. The loss is the cross-entropy with
the true places, the mean over all 32 cards, including known ones.
"""

import sys
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Self

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from skat_env.agents.beliefs.location_networks import (
    CARDS,
    network_name,
    network_names,
    network_spec,
    relative_places,
)
from skat_env.agents.learners.config import Positive
from skat_env.agents.learners.experience.suit_shuffle import suit_shuffle
from skat_env.agents.learners.network_learner import (
    Dropout,
    NetworksConfig,
    Share,
    hidden_widths,
    open_games,
    train_networks,
)
from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.networks.network import NetworkSpec, Widths
from skat_env.agents.networks.task import renumbered
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import get_part

TRICKS: Final = 8
"""Tricks whose positions are rows: in later ones little can be inferred that voids do not show (section 3)."""


class Config(NetworksConfig, frozen=True):
    """How networks of locations are trained."""

    hidden: str | Widths = (256, 256, 256)
    """Widths of the hidden layers, or the name of a preset; the paper gives its widths in a figure only."""
    history: Widths = (256, 128, 64, 32)
    """Widths of the layers that the history of the cardplay goes through first; the paper has four, down to 32."""
    dropout: Dropout = 0.2
    """Share of the units of inner hidden layers that a training step drops. The paper's 0.8 is the share kept."""
    batch: Positive = 32
    """Maximum number of rows of a training step; the default is the paper's."""
    shuffle_suits: bool = True
    """Whether suits that are alike change places at random in every training step (ours)."""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    """Share of the positions that are learnt from, drawn once: the positions of a game are much alike."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains all networks and writes them as the run's checkpoint.

    Raises:
        ParseError: if there is no row to learn from.
        TrainingFailed: if a loss is not finite.
    """
    dataset, decisions = open_games(config, run)
    train_networks(
        run, config, _tasks(config, decisions, dataset), LocationLesson(decisions, config.shuffle_suits)
    )


@dataclass(frozen=True)
class LocationRows:
    """The rows of one network."""

    network: str
    spec: NetworkSpec
    games: NDArray[np.int64]
    """[n]: the game of each row in its dataset."""
    steps: NDArray[np.int64]
    """[n]: actions of the game before the position."""
    targets: NDArray[np.uint8]
    """[n, 32]: where each card lay before the cardplay, as the seat to act counts places."""

    def __len__(self) -> int:
        return len(self.games)

    def part(self, chosen: NDArray[Any]) -> Self:
        """The chosen rows, by mask or number."""
        return replace(self, games=self.games[chosen], steps=self.steps[chosen], targets=self.targets[chosen])


class LocationLesson:
    """Learns where the cards lay.

    Args:
        decisions: whose rows are learnt from.
        shuffle_suits: as in the config.
    """

    def __init__(self, decisions: Decisions, shuffle_suits: bool) -> None:
        self._decisions, self._shuffle_suits = decisions, shuffle_suits
        self._alike_suits = get_part(decisions.game.name, "alike_suits")

    def outputs(self, network: NetworkModule, batch: LocationRows) -> tuple[LocationRows, torch.Tensor]:
        """The batch with its cards numbered as the encoder does, and the logits [n, 32, places]."""
        rows, labels = self._decisions.labelled_rows(network.encoder, batch.games, batch.steps)
        features, targets = torch.from_numpy(rows), renumbered(batch.targets, labels)
        if self._shuffle_suits and network.training:
            alike, jacks = self._alike_suits(batch.network)
            features, numbers = suit_shuffle(network.encoder.name, alike, jacks)(features)
            targets = renumbered(targets, numbers)
        logits: torch.Tensor = network(features)
        return replace(batch, targets=targets), logits.reshape(len(batch), CARDS, -1)

    def loss(self, batch: LocationRows, outputs: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy a card."""
        targets = torch.from_numpy(batch.targets.astype(np.int64))
        return functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())

    def shares(self, batch: LocationRows, outputs: torch.Tensor) -> dict[str, Share]:
        """The share of the cards whose likeliest place is the true one."""
        hits = outputs.argmax(dim=2).numpy() == batch.targets
        return {"accuracy": (int(hits.sum()), hits.size)}


def location_rows(
    decisions: Decisions, dataset: Dataset, name: str, spec: NetworkSpec, tricks: int = TRICKS
) -> LocationRows:
    """The rows of one network from the first tricks of all games.

    What was known before the cardplay is the same in all tricks, so networks that read nothing else have rows of the
    first trick only.
    """
    features = name.rpartition("_")[2].upper()
    found = decisions.find(get_encoder(spec.encoder))
    games = found["game"].astype(np.int64)
    first = np.searchsorted(games, games)  # the first card of each row's game
    contracts = decisions.outcomes().contract
    wanted = {
        contract
        for contract in np.unique(contracts[contracts >= 0]).tolist()
        if network_name(dataset.game.name, contract, features) == name
    }
    chosen = np.isin(contracts[games], [*wanted]) & (found["trick"] < (tricks if features == "BDCI" else 1))
    games, steps = games[chosen], found["step"].astype(np.int64)
    starts, where = np.unique(first[chosen], return_inverse=True)
    places = decisions.places(found["game"][starts], steps[starts])
    hands = len(dataset.game.seats)
    targets = relative_places(places[where], found["seat"][chosen], hands)
    return LocationRows(name, spec, games, steps[chosen], targets)


def _tasks(config: Config, decisions: Decisions, dataset: Dataset) -> list[LocationRows]:
    """The rows of the networks to train, in order."""
    known = network_names(config.game)
    tasks = []
    for name in config.networks or known:
        if name not in known:
            raise UnknownName("network", name, known)
        spec = network_spec(config.game, name, hidden_widths(config.hidden), config.history)
        task = location_rows(decisions, dataset, name, spec)
        if config.share < 1:
            lots = np.random.default_rng([config.seed, *name.encode()]).random(len(task))
            task = task.part(lots < config.share)
        if len(task):
            tasks.append(task)
        else:
            print(f"{config.data} has no position for the network {name}: it is left out", file=sys.stderr)
    if not tasks:
        raise ParseError(f"{config.data} has no position to learn locations from")
    return tasks
