"""`skat-env solve FILE`: open-card values of positions."""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

from tyro.conf import Positional

from skat_env.errors import ParseError
from skat_env.solvers.open_card import Asked, QuestionName, Read, parse_position, read_open_card_lines
from skat_env.solvers.solution import Solution
from skat_env.tools.progress import progress_bar
from skat_env.tools.workers import processors

_LINES_AT_ONCE: Final = 64


@dataclass
class Solve:
    """Solve positions with open cards: what the declaring side gets if all see all cards and play best.

    Example: skat-env solve positions.jsonl

    Reads a file of positions, one JSON object per line, and prints them with their values; a summary goes to standard
    error. With --deal it solves one position and prints it for people, with best play to the end; the answer to a
    decision comes last, as a JSON object.
    The exit status is 1 if --check finds a difference.
    """

    file: Positional[Path | None] = None
    """Lines like {"contract": "C", "declarer": 1, "hands": ["D7 D8 ...", ...], "skat": "ST SK", "played": "..."}
    (Skat) or {"trump": "C", "declarer": 2, "forehand": 1, "hands": ["C8 CT ...", ...], "played": "..."} (Klaverjas)."""
    deal: str | None = None
    """One such line, or the text of a game in cardplay (`deal declarer=... : cards`)."""
    question: QuestionName = "exact"
    """The exact value; the decision whether the declaring side wins (Skat: reaches the target); or the value after each
    legal card. Values are card points in Skat, differences without and with the rules of nat and pit in Klaverjas."""
    target: int | None = None
    """Card points that a decision of Skat asks for, 61 by default; null games always ask whether the soloist takes a
    trick."""
    check: bool = False
    """Compare the values with those in the lines."""
    threads: int = 1
    """Threads to solve a file on; 0: one for each processor core."""

    def run(self) -> int:
        """Solves the file or the deal."""
        if (self.file is None) == (self.deal is None):
            raise ValueError("solve takes either a file or --deal")
        if self.target is not None and self.question != "decision":
            raise ValueError(f"solve with target={self.target}: it needs --question decision")
        if self.threads != 1 and self.deal is not None:
            raise ValueError(f"solve with threads={self.threads}: it needs a file, as --deal is one position")
        return self._one(self.deal) if self.deal is not None else self._many(self.file or Path())

    @property
    def _asked(self) -> Asked:
        return Asked(self.question, self.target)

    def _one(self, text: str) -> int:
        asked = self._asked
        read = game, line = parse_position(text)
        self._check_fits(read)
        print(game.describe(line))
        is_decision = self.question == "decision"
        if not (is_decision or self.check):
            return 0
        _, answers, _ = next(self._solve([read], 1))
        if is_decision:
            # The description has the answers to the other questions.
            print(json.dumps(answers))
        difference = _difference(game.known(line, asked), answers) if self.check else None
        if difference:
            print(difference, file=sys.stderr)
        return 1 if difference else 0

    def _many(self, path: Path) -> int:
        threads = self.threads or processors()
        solved = compared = differences = nodes = 0
        seconds = 0.0
        with path.open("rb") as file:
            total = sum(1 for text in file if text.strip())
        if not total:
            raise ValueError(f"{path} has no positions")
        with progress_bar("solving", total) as advance:
            for block in _blocks(_read(path), _LINES_AT_ONCE):
                started = time.perf_counter()
                rows = list(self._solve(block, threads))
                seconds += time.perf_counter() - started
                for (game, line), answers, searched in rows:
                    solved += 1
                    nodes += searched
                    sys.stdout.write(json.dumps({**line.fields, **answers}) + "\n")
                    known = game.known(line, self._asked) if self.check else {}
                    compared += bool(known)
                    difference = _difference(known, answers)
                    if difference:
                        differences += 1
                        print(f"{path}: position {solved}: {difference}", file=sys.stderr)
                advance(solved)
        each = max(solved, 1)
        print(
            f"{solved} positions in {seconds:.2f} s, {1e3 * seconds / each:.2f} ms and "
            f"{nodes / each:,.0f} nodes per position"
            + (f"; {compared} compared, {differences} different" if self.check else ""),
            file=sys.stderr,
        )
        return 1 if differences else 0

    def _check_fits(self, read: Read) -> None:
        """Raises a ValueError if the question does not fit the lines of a kind."""
        lines, _ = read
        if self.question not in lines.asked:
            raise ValueError(
                f"--question {self.question} does not fit lines with the key {lines.mark}: "
                f"ask for {' or '.join(lines.asked)}"
            )

    def _solve(self, block: Iterable[Read], threads: int) -> Iterator[tuple[Read, dict[str, Any], int]]:
        """Each position with its answers and nodes; neighbours with the same questions are solved together."""
        asked = self._asked
        for (_, questions), group in groupby(
            block, lambda read: (read[0].name, read[0].questions(read[1], asked))
        ):
            reads = list(group)
            self._check_fits(reads[0])
            game = reads[0][0]
            lines = [line for _, line in reads]
            by_question: list[list[Solution]] = [
                game.solver.solve_many([line.position for line in lines], question, threads)
                for question in questions
            ]
            for read, solutions in zip(reads, zip(*by_question, strict=True), strict=True):
                answers = game.answers(read[1], asked, solutions)
                yield read, answers, sum(solution.nodes for solution in solutions)


def _read(path: Path) -> Iterator[Read]:
    """The positions of a file."""
    try:
        yield from read_open_card_lines(path)
    except UnicodeDecodeError as error:
        raise ParseError(f"{path} is not UTF-8: {error}") from None


def _difference(known: dict[str, Any], found: dict[str, Any]) -> str | None:
    """The differences between a line's values and the solver's; None: there are none."""
    differences = []
    for key, value in known.items():
        answer = found[key]
        if not isinstance(value, dict):
            if answer != value:
                differences.append(f"{key} is {answer}, the line has {value}")
            continue
        for card in sorted(value.keys() | answer.keys()):
            if value.get(card) != answer.get(card):
                differences.append(
                    f"{card} brings {answer.get(card)} ({key}), the line has {value.get(card)}"
                )
    return "; ".join(differences) or None


def _blocks(lines: Iterable[Read], size: int) -> Iterator[list[Read]]:
    rest = iter(lines)
    while block := list(islice(rest, size)):
        yield block
