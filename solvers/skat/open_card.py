"""Open-card positions of Skat as JSON objects.

    {"contract": "C", "declarer": 1, "hands": ["D7 D8 ...", "...", "..."], "skat": "ST SK", "soloist_points": 87}

`contract` is one of D H S C G N, `declarer` the soloist's seat; forehand, seat 0, leads. `played` may hold the cards
played so far, in order, as a list or as one text. `soloist_points` (null: `soloist_takes_a_trick`) is the value of the
position, `actions` that of each legal card.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from skat_env.cards import card_symbol, card_text
from skat_env.errors import ParseError
from skat_env.skat._state import SkatState
from skat_env.skat.render import render
from skat_env.skat.rules import CONTRACT_LETTERS, PLACE_SIZES, SEAT_NAMES, Contract, Declaration, SkatRules
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
from solvers.skat import Solver
from solvers.skat.question import Question
from solvers.solution import Bounds, Solution

_NEEDED: Final = ("contract", "declarer", "hands", "skat")


class SkatOpenCard:
    """Lines of Skat: the soloist's card points, the skat's included; null: whether he takes a trick."""

    name = "skat"
    mark = "contract"
    place_sizes: tuple[int, ...] = PLACE_SIZES

    def __init__(self) -> None:
        self._solver = Solver()

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine:
        """The position of an object.

        Raises:
            ParseError: if it is no deal of Skat.
            IllegalAction: if the cards played are not legal.
        """
        require(fields, _NEEDED)
        contract = fields["contract"]
        if not isinstance(contract, str) or len(contract) != 1 or contract not in CONTRACT_LETTERS:
            raise ParseError(f"contract {contract!r} is not one of {' '.join(CONTRACT_LETTERS)}")
        declarer = read_seat("declarer", fields["declarer"], 3)
        deal = read_deal(fields["hands"], [("skat", fields["skat"])], PLACE_SIZES)
        bids = (18 * (declarer == 0), 18 * (declarer == 1), 18 * (declarer == 2))
        declaration = Declaration(Contract(CONTRACT_LETTERS.index(contract)))
        state = SkatState.cardplay(deal, declarer, declaration, bids, SkatRules(play_out=True))
        play_cards(state, fields.get("played", []))
        values = read_values(fields, [_value_key(state)])
        return OpenCardLine(state, values, read_actions(fields, ["actions"]), fields)

    def parse_text(self, text: str) -> OpenCardLine:
        """The position of a text.

        Raises:
            ParseError, IllegalAction: as `SkatState.parse`.
        """
        return OpenCardLine(SkatState.parse(text))

    def questions(self, line: OpenCardLine, asked: Asked) -> tuple[Question, ...]:
        """One question."""
        if asked.question == "decision":
            return (Question(1 if _is_null(line.position) else asked.target),)
        return (Question(actions=asked.question == "actions"),)

    def solve(self, lines: Sequence[OpenCardLine], question: Question, threads: int) -> list[Solution]:
        """The solver's answers."""
        return self._solver.solve_many([line.position for line in lines], question, threads)

    def answers(self, line: OpenCardLine, asked: Asked, solutions: Sequence[Solution]) -> dict[str, Any]:
        """The value, or whether the target is reached; with `actions` the value after each card."""
        solution, null = solutions[0], _is_null(line.position)
        if asked.question == "decision" and not null:
            return {"target": asked.target, "soloist_reaches_target": solution.reaches(asked.target)}
        row: dict[str, Any] = {_value_key(line.position): _plain(solution.bounds, null)}
        if asked.question == "actions":
            row["actions"] = {
                card_text(card): _plain(bounds, null) for card, bounds in solution.actions.items()
            }
        return row

    def known(self, line: OpenCardLine, asked: Asked) -> dict[str, Any]:
        """What the value and the values after each card tell."""
        if asked.question == "decision" and not _is_null(line.position):
            return {} if line.value is None else {"soloist_reaches_target": line.value >= asked.target}
        found: dict[str, Any] = dict(line.values)
        if asked.question == "actions":
            for key, values in line.actions.items():
                found[key] = {card_text(card): value for card, value in values.items()}
        return found

    def describe(self, line: OpenCardLine) -> str:
        """The table, the verdict, the cards and best play."""
        state: SkatState = line.position
        solution = self._solver.solve(state, Question(actions=True, line=True))
        return "\n".join(
            [
                render(state, None),
                "",
                _sentence(state, solution),
                *_actions(state, solution),
                *_tricks(state, solution.line),
            ]
        )


def _is_null(state: SkatState) -> bool:
    return state.contract == Contract.NULL


def _value_key(state: SkatState) -> str:
    return "soloist_takes_a_trick" if _is_null(state) else "soloist_points"


def _plain(bounds: Bounds, null: bool) -> int | bool | None:
    return bool(bounds.value) if null and bounds.value is not None else bounds.value


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
