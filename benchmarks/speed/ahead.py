"""Learning with games of other workers: games per second by the number of workers, and where the learner is the limit.

python -m benchmarks.speed.ahead [--learner expert] [--config expert-skat] [--backend ray] [--counts 1 2] [--out FILE]

The learner plays one wave ahead. Its busy time is what it has left to do itself: encoding games, and training; games of
a wave over that time are the most that it can learn from, with any number of workers. CPU times are of the learner's
process; those of play are of a run that plays in it.
"""

import importlib
import pickle
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.agents.learners.ahead import PlayedAhead
from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.learners.train import LEARNERS
from skat_env.options import Count
from skat_env.tools.workers import Backend, Workers

SKIPPED = 2
"""Waves at first that are not measured: workers start, and buffers are nearly empty."""


@dataclass
class Options(Kept):
    """Games per second by the number of workers."""

    learner: Literal["selfplay", "expert"] = "expert"
    """The learner."""
    config: Path = Path("expert-skat")
    """Its config."""
    set: tuple[str, ...] = ()
    """Keys of the config to change."""
    waves: Count = 8
    """Waves of a measurement."""
    backend: Backend = "processes"
    """Where the workers run."""
    counts: tuple[Count, ...] = (1, 2)
    """Numbers of workers to measure."""


@dataclass
class Figures:
    """What a run did; seconds are those of a wave."""

    workers: int
    games: int
    """Of a wave."""
    games_per_second: float
    wave_seconds: float
    waiting_seconds: float
    """Of these, for games."""
    learner_cpu_seconds: float
    """CPU time of the learner's process, without play if others play."""
    play_cpu_seconds: float
    """CPU time of play, if the learner's process plays; else 0."""
    bytes_per_game: float
    """Pickled, as they come back."""
    bytes_of_weights: int
    """Pickled, as they go out, once a wave and node."""


class _Measured(PlayedAhead[Any]):
    """Notes when each wave was requested and when it came."""

    marks: list[tuple[float, float, float, float]]
    played: Any
    weights: Any

    def wave(self, weights: Any) -> list[Any]:
        asked, asked_cpu = time.perf_counter(), time.process_time()
        type(self).weights = weights
        type(self).played = played = super().wave(weights)
        self.marks.append((asked, time.perf_counter(), asked_cpu, time.process_time()))
        return played


def measure(options: Options, workers: int) -> Figures:
    """One training run; 0 workers: the learner plays itself."""
    module: Any = importlib.import_module(LEARNERS[options.learner])
    waves = SKIPPED + options.waves + 1
    never = ["evaluate_every=1000000", "evaluation_deals=2", "evaluation_simulations=1", 'opponent="random"']
    many = [f"{'iterations' if options.learner == 'expert' else 'cycles'}={waves}"]
    ahead = ["age=1", "pieces=4"] if workers else []
    config = read_config(module.Config, find_config(options.config), [*never, *many, *ahead, *options.set])
    module.PlayedAhead, _Measured.marks = _Measured, []
    with (
        tempfile.TemporaryDirectory() as folder,
        TrainingRun(
            Path(folder) / "run", options.learner, config, Workers(workers or 1, options.backend)
        ) as run,
    ):
        module.train(config, run)
    marks = _Measured.marks[SKIPPED:]
    games = config.games if options.learner == "expert" else config.rounds
    seconds, count = marks[-1][0] - marks[0][0], len(marks) - 1
    playing = sum(done - began for _, _, began, done in marks[:-1]) / count
    learning = sum(after[2] - before[3] for before, after in pairwise(marks)) / count
    return Figures(
        workers,
        games,
        count * games / seconds,
        seconds / count,
        sum(had - asked for asked, had, _, _ in marks[:-1]) / count,
        learning + (playing if workers else 0.0),
        0.0 if workers else playing,
        len(pickle.dumps(_Measured.played)) / games,
        len(pickle.dumps(_Measured.weights)),
    )


def main(options: Options) -> None:
    """Measures and prints."""
    rows = []
    for workers in (0, *options.counts):
        rows.append(asdict(measure(options, workers)))
        print(rows[-1], flush=True)
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
