"""What benchmarks share: how they read options, take the time, print tables and keep results."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.match.statistics import Ratio
from skat_env.options import Range, check_fields
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
WIDEST: Final = 1000
"""Columns that a table has at most."""
GameName = Literal["skat", "klaverjas"]
"""A game of a benchmark that knows both."""
Games = Literal["skat", "klaverjas", "both"]
"""One game, or both."""
Seconds = Annotated[float, Range(gt=0)]
"""How long something is measured."""


@dataclass(kw_only=True)
class Kept:
    """The option of benchmarks whose figures can be kept."""

    out: Path | None = None
    """JSON file for the figures."""


def run_benchmark(benchmark: Callable[[T], int | None], options: type[T], is_kept: bool = False) -> NoReturn:
    """Runs a benchmark with the options of the command line; `--help` prints the docstring of its module.

    It ends as `skat-env` does: an error that a user can cause, as an option that is not what its annotation says, is
    one sentence and status 2.

    Args:
        benchmark: its `main`.
        options: the dataclass of its options.
        is_kept: whether the same command goes on where Ctrl-C ended it.
    """

    def run() -> int | None:
        require_once(sys.argv[1:], options)
        asked = tyro.cli(options, description=sys.modules[benchmark.__module__].__doc__)
        check_fields(asked, "a benchmark")
        return benchmark(asked)

    sys.exit(exit_status(f"benchmarks.{Path(sys.argv[0]).stem}", run, is_kept))


def keep(options: Any, **result: Any) -> None:
    """Writes the options and the result to the file of the option `out`, if there is one.

    Args:
        options: a dataclass with a field `out`.
        result: what was measured; dataclasses in lists become objects.
    """
    if options.out is None:
        return
    asked = _plain(options)
    asked.pop("out")
    write_result(options.out, {"options": asked, **_plain(result)})
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


def largest_error(
    chances: NDArray[Any], happened: NDArray[Any], bins: int = 10, fewest: int = 200
) -> float | None:
    """The largest difference of predicted and true share, by bins of the chance with enough games; None: none has.

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
    return max(errors, key=abs, default=None)


def ratio_text(found: Ratio) -> str:
    """A mean with its interval: `+1.2 [+0.4, +2.0]`."""
    return f"{found.mean:+.1f} [{found.low:+.1f}, {found.high:+.1f}]"


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
    wide = console.options.update(width=WIDEST)
    console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(table, highlight=False)


def _plain(value: Any) -> Any:
    """A value without dataclasses and paths."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
