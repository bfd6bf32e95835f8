"""The starts of matches from files of recorded games: their deals, or the positions in which their cardplay began."""

from collections.abc import Iterator
from pathlib import Path

from skat_env.dataset import Dataset, is_dataset
from skat_env.errors import ParseError
from skat_env.formats import LineFile, format_of, read_lines
from skat_env.match import Mode
from skat_env.records import GameRecord
from skat_env.registry import get_game

LINES_AT_ONCE = 1000


def read_starts(path: Path, game: str, mode: Mode, limit: int) -> tuple[list[str], int]:
    """The texts of the states in which the games of a file start, at most so many; and how many games had none.

    All-seats matches take the deals; mirrored ones the positions before the first card, of games that got there.
    Games that hide cards, and lines that are no games, have no start.

    Raises:
        ParseError: if no game of the file has a start, or it holds games of another kind.
    """
    starts: list[str] = []
    without = 0
    for record in _records(path):
        if record is not None and record.game != game:
            raise ParseError(f"{path} holds games of {record.game}, the match is of {game}")
        start = None if record is None else _start(record, mode)
        if start is None:
            without += 1
        else:
            starts.append(start)
        if len(starts) == limit:
            break
    if not starts:
        raise ParseError(f"none of the {without} games of {path} can start a match in mode {mode}")
    return starts, without


def _records(path: Path) -> Iterator[GameRecord | None]:
    """The games of a file; None for a line that cannot be read."""
    if is_dataset(path):
        yield from Dataset(path)
        return
    line_format = format_of(path)
    with LineFile(path) as file:
        for first, _, block in file.blocks(LINES_AT_ONCE):
            for _, reading in read_lines(line_format, first, block):
                yield None if isinstance(reading, ParseError) else reading.record


def _start(record: GameRecord, mode: Mode) -> str | None:
    game = get_game(record.game)
    state = record.state.clone()
    if mode == "all-seats":
        while state.history():
            state.undo()
        return state.text()
    if state.stage != game.stages[-1]:
        return None
    while state.history() and state.stage == game.stages[-1]:
        last = state.history()[-1]
        state.undo()
        if state.stage != game.stages[-1]:
            state.apply(last)
            break
    return None if state.is_over else state.text()
