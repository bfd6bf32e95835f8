"""Networks trained on rows of recorded games, one after another, by epochs of Adam with early stopping.

A lesson says what a row is and what is learnt from it. When the validation loss no longer improves, the learning rate
decays, or training stops. A stopped run goes on after its last epoch.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learners.config import LearnerConfig
from agents.learners.held_out import open_dataset, part_of_game
from agents.learners.optimizer import Adam
from agents.learners.run import TrainingFailed, TrainingRun, generator_state, restored_generator
from agents.networks.network import WIDTHS, Network, NetworkSpec
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError, UnknownName
from skat_env.tools.progress import progress_bar

ROWS_AT_ONCE: Final = 8192
"""Rows of a batch when losses are measured without learning."""
Share = tuple[float, float]
"""A count and the total that it is a part of."""
DECAY: Final = 5
"""The learning rate is divided by this when a network stops getting better."""


class NetworksConfig(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How networks are trained on recorded games, whatever they learn."""

    game: str
    data: str
    """The folder of a dataset. It is split by game into training, validation and test."""
    networks: tuple[str, ...] = ()
    """Names of the networks to train; empty: all that have rows in the dataset."""
    hidden: str | tuple[int, ...] = "small"
    """Widths of the hidden layers, or the name of a preset: small or paper."""
    dropout: float = 0.4
    """Share of the units of inner hidden layers that a training step drops. Rebstock 2019 keeps 0.6."""
    learning_rate: float = 1e-4
    """Learning rate of Adam; the default is that of Rebstock 2019 and Solinas 2019."""
    batch: int = 512
    """Maximum number of rows of a training step; the steps of an epoch are of equal size. Rebstock 2019 gives none."""
    epochs: int = 20
    """Maximum number of epochs; the default is that of Rebstock 2019."""
    patience: int = 1
    """Epochs without a better validation loss after which training stops, or the learning rate decays."""
    decays: int = 0
    """Number of decays: the learning rate is divided by five, and training goes on from the best weights. 0: the rate
    is constant, as in the papers."""
    valid: float = 0.05
    """Share of the games in validation, which decides when to stop."""
    test: float = 0.05
    """Share of the games in test, which the figures are measured on."""
    seed: int = 0
    """Seed of the split, the weights, the order of rows and dropout."""
    threads: int = 1
    """Threads of torch; small networks are slower on several."""
    bfloat16: bool = False
    """Whether to multiply in bfloat16: faster on processors that support it, in batches of about a thousand rows."""


class Rows(Protocol):
    """The rows of one network, each of a position of a game."""

    @property
    def network(self) -> str:
        """The network's name."""

    @property
    def spec(self) -> NetworkSpec:
        """What the network is."""

    @property
    def games(self) -> NDArray[np.int64]:
        """int64 [n]: the game of each row in its dataset."""

    def __len__(self) -> int: ...

    def part(self, chosen: NDArray[Any]) -> Self:
        """The chosen rows, by mask or number."""


AnyRows = TypeVar("AnyRows", bound=Rows)


class Lesson(Protocol[AnyRows]):
    """What networks learn from their rows."""

    def outputs(self, network: Network, batch: AnyRows) -> tuple[AnyRows, torch.Tensor]:
        """The rows with their targets numbered as the outputs are, and the network's outputs."""

    def loss(self, batch: AnyRows, outputs: torch.Tensor) -> torch.Tensor:
        """The mean loss of the rows."""

    def shares(self, batch: AnyRows, outputs: torch.Tensor) -> Mapping[str, Share]:
        """Other measures by name, such as accuracy, each a share of rows or of parts of rows."""


def open_games(config: NetworksConfig) -> tuple[Dataset, Decisions]:
    """The dataset of a config, and its decisions.

    Raises:
        ParseError: if it holds another game.
    """
    dataset = open_dataset(config.data, config.game)
    return dataset, Decisions(dataset)


def hidden_widths(hidden: str | tuple[int, ...]) -> tuple[int, ...]:
    """The widths of hidden layers, given as such or by the name of a preset.

    Raises:
        UnknownName: if there is no such preset.
    """
    if not isinstance(hidden, str):
        return hidden
    if hidden not in WIDTHS:
        raise UnknownName("preset of hidden widths", hidden, WIDTHS)
    return WIDTHS[hidden]


def train_networks(
    run: TrainingRun, config: NetworksConfig, tasks: Sequence[AnyRows], lesson: Lesson[AnyRows]
) -> None:
    """Trains a network for each task, from where the run was stopped, and writes them as its checkpoint.

    Raises:
        ParseError: if a task has too few rows.
        TrainingFailed: if a loss is not finite.
    """
    torch.set_num_threads(config.threads)
    resumed = run.load_state()
    numbers, tensors = resumed or ({"finished": {}, "current": None}, {})
    finished: dict[str, dict[str, float]] = numbers["finished"]
    trained: dict[str, Network] = {}
    kept: dict[str, torch.Tensor] = {}
    for task in tasks:
        if task.network in finished:
            network = _finished_network(task, tensors)
        else:
            learner = NetworkLearner(task, config, lesson)
            current = numbers["current"]
            if current is not None and current["network"] == task.network:
                learner.resume(current, tensors)
            for epoch in learner.epochs():
                run.report(
                    learner.epoch, **{f"{task.network}/{name}": value for name, value in epoch.items()}
                )
                run.save_state(
                    {"finished": finished, "current": learner.numbers()}, {**kept, **learner.tensors()}
                )
            finished[task.network] = learner.figures()
            network = learner.network
        trained[task.network] = network
        kept |= {f"{task.network}/{key}": weight for key, weight in network.weights().items()}
        run.save_state({"finished": finished, "current": None}, kept)
    run.save_checkpoint(config.game, trained, figures=finished)


