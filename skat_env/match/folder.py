"""The folder of a match: `match.json` says what is played, `journal.jsonl` grows game by game, and when all are done
`games.jsonl` (one record a game, in order), `thinking.jsonl` (its decisions and seconds by seat, line by line) and
`result.json` take its place.

The journal is flushed after every deal or block of deals, so that a killed match loses no more than those in play.
"""

import dataclasses
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError
from skat_env.match.play import GameSpec, MatchConfig, PlayedGame, deals_in_block, played_game
from skat_env.match.start_files import start_of
from skat_env.play.lockstep import Thinking
from skat_env.records import GameRecord, Source
from skat_env.registry import get_game
from skat_env.tools.files import write_text
from skat_env.tools.journal import Journal
from skat_env.tools.json_file import read_object
from skat_env.tools.parsing import parse_json
from skat_env.tools.provenance import commit
from skat_env.tools.run_folder import ADVICE, run_folder

CONFIG, JOURNAL, RESULT = "match.json", "journal.jsonl", "result.json"
GAMES, THINKING = "games.jsonl", "thinking.jsonl"
REPLAY = "nothing is changed: delete the folder to play the match again, or name another"
"""What to do about damaged files of a finished match."""
SERVER = "match"
"""The server of the records; their id is the number of the deal."""


@contextmanager
def match_folder(
    path: Path,
    config: MatchConfig,
    starts: Sequence[str] | None = None,
    until: float | None = None,
    extend: bool = False,
) -> Iterator["MatchFolder"]:
    """Opens the folder of a match, or makes it; one process at a time has it open.

    Args:
        path: the folder.
        config: what is played.
        starts: the text of the state in which each deal starts; None: random deals.
        until: the half-width of the intervals at which the match may end before its last deal; None: all are played.
        extend: whether a match of fewer deals or wider intervals, which is the same otherwise, becomes this one; and a
            stopped one of more deals, if all that are begun are of this one.

    Raises:
        FileExistsError: if it holds something else than a match of this config.
        BlockingIOError: if another process is working in it.
        ParseError: if its files are damaged.
    """
    head = _head(config, until)
    compared = [key for key in head if key not in ("deals", "until")] if extend else None
    with run_folder(path, "match", CONFIG, head, compared) as work:
        if extend and any(work.head.get(key) != head.get(key) for key in ("deals", "until")):
            _extend(MatchFolder(path, config, until, starts), work.head)
        folder = MatchFolder(path, config, until, starts)
        if folder.is_finished:
            (path / JOURNAL).unlink(missing_ok=True)  # left by a kill before its removal
        yield folder


def deals_in(path: Path) -> int:
    """The number of deals of the match in a folder; 0 if there is none."""
    if not (path / CONFIG).exists():
        return 0
    deals = read_object(path / CONFIG, ADVICE).get("deals")
    return deals if isinstance(deals, int) else 0


def _head(config: MatchConfig, until: float | None) -> dict[str, Any]:
    """What `match.json` says; matches that end with their last deal do not mention another end."""
    return dataclasses.asdict(config) | ({} if until is None else {"until": until})


