"""Steps per second of the benchmark's learners, and the share of the time that their games take.

python -m benchmarks.speed.learners [--task SkatSuit-v0] [--out results/learners.json]

Beside them PettingZoo's own loop over connect four with random legal moves, which learns nothing.
"""

import time
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

import tyro

from benchmarks.harness import ROOT, Kept, keep, run_benchmark
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.task import Task, get_task
from skat_env.options import Count


@dataclass
class Options(Kept):
    """Steps per second of learners."""

    learners: Annotated[tyro.conf.Positional[tuple[Path, ...]], tyro.conf.arg(metavar="LEARNER")] = tuple(
        ROOT / "examples" / "learners" / f"{name}.py" for name in ("ppo", "dmc", "reinforce")
    )
    """Files of learners that play themselves."""
    task: str = "SkatSuit-v0"
    """The task."""
    steps: Count = 50_000
    """Decisions to learn from."""


class Timed:
    """Games that add up the processor's time that they take.

    Args:
        games: those of a task.
        seconds: a list of one number, to which the time is added.
    """

    def __init__(self, games: Any, seconds: list[float]) -> None:
        self._games, self._seconds = games, seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._games, name)

    def reset(self, seed: int) -> Any:
        """As that of the games."""
        return self._timed(lambda: self._games.reset(seed=seed))

    def step(self, actions: Any) -> Any:
        """As that of the games."""
        return self._timed(lambda: self._games.step(actions))

    def _timed(self, call: Any) -> Any:
        began = time.process_time()
        result = call()
        self._seconds[0] += time.process_time() - began
        return result


@dataclass(frozen=True)
class TimedTask(Task):
    """A task whose games of self-play are timed."""

    seconds_of_games: list[float] = field(default_factory=lambda: [0.0])

    @classmethod
    def of(cls, task: Task) -> "TimedTask":
        """A task, timed."""
        return cls(**{each.name: getattr(task, each.name) for each in fields(task)})

    def self_play(self, *args: Any, **options: Any) -> Any:
        """As that of the task."""
        return Timed(super().self_play(*args, **options), self.seconds_of_games)


@dataclass(frozen=True)
class Row:
    """The speed of a learner."""

    learner: str
    steps_per_second: float
    games: float
    """The share of the time that its games take."""


def connect_four(seconds: float = 2.0) -> float:
    """Steps per second of PettingZoo's loop over connect four."""
    from pettingzoo.classic import connect_four_v3

    env, steps, began = connect_four_v3.env(), 0, time.process_time()
    while time.process_time() - began < seconds:
        env.reset(seed=steps)
        for agent in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            env.step(None if over or cut else env.action_space(agent).sample(observation["action_mask"]))
            steps += 1
    return steps / seconds


def main(options: Options) -> None:
    """Prints a line for each learner."""
    rows = []
    for path in options.learners:
        file = load_learner(path)
        task = TimedTask.of(get_task(options.task))
        learner: Any = file.make(task, file.options(), 0)
        learner.learn(1, 0)
        task.seconds_of_games[0] = 0.0
        began = time.process_time()
        done = learner.learn(options.steps, 1)
        seconds = time.process_time() - began
        row = Row(file.name, done / seconds, task.seconds_of_games[0] / seconds)
        print(f"{row.learner:12} {row.steps_per_second:8,.0f} steps/s, games {row.games:.1%} of the time")
        rows.append(row)
    four = connect_four()
    print(f"connect four {four:8,.0f} steps/s, random moves without learning")
    keep(options, rows=rows, connect_four_steps_per_second=four)


if __name__ == "__main__":
    run_benchmark(main, Options)
