"""`skat-env review FILE`: recorded games, card by card with open cards."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from pathlib import Path
from typing import Annotated, Final

from tyro.conf import Positional, arg

from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.records import HiddenCards, Reading, Source
from skat_env.solvers import review
from skat_env.solvers.review_table import print_review
from skat_env.solvers.throws import Throws
from skat_env.solvers.throws_table import print_throws
from skat_env.tools.console import Console
from skat_env.tools.provenance import json_text, provenance
from skat_env.tools.workers import processors

_WIDTH: Final = 80
_IDS_LISTED: Final = 10


@dataclass
class Review:
    """Review what each card of a recorded game cost, by perfect play with open cards.

    Example: skat-env review games.sgf

    Prints trick by trick the value before and after each card, the better cards, which cards gave the game away, and
    what each player's cards cost. Values are the declaring side's at the end of the game. In Skat they are the
    soloist's card points, in a null game whether it takes a trick; in Klaverjas the declaring team's score less the
    other's.
    With --table it prints one table of all games instead.
    Games that cannot be reviewed are named on standard error. The exit status is 1 if a line is malformed.
    """

    file: Annotated[Positional[Path], arg(metavar="FILE")]
    """Recorded games in any known format, plain, .gz, .bz2, .xz or .zip; or the folder of a dataset."""
    id: str | None = None
    """Review one game only: the server's number of it, or server/series/number where that is not unique, in games with
    a seed server/series/number/seed. The games of a deal in a match share a number: all are reviewed."""
    json: bool = False
    """Print one JSON object a game: its record, with the review under the key `review`. With --table, one object."""
    threads: int = 1
    """Threads to solve on; 0: one for each processor core."""
    table: bool = False
    """Print one table of all games: how often won positions were thrown away and lost ones given, by player, role and
    trick."""

    def run(self) -> int:
        """Prints the reviews."""
        solver_of = cache(lambda game: review.reviewed_game(game).solver())
        threads = self.threads or processors()
        console = Console(width=min(_WIDTH, Console().width), highlight=False)
        counts: Counter[str] = Counter()
        throws = Throws()
        for place, reading in self._all() if self.id is None else self._selected(self.id):
            kind, problem = "reviewed", ""
            if isinstance(reading, HiddenCards):
                kind, problem = "with hidden cards", str(reading)
            elif isinstance(reading, ParseError):
                kind, problem = "malformed", str(reading)
            else:
                try:
                    found = review.review(reading.record, solver_of(reading.record.game), threads)
                except review.NothingToReview as error:
                    kind = "without cardplay"
                    problem = f"{error} ({reading.reason})" if reading.reason else str(error)
                else:
                    if self.table:
                        throws.add(found)
                    else:
                        sys.stdout.write(
                            found.text() + "\n" if self.json else _table(found, reading.reason, console)
                        )
                        sys.stdout.flush()
            counts[kind] += 1
            if problem and not (self.table and kind == "without cardplay"):  # the counts below are enough
                source = _source(reading)
                print(f"{place}{f', game {source.id}' if source else ''}: {problem}", file=sys.stderr)
        if not counts["reviewed"]:
            raise ValueError(f"{self.file} has no game to review")
        if self.table and self.json:
            print(json_text({**provenance(), **throws.as_json()}))
        elif self.table:
            print_throws(throws, console)
        if counts.total() > 1:
            print(", ".join(f"{count} {kind}" for kind, count in counts.items()), file=sys.stderr)
        return 1 if counts["malformed"] else 0

    def _all(self) -> Iterator[tuple[str, Reading | ParseError]]:
        # On a terminal the reviews themselves show the progress.
        return readings(self.file, "reviewing", bar=self.table or not sys.stdout.isatty())

    def _selected(self, wanted: str) -> list[tuple[str, Reading | ParseError]]:
        """The readings of the game with an id; a file may hold it several times."""
        found: dict[str, list[tuple[str, Reading | ParseError]]] = {}
        known: set[int] = set()
        games = unread = 0
        for place, reading in readings(self.file, "searching"):
            source = _source(reading)
            games += 1
            unread += isinstance(reading, ParseError) and source is None
            if source is None:
                continue
            known.add(source.id)
            name = whole = f"{source.server}/{source.series}/{source.id}"
            if isinstance(reading, Reading) and reading.record.seed is not None:
                # The games of two runs of ours have the same ids.
                whole += f"/{reading.record.seed}"
            if wanted in (str(source.id), name, whole):
                found.setdefault(whole, []).append((place, reading))
        if len(found) > 1:
            names = ", ".join(f"'{name}'" for name in found)
            raise ValueError(
                f"{self.file} has {len(found)} games with the id {wanted}, which one is meant: {names}?"
            )
        if not found:
            lines = f" ({unread} of its lines cannot be read)" if unread else ""
            raise ValueError(
                f"{self.file} has no game with the id '{wanted}': {_known(wanted, known)}{lines}"
            )
        return next(iter(found.values()))


def _table(found: review.Review, reason: str, console: Console) -> str:
    with console.capture() as capture:
        print_review(found, console, reason)
        console.print()
    return capture.get()


def _source(reading: Reading | ParseError) -> Source | None:
    if isinstance(reading, Reading):
        return reading.record.source
    return reading.source if isinstance(reading, HiddenCards) else None


def _known(wanted: str, known: set[int]) -> str:
    """The ids in the file; where they are many, the nearest to the wanted one."""
    if not known:
        return "its games have no ids"
    if len(known) <= _IDS_LISTED:
        return f"its games have the ids {', '.join(map(str, sorted(known)))}"
    ends = f"its games have {len(known)} ids from {min(known)} to {max(known)}"
    number = wanted.rpartition("/")[2]
    if not number.isdecimal():
        return ends
    near = nsmallest(3, known, key=lambda each: (abs(each - int(number)), each))
    return f"{ends}, the nearest are {', '.join(map(str, near))}"
