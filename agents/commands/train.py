"""`skat-env train`: one learner a subcommand."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction, arg

from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.workers import Workers


@dataclass
class Train:
    """Train networks; stopped, the same command goes on where it was.

    Example: skat-env train imitation --config imitation-skat --out runs/first

    The same seed on one thread repeats a run exactly. A config says what it reproduces and how long that takes. The
    workers play the evaluation matches.
    """

    learner: Annotated[Positional[str], arg(metavar="LEARNER")]
    """imitation: policies and values from recorded games. locations: where hidden cards lie, from recorded games.
    tables: what hands hold, counted in recorded games. value: a value network from recorded games. selfplay: a value
    network from its own games. dmc: action values from its own games. ppo: cardplay policies from their own games, and
    values of whole worlds. expert: policy and value from its own searches. sb3: MaskablePPO of stable-baselines3
    against agents and its own past."""
    config: Path
    """A TOML file, or the name of a config that ships, as imitation-skat."""
    out: Path
    """The folder of the run: its checkpoints, metrics.jsonl, tensorboard/, and the state that it goes on from."""
    set: UseAppendAction[tuple[tuple[str, ...], ...]] = ()
    """Keys of the config to change, as seed=3 or "hidden=[64, 64]"; one or several each time."""
    workers: Annotated[Workers, arg(name="")] = Workers()

    def run(self) -> int:
        """Trains until the config's end; the exit status."""
        # The help of `skat-env` reads all commands, with or without the extra that this one needs.
        with interrupts_waiting():
            from skat_env.agents.learners.train import train_with

        train_with(self.learner, self.config, self.out, list(chain(*self.set)), self.workers)
        print(f"written to {self.out}")
        return 0
