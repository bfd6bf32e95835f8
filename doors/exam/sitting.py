"""An exam that is taken: replies to questions, kept line by line, and how many are right."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.agents.language.agent import LanguageModel
from skat_env.doors.exam.make import KINDS
from skat_env.doors.exam.question import Question
from skat_env.errors import EngineError, ParseError
from skat_env.tools.console import Console, Printed
from skat_env.tools.journal import Journal
from skat_env.tools.parsing import parse_json
from skat_env.tools.progress import progress_bar

NUMBER, SEED, MODEL, REPLY = "number", "seed", "model", "reply"
"""The keys of a line: the number of a question, the seed of the exam, who was asked, and what was replied."""
MAX_REPLY: Final = 1_000_000
"""The characters of a reply that are kept."""


@dataclass(frozen=True, slots=True)
class Marks(Printed):
    """How many questions of each kind were answered right."""

    asked: Mapping[tuple[str, str], int]
    """By kind and game."""
    right: Mapping[tuple[str, str], int]

    @property
    def share(self) -> float:
        """The share of all questions that are right."""
        return sum(self.right.values()) / max(1, sum(self.asked.values()))

    def as_json(self) -> dict[str, Any]:
        """The marks as JSON holds them."""
        by_kind = {
            f"{game}.{kind}": {"asked": asked, "right": self.right.get((kind, game), 0)}
            for (kind, game), asked in self.asked.items()
        }
        return {"right": sum(self.right.values()), "asked": sum(self.asked.values()), "kinds": by_kind}

    def print_on(self, console: Console) -> None:
        """Prints a table, a row for each kind."""
        games = sorted({game for _, game in self.asked}, reverse=True)
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("question")
        for game in games:
            table.add_column(game, justify="right")
        for kind, about in KINDS.items():
            counts = [(self.right.get((kind, game), 0), self.asked.get((kind, game), 0)) for game in games]
            table.add_row(about, *(f"{right} of {asked}" for right, asked in counts))
        console.print(table)
        console.print(
            f"{sum(self.right.values())} of {sum(self.asked.values())} right, {self.share:.1%}",
            highlight=False,
        )


def marks(questions: Iterable[Question], replies: Mapping[int, str]) -> Marks:
    """The marks for replies by the number of the question; what has no reply is wrong."""
    asked: dict[tuple[str, str], int] = {}
    right: dict[tuple[str, str], int] = {}
    for question in questions:
        key = question.kind, question.game
        asked[key] = asked.get(key, 0) + 1
        right[key] = right.get(key, 0) + question.is_right(replies.get(question.number, ""))
    return Marks(asked, right)


def read_replies(
    path: Path, seed: int, model: str | None = None, is_whole: Callable[[str], bool] = bool
) -> dict[int, str]:
    """The replies in a file, by the number of the question.

    Args:
        path: the file.
        seed: of the exam.
        model: the name of the model whose replies they are; None: anybody's.
        is_whole: whether a last line without an end counts; else it is left out.

    Raises:
        ParseError: if a line is no reply, is of an exam with another seed or of another model, or answers a question
            again.
    """
    found: dict[int, str] = {}
    for line, text in enumerate(Journal(path, is_whole).read(), start=1):
        try:
            values = parse_json(text)
        except ValueError as error:
            raise ParseError(f"{path}, line {line} is no reply: {error}") from None
        if (
            not isinstance(values, dict)
            or type(values.get(NUMBER)) is not int
            or type(values.get(REPLY)) is not str
        ):
            raise ParseError(
                f'{path}, line {line} is no reply: expected {{"{NUMBER}": 0, "{REPLY}": "[...]"}}'
            )
        if values.get(SEED, seed) != seed:
            raise ParseError(f"{path}, line {line} is of an exam with seed {values[SEED]}: expected {seed}")
        if model is not None and values.get(MODEL) != model:
            of = values.get(MODEL, "nobody that is named")
            raise ParseError(f"{path}, line {line} is a reply of {of}: expected {model}")
        if values[NUMBER] in found:
            raise ParseError(f"{path}, line {line}: question {values[NUMBER]} is there twice")
        found[values[NUMBER]] = values[REPLY]
    return found


def _is_json(line: str) -> bool:
    """Whether a line is whole: a killed process may have left half of one."""
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def blocks(questions: list[Question], size: int) -> Iterator[list[Question]]:
    """The questions that are asked at the same time."""
    for first in range(0, len(questions), size):
        yield questions[first : first + size]


def sit(
    model: LanguageModel, questions: list[Question], seed: int, path: Path | None = None
) -> tuple[dict[int, str], str]:
    """Asks a language model; what a file has is not asked again.

    Args:
        model: the model.
        questions: the exam.
        seed: its seed.
        path: the file to which replies are added; None: none.

    Returns:
        The replies by the number of the question, and why it ended early; empty: it did not.

    Raises:
        ParseError: as `read_replies`.
    """
    replies = read_replies(path, seed, model.model, _is_json) if path is not None and path.exists() else {}
    journal = None if path is None else Journal(path, _is_json)
    waiting = [question for question in questions if question.number not in replies]
    done = len(questions) - len(waiting)
    with progress_bar("questions", len(questions)) as advance, ThreadPoolExecutor(model.at_once) as threads:
        for block in blocks(waiting, model.at_once):
            answers = [threads.submit(model.reply, question.game, question.text) for question in block]
            failure = ""
            for question, answer in zip(block, answers, strict=True):
                try:
                    reply = answer.result()[:MAX_REPLY]
                except EngineError as error:
                    failure = failure or str(error)
                    continue  # the other answers are there, and paid for
                replies[question.number] = reply
                if journal is not None:
                    line = {NUMBER: question.number, SEED: seed, MODEL: model.model, REPLY: reply}
                    journal.append([json.dumps(line)])
            if failure:
                return replies, failure
            done += len(block)
            advance(done)
    return replies, ""
