"""What benchmarks share: how they read options, take the time, print tables and keep results."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.tools.command_line import require_once
from skat_env.tools.console import Console
from skat_env.tools.exit_status import exit_status
from skat_env.tools.provenance import write_result

T = TypeVar("T")
ROOT: Final = Path(__file__).resolve().parents[1]
SHARED: Final = Path(os.environ.get("SKAT_ENV_SHARED", ROOT.parent / "shared"))
"""Recorded games and check data that are not part of the repository."""
Work = Callable[[], tuple[int, float]]
"""Does some units of work; returns their number and the seconds to count."""
RUNS: Final = 5
"""The runs that the median of a rate is taken over."""


@dataclass(kw_only=True)
class Kept:
    """The option of benchmarks whose figures can be kept."""

    out: Path | None = None
    """JSON file for the figures."""


def run_benchmark(benchmark: Callable[[T], int | None], options: type[T], is_kept: bool = False) -> NoReturn:
    """Runs a benchmark with the options of the command line; `--help` prints the docstring of its module.

    It ends as `skat-env` does: an error that a user can cause is one sentence and status 2.

    Args:
        benchmark: its `main`.
        options: the dataclass of its options.
        is_kept: whether the same command goes on where Ctrl-C ended it.
    """

    def run() -> int | None:
        require_once(sys.argv[1:], options)
        return benchmark(tyro.cli(options, description=sys.modules[benchmark.__module__].__doc__))

    sys.exit(exit_status(f"benchmarks.{Path(sys.argv[0]).stem}", run, is_kept))


def keep(options: Any, **result: Any) -> None:
    """Writes the options and the result to the file of the option `out`, if there is one.

    Args:
        options: a dataclass with a field `out`.
        result: what was measured; dataclasses in lists become objects.
    """
    if options.out is None:
        return
    asked = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in asdict(options).items()
        if name != "out"
    }
    write_result(options.out, {"options": asked, **{name: _plain(value) for name, value in result.items()}})
    print(f"written to {options.out}")


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of a call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def rate(work: Work, seconds: float) -> float:
    """Units of work per second: the median over `RUNS` runs, after one that is not counted.

    Args:
        work: what is timed.
        seconds: the CPU time of all runs.
    """
    work()
    rates = []
    for _ in range(RUNS):
        done, spent, started = 0, 0.0, time.process_time()
        while time.process_time() - started < seconds / RUNS:
            units, took = work()
            done, spent = done + units, spent + took
        rates.append(done / spent)
    return statistics.median(rates)


def counted(work: Callable[[], int]) -> Work:
    """Work for `rate`, all of whose CPU time counts."""

    def timed() -> tuple[int, float]:
        started = time.process_time()
        return work(), time.process_time() - started

    return timed


def largest_error(chances: NDArray[Any], happened: NDArray[Any], bins: int = 10, fewest: int = 200) -> str:
    """The largest difference of predicted and true share, by bins of the chance with enough games; empty: none has.

    Args:
        chances: float [games].
        happened: bool [games].
        bins: of the same width.
        fewest: games of a bin that counts.
    """
    number = np.minimum((chances * bins).astype(int), bins - 1)
    errors = [
        float(chances[number == b].mean() - happened[number == b].mean())
        for b in range(bins)
        if (number == b).sum() >= fewest
    ]
    return f"{max(errors, key=abs):+.1%}" if errors else ""


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1, title: str | None = None
) -> None:
    """Prints a table with texts at the left and numbers at the right.

    Args:
        titles: of the columns.
        rows: cells, which are printed as `str` gives them.
        left: the number of columns of texts, which come first.
        title: of the table.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title)
    for number, each in enumerate(titles):
        if number < left:
            table.add_column(each, overflow="fold")
        else:
            table.add_column(each, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    console = Console()
    console.width = max(console.width, 140)
    console.print(table, highlight=False)


def _plain(value: Any) -> Any:
    """A value without dataclasses."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
