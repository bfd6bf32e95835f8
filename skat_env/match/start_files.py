"""Starts of matches from files: the deals of recorded games, the positions in which their cardplay began, or tables of
starts, whose rows may leave something to chance.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skat_env.datasets.formats import BLANKS, is_table_comment, text_lines, unreadable
from skat_env.datasets.line_file import LineFile
from skat_env.datasets.readings import readings
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.play.casts import WHOLE_GAMES, Mode
from skat_env.play.randomness import deal_rng
from skat_env.play.starts import StartSource
from skat_env.records import GameRecord
from skat_env.registry import game_names, get_game, get_part, has_part
from skat_env.rule_options import parse_rules

LINES_AT_ONCE = 1000


@dataclass(slots=True)
class Starts:
    """The starts found in a file."""

    texts: list[str] = field(default_factory=list)
    """The text of the state in which each deal starts."""
    without: int = 0
    """The number of games, or rows, that cannot start this match."""
    repeated: int = 0
    """The number of games whose deal is that of a game before."""
    surplus: int = 0
    """The number of deals that are left out so that each kind of game has as many."""
    problems: list[str] = field(default_factory=list)
    """A sentence for each malformed row of a table, with its place."""


def read_starts(
    path: Path,
    game: str,
    mode: Mode,
    limit: int,
    seed: int = 0,
    rules: str | None = None,
    kinds: tuple[str, ...] | None = None,
) -> Starts:
    """The states in which the games of a file start, at most `limit`.

    All-seats matches take the deals; other matches take the positions before the first card, from games that got there.
    Games that hide cards, and lines that are not games, have no start. Recorded games of the same deal, as a match has
    them, are one start, the first: they would not be independent. What a row of a table leaves open is drawn with
    `deal_rng(seed, number)`, where `number` counts the starts from 0.

    Args:
        path: recorded games in any format, a dataset, or a table of starts.
        game: the name of the game.
        mode: the mode of the match.
        limit: the largest number of starts to read.
        seed: the seed of the match.
        rules: options as `parse_rules` reads them, for tables; recorded games have their own rules.
        kinds: kinds of game, with an equal part of the limit each, and as many as the file has of the rarest; None:
            any.

    Raises:
        ParseError: if the file has no start, or none of a wanted kind; if it holds another game; or if rules are given
            for recorded games.
    """
    table = None if path.is_dir() else _table_of(path)
    found: Iterator[str | ParseError | None]
    if table is not None:
        _require_game(path, table[0], game)
        found = _tabled(path, *table, mode, seed, rules)
    elif rules is None:
        found = _recorded(path, game, mode)
    else:
        raise ParseError(f"the recorded games of {path} have their own rules: --rules cannot change them")
    starts = Starts()
    each = limit // len(kinds or (None,))
    room: dict[str | None, int] = dict.fromkeys(kinds or (None,), each)
    chosen: list[tuple[str | None, str]] = []
    seen: set[Deal] = set()
    for start in found:
        if not isinstance(start, str):
            starts.without += 1
            if start is not None:
                starts.problems.append(str(start))
            continue
        state = get_game(game).state.parse(start)
        kind = state.kind if kinds else None
        # In tables the seed draws the forehand: rows of the same deal start differently.
        if table is None and room.get(kind) and state.deal in seen:
            starts.repeated += 1
        elif room.get(kind):
            room[kind] -= 1
            chosen.append((kind, start))
            seen.add(state.deal)
        if not any(room.values()):
            break
    for kind, left in room.items():
        if kind is not None and left == each:
            raise ParseError(f"{path} has no {kind} game that can start a match")
    fewest = each - max(room.values())
    taken: Counter[str | None] = Counter()
    for kind, start in chosen:
        taken[kind] += 1
        if taken[kind] <= fewest:
            starts.texts.append(start)
    starts.surplus = len(chosen) - len(starts.texts)
    if not starts.texts:
        reason = f": {starts.problems[0]}" if starts.problems else ""
        raise ParseError(
            f"none of the {starts.without} games of {path} can start a match in mode {mode}{reason}"
        )
    return starts


def _require_game(path: Path, found: str, wanted: str) -> None:
    if found != wanted:
        raise ParseError(f"{path} holds games of {found}, the match is of {wanted}")


def _recorded(path: Path, game: str, mode: Mode) -> Iterator[str | None]:
    """The text of each recorded game's start; None if it has none."""
    for _, reading in readings(path, "", bar=False):
        if isinstance(reading, ParseError):
            yield None
            continue
        _require_game(path, reading.record.game, game)
        yield start_of(reading.record, mode)


def start_of(record: GameRecord, mode: Mode) -> str | None:
    """The text of the state from which a recorded game is played again; None if it did not get there."""
    game = get_game(record.game)
    state = record.state.clone()
    if mode in WHOLE_GAMES:
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


Row = Callable[[str, Any], StartSource]
"""(row, rules or None for the game's defaults) -> the start."""


def _table_of(path: Path) -> tuple[str, str, Row] | None:
    """(game, header, how rows are read) of a table of starts; None if the file is another."""
    tables = [get_part(game, "start_table") for game in game_names() if has_part(game, "start_table")]
    with LineFile(path) as file:
        sample = file.sample().decode(errors="replace")
    lines = (line.strip(BLANKS) for line in sample.split("\n"))
    header = next((line for line in lines if line and not is_table_comment(line)), "")
    found = ((table.game, header, table.reader(header)) for table in tables)
    return next((each for each in found if each[2] is not None), None)


def _tabled(
    path: Path, game_name: str, header: str, read: Row, mode: Mode, seed: int, rules: str | None
) -> Iterator[str | ParseError]:
    """The text of the start in each row of a table, or why it has none."""
    game = get_game(game_name)
    options = None if rules is None else parse_rules(rules, game)
    drawn = 0
    for number, line in _lines(path):
        if isinstance(line, str) and (line == header or is_table_comment(line)):
            continue
        try:
            if isinstance(line, ParseError):
                raise line
            state = read(line, options)(deal_rng(seed, drawn))
        except (ValueError, ArithmeticError) as error:
            reason = error if isinstance(error, ParseError) else unreadable(error)
            yield ParseError(f"{path}:{number}: {reason}")
            continue
        if mode not in WHOLE_GAMES and state.stage != game.stages[-1]:
            raise ParseError(
                f"under the rules '{rules}' the starts of {path} are before the cardplay: "
                f"{mode} matches cannot start there"
            )
        drawn += 1
        yield state.text()


def _lines(path: Path) -> Iterator[tuple[int, str | ParseError]]:
    """(number, text or why it cannot be read) of each line of a file that is not blank."""
    with LineFile(path) as file:
        for first, _, block in file.blocks(LINES_AT_ONCE):
            yield from text_lines(first, block)