def _extend(new: "MatchFolder", head: dict[str, Any]) -> None:
    """Turns the match of a head, which is in the folder, into one of another length.

    A block of deals that is cut off at the end of the shorter of both is played again. At any moment the folder holds
    one match or the other: the new one begins when `match.json` says so.
    """
    path, config, deals, until = new.path, new.config, head.get("deals"), head.get("until")
    refused = (
        f"{path} holds a match of {_length(config, deals, until)}, which cannot be extended to "
        f"{_length(config, config.deals, new.until)}"
    )
    is_shorter = isinstance(deals, int) and config.deals < deals
    if (
        not isinstance(deals, int)
        or deals < 1
        or not _is_narrower(new.until, until)
        or (is_shorter and new.is_finished)
    ):
        raise FileExistsError(f"{refused}: {ADVICE}")
    old = MatchFolder(path, dataclasses.replace(config, deals=deals), until, new._starts)
    games, shorter = old.read(), min(deals, config.deals)
    whole_blocks = shorter if deals == config.deals else shorter - shorter % deals_in_block(config)
    kept = [game for game in games if game.spec.deal < whole_blocks]
    if is_shorter and len(kept) < len(games):
        begun = 1 + max(game.spec.deal for game in games) // len(config.kinds or (None,))
        raise FileExistsError(f"{refused}, as {begun} are begun: {ADVICE}")
    write_text(path / JOURNAL, "".join(f"{old.line(game)}\n" for game in kept))
    (path / RESULT).unlink(missing_ok=True)
    write_text(path / CONFIG, json.dumps(_head(config, new.until), indent=2) + "\n")


def _is_narrower(wanted: float | None, until: object) -> bool:
    """Whether a match that ends at a half-width may go on to the wanted one."""
    if wanted is None or until is None:
        return wanted is until
    return isinstance(until, int | float) and wanted <= until


def _length(config: MatchConfig, deals: object, until: object) -> str:
    length = config.deals_text(deals) if isinstance(deals, int) else f"{deals} deals"
    return length if until is None else f"at most {length} until {until}"


