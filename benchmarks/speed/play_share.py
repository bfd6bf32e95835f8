"""How much of `train dmc` and `train ppo` is play, and of that the networks: CPU microseconds per game on one thread.

python -m benchmarks.speed.play_share [--games 40960]

What other workers could take over of these learners is the networks' share of their play; see docs/scaling.md.
"""

import importlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from benchmarks.harness import read_options
from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.learners.train import LEARNERS


@dataclass
class Options:
    """The share of play in learning."""

    games: int = 40_960
    """Games to play and learn from."""


def timed(function: Callable[..., Any], seconds: dict[str, float], name: str) -> Callable[..., Any]:
    """The same function, whose CPU time is added up."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        began = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[name] += time.process_time() - began

    return call


def measure(learner: str, networks: str, changes: list[str], games: int) -> dict[str, float]:
    """CPU microseconds per game of waves, play, and the networks that play."""
    module: Any = importlib.import_module(LEARNERS[learner])
    seconds: dict[str, float] = defaultdict(float)
    parts = {
        "whole": (module.SelfPlay, "wave"),
        "play": (module.SelfPlay, "_play"),
        "networks": (module.Learner, networks),
    }
    for name, (owner, method) in parts.items():
        setattr(owner, method, timed(getattr(owner, method), seconds, name))
    common = [f"games={games}", f"report_every={games}", "threads=1", "deals=0", "starts=2000"]
    config = read_config(module.Config, find_config(Path(f"{learner}-skat")), [*common, *changes])
    with tempfile.TemporaryDirectory() as folder, TrainingRun(Path(folder) / "run", learner, config) as run:
        module.train(config, run)
    return {name: round(seconds[name] / games * 1e6, 1) for name in parts}


def main(options: Options) -> None:
    """Measures and prints."""
    print("dmc", measure("dmc", "values", [], options.games), flush=True)
    # Without the recorded starts, which make no difference in time, nobody needs their dataset.
    changes = ["warm_up=0", "dataset=", "recorded=0", "random_declarations=0"]
    print("ppo", measure("ppo", "outputs", changes, options.games))


if __name__ == "__main__":
    main(read_options(Options, __doc__))
