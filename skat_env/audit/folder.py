"""The folder of an audit: `audit.json` says what is audited, `games.jsonl` grows game by game, and `result.json` is
written when all are there; then the games are in order.

Games are added by blocks and flushed, so that a killed audit loses no more than those in hand.
"""

import dataclasses
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from skat_env.audit.play import SECONDS, Answer, AuditConfig, AuditedGame, card_decisions
from skat_env.errors import ParseError
from skat_env.registry import get_game
from skat_env.tools.files import write_text
from skat_env.tools.journal import Journal
from skat_env.tools.parsing import parse_json
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import run_folder

CONFIG: Final = "audit.json"
GAMES: Final = "games.jsonl"
RESULT: Final = "result.json"


@contextmanager
def audit_folder(path: Path, config: AuditConfig) -> Iterator["AuditFolder"]:
    """Opens the folder of an audit, or makes it; one process at a time has it open.

    Raises:
        FileExistsError: if it holds something else than an audit of this config.
        BlockingIOError: if another process is working in it.
    """
    with run_folder(path, "audit", CONFIG, dataclasses.asdict(config)):
        yield AuditFolder(path, config)


class AuditFolder:
    """Keeps the games of one audit."""

    def __init__(self, path: Path, config: AuditConfig) -> None:
        self.path = path
        self.config = config
        self._journal = Journal(path / GAMES)

    @property
    def is_finished(self) -> bool:
        """Whether all games are audited and the result is written."""
        return (self.path / RESULT).exists()

    def read(self) -> list[AuditedGame]:
        """The games so far. A line that a killed process left half-written is dropped.

        Raises:
            ParseError: if a line is not one that this audit wrote, or a finished audit lacks games.
        """
        path = self.path / GAMES
        games: dict[int, AuditedGame] = {}
        for number, line in enumerate(self._journal.read(), start=1):
            try:
                audited = self._parsed(line)
                if audited.deal in games:
                    raise ParseError("its game is there twice")
            except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
                advice = "the folder" if self.is_finished else "the line"
                raise ParseError(
                    f"{path}, line {number} is damaged: {error}; nothing is changed: delete {advice} to audit again, "
                    "or name another folder"
                ) from None
            games[audited.deal] = audited
        if self.is_finished and len(games) < self.config.deals:
            raise ParseError(
                f"{path} is damaged: {len(games)} of {self.config.deals} games are there; nothing is changed: delete "
                "the folder to audit again, or name another folder"
            )
        return list(games.values())

    def _parsed(self, line: str) -> AuditedGame:
        """The game in a line; raises any of several errors if it cannot be one of this audit."""
        game, fields = get_game(self.config.game), parse_json(line)
        state = game.state.parse(fields["game"])
        legal = {
            len(position.plays()): set(position.legal_actions()) for position in card_decisions(game, state)
        }
        answers = tuple(
            Answer(number, game.actions.index(a), game.actions.index(b), points)
            for number, a, b, points in fields["answers"]
        )
        found = AuditedGame(fields["deal"], state.text(), answers, tuple(fields["seconds"]))
        if (
            self._line(found) != line
            or type(found.deal) is not int
            or not 0 <= found.deal < self.config.deals
        ):
            raise ParseError("its game is none of this audit")
        numbers = (*found.seconds, *(answer.points for answer in answers))
        if (
            len(found.seconds) != len(SECONDS)
            or not all(isinstance(value, float) and math.isfinite(value) for value in numbers)
            or [answer.number for answer in answers] != list(legal)
            or not all({answer.a, answer.b} <= legal[answer.number] for answer in answers)
        ):
            raise ParseError("its answers are none to the questions of its game")
        return found

    def _line(self, audited: AuditedGame) -> str:
        """`{"deal":0,"game":"...","answers":[[3,"S7","CT",-40.0]],"seconds":[0.1,0.1,0.2]}`."""
        actions = get_game(self.config.game).actions
        fields = {
            "deal": audited.deal,
            "game": audited.position,
            "answers": [
                [each.number, actions[each.a], actions[each.b], each.points] for each in audited.answers
            ],
            "seconds": audited.seconds,
        }
        return json.dumps(fields, separators=(",", ":"))

    def append(self, games: list[AuditedGame]) -> None:
        """Adds the games of a block."""
        self._journal.append(map(self._line, games))

    def finish(self, games: list[AuditedGame], result: dict[str, Any]) -> None:
        """Writes the games in order, and the result."""
        self._journal.close()
        ordered = sorted(games, key=lambda audited: audited.deal)
        write_text(self.path / GAMES, "".join(self._line(audited) + "\n" for audited in ordered))
        write_result(self.path / RESULT, result)
