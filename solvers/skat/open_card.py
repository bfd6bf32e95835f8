"""Open-card positions of Skat as JSON objects.

    {"contract": "C", "declarer": 1, "hands": ["D7 D8 ...", "...", "..."], "skat": "ST SK", "soloist_points": 87}

`contract` is one of D H S C G N, `declarer` the soloist's seat; forehand, seat 0, leads. `played` may hold the cards
played so far, in order, as a list or as one text. `soloist_points` (null: `soloist_takes_a_trick`) is the value of the
position, `actions` that of each legal card.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from skat_env.cards import card_text
from skat_env.skat import SkatState
from skat_env.skat.rules import CONTRACT_LETTERS, PLACE_SIZES, Contract, Declaration, SkatRules
from skat_env.solvers.open_card import (
    OPEN_CARD_QUESTIONS,
    Asked,
    OpenCardLine,
    QuestionName,
    action_values,
    describe,
    read_deal,
    read_letter,
    read_line,
    read_seat,
    require,
)
from skat_env.solvers.protocols import OpenCardSolver
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.review import REVIEW
from skat_env.solvers.skat.winning import GAME
from skat_env.solvers.solution import Bounds, Solution

_NEEDED: Final = ("contract", "declarer", "hands", "skat")


class SkatOpenCard:
    """Lines of Skat: the soloist's card points, the skat's included; null: whether it takes a trick."""

    name = "skat"
    mark = "skat"
    value_question = "How many card points does the soloist have in the end, the skat included"
    asked: tuple[QuestionName, ...] = OPEN_CARD_QUESTIONS

    def __init__(self) -> None:
        self.solver: OpenCardSolver[SkatState, Question] = Solver()

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine[SkatState]:
        """The position of an object.

        Raises:
            ParseError: if it is no deal of Skat.
            IllegalAction: if the cards played are not legal.
        """
        require(fields, _NEEDED)
        contract = Contract(read_letter("contract", fields["contract"], CONTRACT_LETTERS))
        declarer = read_seat("declarer", fields["declarer"], 3)
        deal = read_deal(fields["hands"], [("skat", fields["skat"])], PLACE_SIZES)
        bids = (18 * (declarer == 0), 18 * (declarer == 1), 18 * (declarer == 2))
        state = SkatState.cardplay(deal, declarer, Declaration(contract), bids, SkatRules(play_out=True))
        return read_line(state, fields, [_value_key(state)], ["actions"])

    def questions(self, line: OpenCardLine[SkatState], asked: Asked) -> tuple[Question, ...]:
        """One question."""
        if asked.question == "decision":
            return (Question(target=1 if _is_null(line.position) else _target(asked)),)
        return (Question(actions=asked.question == "actions"),)

    def answers(
        self, line: OpenCardLine[SkatState], asked: Asked, solutions: Sequence[Solution]
    ) -> dict[str, Any]:
        """The value, or whether the target is reached; with `actions` the value after each card."""
        solution, null = solutions[0], _is_null(line.position)
        if asked.question == "decision" and not null:
            target = _target(asked)
            return {"target": target, "soloist_reaches_target": solution.reaches(target)}
        row: dict[str, Any] = {_value_key(line.position): _plain(solution.bounds, null)}
        if asked.question == "actions":
            row["actions"] = {
                card_text(card): _plain(bounds, null) for card, bounds in solution.actions.items()
            }
        return row

    def known(self, line: OpenCardLine[SkatState], asked: Asked) -> dict[str, Any]:
        """The answers that follow from the value and the values after each card."""
        if asked.question == "decision" and not _is_null(line.position):
            return {} if line.value is None else {"soloist_reaches_target": line.value >= _target(asked)}
        return {**line.values, **(action_values(line) if asked.question == "actions" else {})}

    def describe(self, line: OpenCardLine[SkatState]) -> str:
        """The table, the verdict, the cards, and best play to the end."""
        return describe(self, line)

    def verdict(self, state: SkatState) -> tuple[str, Solution]:
        """Whether the soloist wins by contract, announcement and bid, and with how many card points."""
        solution = self.solver.solve(state, Question(actions=True, line=True))
        [outlook] = REVIEW.outlooks(self.solver, [state], 1)
        ends = REVIEW.outcome_text(state, outlook.now)
        return f"with open cards {ends} ({solution.nodes:,} nodes)", solution

    def declarers_want_more(self, state: SkatState) -> bool:
        """Yes, except in null games, whose value is 1 if the soloist takes a trick."""
        return not _is_null(state)

    def value_text(self, state: SkatState, value: int) -> str:
        """Card points; null: whether the soloist takes a trick."""
        return ("no trick", "a trick")[value] if _is_null(state) else str(value)

    def score_text(self, state: SkatState) -> str:
        """The soloist's points in tricks."""
        return f"soloist {state.points[0]}"


OPEN_CARD: Final = SkatOpenCard()


def _target(asked: Asked) -> int:
    """The card points that a decision asks for."""
    return GAME if asked.target is None else asked.target


def _is_null(state: SkatState) -> bool:
    return state.contract == Contract.NULL


def _value_key(state: SkatState) -> str:
    return "soloist_takes_a_trick" if _is_null(state) else "soloist_points"


def _plain(bounds: Bounds, null: bool) -> int | bool | None:
    return bool(bounds.value) if null and bounds.value is not None else bounds.value
