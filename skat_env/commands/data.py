"""`skat-env data info|import|export|split|merge|sample`: datasets of recorded games."""

import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from tyro.conf import OmitSubcommandPrefixes, Positional, arg, subcommand

from skat_env.datasets.dataset import MANIFEST, Dataset, Verdict
from skat_env.datasets.formats import line_formats
from skat_env.datasets.importer import import_games
from skat_env.datasets.line_file import COMPRESSED, new_line_file
from skat_env.datasets.merge import merge
from skat_env.datasets.preview import game_text
from skat_env.datasets.split import parse_parts, split
from skat_env.datasets.survey import MAX_GAMES, survey
from skat_env.errors import ParseError
from skat_env.options import MAX_COUNT, Range, Seed, check_fields
from skat_env.records import Status
from skat_env.tools.progress import progress_bar
from skat_env.tools.run_folder import say_finished

_SHOWN = 10
"""The number of lines shown of each kind of problem, unless all are asked for."""


@dataclass
class Info:
    """Describe a dataset: its games, and the lines of its source that could not be read.

    Example: skat-env data info data/games
    """

    dataset: Annotated[Positional[Path], arg(metavar="DATASET")]
    """The folder of the dataset."""
    problems: bool = False
    """Show all lines with a problem, not only the first ten of each kind."""
    check: bool = False
    """Replay all games through the rules; the exit status is 1 if a game is illegal or its result differs."""

    def run(self) -> int:
        """Prints the description and returns the exit status."""
        dataset = Dataset(self.dataset)
        describe(dataset, None if self.problems else _SHOWN)
        return self._check(dataset) if self.check else 0

    def _check(self, dataset: Dataset) -> int:
        counts = np.zeros(len(Verdict), np.int64)
        wrong = 0
        began, done = time.perf_counter(), 0
        with progress_bar("replaying", len(dataset)) as advance:
            for shard in dataset.shards():
                verdicts = shard.check()
                counts += np.bincount(verdicts, minlength=len(Verdict))
                for row in np.flatnonzero(verdicts > Verdict.UNJUDGED).tolist():
                    wrong += 1
                    if self.problems or wrong <= _SHOWN:
                        verdict = Verdict(verdicts[row]).name.lower().replace("_", " ")
                        print(f"line {shard.lines[row]}: {verdict}", file=sys.stderr)
                done += len(shard)
                advance(done)
        speed = len(dataset) / max(time.perf_counter() - began, 1e-9)
        print(f"replayed    {counts[Verdict.AGREES]:,} games agree with their record, {wrong:,} do not,")
        print(f"            {counts[Verdict.UNJUDGED]:,} have nothing to compare; {speed:,.0f} games/s")
        return 1 if wrong else 0


@dataclass
class Import:
    """Make a dataset from a file of games. After an interruption, the same command resumes the import.

    Example: skat-env data import games.sgf data/games
    """

    source: Annotated[Positional[Path], arg(metavar="SOURCE")]
    """A file of games: SGF, text records, or for Klaverjas a klaver.live table or playouts; plain, .gz, .bz2, .xz or a
    .zip of one file."""
    dataset: Annotated[Positional[Path], arg(metavar="DATASET")]
    """The folder to create."""
    numbered_names: bool = False
    """Rename the players to player1, player2 … in the order of their first games."""
    workers: int = 0
    """Number of processes that read games; 0: one per core."""

    def run(self) -> int:
        """Imports the games and prints a description of the dataset."""
        finished = (self.dataset / MANIFEST).exists()
        with progress_bar("importing", self.source.stat().st_size, in_bytes=True) as advance:
            dataset = import_games(self.source, self.dataset, self.numbered_names, self.workers, advance)
        if finished:
            say_finished("import", self.dataset)
        describe(dataset, _SHOWN)
        return 0


