"""The folder of a training run: its config, its metrics, the state from which it resumes, and its checkpoint.

`run.json` says what is trained, on which games, and what made it. `metrics.jsonl` grows by a line a report, and
`tensorboard/` shows the same. A stopped run goes on from `state.safetensors`. `checkpoint/` has the networks saved
last.
"""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from skat_env.agents.learners.config import LearnerConfig, check_config
from skat_env.agents.learners.metrics import parse_metrics, read_metrics
from skat_env.agents.networks.checkpoint import save_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError
from skat_env.tools.extras import require_package
from skat_env.tools.files import naming, write_bytes, write_text
from skat_env.tools.parsing import parse_json
from skat_env.tools.provenance import provenance
from skat_env.tools.run_folder import ADVICE, RunFolder, run_folder
from skat_env.tools.workers import Workers, require_workers

RUN: Final = "run.json"
METRICS: Final = "metrics.jsonl"
TENSORBOARD: Final = "tensorboard"
STATE: Final = "state.safetensors"
CHECKPOINT: Final = "checkpoint"
DATASETS: Final = "datasets"
"""The key of `run.json` under which the fingerprints of the run's datasets are, by folder."""


class TrainingFailed(ValueError):
    """Training diverged: a number that should be finite is infinite or not a number.

    What the run saved before is kept.
    """

    def __init__(self, what: str, value: float) -> None:
        super().__init__(
            f"{what} is {value:g}: training has diverged. The state saved last is kept; a lower learning rate may help"
        )
        self._given = (what, value)

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        """How to pickle it."""
        return type(self), self._given


