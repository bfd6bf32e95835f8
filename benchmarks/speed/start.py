"""CPU time from the start of Python to the end of an import or of a command that does next to nothing.

python -m benchmarks.speed.start [--runs 11] [--out results/start_speed.json]

The rows run in turn, each in processes of its own; medians of user and system time count, Python's own start included.
"""

import resource
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.options import Count

PROGRAM = shutil.which("skat-env", path=str(Path(sys.executable).parent)) or "skat-env"
ROWS: dict[str, tuple[list[str], float | None]] = {
    "nothing": ([sys.executable, "-c", "pass"], None),
    "import numpy": ([sys.executable, "-c", "import numpy"], None),
    "import gymnasium": ([sys.executable, "-c", "import gymnasium"], None),
    "import skat_env": ([sys.executable, "-c", "import skat_env"], 0.12),
    "from skat_env import make_agent": ([sys.executable, "-c", "from skat_env import make_agent"], None),
    "from skat_env import skat_v0": ([sys.executable, "-c", "from skat_env import skat_v0"], None),
    "skat-env --help": ([PROGRAM, "--help"], 0.2),
    "skat-env match --help": ([PROGRAM, "match", "--help"], None),
}
"""What is run, and the most seconds that it may take."""


@dataclass
class Options(Kept):
    """CPU time of starts."""

    runs: Count = 11
    """Runs of each row."""


def seconds(command: list[str]) -> float:
    """User and system time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    spent: dict[str, list[float]] = {name: [] for name in ROWS}
    for _ in range(options.runs):
        for name, (command, _most) in ROWS.items():
            spent[name].append(seconds(command))
    figures = {name: statistics.median(each) for name, each in spent.items()}
    rows = [(name, f"{figures[name]:.3f}", "" if most is None else most) for name, (_, most) in ROWS.items()]
    print_table(("", "CPU s", "at most"), rows)
    keep(options, seconds=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
