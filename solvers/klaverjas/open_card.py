"""Open-card positions of Klaverjas as JSON objects.

    {"trump": "C", "declarer": 2, "forehand": 1, "hands": ["C8 CT ...", ...], "difference_declarers": 92}

`declarer` and `forehand` are seats; `played` may hold the cards played so far, in order, as a list or as one text, and
the rules' options (`legality`, `tie`, `four_jacks`, `pit`) may differ from their defaults. `difference_declarers` is
the value of the position for the declaring team without the rules of nat and pit, `final_difference_declarers` with
them, `declarers_make_it` whether it makes the game; `actions` and `final_actions` are the differences after each card.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from skat_env.cards import SUITS, card_symbol, card_text
from skat_env.errors import ParseError
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.klaverjas.render import declarers_text, render
from skat_env.klaverjas.rules import OPTIONS, PLACE_SIZES, SEAT_NAMES
from solvers.klaverjas import Solver
from solvers.klaverjas.question import KlaverjasQuestion
from solvers.open_card_line import (
    Asked,
    OpenCardLine,
    play_cards,
    read_actions,
    read_deal,
    read_seat,
    read_values,
    require,
)
from solvers.solution import Solution

_NEEDED: Final = ("trump", "declarer", "forehand", "hands")
_DIFFERENCE: Final = "difference_declarers"
_FINAL: Final = "final_difference_declarers"
_MADE: Final = "declarers_make_it"
_ACTIONS: Final = {"actions": "difference", "final_actions": "final_difference"}


class KlaverjasOpenCard:
    """Lines of Klaverjas: differences for the declaring team, or whether it makes the game."""

    name = "klaverjas"
    mark = "trump"
    place_sizes: tuple[int, ...] = PLACE_SIZES

    def __init__(self) -> None:
        self._solver = Solver()

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine:
        """The position of an object.

        Raises:
            ParseError: if it is no deal of Klaverjas.
            UnknownName: if an option of the rules has a value that it does not know.
            IllegalAction: if the cards played are not legal.
        """
        require(fields, _NEEDED)
        trump = fields["trump"]
        if not isinstance(trump, str) or len(trump) != 1 or trump not in SUITS:
            raise ParseError(f"trump {trump!r} is not one of {' '.join(SUITS)}")
        rules = KlaverjasRules(
            **{name: fields[name] for name in OPTIONS if name in fields and name != "choice"}
        )
        state = KlaverjasState.new(
            read_deal(fields["hands"], [], PLACE_SIZES),
            rules,
            read_seat("forehand", fields["forehand"], 4),
            read_seat("declarer", fields["declarer"], 4),
            SUITS.index(trump),
        )
        play_cards(state, fields.get("played", []))
        values = read_values(fields, [_DIFFERENCE, _FINAL, _MADE])
        return OpenCardLine(state, values, read_actions(fields, list(_ACTIONS)), fields)

    def parse_text(self, text: str) -> OpenCardLine:
        """The position of a text.

        Raises:
            ParseError, IllegalAction: as `KlaverjasState.parse`.
        """
        return OpenCardLine(KlaverjasState.parse(text))

    def questions(self, line: OpenCardLine, asked: Asked) -> tuple[KlaverjasQuestion, ...]:
        """Whether the game is made; or the difference and the final difference."""
        if asked.question == "decision":
            return (KlaverjasQuestion("made"),)
        actions = asked.question == "actions"
        return KlaverjasQuestion("difference", actions), KlaverjasQuestion("final_difference", actions)

    def solve(
        self, lines: Sequence[OpenCardLine], question: KlaverjasQuestion, threads: int
    ) -> list[Solution]:
        """The solver's answers."""
        return self._solver.solve_many([line.position for line in lines], question, threads)

    def answers(self, line: OpenCardLine, asked: Asked, solutions: Sequence[Solution]) -> dict[str, Any]:
        """Whether the game is made, or both differences; with `actions` those after each card."""
        if asked.question == "decision":
            return {_MADE: bool(solutions[0].value)}
        row: dict[str, Any] = {_DIFFERENCE: solutions[0].value, _FINAL: solutions[1].value}
        if asked.question == "actions":
            for key, solution in zip(_ACTIONS, solutions, strict=True):
                row[key] = {card_text(card): bounds.value for card, bounds in solution.actions.items()}
        return row

    def known(self, line: OpenCardLine, asked: Asked) -> dict[str, Any]:
        """What the line has; of a decision, what one of its values tells."""
        if asked.question == "decision":
            if _MADE in line.values:
                return {_MADE: bool(line.values[_MADE])}
            for key in (_DIFFERENCE, _FINAL):
                if key in line.values:
                    tie = line.position.rules.tie == "made"
                    return {_MADE: line.values[key] >= (0 if tie else 1)}
            return {}
        found: dict[str, Any] = {key: line.values[key] for key in (_DIFFERENCE, _FINAL) if key in line.values}
        if asked.question == "actions":
            for key, values in line.actions.items():
                found[key] = {card_text(card): value for card, value in values.items()}
        return found

    def describe(self, line: OpenCardLine) -> str:
        """The table, the verdict, the cards by final difference, and best play."""
        state: KlaverjasState = line.position
        solution = self._solver.solve(state, KlaverjasQuestion("final_difference", actions=True, line=True))
        plain = self._solver.solve(state, KlaverjasQuestion("difference"))
        made = self._solver.solve(state, KlaverjasQuestion("made")).value
        return "\n".join(
            [
                render(state, None),
                "",
                f"with open cards {declarers_text(state)} {'make it' if made else 'are nat'}, "
                f"final difference {solution.value:+} ({solution.nodes:,} nodes); without nat and pit {plain.value:+}",
                *_actions(state, solution),
                *_tricks(state, solution.line),
            ]
        )


def _actions(state: KlaverjasState, solution: Solution) -> Iterator[str]:
    """The legal cards, best first for the seat to act."""
    by_value: dict[int, list[str]] = {}
    for card, bounds in solution.actions.items():
        by_value.setdefault(bounds.lower, []).append(card_symbol(card))
    for value in sorted(by_value, reverse=state.side(state.to_act) == 0):
        yield f"  {value:>+8}  {' '.join(by_value[value])}"


def _tricks(state: KlaverjasState, line: tuple[int, ...]) -> Iterator[str]:
    """Best play: who leads, the cards of each trick, and what the declaring team and the other have after it."""
    state = state.clone()
    trick = state.trick()
    team = state.declarer & 1
    yield "best play"
    for card in line:
        trick.append((state.to_act, card))
        state.apply(card)
        if len(trick) == 4:
            cards = " ".join(f"{card_symbol(played):<3}" for _, played in trick)
            ours, theirs = (state.points[side] + state.roem[side] for side in (team, 1 - team))
            yield f"  {SEAT_NAMES[trick[0][0]]:<11} {cards}  {ours} : {theirs}"
            trick = []
