"""A value network from recorded games (Aaldering 2023, section 3.5, the human-data arm).

The rows are all positions of the cardplay as every seat sees them. The label is what the seat's team has more than the
other in the end. Suits that are alike are in random order. The game's part `value_network` says what is read.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from skat_env.agents.learners.config import LearnerConfig, Natural, Part, Positive, Rate, Seed, Threads
from skat_env.agents.learners.experience.held_out import held_out
from skat_env.agents.learners.experience.perspectives import Perspectives
from skat_env.agents.learners.network_learner import ROWS_AT_ONCE
from skat_env.agents.learners.networks.precision import Precision
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.learners.value_learner import PAPER_HIDDEN, ValueLearner
from skat_env.agents.networks.network import Widths
from skat_env.agents.search.evaluators.value import VALUE
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError
from skat_env.tools.progress import progress_bar


class Config(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a value network is trained from games."""

    data: str
    """The folder of a dataset, of a game with a value network. It is split by deal into training and validation."""
    hidden: Widths = PAPER_HIDDEN
    """Widths of the hidden layers; the default is the paper's (section 3.3)."""
    scale: Rate = 100.0
    """Points of one unit of output; the paper has 1."""
    learning_rate: Rate = 1e-3
    """Learning rate of Adam; the default is that of the paper's library, which the paper keeps here."""
    batch: Positive = 2048
    """Rows of a training step; the default is the paper's (section 3.5)."""
    held_out: Part = 0.1
    """Share of the games in validation, which decides when to stop; the default is the paper's (section 3.5)."""
    epochs: Positive = 100
    """Maximum number of epochs. Training stops after the first one that is worse than the one before (section 3.5)."""
    epoch_rows: Natural = 0
    """Rows of an epoch, after which the validation error is measured; 0: all, as in the paper."""
    precision: Precision = "float32"
    """Precision of matrix products, where the processor has it, else float32; weights are float32."""
    seed: Seed = 0
    """Seed of the split, the weights, and the order of rows and suits."""
    threads: Threads = 1
    """Threads of torch."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains the network and writes it as the run's checkpoint after every epoch that was better.

    Raises:
        ValueError: if the dataset is of a game without a value network.
        ParseError: if the dataset is too small.
        TrainingFailed: if the loss is not finite.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    dataset = Dataset(config.data)
    run.learns_from(dataset)
    learner = ValueLearner(dataset.game.name, config.hidden, config.scale, config.precision)
    decisions, encoder = Decisions(dataset), learner.network.encoder
    kept_back = held_out(dataset, config.held_out, config.seed)
    rows = Perspectives(dataset, decisions, encoder, ~kept_back)
    others = Perspectives(dataset, decisions, encoder, kept_back)
    if not len(rows) or not len(others):
        raise ParseError(f"{config.data} has {len(dataset)} games: too few for training and validation")
    epoch, last, finished = 0, np.inf, False

    def restore(numbers: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        nonlocal epoch, last, finished
        epoch, last, finished = numbers["epoch"], numbers["last"], numbers["finished"]
        learner.restore(tensors)

    run.resume(restore)
    size = min(config.epoch_rows or len(rows), len(rows))
    while epoch < config.epochs and not finished:
        rng = np.random.default_rng([config.seed, epoch])
        order = rng.permutation(len(rows))[:size]
        errors = []
        with progress_bar(f"epoch {epoch + 1}", size) as advance:
            for first in range(0, size, config.batch):
                batch = rows.rows(order[first : first + config.batch])
                errors.append(learner.step(batch, config.learning_rate, rng))
                advance(min(first + config.batch, size))
        epoch += 1
        error = measure(learner, others)
        run.report(epoch, train_error=float(np.mean(errors)), valid_error=error)
        finished = error > last
        if not finished:
            run.save_checkpoint(
                dataset.game.name, {VALUE: learner.network.frozen()}, epoch=epoch, valid_error=error
            )
        last = error
        run.save_state({"epoch": epoch, "last": last, "finished": finished}, learner.tensors())


def measure(learner: ValueLearner, rows: Perspectives) -> float:
    """The mean squared error in points over all rows."""
    total = 0.0
    for first in range(0, len(rows), ROWS_AT_ONCE):
        chosen = np.arange(first, min(first + ROWS_AT_ONCE, len(rows)))
        total += learner.error(rows.rows(chosen)) * len(chosen)
    return total / len(rows)
