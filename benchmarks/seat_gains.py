"""Where one agent gains on another in full games of Skat: what a seat gets more with the first in it, part by part.

skat-env match --agents champion "pimc(worlds=160)" --deals 1900 --seed 9302 --out results/champion
python benchmarks/seat_gains.py results/champion

A match plays each deal with every seating that has both agents. Two of these that differ in one seat are an exchange:
the same cards, beside the same others. Its gain is the tournament points of that seat with A less those with B.
The parts say what the seat did in both games, and their contributions add up to the gain of all exchanges.
Intervals are by deal.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.match.statistics import interval, ratio
from skat_env.skat.rules import NUM_SEATS

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
class Options:
    """Say where one agent gains on another."""

    match: Annotated[Path, tyro.conf.Positional]
    """The folder of a match of two agents in mode all-seats."""


def main() -> None:
    """Prints a row for each part of the exchanges."""
    options = tyro.cli(Options, description=__doc__)
    names = agents_of(options.match)
    deals: dict[str, dict[tuple[str, ...], Any]] = defaultdict(dict)
    for place, reading in readings(options.match / "games.jsonl", "reading games"):
        if isinstance(reading, ParseError):
            raise ParseError(f"{place}: {reading}")
        record = reading.record
        deals[record.state.text().split(" : ")[0]][record.agents] = record
    show(names, *exchanges(list(deals.values()), names))


def agents_of(folder: Path) -> list[str]:
    """The two agents of a match.

    Raises:
        ValueError: if the folder has no result, or that of another kind of match.
    """
    try:
        config = json.loads((folder / "result.json").read_text())["config"]
    except FileNotFoundError:
        raise ValueError(f"{folder} has no result.json: expected the folder of a finished match") from None
    if config["game"] != "skat" or config["mode"] != "all-seats" or len(config["agents"]) != 2:
        raise ValueError(f"{folder} is another match: expected two agents, Skat, and mode all-seats")
    return list(config["agents"])


def exchanges(
    deals: list[dict[tuple[str, ...], Any]], names: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sum of the gains, and the number of exchanges, float64 [deals, parts] both."""
    gains, counts = np.zeros((2, len(deals), len(PARTS)))
    for number, games in enumerate(deals):
        for seat in range(NUM_SEATS):
            for cast, game in games.items():
                other = games.get((*cast[:seat], names[1], *cast[seat + 1 :]))
                if cast[seat] == names[0] and other is not None:
                    part = list(PARTS).index(part_of(game.state, other.state, seat))
                    points = (each.returns("tournament_points")[seat] for each in (game, other))
                    gains[number, part] += next(points) - next(points)
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


def show(names: list[str], gains: NDArray[np.float64], counts: NDArray[np.float64]) -> None:
    """Prints the parts: their share, the gain of one of theirs, and what they contribute to that of all."""
    of_all = counts.sum(1).mean()
    table = Table(title=f"A = {names[0]}, B = {names[1]}: {len(gains):,} deals")
    for column in ("part", "exchanges", "gain of one", "95% interval", "gain of all", "95% interval"):
        table.add_column(column, justify="left" if column == "part" else "right")
    rows = [*zip(PARTS.values(), gains.T, counts.T, strict=True), ("all", gains.sum(1), counts.sum(1))]
    for title, gain, count in rows:
        if count.any():
            one, (low, high) = ratio(gain, count), interval(gain / of_all)
            table.add_row(
                title,
                f"{count.sum() / counts.sum():.1%}",
                f"{one.mean:+.2f}",
                f"[{one.low:+.2f}, {one.high:+.2f}]",
                f"{gain.mean() / of_all:+.2f}",
                f"[{low:+.2f}, {high:+.2f}]",
            )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
