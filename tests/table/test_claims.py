"""Claims are held against what their player can know: open cards tell him in each deal what he is not told."""

import numpy as np
import pytest

from skat_env.beliefs.belief import Belief
from skat_env.registry import get_game
from skat_env.skat import SkatView
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import SureQuestion
from skat_env.solvers.skat.solver import Solver
from skat_env.solvers.skat.sure_cards import sure_claim
from skat_env.table.claims import claim_holds

NOT_SURE = (
    "?/D9.H8.H9.HJ.HA.S9.ST.SJ.SA.CQ/?/HT.SK seat=1 : yes pass yes yes yes yes yes yes yes yes yes yes yes yes yes yes "
    "yes yes yes yes yes yes yes yes yes yes yes yes pass pick-up G SK CQ H7 HA DJ D7 DA D9 C8 H8 CA C7 CK H9 S7",
    "?/?/D9.DT.H7.HA.SJ.SQ.C8.C9.CT.CQ/ST.CJ seat=2 : pass yes pass pick-up C ST SQ S7 S9 D9 D7 DT DA S8 SK CT SJ HJ "
    "C7 CJ H8 CK C8 SA CA H9",
)
"""Views of a soloist who reaches the level that a claim gives him in every deal with open cards, and not for sure."""


def open_values(view: SkatView) -> list[int | None]:
    """What deals that the view allows are worth with open cards."""
    rng = np.random.default_rng(1)
    belief = Belief(view)
    states = belief.states(belief.sample_distinct(100, rng), rng)
    return [answer.value for answer in Solver().solve_many(states)]


@pytest.mark.parametrize("text", NOT_SURE)
def test_a_claim_that_needs_open_cards_is_refused(text: str) -> None:
    view = SkatView.parse(text)
    assert sure_claim(view, True) is False
    assert not claim_holds(get_game("skat"), view, True)
    # With open cards each of its deals reaches some target that the player is not sure of.
    lost = 120 - view.points[1]
    target = next(each for each in (90, 61) if lost >= each)
    assert min(value or 0 for value in open_values(view)) >= target
    assert (
        ParanoiaSolver().solve(InformationSet.of(view), SureQuestion(target=target)).reaches(target) is False
    )


NOT_SURE_NULL = (
    "?/D8.DT.DJ.H8.HA.S8.S9.C9.CJ.CK/?/HJ.CA seat=1 : yes pass pass pick-up N plain HA CA ST S8 S7 HT H8 HQ H7 HK HJ "
    "D9 DT DA H9 SK CK CQ C7 C9 SJ DQ S9 SA DK D8 SQ CT",
    "?/D7.DT.HQ.HA.S8.ST.SJ.SK.C7.CJ/?/DK.CA seat=1 : yes pass pass pick-up N plain HA CA DA D7 D8 HK HQ HJ DQ DT DJ "
    "HT S8 H7 C9 CJ CQ S9 SA ST H9 SK SQ H8 C7 CK CT",
)
"""Views of a soloist who takes no trick in any deal with open cards, but not with the same cards in all."""


@pytest.mark.parametrize("text", NOT_SURE_NULL)
def test_a_null_that_needs_open_cards_is_refused(text: str) -> None:
    view = SkatView.parse(text)
    assert not claim_holds(get_game("skat"), view, True)
    assert not any(open_values(view))
    assert ParanoiaSolver().solve(InformationSet.of(view), SureQuestion(target=1)).reaches(1) is False


def test_claims_of_others_are_not_asked_of_the_soloists_search() -> None:
    view = SkatView.parse(NOT_SURE[0])
    assert sure_claim(view, False) is None
