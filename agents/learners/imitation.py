"""Imitation: policy and value networks from recorded games (Rebstock 2019, chapters 3 and 4).

Every network is trained on its own: cross-entropy with what was chosen (or what a search preferred), or the squared
error of what it led to.
"""

import sys

import numpy as np
import torch
from torch.nn import functional

from agents.learners.network_learner import NetworksConfig, Share, hidden_widths, open_games, train_networks
from agents.learners.run import TrainingRun
from agents.learners.suit_shuffle import suit_shuffle
from agents.learners.task import Task, renumbered
from agents.networks.network import ILLEGAL, Network
from agents.skat import tasks as skat_tasks
from agents.skat.networks import alike_suits, output_numbers
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError, UnknownName


class Config(NetworksConfig, frozen=True):
    """How imitation networks are trained."""

    relabelled: bool = False
    """Whether networks of the cardplay see suits in a canonical order, trumps first, so that hands that differ by their
    suits alone look the same (ours); else the paper's features."""
    shuffle_suits: bool = False
    """Whether suits that are alike change places at random in every step (ours); not in relabelled networks, nor in
    those of bids and games."""
    search_share: float = 0.0
    """How much of a card's target is the search's distribution instead of the card chosen; 0 imitates choices alone.
    With 1, decisions that were not searched, or whose search prefers nothing, are left out."""
    ranking: bool = False
    """Whether each of a decision's best cards learns to stand above each of the others (pairwise logistic loss, Burges
    et al. 2005), instead of to be chosen. For marks of the open-card solver: needs search_share = 1."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains all networks and writes them as the run's checkpoint.

    Raises:
        ParseError: if there is no row to learn from, or options contradict each other.
        TrainingFailed: if a loss is not finite.
    """
    if config.ranking and config.search_share != 1:
        raise ParseError(f"ranking with search_share = {config.search_share:g}: expected 1, marks alone")
    dataset, decisions = open_games(config)
    tasks = _tasks(config, decisions, dataset)
    train_networks(run, config, tasks, ImitationLesson(decisions, config))


def _tasks(config: Config, decisions: Decisions, dataset: Dataset) -> list[Task]:
    """What there is to learn, in order."""
    if config.game != "skat":
        raise ParseError(
            f"imitation learns the networks of Skat: of {config.game}, `skat-env train expert` with iterations = 0 "
            "learns a policy from recorded searches"
        )
    names: tuple[str, ...] = config.networks or skat_tasks.NETWORKS
    for name in names:
        if name not in skat_tasks.NETWORKS:
            raise UnknownName("network", name, skat_tasks.NETWORKS)
    hidden = hidden_widths(config.hidden)
    tasks = []
    for name in names:
        task = skat_tasks.task(decisions, dataset, name, hidden, config.relabelled)
        if config.search_share == 1 and task.targets is not None:
            task = task.part(task.is_searched())
        if len(task):
            tasks.append(task)
        else:
            print(f"{config.data} has no decision for the network {name}: it is left out", file=sys.stderr)
    if not tasks:
        raise ParseError(f"{config.data} has no decision to learn {', '.join(names)} from")
    return tasks


class ImitationLesson:
    """What was chosen, or what a search preferred, or what the choice led to.

    Args:
        decisions: whose rows are learnt from.
        config: what of them.
    """

    def __init__(self, decisions: Decisions, config: Config) -> None:
        self._decisions, self._config = decisions, config

    def outputs(self, network: Network, batch: Task) -> tuple[Task, torch.Tensor]:
        """The batch as the outputs number it, and the outputs, illegal ones so low that nothing is learnt of them."""
        encoder = network.encoder
        legal = batch.legal_outputs()
        numbers = None
        if batch.relabelled:
            rows, numbers = self._decisions.labelled_rows(encoder, batch.games, batch.steps)
            features = torch.from_numpy(rows)
        else:
            features = torch.from_numpy(self._decisions.rows(encoder, batch.games, batch.steps))
            alike, jacks = alike_suits(batch.network)
            if self._config.shuffle_suits and network.training and alike:
                features, numbers = suit_shuffle(encoder.name, alike, jacks)(features)
        outputs: torch.Tensor = network(features)
        if numbers is not None:
            moved = output_numbers(batch.network, numbers)
            batch = batch.renumbered(moved)
            legal = None if legal is None else renumbered(legal, moved)
        if legal is not None:
            outputs = outputs.masked_fill(~torch.from_numpy(legal), ILLEGAL)
        return batch, outputs

    def loss(self, batch: Task, outputs: torch.Tensor) -> torch.Tensor:
        """Cross-entropy of policies, or how they rank; the squared error of values."""
        labels = torch.from_numpy(batch.labels)
        if batch.values is not None:
            values = torch.from_numpy(batch.values) / batch.spec.scale
            return functional.mse_loss(outputs.gather(1, labels[:, None])[:, 0], values)
        share = self._config.search_share
        if share == 0 or batch.targets is None:
            return functional.cross_entropy(outputs, labels)
        chosen = functional.one_hot(labels, outputs.shape[1]).float()
        searched = torch.from_numpy(batch.targets)
        searched = torch.where(searched.sum(dim=1, keepdim=True) > 0, searched, chosen)
        if self._config.ranking:
            return ranking_loss(outputs, searched > 0)
        return functional.cross_entropy(outputs, (1 - share) * chosen + share * searched)

    def shares(self, batch: Task, outputs: torch.Tensor) -> dict[str, Share]:
        """Of policies the choices that are the recorded ones, or of marks (`search_share` = 1) among the best ones: of
        all, and of those with more than one legal output.
        """
        if batch.kind != "policy":
            return {}
        chosen = outputs.argmax(dim=1).numpy()
        hits = chosen == batch.labels
        if self._config.search_share == 1 and batch.targets is not None:
            hits = batch.targets[np.arange(len(batch)), chosen] == batch.targets.max(axis=1)
        open_ = (outputs > ILLEGAL).sum(dim=1).numpy() > 1
        return {
            "accuracy": (int(hits.sum()), len(batch)),
            "choice_accuracy": (int(hits[open_].sum()), int(open_.sum())),
        }


def ranking_loss(outputs: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    """The mean over decisions of the pairwise logistic loss of each best output above each other legal one.

    Args:
        outputs: float32 [n, m], `ILLEGAL` where they are that.
        best: bool [n, m], legal ones.
    """
    pairs = best[:, :, None] & (~best & (outputs > ILLEGAL))[:, None, :]
    losses = pairs * functional.softplus(outputs[:, None, :] - outputs[:, :, None])
    return (losses.sum((1, 2)) / pairs.sum((1, 2)).clamp(min=1)).mean()
