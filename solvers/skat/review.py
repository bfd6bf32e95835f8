"""Reviews of Skat: the soloist's card points at the end, the skat's included; in null games 1 if it takes a trick."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from skat_env.skat import SkatState
from skat_env.skat.render import declaration_text, hand_text
from skat_env.skat.rules import SEAT_NAMES, Contract
from skat_env.solvers.protocols import OpenCardSolver
from skat_env.solvers.reviewed_game import Outlook, Prospect, Scale
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.winning import winning_question
from skat_env.solvers.solution import Bounds

_EXACT: Final = Question(actions=True)
_POINTS: Final = Scale("value", "card points")
_A_TRICK: Final = Scale("a trick?", "", declarers_want_more=False)


class SkatReview:
    """Skat's values and texts."""

    sides: tuple[str, str] = ("soloist", "defenders")
    others: tuple[str, ...] = ("skat",)

    def solver(self) -> Solver:
        """A new solver."""
        return Solver()

    def outlooks(
        self, solver: OpenCardSolver[SkatState, Question], positions: Sequence[SkatState], threads: int
    ) -> list[Outlook]:
        """The outlook of each position."""
        null, asked = _is_null(positions[0]), winning_question(positions[0])
        exact = solver.solve_many(positions, _EXACT, threads)
        # Card points do not decide schwarz: a trick without points may be lost.
        tricks = asked is not None and asked.aim == "tricks"
        decided = solver.solve_many(positions, asked, threads) if asked is not None and tricks else exact

        def prospect(value: Bounds, reached: Bounds) -> Prospect:
            wins = asked is not None and asked.target is not None and reached.reaches(asked.target) != null
            return Prospect(value.lower, wins)

        return [
            Outlook(
                prospect(solution.bounds, decision.bounds),
                {card: prospect(bounds, decision.actions[card]) for card, bounds in solution.actions.items()},
            )
            for solution, decision in zip(exact, decided, strict=True)
        ]

    def scale(self, state: SkatState) -> Scale:
        """Card points; null: whether the soloist takes a trick."""
        return _A_TRICK if _is_null(state) else _POINTS

    def facts(self, state: SkatState) -> dict[str, Any]:
        """The contract, the bid, the soloist, and what it needs."""
        assert state.declaration is not None
        asked, needs = winning_question(state), None
        if asked is not None:
            counted = "tricks" if asked.aim == "tricks" else "card_points"
            needs = {"tricks": 0} if _is_null(state) else {counted: asked.target}
        return {
            "contract": state.declaration.text(),
            "bid": state.bid,
            "soloist": state.soloist,
            "needs": needs,
        }

    def head(self, state: SkatState) -> Iterator[str]:
        """The contract, the bid, the soloist, and what it needs."""
        soloist = SEAT_NAMES[state.soloist]
        yield f"{declaration_text(state)}, bid {state.bid}: {soloist} plays alone and {_need(state)}"

    def hand_text(self, state: SkatState, mask: int) -> str:
        """Cards, trumps first."""
        return hand_text(mask, state.contract)

    def value_text(self, state: SkatState, value: int) -> str:
        """Card points; null: whether the soloist takes a trick."""
        return ("no", "yes")[value] if _is_null(state) else str(value)

    def outcome_text(self, state: SkatState, prospect: Prospect) -> str:
        """Whether the soloist wins, and with what."""
        ends = f"the soloist {'wins' if prospect.wins else 'loses'}"
        if _is_null(state):
            return f"{ends}, with {('no trick', 'a trick')[prospect.value]}"
        return f"{ends} with {prospect.value} card points"

    def result_text(self, state: SkatState, claim: bool | None) -> str:
        """Whether the soloist won, with what, and the value of the game."""
        result = state.result(claim)
        ended = f"the soloist {'won' if result.won else 'lost'}"
        if not _is_null(state):
            ended += f" with {result.card_points} card points"
        return f"{ended}{', overbid' if result.overbid else ''}, value {result.value}"


REVIEW: Final = SkatReview()


def _is_null(state: SkatState) -> bool:
    return state.contract == Contract.NULL


def _need(state: SkatState) -> str:
    asked = winning_question(state)
    if asked is None:
        return "cannot reach the bid"
    if _is_null(state):
        return "must take no trick"
    return "needs all tricks" if asked.aim == "tricks" else f"needs {asked.target} card points"
