"""The folder of a training run: its config, its metrics, the state it goes on from, and the checkpoints it makes.

`run.json` says what is trained and what made it, `metrics.jsonl` grows by a line a report, `tensorboard/` holds the
same for people to look at, `state.safetensors` is where a stopped run goes on, `checkpoint/` the last good networks.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save

from agents.networks.checkpoint import save_checkpoint
from agents.networks.network import Network
from skat_env.errors import ParseError
from skat_env.tools.files import differences, locked, write_bytes, write_text
from skat_env.tools.provenance import provenance

RUN: Final = "run.json"
METRICS: Final = "metrics.jsonl"
STATE: Final = "state.safetensors"
CHECKPOINT: Final = "checkpoint"


class TrainingFailed(ValueError):
    """The numbers left the finite ones; the last good checkpoint is where it was."""


class TrainingRun:
    """One run's folder, which one process at a time works in; a context manager.

    Args:
        folder: is made, or gone on with if it holds a run of the same learner and config.
        learner: its name.
        config: what determines the run.

    Raises:
        ValueError: if the folder holds something else.
    """

    def __init__(self, folder: Path, learner: str, config: msgspec.Struct) -> None:
        self.folder = folder
        self.config = config
        wanted = {"learner": learner, "config": json.loads(msgspec.json.encode(config))}
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / RUN
        if path.exists():
            found = json.loads(path.read_text())
            differing = differences(
                *({"learner": each["learner"], **each["config"]} for each in (found, wanted))
            )
            if differing:
                raise ValueError(f"{folder} holds another run ({differing}): name another folder with --out")
        elif any(folder.iterdir()):
            raise ValueError(f"{folder} is not empty and holds no run: name another folder with --out")
        else:
            write_text(path, json.dumps({**wanted, **provenance()}, indent=1) + "\n")
        self._lock = locked(folder)
        self._writer: Any = None

    def __enter__(self) -> Self:
        self._lock.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
        if error is not None and [path.name for path in self.folder.iterdir()] == [RUN]:
            # Refused before it began: the same folder is free for what is right.
            (self.folder / RUN).unlink()
        self._lock.__exit__(kind, error, traceback)

    def report(self, step: int, **metrics: float) -> None:
        """Adds a line of metrics.

        Raises:
            TrainingFailed: if one is not finite.
        """
        for name, value in metrics.items():
            if not math.isfinite(value):
                raise TrainingFailed(
                    f"{name} is {value} at step {step}: training has failed; a lower learning rate may help. "
                    f"The last good state is kept in {self.folder}"
                )
        with (self.folder / METRICS).open("a") as file:
            file.write(json.dumps({"step": step, **metrics}) + "\n")
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self.folder / "tensorboard"))
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)

    def metrics(self) -> list[dict[str, float]]:
        """The lines so far."""
        path = self.folder / METRICS
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def save_state(self, numbers: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Keeps what `load_state` gives back, whole or not at all.

        Args:
            numbers: what JSON can hold; `step` says how many lines of metrics belong to it.
            tensors: torch tensors and numpy arrays by name.
        """
        kept = {
            name: torch.from_numpy(np.ascontiguousarray(value)) if isinstance(value, np.ndarray) else value
            for name, value in tensors.items()
        }
        # One file holds both, so that they never come from different moments.
        metadata = {"numbers": json.dumps({**numbers, "lines": len(self.metrics())})}
        contiguous = {name: value.detach().contiguous() for name, value in kept.items()}
        write_bytes(self.folder / STATE, save(contiguous, metadata))

    def load_state(self) -> tuple[dict[str, Any], dict[str, torch.Tensor]] | None:
        """The numbers and tensors last saved, or None; metrics reported since are dropped."""
        path = self.folder / STATE
        if not path.exists():
            if (self.folder / METRICS).exists():
                write_text(self.folder / METRICS, "")
            return None
        with safe_open(path, "pt") as file:
            numbers: dict[str, Any] = json.loads((file.metadata() or {})["numbers"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        lines = numbers.pop("lines")
        if (self.folder / METRICS).exists():
            kept = (self.folder / METRICS).read_text().splitlines(keepends=True)[:lines]
            write_text(self.folder / METRICS, "".join(kept))
        return numbers, tensors

    def save_checkpoint(
        self, game: str, networks: Mapping[str, Network], name: str = CHECKPOINT, **details: Any
    ) -> Path:
        """Writes the networks as a checkpoint of the run and returns its folder."""
        config = json.loads(msgspec.json.encode(self.config))
        folder = self.folder / name
        save_checkpoint(folder, game, networks, {**provenance(), "config": config, **details})
        return folder


def optimizer_tensors(prefix: str, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The state of an optimizer as named tensors."""
    return {
        f"{prefix}/{index}/{name}": torch.as_tensor(value)
        for index, slots in optimizer.state_dict()["state"].items()
        for name, value in slots.items()
    }


def restore_optimizer(
    prefix: str, optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]
) -> None:
    """The inverse of `optimizer_tensors`."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith(f"{prefix}/"):
            index, name = key.removeprefix(f"{prefix}/").split("/")
            state.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as JSON holds it."""
    return dict(rng.bit_generator.state)


def restored_generator(state: Mapping[str, Any]) -> np.random.Generator:
    """The generator of a state.

    Raises:
        ParseError: if it is not one of numpy's default generator.
    """
    rng = np.random.default_rng()
    try:
        rng.bit_generator.state = dict(state)
    except (ValueError, TypeError, KeyError) as error:
        raise ParseError(f"the state of a random generator is damaged: {error}") from None
    return rng


def as_array(tensor: torch.Tensor) -> NDArray[Any]:
    """A tensor of a saved state as numpy array."""
    return np.asarray(tensor.numpy())
