"""What the soloist must reach to win, and what a player must be sure of: by contract, announcement and bid."""

from dataclasses import replace
from typing import Final

from skat_env.skat import SkatState, SkatView
from skat_env.skat._state import matadors_of
from skat_env.skat.rules import BASE_VALUES, NULL_VALUES, Announcement, Contract
from skat_env.solvers.skat.question import Question, SureQuestion

OUT_OF_SCHNEIDER: Final = 31
GAME: Final = 61
SCHNEIDER: Final = 90
A_TRICK: Final = Question(target=1, actions=True)
ALL_TRICKS: Final = Question("tricks", 10, actions=True)
_QUESTIONS: Final = (
    Question(target=GAME, actions=True),
    Question(target=SCHNEIDER, actions=True),
    ALL_TRICKS,
)
"""The questions of suit and grand games, easiest first; each adds one level to the value of the game."""


def levels(position: SkatState | SkatView, matadors: int) -> int:
    """The multiplier of a suit or grand game without schneider and schwarz reached: matadors, game, hand, announced.

    The announcement of schneider or schwarz counts its level too. A view may not know the matadors.
    """
    reached = {Announcement.NONE: 0, Announcement.SCHNEIDER: 1}.get(position.announcement, 2)
    return abs(matadors) + 1 + position.hand_game + position.announcement + reached


def base_value(state: SkatState | SkatView) -> int:
    """The base value of a suit or grand game."""
    assert state.contract is not None
    return BASE_VALUES[state.contract]


def null_value(state: SkatState | SkatView) -> int:
    """The value of a null game."""
    return NULL_VALUES[state.hand_game, state.announcement == Announcement.OUVERT]


def winning_question(state: SkatState) -> Question | None:
    """The question whose answer decides whether the soloist wins; None: the bid is too high, it cannot win.

    In suit and grand games it must reach its target, which the announcement and the bid may raise. In null games it
    asks whether it takes a trick, with which it loses.
    """
    return _question(state, state.matadors)


def sure_question(view: SkatView) -> SureQuestion | None:
    """What a player must be sure of to be sure that its side wins; None: it cannot be, whatever it does.

    Where the bid could raise the soloist's target, each player reckons with what is worse for it: in a hand game the
    soloist with a skat that brings fewest matadors, a defender with a game of the announced level.
    """
    if view.contract == Contract.NULL:
        return SureQuestion(target=1) if null_value(view) >= view.bid or view.seat != view.soloist else None
    if view.seat != view.soloist:
        needed = opposed(_QUESTIONS[min(view.announcement, Announcement.SCHWARZ)])
        return SureQuestion(needed.aim, needed.target)
    assert view.contract is not None
    matadors = matadors_of(view.dealt[view.seat] | view.dealt[3], view.contract)
    if matadors < 0 and not view.dealt[3]:
        matadors = 1  # the skat may hold the jack of clubs
    needed_or_none = _question(view, matadors)
    return None if needed_or_none is None else SureQuestion(needed_or_none.aim, needed_or_none.target)


def claim_question(view: SkatView) -> SureQuestion | None:
    """What the soloist must be sure of for all remaining tricks to be as good as its, in null games as good as the
    others': the level that it reaches with them. None: of others, or where it loses even so.
    """
    if view.seat != view.soloist or view.contract is None:
        return None
    if view.contract == Contract.NULL:
        return None if view.tricks[0] else sure_question(view)
    lost = 120 - view.points[1]
    if not view.tricks[1]:
        return SureQuestion("tricks", 10)
    level = next((target for target in (SCHNEIDER, GAME) if lost >= target), None)
    return None if level is None else SureQuestion(target=level)


def opposed(question: Question) -> Question:
    """What one side must reach for the other to miss the target of a question; not in null games."""
    assert question.target is not None
    return replace(question, target=(120 if question.aim == "points" else 10) + 1 - question.target)


def _question(position: SkatState | SkatView, matadors: int) -> Question | None:
    if position.contract == Contract.NULL:
        return A_TRICK if null_value(position) >= position.bid else None
    announced = min(position.announcement, Announcement.SCHWARZ)
    for more, question in enumerate(_QUESTIONS[announced:]):
        if base_value(position) * (levels(position, matadors) + more) >= position.bid:
            return question
    return None
