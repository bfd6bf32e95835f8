"""`skat-env train`: one learner a subcommand."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional, UseAppendAction, arg

Learner = Literal["imitation", "locations", "tables", "value", "selfplay", "dmc", "expert"]


@dataclass
class Train:
    """Train networks; stopped, the same command goes on where it was.

    The same seed on one worker repeats a run exactly. A config says what it reproduces and how long that takes.
    """

    learner: Annotated[Positional[Learner], arg(metavar="LEARNER")]
    """imitation: policies and values from recorded games. locations: where hidden cards lie, from recorded games.
    tables: what hands hold, counted in recorded games. value: a value network from recorded games. selfplay: the same
    from its own games. dmc: action values from its own games. expert: policy and value from its own searches."""
    config: Path
    """A TOML file, or the name of a config that ships, as imitation-skat."""
    out: Path
    """The folder of the run: checkpoint/, metrics.jsonl, tensorboard/, and what it needs to go on."""
    set: UseAppendAction[tuple[tuple[str, ...], ...]] = ()
    """Keys of the config to change, as seed=3 or "hidden=[64, 64]"; one or several each time."""

    def run(self) -> int:
        """Trains until the config's end; the exit status."""
        # The help of `skat-env` reads all commands, with or without the extra that this one needs.
        from agents.learners.config import find_config, read_config
        from agents.learners.run import TrainingRun

        module = importlib.import_module(f"agents.learners.{self.learner}")
        config = read_config(module.Config, find_config(self.config), list(chain(*self.set)))
        train: Callable[[Any, TrainingRun], None] = module.train
        with TrainingRun(self.out, self.learner, config) as run:
            train(config, run)
        print(f"written to {self.out}")
        return 0
