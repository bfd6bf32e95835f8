"""`skat-env solve FILE`: open-card values of positions of Skat."""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from tyro.conf import Positional

from skat_env.cards import card_symbol, card_text
from skat_env.progress import progress_bar
from skat_env.skat._state import SkatState
from skat_env.skat.render import render
from skat_env.skat.rules import SEAT_NAMES, Contract
from solvers.open_card_file import OpenCardLine, parse_open_card_line, read_open_card_lines, value_key
from solvers.skat import Solver
from solvers.skat_question import Question
from solvers.solution import Bounds, Solution

_LINES_AT_ONCE: Final = 64


@dataclass
class Solve:
    """What the soloist gets if all see all cards and play best.

    Reads a file of positions, one JSON object a line, and writes them back with their values; a summary goes to
    standard error. With --deal it solves one position and prints it for people, with best play to the end.
    The exit status is 1 if --check finds a difference.
    """

    file: Positional[Path | None] = None
    """Lines such as {"contract": "C", "declarer": 1, "hands": ["D7 D8 ...", ...], "skat": "ST SK", "played": "..."}."""
    deal: str | None = None
    """One such line, or the text of a game in cardplay (`deal declarer=... game=... : cards`)."""
    question: Literal["exact", "decision", "actions"] = "exact"
    """Card points; whether the soloist reaches the target; or the card points after every legal card."""
    target: int = 61
    """Card points that a decision asks for; in a null game the question is whether the soloist takes a trick."""
    check: bool = False
    """Compare with the values that the lines have."""
    threads: int = 1
    """Threads to solve on; 0: one for each core."""

    def run(self) -> int:
        """Solves the file or the deal."""
        if (self.file is None) == (self.deal is None):
            raise ValueError("solve takes either a file or --deal")
        return self._one(self.deal) if self.deal is not None else self._many(self.file or Path())

    def _one(self, text: str) -> int:
        line = (
            parse_open_card_line(text)
            if text.lstrip().startswith("{")
            else OpenCardLine(SkatState.parse(text))
        )
        state = line.position
        assert isinstance(state, SkatState)
        solver = Solver()
        solution = solver.solve(state, Question(actions=True, line=True))
        print(render(state, None))
        print()
        print(_sentence(state, solution))
        print("\n".join(_actions(state, solution)))
        print("\n".join(_tricks(state, solution.line)))
        difference = _difference(line, self._question(state.contract), solution) if self.check else None
        if difference:
            print(difference, file=sys.stderr)
        return 1 if difference else 0

    def _many(self, path: Path) -> int:
        solver = Solver()
        threads = self.threads or len(os.sched_getaffinity(0))
        solved = compared = differences = nodes = 0
        seconds = 0.0
        with path.open() as file:
            total = sum(1 for text in file if text.strip())
        with progress_bar("solving", total) as advance:
            for block in _blocks(read_open_card_lines(path), _LINES_AT_ONCE):
                for asked, lines in self._by_question(block):
                    started = time.perf_counter()
                    solutions = solver.solve_many([line.position for line in lines], asked, threads)
                    seconds += time.perf_counter() - started
                    for line, solution in zip(lines, solutions, strict=True):
                        solved += 1
                        nodes += solution.nodes
                        sys.stdout.write(json.dumps(self._answer(line, asked, solution)) + "\n")
                        if not self.check:
                            continue
                        compared += line.value is not None
                        difference = _difference(line, asked, solution)
                        if difference:
                            differences += 1
                            print(f"{path}: position {solved}: {difference}", file=sys.stderr)
                advance(solved)
        each = max(solved, 1)
        print(
            f"{solved} positions in {seconds:.2f} s, {1e3 * seconds / each:.2f} ms and "
            f"{nodes / each:,.0f} nodes a position"
            + (f"; {compared} compared, {differences} different" if self.check else ""),
            file=sys.stderr,
        )
        return 1 if differences else 0

    def _question(self, contract: Contract | None) -> Question:
        if self.question == "decision":
            return Question(1 if contract == Contract.NULL else self.target)
        return Question(actions=self.question == "actions")

    def _by_question(self, lines: list[OpenCardLine]) -> Iterator[tuple[Question, list[OpenCardLine]]]:
        """Neighbours with the same question together."""
        group: list[OpenCardLine] = []
        asked = Question()
        for line in lines:
            question = self._question(line.position.contract)
            if group and question != asked:
                yield asked, group
                group = []
            asked = question
            group.append(line)
        if group:
            yield asked, group

    def _answer(self, line: OpenCardLine, asked: Question, solution: Solution) -> dict[str, Any]:
        """The line's object with the answer."""
        row = dict(line.fields)
        null = line.position.contract == Contract.NULL
        if null or asked.target is None:
            row[value_key(Contract.NULL if null else Contract.GRAND)] = _plain(solution.bounds, null)
        else:
            row["target"] = asked.target
            row["soloist_reaches_target"] = solution.reaches(asked.target)
        if asked.actions:
            row["actions"] = {
                card_text(card): _plain(bounds, null) for card, bounds in solution.actions.items()
            }
        return row


