"""The scale of the benchmark's tasks: what `random`, `rule` and `champion(quick=true)` get on the deals of each task.

python -m benchmarks.make.task_anchors

Writes `agents/bench/data/anchors.json`, beside the starts. Tasks that are there already are kept.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import run_benchmark
from skat_env.agents.bench.evaluate import ANCHORS, CHAMPION, points
from skat_env.agents.bench.task import DATA, TASKS
from skat_env.match.statistics import interval
from skat_env.tools.json_file import read_object
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import write_result


@dataclass
class Options:
    """The scale of the benchmark's tasks."""

    out: Path = DATA / "anchors.json"
    """The file."""


def main(options: Options) -> None:
    """Writes the file."""
    kept: dict[str, Any] = read_object(options.out, "delete it") if options.out.exists() else {}
    anchors, intervals = kept.get("anchors", {}), kept.get("intervals", {})
    missing = [task for task in TASKS.values() if task.id not in anchors]
    with progress_bar("agents", len(missing) * len(ANCHORS)) as progress:
        for number, task in enumerate(missing):
            got = {}
            for agent in ANCHORS:
                got[agent] = points(task, agent)
                progress(number * len(ANCHORS) + len(got))
            anchors[task.id] = {agent: round(float(each.mean()), 2) for agent, each in got.items()}
            more = got[CHAMPION] - got["rule"]
            intervals[task.id] = {
                name: [round(end, 2) for end in interval(each)]
                for name, each in {**got, "champion more than rule": more}.items()
            }
            write_result(options.out, {"anchors": anchors, "intervals": intervals})


if __name__ == "__main__":
    run_benchmark(main, Options)
