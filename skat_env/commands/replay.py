"""`skat-env replay FILE`."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from skat_env.datasets.formats import record_facts
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.records import HiddenCards, Reading, Source, Status


@dataclass
class Replay:
    """Replay recorded games through the rules and compare the results; print a JSON object for each game.

    Example: skat-env replay games.sgf

    The objects go to standard output; unreadable lines, differences and a summary go to standard error.
    The exit status is 1 if a complete or claimed game differs from its record or a line is malformed.
    """

    file: Annotated[Positional[Path], arg(metavar="FILE")]
    """A dataset's folder, or a file: SGF, text records, or for Klaverjas a klaver.live table or playouts; plain, .gz,
    .bz2, .xz or a .zip of one file."""

    def run(self) -> int:
        """Prints the objects and returns the exit status."""
        counts: Counter[str] = Counter()
        for place, reading in readings(self.file, "replaying"):
            if isinstance(reading, ParseError) and not isinstance(reading, HiddenCards):
                counts["malformed"] += 1
                print(f"{place}: {reading}", file=sys.stderr)
                continue
            row = _row(reading)
            counts["games"] += 1
            counts[row["status"]] += 1
            if isinstance(reading, Reading) and reading.differences:
                counts["different"] += 1
                print(f"{place}: {'; '.join(reading.differences)}", file=sys.stderr)
            sys.stdout.write(json.dumps(row) + "\n")
        if not counts.total():
            raise ValueError(f"{self.file} has no games")
        kinds = ", ".join(f"{counts[status]} {status}" for status in Status)
        print(
            f"{counts['games']} games: {kinds}; {counts['different']} differ from their record, "
            f"{counts['malformed']} malformed lines",
            file=sys.stderr,
        )
        return 1 if counts["different"] or counts["malformed"] else 0


def _row(reading: Reading | HiddenCards) -> dict[str, Any]:
    """The object of a game; a game with hidden cards counts as aborted and has no facts."""
    if isinstance(reading, HiddenCards):
        row = {"id": _id(reading.source), **record_facts(reading.game, None), "status": Status.ABORTED}
        return row | {"matches_record": None, "reason": str(reading)}
    record = reading.record
    row = {"id": _id(record.source), **record_facts(record.game, record), "status": record.status}
    row["matches_record"] = None if reading.differences is None else not reading.differences
    if record.status is Status.ABORTED:
        row |= {"reason": reading.reason} if reading.reason else {}
        row |= {"recorded": reading.recorded} if reading.recorded else {}
    return row


def _id(source: Source | None) -> dict[str, Any] | None:
    return None if source is None else {"server": source.server, "series": source.series, "id": source.id}
