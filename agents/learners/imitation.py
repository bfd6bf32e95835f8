"""Imitation: policy and value networks from recorded games (Rebstock 2019, chapters 3 and 4).

Every network is trained on its own: cross-entropy with what was chosen (or what a search preferred), or the squared
error of what it led to; Adam; at most so many epochs, stopped early when held-out games say so.
"""

import copy
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import torch
from torch.nn import functional

from agents import skat_tasks
from agents.learners.held_out import part_of_game
from agents.learners.run import (
    TrainingFailed,
    TrainingRun,
    generator_state,
    optimizer_tensors,
    restore_optimizer,
    restored_generator,
)
from agents.learners.task import Task, renumbered
from agents.network import ILLEGAL, WIDTHS, Network
from skat_env.dataset import Dataset
from skat_env.decisions import Decisions
from skat_env.errors import ParseError, UnknownName
from skat_env.progress import progress_bar

ROWS_AT_ONCE = 8192
"""Of held-out rows, which nothing is learnt from."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How imitation networks are trained."""

    game: str
    data: str
    """The folder of a dataset; it is split by game."""
    networks: tuple[str, ...] = ()
    """Which networks; none: all that there are rows for."""
    hidden: str | tuple[int, ...] = "small"
    """Widths of the hidden layers, or the name of some: small, paper."""
    relabelled: bool = False
    """Whether networks of the cardplay see suits in a canonical order, trumps first, so that hands that differ by their
    suits alone look the same (ours); else the paper's features."""
    dropout: float = 0.4
    """Share of the inner hidden units that a training step leaves out; the paper keeps 0.6."""
    learning_rate: float = 1e-4
    """Of Adam; the paper's, constant."""
    batch: int = 512
    """Rows a step; the paper names none."""
    epochs: int = 20
    """At most; the paper's."""
    patience: int = 1
    """Epochs without a better validation loss after which a network is done."""
    search_share: float = 0.0
    """How much of a card's target is the search's distribution instead of the card chosen; 0 imitates choices alone.
    With 1, decisions that were not searched, or whose search prefers nothing, are left out."""
    valid: float = 0.05
    """Share of the games that tell when to stop."""
    test: float = 0.05
    """Share of the games that the figures are of."""
    seed: int = 0
    threads: int = 1
    """Of torch; small networks are slower on several."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains all networks and writes them as the run's checkpoint.

    Raises:
        ParseError: if there is no row to learn from.
        TrainingFailed: if a loss is not finite.
    """
    torch.set_num_threads(config.threads)
    dataset = Dataset(config.data)
    if dataset.game.name != config.game:
        raise ParseError(f"{config.data} holds games of {dataset.game.name}, the config is of {config.game}")
    decisions = Decisions(dataset)
    tasks = _tasks(config, decisions, dataset)
    resumed = run.load_state()
    numbers, tensors = resumed or ({"finished": {}, "current": None}, {})
    finished: dict[str, dict[str, float]] = numbers["finished"]
    trained: dict[str, Network] = {}
    for task in tasks:
        learner = _NetworkLearner(task, config, decisions)
        if task.network in finished:
            learner.load_weights(tensors)
        else:
            current = numbers["current"]
            if current is not None and current["network"] == task.network:
                learner.resume(current, tensors)
            for epoch in learner.epochs():
                run.report(
                    learner.epoch, **{f"{task.network}/{name}": value for name, value in epoch.items()}
                )
                kept = {
                    f"{name}/{key}": w for name, net in trained.items() for key, w in net.weights().items()
                }
                run.save_state(
                    {"finished": finished, "current": learner.numbers()}, {**kept, **learner.tensors()}
                )
            finished[task.network] = learner.figures()
        trained[task.network] = learner.network
        kept = {f"{name}/{key}": w for name, net in trained.items() for key, w in net.weights().items()}
        run.save_state({"finished": finished, "current": None}, kept)
    run.save_checkpoint(config.game, trained, figures=finished)


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
    if isinstance(config.hidden, str) and config.hidden not in WIDTHS:
        raise UnknownName("preset of hidden widths", config.hidden, WIDTHS)
    hidden = WIDTHS[config.hidden] if isinstance(config.hidden, str) else config.hidden
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


