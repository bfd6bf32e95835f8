"""Learners of the benchmark: what a file has to define, and how it is loaded."""

import dataclasses
import hashlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.bench.task import Task
from skat_env.call_text import parse_call
from skat_env.errors import OptionError, ParseError, UnknownName
from skat_env.options import check_options, checked_options


class Learner(Protocol):
    """What learns a task. A file of a learner has a class `Learner` and a dataclass `Options`, which it is made with.

    All luck comes from the seeds that it is given, so that the same seed learns the same, and a run that was killed
    goes on as if it had not been.
    """

    def __init__(self, task: Task, options: Any, seed: int) -> None: ...

    def learn(self, steps: int, seed: int) -> int:
        """Learns from about so many decisions of its own, in games that begin now; returns how many they were.

        Args:
            steps: decisions in environments; all that the learner makes count, at every seat.
            seed: of these games, and of all else that is drawn.
        """

    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions, float32 [n, actions], for observations [n, features] and action masks
        [n, actions]. The most probable ones are played; exploitability is that of the probabilities.
        """

    # A learner without probabilities has `act` instead: the best actions, int64 [n], for the same arguments.

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All that `restore` needs to go on: weights, the state of optimizers, what is kept of games."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what `arrays` gave."""


@dataclasses.dataclass(frozen=True)
class LearnerFile:
    """A file of a learner, loaded."""

    path: Path
    module: ModuleType

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        return self.path.stem

    @property
    def digest(self) -> str:
        """SHA-256 of the file, 16 digits."""
        return _digest(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes load the file themselves."""
        return load_learner, (self.path.resolve(),)

    def options(self, changes: Sequence[str] = ()) -> Any:
        """The options, with some changed: `learning_rate=3e-4`.

        Raises:
            UnknownName: if the learner has no such option.
            OptionError: if a value is not what its annotation says.
        """
        given: dict[str, Any] = {}
        for change in changes:
            _, _, options = parse_call(f"set({change})")
            if not options:
                raise ParseError(f"--set {change}: expected option=value")
            given |= options
        return self.made_options(given)

    def made_options(self, given: Mapping[str, Any]) -> Any:
        """The options, with the given ones by name; errors as `options`."""
        kind = self.module.Options
        known = [field.name for field in dataclasses.fields(kind)]
        for name in given:
            if name not in known:
                raise UnknownName(f"option of the learner {self.name}", name, known)
        return kind(**check_options(self.name, kind, given))

    def make(self, task: Task, options: Any, seed: int) -> Learner:
        """The learner of a task."""
        made: Learner = self.module.Learner(task, options, seed)
        return made


@checked_options("a learner of the benchmark")
def load_learner(path: Path) -> LearnerFile:
    """Loads the file of a learner.

    Raises:
        OptionError: if there is no such file, or it does not define `Learner` and `Options`.
    """
    if path.suffix != ".py" or not path.exists():
        raise OptionError(
            f"there is no learner {path}: expected a Python file, such as examples/learners/ppo.py"
        )
    # Runs keep files of one name: each has a module of its own.
    name = f"skat_env_learner_{path.stem}_{_digest(path)}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for name in ("Learner", "Options"):
        if not isinstance(getattr(module, name, None), type):
            raise OptionError(f"{path} has no class {name}: expected a Learner and its Options, a dataclass")
    if not dataclasses.is_dataclass(module.Options):
        raise OptionError(f"{path}: Options is no dataclass: expected one, with a default for each option")
    return LearnerFile(path, module)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
