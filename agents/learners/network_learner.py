"""Networks trained on rows of recorded games, one after another, by epochs of Adam with early stopping.

A lesson says what a row is and what is learnt from it. When the validation loss no longer improves, the learning rate
decays, or training stops. A stopped run goes on after its last epoch.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Protocol, Self, TypeVar

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.config import GameName, LearnerConfig, Part, Positive, Rate, Seed, Threads
from skat_env.agents.learners.experience.held_out import (
    first_games,
    open_dataset,
    part_of_game,
    require_training_part,
)
from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.learners.networks.optimizer import Adam
from skat_env.agents.learners.networks.precision import Precision, autocast
from skat_env.agents.learners.run import (
    CHECKPOINT,
    TrainingFailed,
    TrainingRun,
    generator_state,
    network_after,
    restored_generator,
    tensors_after,
)
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import WIDTHS, Network, NetworkSpec, Widths
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
Decays = Annotated[int, msgspec.Meta(ge=0, le=100)]
"""More would leave no learning rate."""
Dropout = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class NetworksConfig(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How networks are trained on recorded games, whatever they learn."""

    game: GameName
    data: str
    """The folder of a dataset. It is split by deal into training, validation and test."""
    networks: tuple[str, ...] = ()
    """Names of the networks to train; empty: all that have rows in the dataset."""
    checkpoint: str = ""
    """The checkpoint, by name or path, whose networks training begins with; they are as large as those that the config
    describes. Empty: random weights."""
    hidden: str | Widths = "small"
    """Widths of the hidden layers, or the name of a preset: small or paper."""
    dropout: Dropout = 0.4
    """Share of the units of inner hidden layers that a training step drops. Rebstock 2019 keeps 0.6."""
    learning_rate: Rate = 1e-4
    """Learning rate of Adam; the default is that of Rebstock 2019 and Solinas 2019."""
    batch: Positive = 512
    """Maximum number of rows of a training step; the steps of an epoch are of equal size. Rebstock 2019 gives none."""
    epochs: Positive = 20
    """Maximum number of epochs; the default is that of Rebstock 2019."""
    patience: Positive = 1
    """Epochs without a better validation loss after which training stops, or the learning rate decays."""
    decays: Decays = 0
    """Number of decays: the learning rate is divided by five, and training goes on from the best weights. 0: the rate
    is constant, as in the papers."""
    valid: Part = 0.05
    """Share of the games in validation, which decides when to stop."""
    test: Part = 0.05
    """Share of the games in test, which the figures are measured on."""
    seed: Seed = 0
    """Seed of the split, the weights, the order of rows and dropout."""
    threads: Threads = 1
    """Threads of torch; small networks are slower on several."""
    precision: Precision = "float32"
    """Precision of matrix products, where the processor has it, else float32; weights are float32. bfloat16 is faster
    in batches of about a thousand rows."""

    def __post_init__(self) -> None:
        for name in self.networks:
            if self.networks.count(name) > 1:
                raise ValueError(f"networks name '{name}' twice: expected each once")
        hidden_widths(self.hidden)
        require_training_part(self.valid, self.test)


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

    def outputs(self, network: NetworkModule, batch: AnyRows) -> tuple[AnyRows, torch.Tensor]:
        """The rows with their targets numbered as the outputs are, and the network's outputs."""

    def loss(self, batch: AnyRows, outputs: torch.Tensor) -> torch.Tensor:
        """The mean loss of the rows."""

    def shares(self, batch: AnyRows, outputs: torch.Tensor) -> Mapping[str, Share]:
        """Other measures by name, such as accuracy, each a share of rows or of parts of rows."""