class TrainingRun:
    """The folder of one run, which one process at a time works in; a context manager.

    Args:
        folder: is made, or continued if it holds a run of the same learner and config.
        learner: its name.
        config: what determines the run, but for its keys `FREE`.
        workers: who plays its evaluation matches.

    Raises:
        ParseError: if a value of the config is out of range or names nothing; when entered, if `run.json` is damaged.
        ValueError: if these cannot be workers.
        FileExistsError: when entered, if the folder holds something else.
        BlockingIOError: when entered, if another process is working in it.
    """

    def __init__(self, folder: Path, learner: str, config: LearnerConfig, workers: Workers | int = 1) -> None:
        check_config(config)
        require_package("tensorboard")  # its writer is made with the first report
        self.folder = folder
        self.config = config
        self.workers = require_workers(workers)
        head = {"learner": learner, "config": json.loads(msgspec.json.encode(config)), **provenance()}
        self._opened = run_folder(folder, "run", RUN, head, compared=("learner", "config"), free=config.FREE)
        self._folder: RunFolder | None = None
        self._writer: Any = None
        self.has_worked = False
        """Whether anything was trained since the folder was opened."""

    def __enter__(self) -> Self:
        self._folder = self._opened.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
        self._opened.__exit__(kind, error, traceback)

    def learns_from(self, dataset: Dataset) -> None:
        """Notes the games that the run learns from: with others it would learn from some that it held out.

        Raises:
            FileExistsError: if it was begun with other games in the same place.
            ParseError: if the dataset is damaged.
        """
        assert self._folder is not None
        head, place, fingerprint = self._folder.head, str(dataset.folder), dataset.fingerprint()
        known = head.get(DATASETS)
        known = known if isinstance(known, dict) else {}
        if known.get(place, fingerprint) != fingerprint:
            raise FileExistsError(f"{self.folder} was begun with other games in {place}: {ADVICE}")
        if place not in known:
            head[DATASETS] = {**known, place: fingerprint}
            self._folder.write_head()

    def report(self, step: int, **metrics: float) -> None:
        """Adds a line of metrics.

        Raises:
            TrainingFailed: if one is not finite.
        """
        for name, value in metrics.items():
            if not math.isfinite(value):
                raise TrainingFailed(f"{name} at step {step}", value)
        self.has_worked = True
        with naming(self.folder / METRICS), (self.folder / METRICS).open("a") as file:
            file.write(json.dumps({"step": step, **metrics}) + "\n")
        lines: list[dict[str, Any]] = [{"step": step, **metrics}]
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            # Written anew: a process that was killed may have shown lines that were dropped since, or not shown some.
            shutil.rmtree(self.folder / TENSORBOARD, ignore_errors=True)
            self._writer = SummaryWriter(str(self.folder / TENSORBOARD))
            lines = self.metrics()
        for line in lines:
            for name, value in line.items():
                if name != "step":
                    self._writer.add_scalar(name, value, line["step"])

    def metrics(self) -> list[dict[str, float]]:
        """The lines so far."""
        path = self.folder / METRICS
        return read_metrics(path) if path.exists() else []

    def save_state(self, numbers: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Saves what `resume` hands on, whole or not at all.

        Args:
            numbers: what JSON can hold.
            tensors: torch tensors and numpy arrays by name.

        Raises:
            TrainingFailed: if a number of a tensor is not finite.
        """
        self.has_worked = True
        kept = {
            name: torch.from_numpy(np.ascontiguousarray(value)) if isinstance(value, np.ndarray) else value
            for name, value in tensors.items()
        }
        contiguous = {name: value.detach().contiguous() for name, value in kept.items()}
        _require_finite("the state", {name: as_array(value) for name, value in contiguous.items()})
        # One file holds both, so that they never come from different moments.
        metadata = {"numbers": json.dumps({**numbers, "lines": len(self.metrics())})}
        write_bytes(self.folder / STATE, save(contiguous, metadata))

    def resume(self, restore: Callable[[dict[str, Any], dict[str, torch.Tensor]], None]) -> bool:
        """Hands the numbers and tensors saved last to `restore`; whether there are any. Later metrics are dropped.

        Raises:
            ParseError: if the state or the metrics are damaged; nothing is changed.
        """
        state, metrics = self.folder / STATE, self.folder / METRICS
        if not state.exists():
            if metrics.exists():
                write_text(metrics, "")
            return False
        try:
            with safe_open(state, "pt") as file:
                numbers: dict[str, Any] = parse_json((file.metadata() or {})["numbers"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            lines = int(numbers.pop("lines"))
            for name, tensor in tensors.items():
                if not tensor.isfinite().all():
                    raise ParseError(f"its tensor '{name}' has numbers that are not finite")
            restore(numbers, tensors)
        except _DAMAGE as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise ParseError(
                f"{state} is damaged ({reason}); nothing is changed: remove it to train this run from its beginning, "
                "or name another folder"
            ) from error
        if metrics.exists():
            kept = metrics.read_bytes().splitlines(keepends=True)[:lines]
            found = len(parse_metrics(metrics, b"".join(kept)))
            if found < lines:
                raise ParseError(
                    f"{metrics} has {found} of the {lines} lines that were written before the state was saved; "
                    "nothing is changed: remove it to go on without them, or name another folder"
                )
            write_bytes(metrics, *kept)
        return True

    def save_checkpoint(
        self, game: str, networks: Mapping[str, Network], name: str = CHECKPOINT, **details: Any
    ) -> Path:
        """Writes the networks as a checkpoint of the run and returns its folder.

        Raises:
            TrainingFailed: if a weight is not finite.
        """
        for network_name, network in networks.items():
            _require_finite(f"the network '{network_name}'", network.weights())
        config = json.loads(msgspec.json.encode(self.config))
        folder = self.folder / name
        save_checkpoint(folder, game, networks, {**provenance(), "config": config, **details})
        return folder


_DAMAGE: Final = (
    SafetensorError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RuntimeError,
)
"""The errors of a state that does not fit; torch raises RuntimeError for another shape."""


def _require_finite(where: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raises TrainingFailed if a number of some arrays is not finite."""
    for name, array in arrays.items():
        if len(found := array[~np.isfinite(array)]):
            raise TrainingFailed(f"a number of the tensor '{name}' of {where}", float(found[0]))


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator, as JSON can hold it."""
    return dict(rng.bit_generator.state)


def restored_generator(state: Mapping[str, Any]) -> np.random.Generator:
    """The generator with a state.

    Raises:
        ParseError: if it is not one of numpy's default generator.
    """
    rng = np.random.default_rng()
    try:
        rng.bit_generator.state = dict(state)
    except (ValueError, TypeError, KeyError) as error:
        raise ParseError(f"the state of a random generator is damaged: {error}") from None
    return rng


def tensors_after(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors of a saved state whose names begin with a prefix, by what follows it."""
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def network_after(prefix: str, tensors: Mapping[str, torch.Tensor], spec: NetworkSpec) -> Network:
    """The network whose weights are in a saved state, by their names after a prefix.

    Raises:
        ValueError: if one is missing, or has another shape.
    """
    return Network(spec, {name: as_array(tensor) for name, tensor in tensors_after(prefix, tensors).items()})


def as_array(tensor: torch.Tensor) -> NDArray[Any]:
    """A tensor of a saved state as an array."""
    return np.asarray(tensor.numpy())
