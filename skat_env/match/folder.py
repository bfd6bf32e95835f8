"""The folder of a match: `match.json` says what is played, `journal.jsonl` grows game by game, and when all are done
`games.jsonl` (one record a game, in order), `thinking.jsonl` (its decisions and seconds by seat, line by line) and
`result.json` take its place.

The journal is flushed after every deal or block of deals, so that a killed match loses no more than those in play.
"""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from skat_env.errors import ParseError
from skat_env.match.play import GameSpec, MatchConfig, PlayedGame, match_casts, played_game
from skat_env.play.casts import declarer_cast
from skat_env.play.lockstep import Thinking
from skat_env.records import GameRecord, Source
from skat_env.registry import get_game
from skat_env.tools.files import naming, write_text
from skat_env.tools.run_folder import run_folder

CONFIG, JOURNAL, RESULT = "match.json", "journal.jsonl", "result.json"
GAMES, THINKING = "games.jsonl", "thinking.jsonl"
SERVER = "match"
"""The server of the records; their id is the number of the deal."""


@contextmanager
def match_folder(path: Path, config: MatchConfig) -> Iterator["MatchFolder"]:
    """Opens the folder of a match, or makes it; one process at a time has it open.

    Raises:
        FileExistsError: if it holds something else than a match of this config.
        BlockingIOError: if another process is working in it.
    """
    with run_folder(path, "match", CONFIG, dataclasses.asdict(config)):
        yield MatchFolder(path, config)


class MatchFolder:
    """Keeps the games of one match."""

    def __init__(self, path: Path, config: MatchConfig) -> None:
        self.path = path
        self.config = config
        self._journal: TextIO | None = None

    @property
    def is_finished(self) -> bool:
        """Whether all games are played and the result is written."""
        return (self.path / RESULT).exists()

    def read(self) -> list[PlayedGame]:
        """The games played so far. A line that a killed process left half-written is dropped."""
        try:
            return [self._game(GameRecord.parse(line), seats) for line, seats in self._lines()]
        except (ValueError, TypeError, RecursionError) as error:
            raise ParseError(
                f"the games of the match in {self.path} are damaged, delete the folder to play it again: {error}"
            ) from None

    def _lines(self) -> Iterator[tuple[str, Any]]:
        """Each record and its seats' thinking."""
        if not self.is_finished:
            yield from self._journal_lines()
            return
        records = (self.path / GAMES).read_text().splitlines()
        thinking = (self.path / THINKING).read_text().splitlines()
        if len(records) != len(thinking):
            raise ParseError(f"{GAMES} has {len(records)} lines, {THINKING} {len(thinking)}")
        yield from zip(records, map(json.loads, thinking), strict=True)

    def _journal_lines(self) -> Iterator[tuple[str, list[tuple[int, float]]]]:
        path = self.path / JOURNAL
        if not path.exists():
            return
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            write_text(path, whole)
        for number, line in enumerate(whole.splitlines(), start=1):
            seats, tab, record = line.partition("\t")
            if not tab:
                raise ParseError(f"{path}, line {number}: expected the seats' thinking, a tab, and a record")
            yield record, json.loads(seats)

    def _game(self, record: GameRecord, thinking: list[tuple[int, float]]) -> PlayedGame:
        if record.source is None:
            raise ParseError("a record has no source")
        game, cast = get_game(self.config.game), record.agents
        if self.config.from_cardplay:
            cast = declarer_cast(game, record.state, record.agents)
        spec = GameSpec(record.source.id, cast)
        seats = tuple(Thinking(*pair) for pair in thinking)
        return played_game(game, spec, record.state, record.agents, seats)

    def append(self, games: list[PlayedGame]) -> None:
        """Adds the games of a deal, or of several, to the journal."""
        with naming(self.path / JOURNAL):
            if self._journal is None:
                self._journal = (self.path / JOURNAL).open("a")
            for game in games:
                self._journal.write(f"{thinking_text(game)}\t{self.record(game).text()}\n")
            self._journal.flush()

    def record(self, game: PlayedGame) -> GameRecord:
        """The record of a game."""
        config = self.config
        state = get_game(config.game).state.parse(game.position)
        record = GameRecord.of(config.game, state, game.agents, config.seed)
        return dataclasses.replace(record, source=Source(SERVER, 0, game.spec.deal))

    def finish(self, games: list[PlayedGame], result: dict[str, Any]) -> None:
        """Writes the games in order and the result, and removes the journal."""
        order = {cast: number for number, cast in enumerate(match_casts(self.config))}
        ordered = sorted(games, key=lambda game: (game.spec.deal, order[game.spec.cast]))
        if self._journal is not None:
            self._journal.close()
        write_text(self.path / GAMES, "".join(self.record(game).text() + "\n" for game in ordered))
        write_text(self.path / THINKING, "".join(thinking_text(game) + "\n" for game in ordered))
        write_text(self.path / RESULT, json.dumps(result, indent=2) + "\n")
        (self.path / JOURNAL).unlink(missing_ok=True)


def thinking_text(game: PlayedGame) -> str:
    """`[[12,0.00345],...]`: decisions and seconds by seat."""
    return json.dumps([[each.moves, round(each.seconds, 6)] for each in game.thinking], separators=(",", ":"))