class MatchFolder:
    """Keeps the games of one match; for the arguments see `match_folder`."""

    def __init__(
        self, path: Path, config: MatchConfig, until: float | None = None, starts: Sequence[str] | None = None
    ) -> None:
        self.path = path
        self.config = config
        self.until = until
        self._starts = starts
        self._journal = Journal(path / JOURNAL)
        commit()  # now, as the tree may change while the match is played

    @property
    def is_finished(self) -> bool:
        """Whether all games are played and the result is written."""
        return (self.path / RESULT).exists()

    def read(self) -> list[PlayedGame]:
        """The games played so far. A line that a killed process left half-written is dropped.

        Raises:
            ParseError: if a line is not one that this match wrote, or a finished match lacks games; the message names
                the file and says what to do.
            FileExistsError: if a game starts otherwise than its deal does.
        """
        casts = frozenset(self.config.casts())
        games: dict[GameSpec, PlayedGame] = {}
        for number, (record, thinking) in enumerate(self._lines(), start=1):
            try:
                game = self._game(GameRecord.parse(record), _read_thinking(thinking))
                if not (0 <= game.spec.deal < self.config.deals and game.spec.cast in casts):
                    raise ParseError("its game is none of this match")
                if game.spec in games:
                    raise ParseError("its game is there twice")
            except ValueError as error:
                raise self._damaged(f", line {number}", error) from None
            games[game.spec] = game
            self._require_start(game)
        if self.is_finished:
            result = read_object(self.path / RESULT, REPLAY)
            deals = self.config.deals if self.until is None else result.get("deals")
            expected = deals * len(casts) if isinstance(deals, int) else 0
            if len(games) != expected:
                raise self._damaged("", f"{len(games)} of {expected} games are there")
        return list(games.values())

    def _require_start(self, game: PlayedGame) -> None:
        deal = game.spec.deal
        if self._starts is None or deal >= len(self._starts):
            return
        if start_of(self.record(game), self.config.mode) != self._starts[deal]:
            raise FileExistsError(
                f"{self.path} holds a match in which deal {deal} starts otherwise than in this one, as "
                f"{self.config.source} was changed or its deals of several kinds come in another order: {ADVICE}"
            )

    def _damaged(self, place: str, reason: object) -> ParseError:
        """The error that says of a file of games what is wrong, and what to do."""
        if self.is_finished:
            return ParseError(f"{self.path / GAMES} or {THINKING}{place} is damaged: {reason}; {REPLAY}")
        return ParseError(
            f"{self.path / JOURNAL}{place} is damaged: {reason}; nothing is changed: delete the line to play its game "
            "again, or name another folder"
        )

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Each record and its seats' thinking, as texts."""
        if not self.is_finished:
            for line in self._journal.read():
                thinking, _, record = line.partition("\t")
                yield record, thinking
            return
        records, thinkings = (self._text(name).splitlines() for name in (GAMES, THINKING))
        if len(records) != len(thinkings):
            raise self._damaged("", f"{GAMES} has {len(records)} lines, {THINKING} {len(thinkings)}")
        yield from zip(records, thinkings, strict=True)

    def _text(self, name: str) -> str:
        """What a file holds; bytes that are no text make its line one that cannot be read."""
        path = self.path / name
        return path.read_text(errors="replace") if path.exists() else ""

    def _game(self, record: GameRecord, thinking: tuple[Thinking, ...]) -> PlayedGame:
        """The played game of a record; raises a ParseError if it cannot be one of a match."""
        game = get_game(self.config.game)
        if record.source is None:
            raise ParseError("its record has no source")
        if record.seed != self.config.seed:
            raise ParseError(f"its game has the seed {record.seed}, expected {self.config.seed}")
        if record.game != game.name or not record.state.is_over or len(thinking) != len(record.agents):
            raise ParseError(f"expected a finished game of {game.name}, and the thinking of each seat")
        if self.config.from_cardplay and record.state.outcome() is None:
            raise ParseError("nobody declared in its game")
        cast = self.config.cast_of(record.state, record.agents)
        return played_game(game, GameSpec(record.source.id, cast), record.state, record.agents, thinking)

    def append(self, games: list[PlayedGame]) -> None:
        """Adds the games of a deal, or of several, to the journal."""
        self._journal.append(map(self.line, games))

    def line(self, game: PlayedGame) -> str:
        """The line of a game in the journal."""
        return f"{thinking_text(game)}\t{self.record(game).text()}"

    def record(self, game: PlayedGame) -> GameRecord:
        """The record of a game."""
        config = self.config
        state = get_game(config.game).state.parse(game.position)
        record = GameRecord.of(config.game, state, game.agents, config.seed)
        return dataclasses.replace(record, source=Source(SERVER, 0, game.spec.deal))

    def finish(self, games: list[PlayedGame], result: dict[str, Any]) -> None:
        """Writes the games in order and the result, and removes the journal."""
        order = {cast: number for number, cast in enumerate(self.config.casts())}
        ordered = sorted(games, key=lambda game: (game.spec.deal, order[game.spec.cast]))
        self._journal.close()
        write_text(self.path / GAMES, "".join(self.record(game).text() + "\n" for game in ordered))
        write_text(self.path / THINKING, "".join(thinking_text(game) + "\n" for game in ordered))
        write_text(self.path / RESULT, json.dumps(result, indent=2) + "\n")
        (self.path / JOURNAL).unlink(missing_ok=True)


def _read_thinking(text: str) -> tuple[Thinking, ...]:
    """The seats' thinking in a text as `thinking_text` writes it.

    Raises:
        ParseError: if it is anything else.
    """
    try:
        seats = [Thinking(*each) for each in parse_json(text)]
        numbers = [number for each in seats for number in (each.moves, *each.counts.values())]
        if all(type(number) is int and number >= 0 for number in numbers) and all(
            0 <= each.seconds < math.inf for each in seats
        ):
            return tuple(seats)
    except (ValueError, TypeError, AttributeError):  # of counts that are no table
        pass
    raise ParseError(
        f"the seats' thinking is {text[:40]!r}, expected decisions and seconds as [[12,0.00345],...]"
    )


def thinking_text(game: PlayedGame) -> str:
    """`[[12,0.00345],...]`: decisions and seconds by seat, and what else is counted, `{"failure":1}`, if there is."""
    seats = [[each.moves, each.seconds, *([each.counts] if each.counts else [])] for each in game.thinking]
    return json.dumps(seats, separators=(",", ":"))