def _finished_network(task: Rows, tensors: Mapping[str, torch.Tensor]) -> Network:
    """A network that was trained to its end before the run was stopped."""
    network = Network(task.spec)
    with torch.no_grad():
        for key, tensor in network.weights().items():
            tensor.copy_(tensors[f"{task.network}/{key}"])
    return network.eval()


class NetworkLearner:
    """Trains one network.

    Args:
        task: all its rows; they are split by game.
        config: how it is trained.
        lesson: what it learns.

    Raises:
        ParseError: if there are too few rows to split.
    """

    def __init__(self, task: AnyRows, config: NetworksConfig, lesson: Lesson[AnyRows]) -> None:
        part = part_of_game(task.games, config.seed, (config.valid, config.test))
        self._parts = [task.part(part == number) for number in range(3)]
        if not all(map(len, self._parts)):
            raise ParseError(
                f"the network {task.network} has {len(task)} rows: too few for training, validation and test"
            )
        self._config, self._lesson = config, lesson
        torch.manual_seed(config.seed)
        self.network = Network(task.spec, config.dropout)
        self._adam = Adam(self.network, fused=False)
        self._rng = np.random.default_rng([config.seed, *task.network.encode()])
        self.epoch = 0
        self._best = self._measure(self._parts[1])["loss"]
        self._best_weights = copy.deepcopy(self.network.state_dict())
        self._worse = self._decayed = 0
        self._name = task.network

    def epochs(self) -> Iterator[dict[str, float]]:
        """Trains epoch by epoch and gives each epoch's losses; in the end the weights are the best ones."""
        while self.epoch < self._config.epochs and self._goes_on():
            self.epoch += 1
            train_loss = self._train_epoch()
            measured = self._measure(self._parts[1])
            for part, loss in (("training", train_loss), ("validation", measured["loss"])):
                if not np.isfinite(loss):
                    raise TrainingFailed(f"the {part} loss of {self._name} in epoch {self.epoch}", loss)
            if measured["loss"] < self._best:
                self._best, self._worse = measured["loss"], 0
                self._best_weights = copy.deepcopy(self.network.state_dict())
            else:
                self._worse += 1
            yield {"train_loss": train_loss, **{f"valid_{key}": value for key, value in measured.items()}}
        self.network.load_state_dict(self._best_weights)
        self.network.eval()

    def _goes_on(self) -> bool:
        """Whether to train another epoch: patience is not over, or the learning rate can decay, which it then does."""
        if self._worse < self._config.patience:
            return True
        if self._decayed >= self._config.decays:
            return False
        self._decayed += 1
        self._worse = 0
        self.network.load_state_dict(self._best_weights)
        return True

    @property
    def _learning_rate(self) -> float:
        return float(self._config.learning_rate / DECAY**self._decayed)

    def figures(self) -> dict[str, float]:
        """The losses and shares of the trained network on training and test games, and how many rows those have."""
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
            "decayed": self._decayed,
            "rng": generator_state(self._rng),
        }

    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors that `resume` needs."""
        return {
            **{f"current/{key}": tensor for key, tensor in self.network.state_dict().items()},
            **{f"best/{key}": tensor for key, tensor in self._best_weights.items()},
            **self._adam.tensors("optimizer"),
            "torch_rng": torch.get_rng_state(),
        }

    def resume(self, numbers: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        """Continues from where `numbers` and `tensors` were taken."""

        def named(prefix: str) -> dict[str, torch.Tensor]:
            start = f"{prefix}/"
            return {k.removeprefix(start): tensor for k, tensor in tensors.items() if k.startswith(start)}

        self.epoch, self._best, self._worse = numbers["epoch"], numbers["best"], numbers["worse"]
        self._decayed = numbers["decayed"]
        self._rng = restored_generator(numbers["rng"])
        self.network.load_state_dict(named("current"))
        self._best_weights = named("best")
        self._adam.restore("optimizer", tensors)
        torch.set_rng_state(tensors["torch_rng"])

    def _outputs(self, batch: Any) -> tuple[Any, torch.Tensor]:
        with torch.autocast("cpu", torch.bfloat16, enabled=self._config.bfloat16):
            batch, outputs = self._lesson.outputs(self.network, batch)
        return batch, outputs.float()

    def _train_epoch(self) -> float:
        """One pass over the training rows in a new order; the mean loss."""
        rows = self._parts[0]
        order = self._rng.permutation(len(rows))
        total, done = 0.0, 0
        self.network.train()
        with progress_bar(f"{self._name}, epoch {self.epoch}", len(rows)) as advance:
            # Batches of equal size: a small last one would leave the measured weights noisy.
            for numbers in np.array_split(order, -(-len(rows) // self._config.batch)):
                batch = rows.part(numbers)
                loss = self._lesson.loss(*self._outputs(batch))
                self._adam.step(loss, self._learning_rate)
                total += loss.item() * len(batch)
                done += len(batch)
                advance(done)
        return total / len(rows)

    def _measure(self, rows: Any) -> dict[str, float]:
        """The mean loss on some rows, and the lesson's shares."""
        total = 0.0
        counts: dict[str, NDArray[np.float64]] = {}
        self.network.eval()
        with torch.inference_mode():
            for first in range(0, len(rows), ROWS_AT_ONCE):
                batch = rows.part(np.arange(first, min(first + ROWS_AT_ONCE, len(rows))))
                batch, outputs = self._outputs(batch)
                total += float(self._lesson.loss(batch, outputs)) * len(batch)
                for name, share in self._lesson.shares(batch, outputs).items():
                    counts[name] = counts.get(name, np.zeros(2)) + share
        shares = {name: float(some / max(all_, 1)) for name, (some, all_) in counts.items()}
        return {"loss": total / len(rows), **shares}
