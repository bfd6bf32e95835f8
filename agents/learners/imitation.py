"""Imitation: policy and value networks from recorded games (Rebstock 2019, chapters 3 and 4).

Each network is trained on its own. Policies minimise the cross-entropy with the recorded choice or with a search's
distribution, values the squared error of the game's result. What there is to learn is the game's part `tasks`.
"""

import sys

import numpy as np
import torch
from torch.nn import functional

from skat_env.agents.learners.config import Share as UnitShare
from skat_env.agents.learners.experience.suit_shuffle import suit_shuffle
from skat_env.agents.learners.network_learner import (
    NetworksConfig,
    Share,
    hidden_widths,
    open_games,
    train_networks,
)
from skat_env.agents.learners.networks.network_module import ILLEGAL, NetworkModule
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.networks.task import ImitationTasks, Task, made_by, renumbered
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import DECISION, Decisions
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import get_part


class Config(NetworksConfig, frozen=True):
    """How imitation networks are trained."""

    players: tuple[str, ...] = ()
    """Players of the dataset whose decisions are learnt from; empty: all."""
    relabelled: bool = False
    """Whether networks of the cardplay see the suits in a canonical order, trumps first, so that hands that differ by
    their suits alone look the same (ours). Otherwise they see the paper's features."""
    shuffle_suits: bool = False
    """Whether suits that are alike change places at random in every training step (ours). Relabelled networks and those
    of bids and games are not affected."""
    search_share: UnitShare = 0.0
    """Weight of the search's distribution in a card's target; the rest is the card chosen. 0 imitates choices only. 1
    leaves out decisions that were not searched or whose search prefers no card."""
    ranking: bool = False
    """Whether to rank cards instead of choosing one: each of a decision's best cards learns to score above each other
    card (pairwise logistic loss, Burges et al. 2005). For marks of the open-card solver; needs search_share = 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranking and self.search_share != 1:
            raise ValueError(f"ranking with search_share = {self.search_share:g}: expected 1, marks alone")


def train(config: Config, run: TrainingRun) -> None:
    """Trains all networks and writes them as the run's checkpoint.

    Raises:
        ValueError: if the game has nothing to imitate.
        ParseError: if there is no row to learn from, or options contradict each other.
        TrainingFailed: if a loss is not finite.
    """
    dataset, decisions = open_games(config, run)
    tasks = _tasks(config, decisions, dataset)
    train_networks(run, config, tasks, ImitationLesson(decisions, config))


def _tasks(config: Config, decisions: Decisions, dataset: Dataset) -> list[Task]:
    """The tasks of the networks to train, in order."""
    known: ImitationTasks = get_part(config.game, "tasks")
    names = config.networks or known.networks
    for name in names:
        if name not in known.networks:
            raise UnknownName("network", name, known.networks)
    hidden = hidden_widths(config.hidden)
    moves = decisions.find() if config.players else np.empty(0, DECISION)
    tasks = []
    for name in names:
        task = known.task(decisions, dataset, name, hidden, config.relabelled)
        if config.search_share == 1 and task.targets is not None:
            task = task.part(task.is_searched())
        if config.players:
            task = task.part(made_by(config.players, task, moves, dataset))
        if len(task):
            tasks.append(task)
        else:
            print(f"{config.data} has no decision for the network {name}: it is left out", file=sys.stderr)
    if not tasks:
        raise ParseError(f"{config.data} has no decision to learn {', '.join(names)} from")
    return tasks


class ImitationLesson:
    """Learns what was chosen, what a search preferred, or what the choice led to.

    Args:
        decisions: whose rows are learnt from.
        config: what is learnt from them.
    """

    def __init__(self, decisions: Decisions, config: Config) -> None:
        self._decisions, self._config = decisions, config
        self._tasks: ImitationTasks = get_part(config.game, "tasks")
        self._alike_suits = get_part(config.game, "alike_suits")

    def outputs(self, network: NetworkModule, batch: Task) -> tuple[Task, torch.Tensor]:
        """The batch numbered as the outputs are, and the outputs; illegal ones are `ILLEGAL`."""
        encoder = network.encoder
        legal = batch.legal_outputs()
        numbers = None
        if batch.relabelled:
            rows, numbers = self._decisions.labelled_rows(encoder, batch.games, batch.steps)
            features = torch.from_numpy(rows)
        else:
            features = torch.from_numpy(self._decisions.rows(encoder, batch.games, batch.steps))
            alike, jacks = self._alike_suits(batch.network)
            if self._config.shuffle_suits and network.training and alike:
                features, numbers = suit_shuffle(encoder.name, alike, jacks)(features)
        outputs: torch.Tensor = network(features)
        if numbers is not None:
            moved = self._tasks.output_numbers(batch.network, numbers)
            batch = batch.renumbered(moved)
            legal = None if legal is None else renumbered(legal, moved)
        if legal is not None:
            outputs = outputs.masked_fill(~torch.from_numpy(legal), ILLEGAL)
        return batch, outputs

    def loss(self, batch: Task, outputs: torch.Tensor) -> torch.Tensor:
        """The cross-entropy or the ranking loss of policies, the squared error of values."""
        labels = torch.from_numpy(batch.labels)
        if batch.values is not None:
            values = torch.from_numpy(batch.values) / batch.spec.scale
            valued = outputs if values.ndim > 1 else outputs.gather(1, labels[:, None])[:, 0]
            return functional.mse_loss(valued, values)
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
        """How often a policy's choice is the recorded one: in all rows, and in those with more than one legal output.

        With `search_share` = 1, how often it is one of the best marked ones. Values have no shares.
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
