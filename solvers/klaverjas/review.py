"""Reviews of Klaverjas: the declaring team's score less the other's at the end, with the rules of nat and pit."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from skat_env.cards import SUITS
from skat_env.klaverjas import KlaverjasState
from skat_env.klaverjas.render import declarers_text, hand_text, suit_text
from skat_env.klaverjas.rules import SEAT_NAMES
from skat_env.solvers.klaverjas import Question, Solver
from skat_env.solvers.klaverjas.winning import winning_difference
from skat_env.solvers.reviewed_game import Outlook, Prospect, Scale
from skat_env.solvers.solution import Bounds

_EXACT: Final = Question("final_difference", actions=True)
_DIFFERENCE: Final = Scale("difference", "points of score")


class KlaverjasReview:
    """Klaverjas' values and texts."""

    sides: tuple[str, str] = ("declarers", "defenders")
    others: tuple[str, ...] = ()

    def solver(self) -> Solver:
        """A new solver."""
        return Solver()

    def outlooks(self, solver: Solver, positions: Sequence[KlaverjasState], threads: int) -> list[Outlook]:
        """The outlook of each position."""
        # A team that is nat scores less than the other, one that makes the game more, or as much where a tie is made.
        least = winning_difference(positions[0].rules)

        def prospect(difference: Bounds) -> Prospect:
            return Prospect(difference.lower, difference.lower >= least)

        return [
            Outlook(
                prospect(solution.bounds),
                {card: prospect(bounds) for card, bounds in solution.actions.items()},
            )
            for solution in solver.solve_many(positions, _EXACT, threads)
        ]

    def scale(self, state: KlaverjasState) -> Scale:
        """Differences of scores."""
        return _DIFFERENCE

    def facts(self, state: KlaverjasState) -> dict[str, Any]:
        """The trump suit, the declarer, and who led to the first trick."""
        assert state.trump is not None
        return {"trump": SUITS[state.trump], "declarer": state.declarer, "forehand": state.forehand}

    def head(self, state: KlaverjasState) -> Iterator[str]:
        """The trump suit, the declarer, what its team needs, and the options of the rules."""
        assert state.trump is not None
        share = "at least" if state.rules.tie == "made" else "more than"
        yield (
            f"{suit_text(state.trump)} by {SEAT_NAMES[state.declarer]}: {declarers_text(state)} "
            f"need {share} half of all points and roem"
        )
        options = state.rules.text()
        if options:
            yield f"rules: {options}"

    def hand_text(self, state: KlaverjasState, mask: int) -> str:
        """Cards, trumps first."""
        return hand_text(mask, state.trump)

    def value_text(self, state: KlaverjasState, value: int) -> str:
        """A difference with its sign."""
        return f"{value:+}"

    def outcome_text(self, state: KlaverjasState, prospect: Prospect) -> str:
        """Whether the game is made, and the difference."""
        ends = "make it" if prospect.wins else "are nat"
        return f"{declarers_text(state)} {ends}, difference {prospect.value:+}"

    def result_text(self, state: KlaverjasState, claim: bool | None) -> str:
        """Whether the game was made, what the declaring team won, and the scores, its own first."""
        result, team = state.result(claim), state.declarer & 1
        ended = "made it" if result.made else "were nat"
        return (
            f"{declarers_text(state)} {ended} with {result.card_points[team]} card points and "
            f"{result.roem[team]} roem{', pit' if result.pit else ''}, "
            f"score {result.scores[team]} : {result.scores[1 - team]}"
        )


REVIEW: Final = KlaverjasReview()