class _NetworkLearner:
    """One network on its way."""

    def __init__(self, task: Task, config: Config, decisions: Decisions) -> None:
        part = part_of_game(task.games, config.seed, (config.valid, config.test))
        self._parts = [task.part(part == number) for number in range(3)]
        if not all(map(len, self._parts)):
            raise ParseError(
                f"the network {task.network} has {len(task)} rows: too few to hold some back for validation and test"
            )
        self._config, self._decisions = config, decisions
        torch.manual_seed(config.seed)
        self.network = Network(task.spec, config.dropout)
        self._optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)
        self._rng = np.random.default_rng([config.seed, *task.network.encode()])
        self.epoch = 0
        self._best = self._measure(self._parts[1])["loss"]
        self._best_weights = copy.deepcopy(self.network.state_dict())
        self._worse = 0
        self._name = task.network

    def epochs(self) -> Iterator[dict[str, float]]:
        """Trains epoch by epoch and tells the losses; the weights are the best ones in the end."""
        while self.epoch < self._config.epochs and self._worse < self._config.patience:
            self.epoch += 1
            train_loss = self._train_epoch()
            measured = self._measure(self._parts[1])
            if not np.isfinite([train_loss, measured["loss"]]).all():
                raise TrainingFailed(
                    f"the loss of {self._name} is not finite in epoch {self.epoch}: training has failed; a lower "
                    "learning rate may help. The state before it is kept"
                )
            if measured["loss"] < self._best:
                self._best, self._worse = measured["loss"], 0
                self._best_weights = copy.deepcopy(self.network.state_dict())
            else:
                self._worse += 1
            yield {"train_loss": train_loss, **{f"valid_{key}": value for key, value in measured.items()}}
        self.network.load_state_dict(self._best_weights)
        self.network.eval()

    def figures(self) -> dict[str, float]:
        """What the trained network does on training and test games, and how many rows those have."""
        train, _, test = self._parts
        some = train.part(np.arange(len(train))[: len(test)])
        return {
            "train_rows": len(train),
            "test_rows": len(test),
            **{f"train_{key}": value for key, value in self._measure(some).items()},
            **{f"test_{key}": value for key, value in self._measure(test).items()},
        }

    def numbers(self) -> dict[str, Any]:
        """What `resume` needs besides the tensors."""
        return {
            "network": self._name,
            "epoch": self.epoch,
            "best": self._best,
            "worse": self._worse,
            "rng": generator_state(self._rng),
        }

    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors that `resume` needs."""
        return {
            **{f"current/{key}": tensor for key, tensor in self.network.state_dict().items()},
            **{f"best/{key}": tensor for key, tensor in self._best_weights.items()},
            **optimizer_tensors("optimizer", self._optimizer),
            "torch_rng": torch.get_rng_state(),
        }

    def resume(self, numbers: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        """Goes on where `numbers` and `tensors` were taken."""

        def named(prefix: str) -> dict[str, torch.Tensor]:
            start = f"{prefix}/"
            return {k.removeprefix(start): tensor for k, tensor in tensors.items() if k.startswith(start)}

        self.epoch, self._best, self._worse = numbers["epoch"], numbers["best"], numbers["worse"]
        self._rng = restored_generator(numbers["rng"])
        self.network.load_state_dict(named("current"))
        self._best_weights = named("best")
        restore_optimizer("optimizer", self._optimizer, tensors)
        torch.set_rng_state(tensors["torch_rng"])

    def load_weights(self, tensors: dict[str, torch.Tensor]) -> None:
        """Takes the weights of a network that was finished before."""
        with torch.no_grad():
            for key, tensor in self.network.weights().items():
                tensor.copy_(tensors[f"{self._name}/{key}"])
        self.network.eval()

    def _train_epoch(self) -> float:
        """One pass over the training rows in a new order; the mean loss."""
        rows = self._parts[0]
        order = self._rng.permutation(len(rows))
        total = 0.0
        self.network.train()
        with progress_bar(f"{self._name}, epoch {self.epoch}", len(rows)) as advance:
            for first in range(0, len(rows), self._config.batch):
                batch = rows.part(order[first : first + self._config.batch])
                loss = self._loss(*self._outputs(batch))
                self._optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                self._optimizer.step()
                total += loss.item() * len(batch)
                advance(first + len(batch))
        return total / len(rows)

    def _measure(self, rows: Task) -> dict[str, float]:
        """The mean loss on some rows; of policies the share of choices that are the recorded ones, too: of all, and of
        those where there was more than one legal output.
        """
        total = 0.0
        right = choices = right_choices = 0
        self.network.eval()
        with torch.inference_mode():
            for first in range(0, len(rows), ROWS_AT_ONCE):
                batch = rows.part(np.arange(first, min(first + ROWS_AT_ONCE, len(rows))))
                batch, outputs = self._outputs(batch)
                total += float(self._loss(batch, outputs)) * len(batch)
                if rows.kind == "policy":
                    hits = outputs.argmax(dim=1).numpy() == batch.labels
                    open_ = (outputs > ILLEGAL).sum(dim=1).numpy() > 1
                    right += int(hits.sum())
                    choices += int(open_.sum())
                    right_choices += int(hits[open_].sum())
        figures = {"loss": total / len(rows)}
        if rows.kind == "policy":
            figures |= {"accuracy": right / len(rows), "choice_accuracy": right_choices / max(choices, 1)}
        return figures

    def _outputs(self, batch: Task) -> tuple[Task, torch.Tensor]:
        """The batch as the outputs number it, and the outputs, illegal ones so low that nothing is learnt of them."""
        encoder = self.network.encoder
        if batch.relabelled:
            features, labels = self._decisions.labelled_rows(encoder, batch.games, batch.steps)
        else:
            features = self._decisions.rows(encoder, batch.games, batch.steps)
        outputs: torch.Tensor = self.network(torch.from_numpy(features))
        legal = batch.legal_outputs()
        if batch.relabelled:
            batch, legal = batch.renumbered(labels), renumbered(legal, labels)
        if legal is not None:
            outputs = outputs.masked_fill(~torch.from_numpy(legal), ILLEGAL)
        return batch, outputs

    def _loss(self, batch: Task, outputs: torch.Tensor) -> torch.Tensor:
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
        return functional.cross_entropy(outputs, (1 - share) * chosen + share * searched)
