"""The benchmark of learning: standard tasks, and learners measured on them at fixed points."""

from skat_env.agents.bench.evaluate import anchors, points, score
from skat_env.agents.bench.run import Plan, Point, run
from skat_env.agents.bench.task import TASKS, Task, get_task

__all__ = ["TASKS", "Plan", "Point", "Task", "anchors", "get_task", "points", "run", "score"]
