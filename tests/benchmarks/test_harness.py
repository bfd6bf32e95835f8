"""What benchmarks share: options that are wrong end them with one line, tables are printed whole, results are plain."""

import dataclasses
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.match.statistics import interval, mean_by_deal
from tests.conftest import ROOT

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "benchmarks").glob("*/*.py")
    if "run_benchmark(" in path.read_text()
)
MAY_BE_0 = ("seed", "batch", "tricks")
"""Options of whole numbers of which some benchmarks have a use for 0."""


def plain(hint: Any) -> Any:
    """An annotation without what is said of it, and without `None`."""
    if get_origin(hint) is Annotated:
        return plain(get_args(hint)[0])
    kinds = [each for each in get_args(hint) if each is not type(None)]
    return plain(kinds[0]) if type(None) in get_args(hint) and len(kinds) == 1 else hint


def numbers(options: Any) -> Iterator[tuple[str, str]]:
    """The options of numbers, with those of the values -1 and 0 that make no sense."""
    for name, hint in get_type_hints(options, include_extras=True).items():
        kind = plain(hint)
        number = plain(get_args(kind)[0]) if get_origin(kind) is tuple else kind
        for value in ("-1", "0") if number is int or name == "seconds" else ():
            if value == "-1" or name not in MAY_BE_0:
                yield name, value


def required(options: Any) -> list[str]:
    """Words for what must be given."""
    words = []
    for field in dataclasses.fields(options):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            hint = get_type_hints(options, include_extras=True)[field.name]
            values = ["x", "y"] if get_args(plain(hint))[1:] == (Path,) else ["1"]
            is_positional = get_origin(hint) is Annotated or "Positional" in str(hint)
            words += values if is_positional else [f"--{field.name}", *values]
    return words


@pytest.mark.slow  # benchmarks import much
@pytest.mark.parametrize("name", MODULES)
def test_a_number_that_makes_no_sense_is_one_line(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(options: Any) -> None:
        raise AssertionError(options)

    options = pytest.importorskip(name, reason="needs an extra", exc_type=ImportError).Options
    for option, value in numbers(options):
        monkeypatch.setattr(sys, "argv", [name, *required(options), f"--{option}", value])
        with pytest.raises(SystemExit) as ended:
            run_benchmark(never, options)
        printed = capsys.readouterr()
        assert (ended.value.code, printed.out) == (2, "")
        assert len(printed.err.splitlines()) == 1
        assert f"with {option}=" in printed.err


def test_all_columns_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        [f"a long name {row}", *(f"+{row}0000.00 [-1,000.00, +1,000.00]" for _ in range(11))]
        for row in (1, 2)
    ]
    print_table([f"title {column}" for column in range(12)], rows)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("+20000.00 [-1,000.00, +1,000.00]") == 11


@dataclass
class Options(Kept):
    """Options with paths."""

    folders: tuple[Path, ...] = (Path("a"), Path("b/c"))
    nothing: Path | None = None


def test_options_of_paths_are_kept_as_texts(tmp_path: Path) -> None:
    keep(Options(out=tmp_path / "out.json"), best=Path("d"), rows=[Options()])
    kept = json.loads((tmp_path / "out.json").read_text())
    assert kept["options"] == {"folders": ["a", "b/c"], "nothing": None}
    assert kept["best"] == "d"
    assert kept["rows"] == [{"out": None, "folders": ["a", "b/c"], "nothing": None}]


def test_games_of_a_deal_count_as_one() -> None:
    values = np.array([1.0, 4.0, -2.0, 3.0])
    once, twice = (mean_by_deal(np.tile(values, times), [*"abcd"] * times) for times in (1, 2))
    assert once == twice
    assert (once.low, once.high) == pytest.approx(interval(values))
