"""Where one agent gains on another in full games of Skat: what a seat gets more with the first in it, part by part.

skat-env match --agents champion "pimc(worlds=160)" --deals 1900 --seed 9302 --out results/champion
python -m benchmarks.quality.seat_gains results/champion [--out FILE.json]

A match plays each deal with every seating that has both agents. Two of these that differ in one seat are an exchange:
the same cards, beside the same others. Its gain is the tournament points of that seat with A less those with B.
The parts say what the seat did in both games, and their contributions add up to the gain of all exchanges.
Intervals are by deal.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
import tyro
from numpy.typing import NDArray

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.errors import ParseError
from skat_env.match.folder import REPLAY, RESULT, MatchFolder
from skat_env.match.play import MatchConfig
from skat_env.match.statistics import Ratio, interval, ratio
from skat_env.play.casts import Cast, Mode
from skat_env.skat import GAME, SkatState
from skat_env.skat.rules import NUM_SEATS
from skat_env.tools.json_file import read_object

PARTS: Final = {
    "both declare the same suit": "soloist in the same suit game",
    "both declare grand": "soloist in grand",
    "both declare null": "soloist in null",
    "other": "soloists in other games",
    "A": "A alone is the soloist",
    "B": "B alone is the soloist",
    "defence": "defender against the same game",
    "others": "others declare otherwise, or nobody plays",
}
"""The title of each part of the exchanges."""


@dataclass
class Options(Kept):
    """Say where one agent gains on another."""

    match: Annotated[Path, tyro.conf.Positional]
    """The folder of a match of two agents in mode all-seats."""


def main(options: Options) -> None:
    """Prints a row for each part of the exchanges."""
    match = match_in(options.match, ("all-seats",))
    deals: dict[int, dict[Cast, SkatState]] = defaultdict(dict)
    for game in match.read():
        deals[game.spec.deal][game.agents] = SkatState.parse(game.position)
    names = match.config.agents
    keep(options, rows=show(names, *exchanges(list(deals.values()), names)))


def match_in(path: Path, modes: Sequence[Mode]) -> MatchFolder:
    """The finished match of two agents at Skat in a folder, in one of some modes.

    Raises:
        ParseError: if its result is damaged.
        ValueError: if the folder has no result, or that of another kind of match.
    """
    if not (path / RESULT).exists():
        raise ValueError(f"{path} has no {RESULT}: expected the folder of a finished match")
    result = read_object(path / RESULT, REPLAY)
    found = result.get("config")
    known = found if isinstance(found, dict) else {}
    if (
        known.get("game") != GAME.name
        or known.get("mode") not in modes
        or len(known.get("agents") or ()) != 2
    ):
        raise ValueError(f"{path} is another match: expected two agents, Skat, and mode {' or '.join(modes)}")
    try:
        config = msgspec.convert(found, MatchConfig)
    except msgspec.ValidationError as error:
        raise ParseError(f"{path / RESULT} is damaged: {error}; {REPLAY}") from None
    return MatchFolder(path, config, result.get("until"))


def exchanges(
    deals: list[dict[Cast, SkatState]], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sum of the gains, and the number of exchanges, float64 [deals, parts] both, from the ends of the games."""
    a, b = names
    parts = list(PARTS)
    gains, counts = np.zeros((2, len(deals), len(parts)))
    for number, games in enumerate(deals):
        for (cast, game), seat in product(games.items(), range(NUM_SEATS)):
            other = games.get((*cast[:seat], b, *cast[seat + 1 :])) if cast[seat] == a else None
            if other is not None:
                part = parts.index(part_of(game, other, seat))
                gains[number, part] += (
                    game.returns(GAME.match_unit)[seat] - other.returns(GAME.match_unit)[seat]
                )
                counts[number, part] += 1
    return gains, counts


def part_of(a: Any, b: Any, seat: int) -> str:
    """The part to which an exchange of this seat belongs, from the ends of both games."""
    if a.soloist == seat == b.soloist:
        if a.contract == b.contract:
            return f"both declare {'the same suit' if a.kind == 'suit' else a.kind}"
        return "other"
    if seat in (a.soloist, b.soloist):
        return "A" if a.soloist == seat else "B"
    same = a.kind is not None and a.soloist == b.soloist and a.declaration == b.declaration
    return "defence" if same else "others"


@dataclass(frozen=True)
class Row:
    """A part of the exchanges."""

    part: str
    share: float
    of_one: Ratio
    """The gain of one of its exchanges."""
    of_all: float
    """What it adds to the gain of all exchanges."""
    interval: tuple[float, float]
    """95% of that."""


def show(names: Sequence[str], gains: NDArray[np.float64], counts: NDArray[np.float64]) -> list[Row]:
    """Prints the parts: their share, the gain of one of theirs, and what they contribute to that of all."""
    of_all = counts.sum(1).mean()
    rows = []
    for title, gain, count in [
        *zip(PARTS.values(), gains.T, counts.T, strict=True),
        ("all", gains.sum(1), counts.sum(1)),
    ]:
        if count.any():
            share, mean = float(count.sum() / counts.sum()), float(gain.mean() / of_all)
            rows.append(Row(title, share, ratio(gain, count), mean, interval(gain / of_all)))
    print_table(
        ("part", "exchanges", "gain of one", "95% interval", "gain of all", "95% interval"),
        [
            (
                row.part,
                f"{row.share:.1%}",
                f"{row.of_one.mean:+.2f}",
                f"[{row.of_one.low:+.2f}, {row.of_one.high:+.2f}]",
                f"{row.of_all:+.2f}",
                f"[{row.interval[0]:+.2f}, {row.interval[1]:+.2f}]",
            )
            for row in rows
        ],
        title=f"A = {names[0]}, B = {names[1]}: {len(gains):,} deals",
    )
    return rows


if __name__ == "__main__":
    run_benchmark(main, Options)