@dataclass
class Export:
    """Write the games of a dataset as lines of text.

    Example: skat-env data export data/games games.jsonl
    """

    dataset: Annotated[Positional[Path], arg(metavar="DATASET")]
    """The folder of the dataset."""
    target: Annotated[Positional[Path], arg(metavar="TARGET")]
    """The file to create; the endings .gz, .bz2, .xz and .zip compress it."""
    format: Literal["sgf", "records", "by-name"] = "by-name"
    """by-name: SGF if the target ends in .sgf, .sgf.gz and the like, else text records. SGF does not keep seeds."""
    numbered_names: bool = False
    """Rename the players to player1, player2 … in the order of their first games."""

    def run(self) -> int:
        """Writes the games."""
        dataset = Dataset(self.dataset)
        name = self.format
        if name == "by-name":
            plain = self.target.with_suffix("") if self.target.suffix in COMPRESSED else self.target
            name = "sgf" if plain.suffix == ".sgf" else "records"
        line_format = line_formats()[name]
        write = line_format.write
        if write is None or (line_format.games and dataset.game.name not in line_format.games):
            raise ParseError(f"{name} cannot hold games of {dataset.game.name}")
        numbers: dict[str, str] = {}
        with progress_bar("exporting", len(dataset)) as advance, new_line_file(self.target) as file:
            for number, record in enumerate(dataset, 1):
                if self.numbered_names:
                    names = [
                        numbers.setdefault(agent, f"player{len(numbers) + 1}") for agent in record.agents
                    ]
                    record = replace(record, agents=tuple(names))
                file.write((write(record) + "\n").encode())
                if number % 1000 == 0:
                    advance(number)
        print(f"{self.target}: {len(dataset)} games as {name}")
        return 0


@dataclass
class Split:
    """Split a dataset at random into several; the games of a deal stay together.

    Example: skat-env data split data/games --out data/parts --parts train=0.9 test=0.1
    """

    dataset: Annotated[Positional[Path], arg(metavar="DATASET")]
    """The folder of the dataset."""
    out: Path
    """The folder in which each part becomes a dataset with the part's name."""
    parts: tuple[str, ...] = ("train=0.9", "valid=0.05", "test=0.05")
    """The name and share of each part; the shares add up to 1."""
    seed: int = 0
    """The seed of the split."""

    def run(self) -> int:
        """Writes the parts."""
        dataset, parts = Dataset(self.dataset), parse_parts(self.parts)
        finished = all((self.out / name / MANIFEST).exists() for name in parts)
        with progress_bar("splitting", len(dataset)) as advance:
            written = split(dataset, self.out, parts, self.seed, advance)
        if finished:
            say_finished("split", self.out)
        for part in written.values():
            print(f"{part.folder}: {len(part)} games")
        return 0


@dataclass
class Merge:
    """Merge several datasets into one, search results included.

    Example: skat-env data merge data/first data/second --out data/all
    """

    datasets: Annotated[Positional[tuple[Path, ...]], arg(metavar="DATASET")]
    """The folders of the datasets."""
    out: Path
    """The folder to create."""

    def run(self) -> int:
        """Writes the merged dataset."""
        datasets = [Dataset(folder) for folder in self.datasets]
        finished = (self.out / MANIFEST).exists()
        with progress_bar("merging", sum(map(len, datasets))) as advance:
            merged = merge(datasets, self.out, advance)
        if finished:
            say_finished("merge", self.out)
        print(f"{merged.folder}: {len(merged)} games")
        return 0


@dataclass
class Sample:
    """Show some games of a dataset, drawn at random.

    Example: skat-env data sample data/games -n 3
    """

    dataset: Annotated[Positional[Path], arg(metavar="DATASET")]
    """The folder of the dataset."""
    games: Annotated[int, Range(ge=0, le=MAX_COUNT), arg(aliases=["-n"])] = 3
    """The number of games to show."""
    seed: Seed = 0
    """The seed of the draw."""
    decisions: bool = False
    """Show a line per decision, with the search's value and weights of the legal actions."""

    def __post_init__(self) -> None:
        check_fields(self, "data sample")

    def run(self) -> int:
        """Prints the games."""
        dataset = Dataset(self.dataset)
        rng = np.random.default_rng(self.seed)
        drawn = rng.choice(len(dataset), min(self.games, len(dataset)), replace=False)
        print("\n\n".join(game_text(dataset, int(number), self.decisions) for number in np.sort(drawn)))
        return 0


