"""Open-card positions of Klaverjas as JSON objects.

    {"trump": "C", "declarer": 2, "forehand": 1, "hands": ["C8 CT ...", ...], "difference_declarers": 92}

`declarer` and `forehand` are seats; `played` may hold the cards played so far, in order, as a list or as one text, and
the rules' options (`legality`, `tie`, `four_jacks`, `pit`) may differ from their defaults. `difference_declarers` is
the value of the position for the declaring team without the rules of nat and pit, `final_difference_declarers` with
them, `declarers_make_it` whether it makes the game; `actions` and `final_actions` are the differences after each card.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from skat_env.cards import SUITS, card_text
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.klaverjas.render import declarers_text
from skat_env.klaverjas.rules import OPTIONS, PLACE_SIZES
from skat_env.solvers.klaverjas import Aim, Question, Solver
from skat_env.solvers.klaverjas.winning import winning_difference, winning_question
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
from skat_env.solvers.solution import Solution

_NEEDED: Final = ("trump", "declarer", "forehand", "hands")
_DIFFERENCE: Final = "difference_declarers"
_FINAL: Final = "final_difference_declarers"
_MADE: Final = "declarers_make_it"
_ACTIONS: Final = ("actions", "final_actions")
_AIMS: Final[tuple[Aim, ...]] = ("difference", "final_difference")


class KlaverjasOpenCard:
    """Lines of Klaverjas: differences for the declaring team, or whether it makes the game."""

    name = "klaverjas"
    mark = "trump"
    value_question = "By how many points does the declaring team's score exceed the others' in the end"
    asked: tuple[QuestionName, ...] = OPEN_CARD_QUESTIONS

    def __init__(self) -> None:
        self.solver: OpenCardSolver[KlaverjasState, Question] = Solver()

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine[KlaverjasState]:
        """The position of an object.

        Raises:
            ParseError: if it is no deal of Klaverjas.
            UnknownName: if an option of the rules has a value that it does not know.
            IllegalAction: if the cards played are not legal.
        """
        require(fields, _NEEDED)
        trump = read_letter("trump", fields["trump"], SUITS)
        rules = KlaverjasRules(
            **{name: fields[name] for name in OPTIONS if name in fields and name != "choice"}
        )
        state = KlaverjasState.new(
            read_deal(fields["hands"], [], PLACE_SIZES),
            rules,
            read_seat("forehand", fields["forehand"], 4),
            read_seat("declarer", fields["declarer"], 4),
            trump,
        )
        return read_line(state, fields, [_DIFFERENCE, _FINAL, _MADE], _ACTIONS)

    def questions(self, line: OpenCardLine[KlaverjasState], asked: Asked) -> tuple[Question, ...]:
        """Whether the game is made; or the difference and the final difference.

        Raises:
            ValueError: if a target is asked for.
        """
        if asked.target is not None:
            raise ValueError(
                f"solve with target={asked.target}: decisions of Klaverjas ask whether the game is made"
            )
        if asked.question == "decision":
            return (winning_question(line.position),)
        return tuple(Question(aim, actions=asked.question == "actions") for aim in _AIMS)

    def answers(
        self, line: OpenCardLine[KlaverjasState], asked: Asked, solutions: Sequence[Solution]
    ) -> dict[str, Any]:
        """Whether the game is made, or both differences; with `actions` those after each card."""
        if asked.question == "decision":
            return {_MADE: bool(solutions[0].value)}
        row: dict[str, Any] = {_DIFFERENCE: solutions[0].value, _FINAL: solutions[1].value}
        if asked.question == "actions":
            for key, solution in zip(_ACTIONS, solutions, strict=True):
                row[key] = {card_text(card): bounds.value for card, bounds in solution.actions.items()}
        return row

    def known(self, line: OpenCardLine[KlaverjasState], asked: Asked) -> dict[str, Any]:
        """The line's values; for a decision, what one of them says about it."""
        values = line.values
        if asked.question == "decision":
            if _MADE in values:
                return {_MADE: bool(values[_MADE])}
            least = winning_difference(line.position.rules)
            return {} if line.value is None else {_MADE: line.value >= least}
        found: dict[str, Any] = {key: values[key] for key in (_DIFFERENCE, _FINAL) if key in values}
        return {**found, **(action_values(line) if asked.question == "actions" else {})}

    def describe(self, line: OpenCardLine[KlaverjasState]) -> str:
        """The table, the verdict, the cards, and best play to the end."""
        return describe(self, line)

    def verdict(self, state: KlaverjasState) -> tuple[str, Solution]:
        """Whether the game is made, and both differences."""
        solution = self.solver.solve(state, Question("final_difference", actions=True, line=True))
        plain = self.solver.solve(state, Question("difference"))
        made = self.solver.solve(state, winning_question(state)).value
        ends = f"{declarers_text(state)} {'make it' if made else 'are nat'}"
        return (
            f"with open cards {ends}, final difference {solution.value:+} ({solution.nodes:,} nodes); "
            f"without nat and pit {plain.value:+}"
        ), solution

    def declarers_want_more(self, state: KlaverjasState) -> bool:
        """Yes: all values are the declaring team's."""
        return True

    def value_text(self, state: KlaverjasState, value: int) -> str:
        """A difference with its sign."""
        return f"{value:+}"

    def score_text(self, state: KlaverjasState) -> str:
        """The points and roem of the declaring team and of the other."""
        team = state.declarer & 1
        ours, theirs = (state.points[side] + state.roem[side] for side in (team, 1 - team))
        return f"{ours} : {theirs}"


OPEN_CARD: Final = KlaverjasOpenCard()
