"""The result of a ladder: its rows, in order, with all that made them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError, UnknownName
from skat_env.ladder.benchmark import Benchmark
from skat_env.ladder.folder import SEED
from skat_env.ladder.row import Row, parse_estimate
from skat_env.match.statistics import Estimate
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.json_file import read_object

Programs = dict[str, dict[str, Estimate]]
"""What agents have more than the programs of a gauntlet, by the agent's full name and the program's label."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rows of a ladder, best first."""

    benchmark: Benchmark
    anchors: tuple[str, ...]
    rows: list[Row]

    @classmethod
    def of(cls, benchmark: Benchmark, anchors: tuple[str, ...], rows: list[Row]) -> "Ladder":
        """The ladder of some rows, by the points more than the strongest anchor."""
        return cls(benchmark, anchors, sorted(rows, key=lambda row: -row.lead(anchors[-1])))

    def as_json(self) -> dict[str, Any]:
        """The result as values that JSON can hold, but for infinite numbers."""
        return {
            "game": self.benchmark.game,
            "benchmark": {
                "file": self.benchmark.file,
                "sha256": self.benchmark.sha256,
                "made_by": self.benchmark.headline,
                "deals": self.benchmark.deals,
            },
            "seed": SEED,
            "anchors": list(self.anchors),
            "rows": [row.as_json() for row in self.rows],
        }


def read_rows(path: Path, benchmark: Benchmark, anchors: tuple[str, ...]) -> list[Row]:
    """The rows of a result file of another ladder on the same benchmark.

    Raises:
        ParseError: if the file is damaged, or of another benchmark or other anchors.
        OSError: if it cannot be read.
    """
    found = read_object(path, "nothing is played")
    there = found.get("benchmark")
    if not isinstance(there, dict) or not isinstance(found.get("rows"), list):
        raise ParseError(f"{path} is not the result of a ladder: it has no benchmark and rows")
    if there.get("sha256") != benchmark.sha256 or found.get("seed") != SEED:
        raise ParseError(f"{path} is the result of another ladder than that of {benchmark.file}")
    if found.get("anchors") != list(anchors):
        raise ParseError(f"{path} has other anchors than {' and '.join(anchors)}")
    try:
        return [Row.parse(row) for row in found["rows"]]
    except ParseError as error:
        raise ParseError(f"{path} is damaged: {error}") from None


def read_programs(path: Path, benchmark: Benchmark) -> Programs:
    """What agents have more than programs of others, by the result file of a gauntlet, whose form `alone` counts.

    Raises:
        ParseError: if the file is damaged, of another game or other rules than the benchmark, or has no encounter of
            this form.
        OSError: if it cannot be read.
    """
    found = read_object(path, "nothing is played")
    game, about = benchmark.game, get_game(benchmark.game)
    if found.get("game") != game or not isinstance(found.get("encounters"), list):
        raise ParseError(f"{path} is not the result of a gauntlet of {game}")
    programs: Programs = {}
    try:
        for encounter in found["encounters"]:
            if encounter["form"] == "alone":
                name = make_agent(encounter["names"][0], game).name
                programs.setdefault(name, {})[str(encounter["engine"])] = parse_estimate(
                    encounter["difference"]
                )
        rules = parse_rules(found.get("rules") or "", about)
    except UnknownName as error:
        raise ParseError(f"{path} has something that is not here: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ParseError(f"{path} is damaged: expected the encounters of a gauntlet, got {error!r}") from None
    if rules != about.state.parse(benchmark.starts["deals"][0]).rules:
        raise ParseError(
            f"{path} is the result of a gauntlet under the rules '{found.get('rules') or ''}', which are not those of "
            f"{benchmark.file}"
        )
    if not programs:
        raise ParseError(f"{path} has no encounters of the form alone")
    return programs