def open_games(config: NetworksConfig, run: TrainingRun) -> tuple[Dataset, Decisions]:
    """The dataset that a run learns from, and its decisions.

    Raises:
        ParseError: if it holds another game.
        FileExistsError: if the run was begun with other games.
    """
    dataset = open_dataset(config.data, config.game)
    run.learns_from(dataset)
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
        ParseError: if a task has too few rows, or the checkpoint to begin with has no such network.
        UnknownName: if there is no such checkpoint.
        TrainingFailed: if a loss is not finite.
    """
    torch.set_num_threads(config.threads)
    for task in tasks:
        _parts(task, config)
    course = Course(config, tasks, lesson, first_networks(config, tasks))
    run.resume(course.restore)
    for task in tasks[len(course.trained) :]:
        learner = course.begin(task)
        for epoch in learner.epochs():
            run.report(learner.epoch, **{f"{task.network}/{name}": value for name, value in epoch.items()})
            run.save_state(course.numbers(), course.tensors())
        course.finish()
        run.save_state(course.numbers(), course.tensors())
    if run.has_worked or not (run.folder / CHECKPOINT).exists():
        run.save_checkpoint(config.game, course.trained, figures=course.figures)


def first_networks(config: NetworksConfig, tasks: Sequence[Rows]) -> dict[str, Network]:
    """The networks that training begins with, by name; none where their weights are random at first.

    Raises:
        ParseError: if the checkpoint lacks one of them, or has another one under its name.
        UnknownName: if there is no such checkpoint.
    """
    if not config.checkpoint:
        return {}
    checkpoint = load_checkpoint(config.checkpoint, config.game)
    return {task.network: checkpoint.network_like(task.network, task.spec) for task in tasks}


class Course:
    """Networks trained one after another: those that are finished, and the one in training.

    Args:
        config: how they are trained.
        tasks: what they are, in order.
        lesson: what they learn.
        begun: the networks that training begins with, by name; others begin with random weights.
    """

    def __init__(
        self,
        config: NetworksConfig,
        tasks: Sequence[Rows],
        lesson: Lesson[Any],
        begun: Mapping[str, Network],
    ) -> None:
        self._config, self._tasks, self._lesson, self._begun = config, tasks, lesson, begun
        self.trained: dict[str, Network] = {}
        """The finished networks by name."""
        self.figures: dict[str, dict[str, float]] = {}
        """Their losses and shares, by name."""
        self._learner: NetworkLearner | None = None

    def begin(self, task: Rows) -> "NetworkLearner":
        """The learner of the next network: a restored one, or one that begins."""
        if self._learner is None:
            begun = self._begun.get(task.network)
            self._learner = NetworkLearner(task, self._config, self._lesson, begun)
        return self._learner

    def finish(self) -> None:
        """Counts the network in training among the finished ones."""
        assert self._learner is not None
        self.figures[self._learner.name] = self._learner.figures()
        self.trained[self._learner.name] = self._learner.network.frozen()
        self._learner = None

    def numbers(self) -> dict[str, Any]:
        """What `restore` needs besides the tensors."""
        return {
            "finished": self.figures,
            "current": None if self._learner is None else self._learner.numbers(),
        }

    def tensors(self) -> dict[str, Any]:
        """The tensors and arrays that `restore` needs: those of all finished networks, and of the one in training."""
        return {
            f"{name}/{key}": weight.copy()  # torch takes no array that cannot be written to
            for name, network in self.trained.items()
            for key, weight in network.weights().items()
        } | ({} if self._learner is None else self._learner.tensors())

    def restore(self, numbers: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of `numbers` and `tensors`."""
        self.figures = numbers["finished"]
        for task in self._tasks[: len(self.figures)]:
            self.trained[task.network] = network_after(f"{task.network}/", tensors, task.spec)
        if numbers["current"] is not None:
            self.begin(self._tasks[len(self.figures)]).resume(numbers["current"], tensors)


def _parts(task: Rows, config: NetworksConfig) -> list[Rows]:
    """The rows of a task for training, validation and test.

    Raises:
        ParseError: if there are too few to split.
    """
    first = first_games(open_dataset(config.data, config.game))
    part = part_of_game(first[task.games], config.seed, (config.valid, config.test))
    parts = [task.part(part == number) for number in range(3)]
    if not all(map(len, parts)):
        raise ParseError(
            f"the network {task.network} has {len(task)} rows: too few for training, validation and test"
        )
    return parts


class NetworkLearner:
    """Trains one network.

    Args:
        task: all its rows; they are split by deal.
        config: how it is trained.
        lesson: what it learns.
        begun: the network whose weights it begins with; None: random ones.

    Raises:
        ParseError: if there are too few rows to split.
    """

    def __init__(
        self, task: Rows, config: NetworksConfig, lesson: Lesson[Any], begun: Network | None = None
    ) -> None:
        self._parts = _parts(task, config)
        self._config, self._lesson = config, lesson
        torch.manual_seed(config.seed)
        self.network = NetworkModule(task.spec, config.dropout)
        if begun is not None:
            self.network.set_weights(begun.weights())
        self._adam = Adam(self.network, fused=False)
        self._rng = np.random.default_rng([config.seed, *task.network.encode()])
        self.epoch = 0
        self._best = self._measure(self._parts[1])["loss"]
        self._best_weights = copy.deepcopy(self.network.state_dict())
        self._worse = self._decayed = 0
        self.name = task.network

    def epochs(self) -> Iterator[dict[str, float]]:
        """Trains epoch by epoch and gives each epoch's losses; in the end the weights are the best ones."""
        while self.epoch < self._config.epochs and self._goes_on():
            self.epoch += 1
            train_loss = self._train_epoch()
            measured = self._measure(self._parts[1])
            for part, loss in (("training", train_loss), ("validation", measured["loss"])):
                if not np.isfinite(loss):
                    raise TrainingFailed(f"the {part} loss of {self.name} in epoch {self.epoch}", loss)
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
            "network": self.name,
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
        self.epoch, self._best, self._worse = numbers["epoch"], numbers["best"], numbers["worse"]
        self._decayed = numbers["decayed"]
        self._rng = restored_generator(numbers["rng"])
        self.network.load_state_dict(tensors_after("current/", tensors))
        self._best_weights = tensors_after("best/", tensors)
        self._adam.restore("optimizer", tensors)
        torch.set_rng_state(tensors["torch_rng"])

    def _outputs(self, batch: Any) -> tuple[Any, torch.Tensor]:
        with autocast(self._config.precision):
            batch, outputs = self._lesson.outputs(self.network, batch)
        return batch, outputs.float()

    def _train_epoch(self) -> float:
        """One pass over the training rows in a new order; the mean loss."""
        rows = self._parts[0]
        order = self._rng.permutation(len(rows))
        total, done = 0.0, 0
        self.network.train()
        with progress_bar(f"{self.name}, epoch {self.epoch}", len(rows)) as advance:
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
