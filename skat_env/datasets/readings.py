"""Reading the games of a file or of a dataset one by one, each with its place."""

from collections.abc import Iterator
from pathlib import Path

from skat_env.datasets.dataset import Dataset
from skat_env.datasets.formats import format_of, read_lines
from skat_env.datasets.line_file import LineFile
from skat_env.errors import IllegalAction, ParseError
from skat_env.records import Reading
from skat_env.tools.progress import progress_bar

_LINES_AT_ONCE = 1000


def readings(path: Path, title: str, bar: bool = True) -> Iterator[tuple[str, Reading | ParseError]]:
    """(place, reading or why it cannot be read) of each game in a file or in the folder of a dataset.

    `title` is the label of the progress bar, which is shown if `bar` is true.

    Raises:
        ParseError: if the path is neither a file of games nor a dataset.
        OSError: if it cannot be opened.
    """
    return _dataset(path, title, bar) if path.is_dir() else _lines(path, title, bar)


def _lines(path: Path, title: str, bar: bool) -> Iterator[tuple[str, Reading | ParseError]]:
    line_format = format_of(path)
    with (
        LineFile(path) as file,
        progress_bar(title, file.bytes, in_bytes=True, shown=bar) as advance,
    ):
        for first, _, block in file.blocks(_LINES_AT_ONCE, line_format.unclosed):
            for number, reading in read_lines(line_format, first, block):
                yield f"{path}:{number}", reading
            advance(file.position)


def _dataset(path: Path, title: str, bar: bool) -> Iterator[tuple[str, Reading | ParseError]]:
    dataset = Dataset(path)
    done = 0
    with progress_bar(title, len(dataset), shown=bar) as advance:
        for shard in dataset.shards():
            for row in range(len(shard)):
                place = f"{shard.path}: game {row}, line {shard.lines[row]} of the source"
                try:
                    yield place, Reading.of(shard.record(row, dataset.players))
                except (ParseError, IllegalAction, IndexError) as error:
                    yield place, ParseError(str(error))
            done += len(shard)
            advance(done)