def _plain(bounds: Bounds, null: bool) -> int | bool | None:
    return bool(bounds.value) if null and bounds.value is not None else bounds.value


def _difference(line: OpenCardLine, asked: Question, solution: Solution) -> str | None:
    """What the line's values and the solver's do not agree on."""
    if line.value is not None:
        if asked.target is None and solution.value != line.value:
            return f"the value is {solution.value}, the line has {line.value}"
        if asked.target is not None and solution.reaches(asked.target) != (line.value >= asked.target):
            return f"reaching {asked.target} is {solution.reaches(asked.target)}, the line has {line.value}"
    if line.actions is not None and solution.actions:
        found = {card: bounds.value for card, bounds in solution.actions.items()}
        if found != dict(line.actions):
            cards = sorted(found.keys() | line.actions.keys())
            wrong = [card for card in cards if found.get(card) != line.actions.get(card)]
            return "; ".join(
                f"{card_text(card)} brings {found.get(card)}, the line has {line.actions.get(card)}"
                for card in wrong
            )
    return None


def _blocks(lines: Iterable[OpenCardLine], size: int) -> Iterator[list[OpenCardLine]]:
    rest = iter(lines)
    while block := list(islice(rest, size)):
        yield block


def _sentence(state: SkatState, solution: Solution) -> str:
    if state.contract == Contract.NULL:
        tricks = "a trick" if solution.value else "no trick"
        return f"with open cards the soloist takes {tricks} ({solution.nodes:,} nodes)"
    verdict = "wins" if (solution.value or 0) >= 61 else "loses"
    return (
        f"with open cards the soloist {verdict} with {solution.value} card points ({solution.nodes:,} nodes)"
    )


def _actions(state: SkatState, solution: Solution) -> Iterator[str]:
    """The legal cards, best first for the seat to act."""
    wants_more = (state.to_act == state.soloist) != (state.contract == Contract.NULL)
    by_value: dict[int, list[str]] = {}
    for card, bounds in solution.actions.items():
        by_value.setdefault(bounds.lower, []).append(card_symbol(card))
    for value in sorted(by_value, reverse=wants_more):
        label = ("no trick", "a trick")[value] if state.contract == Contract.NULL else str(value)
        yield f"  {label:>8}  {' '.join(by_value[value])}"


def _tricks(state: SkatState, line: tuple[int, ...]) -> Iterator[str]:
    """Best play: who leads, the cards of each trick, and the soloist's points in tricks after it."""
    state = state.clone()
    trick = state.trick()
    yield "best play"
    for card in line:
        trick.append((state.to_act, card))
        state.apply(card)
        if len(trick) == 3 or state.is_over:
            cards = " ".join(f"{card_symbol(played):<3}" for _, played in trick)
            yield f"  {SEAT_NAMES[trick[0][0]]:<11} {cards}  soloist {state.points[0]}"
            trick = []