@dataclass
class Data:
    """Work with datasets of recorded games: info, import, export, split, merge, sample.

    Example: skat-env data import games.sgf data/games
    """

    command: OmitSubcommandPrefixes[
        Annotated[Info, subcommand("info")]
        | Annotated[Import, subcommand("import")]
        | Annotated[Export, subcommand("export")]
        | Annotated[Split, subcommand("split")]
        | Annotated[Merge, subcommand("merge")]
        | Annotated[Sample, subcommand("sample")]
    ]

    def run(self) -> int:
        """Runs the subcommand."""
        return self.command.run()


def describe(dataset: Dataset, shown: int | None) -> None:
    """Prints what a dataset holds, and the first `shown` lines of each kind of problem (None: all)."""
    manifest = dataset.manifest
    stored = sum(file.stat().st_size for file in dataset.folder.iterdir())
    statuses = Counter(dataset.column("status").tolist())
    dates = dataset.column("date")
    dates = dates[dates > 0]
    servers = dict.fromkeys(name for shard in dataset.shards() for name in shard.rows.servers)
    made_by = manifest.get("made_by") or manifest.get("command", "an unknown program")
    print(f"dataset     {dataset.folder}, made by {made_by}")
    print(
        f"games       {len(dataset):,} of {dataset.game.name}, {stored / max(len(dataset), 1):.1f} bytes each"
    )
    print(
        f"status      {', '.join(f'{statuses[number]:,} {status}' for number, status in enumerate(Status))}"
    )
    print(f"players     {len(dataset.players):,}")
    if servers:
        print(f"servers     {', '.join(servers)}")
    if len(dates):
        first, last = (datetime.fromtimestamp(int(date), UTC) for date in (dates.min(), dates.max()))
        print(f"played      {first:%Y-%m-%d} to {last:%Y-%m-%d}")
    if "source" in manifest:
        print(f"source      {manifest['source']['name']}, {manifest['lines']:,} lines")
    _describe_games(dataset)
    titles = {
        "bad": "lines could not be read",
        "hidden": "games hide their deal and were left out",
        "differing": "recorded results are not the rules'",
    }
    for kind, title in titles.items():
        count = sum(len(shard.header[kind]) for shard in dataset.shards())
        _list_problems(
            title, count, (f"line {line}: {reason}" for line, reason in dataset.problems(kind)), shown
        )
    if "duplicates" not in manifest:  # nobody has looked for them
        return
    duplicates = manifest["duplicates"]
    lines = (f"line {line}: the game of line {first}" for line, first in duplicates)
    _list_problems("games appear more than once", len(duplicates), lines, shown)


def _describe_games(dataset: Dataset) -> None:
    """Prints the number of games by kind and of decisions by stage."""
    with progress_bar("counting", min(len(dataset), MAX_GAMES)) as advance:
        counts = survey(dataset, progress=advance)
    if counts.damaged:
        print(f"{counts.damaged:<11,} games cannot be replayed: `skat-env data info --check` lists them")
    if counts.games + counts.damaged < len(dataset):
        print(f"counted     {counts.games:,} games, evenly spread:")
    for aspect, labels in counts.labels.items():
        total = labels.total()
        shares = (f"{count:,} {label} ({count / total:.1%})" for label, count in labels.most_common())
        lines = textwrap.wrap(", ".join(shares), 66)
        print(f"{aspect:<11} " + f"\n{'':<12}".join(lines))
    for stage, count in counts.stages.items():
        counted = f"{count.decisions:,} decisions"
        if count.weights or count.values:
            counted += f", {count.weights:,} with search weights, {count.values:,} with values"
        print(f"{stage:<11} {counted}")


def _list_problems(title: str, count: int, lines: Iterator[str], shown: int | None) -> None:
    print(f"{count:<11,} {title}")
    for line in islice(lines, shown):
        print(f"            {line}")
    if shown is not None and count > shown:
        print(f"            … and {count - shown:,} more: `skat-env data info --problems` shows them")
