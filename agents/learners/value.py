"""A value network of Klaverjas from recorded games (Aaldering 2023, section 3.5, the human-data arm).

Every position of the cardplay is seen by all four seats; the label is what the seat's team has more in the end. The
plain suits stand in a random order.
"""

from pathlib import Path

import msgspec
import numpy as np
import torch

from agents.learners.held_out import held_out
from agents.learners.perspectives import Perspectives
from agents.learners.run import TrainingRun
from agents.learners.value_learner import ENCODER, PAPER_HIDDEN, ValueLearner
from agents.search.value_evaluator import VALUE
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError
from skat_env.tools.progress import progress_bar

ROWS_AT_ONCE = 8192
"""Of held-out rows, which nothing is learnt from."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a value network is trained from games."""

    data: str
    """The folder of a dataset of Klaverjas; it is split by game."""
    hidden: tuple[int, ...] = PAPER_HIDDEN
    """Section 3.3."""
    scale: float = 100.0
    """Points of one unit of output; the paper's is 1."""
    learning_rate: float = 1e-3
    """Of Adam: the default of the paper's library, which it does not change here."""
    batch: int = 2048
    """Section 3.5."""
    held_out: float = 0.1
    """Share of the games that tell when to stop; section 3.5."""
    epochs: int = 100
    """At most; training stops after the first epoch that is worse than the one before (section 3.5)."""
    epoch_rows: int = 0
    """Rows between two looks at the held-out games; 0: all, as in the paper."""
    bfloat16: bool = False
    """Whether to multiply in bfloat16, which is faster on processors that can."""
    seed: int = 0
    threads: int = 1
    """Of torch."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains the network and writes it as the run's checkpoint after every epoch that was better.

    Raises:
        ParseError: if the dataset is of another game, or too small.
        TrainingFailed: if the loss is not finite.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    dataset = Dataset(Path(config.data))
    if dataset.game.name != "klaverjas":
        raise ParseError(f"{config.data} holds games of {dataset.game.name}, expected klaverjas")
    decisions, encoder = Decisions(dataset), get_encoder(ENCODER)
    kept_back = held_out(len(dataset), config.held_out, config.seed)
    rows = Perspectives(dataset, decisions, encoder, ~kept_back)
    others = Perspectives(dataset, decisions, encoder, kept_back)
    if not len(rows) or not len(others):
        raise ParseError(f"{config.data} has {len(dataset)} games: too few to hold some back")
    learner = ValueLearner(config.hidden, config.scale, config.bfloat16)
    epoch, last, finished = 0, np.inf, False
    if (resumed := run.load_state()) is not None:
        numbers, tensors = resumed
        epoch, last, finished = numbers["epoch"], numbers["last"], numbers["finished"]
        learner.restore(tensors)
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
            run.save_checkpoint("klaverjas", {VALUE: learner.network}, epoch=epoch, valid_error=error)
        last = error
        run.save_state({"epoch": epoch, "last": last, "finished": finished}, learner.tensors())


def measure(learner: ValueLearner, rows: Perspectives) -> float:
    """The mean squared error in points over all rows."""
    total = 0.0
    for first in range(0, len(rows), ROWS_AT_ONCE):
        chosen = np.arange(first, min(first + ROWS_AT_ONCE, len(rows)))
        total += learner.error(rows.rows(chosen)) * len(chosen)
    return total / len(rows)
