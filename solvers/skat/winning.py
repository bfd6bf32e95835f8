"""What the soloist must reach to win: by the contract, the announcement and the bid."""

from typing import Final

from skat_env.skat import SkatState
from skat_env.skat.rules import BASE_VALUES, NULL_VALUES, Announcement, Contract
from solvers.skat.question import Question

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


def levels(state: SkatState) -> int:
    """The multiplier of a suit or grand game without schneider and schwarz reached: matadors, game, hand, announced.

    The announcement of schneider or schwarz counts its level too.
    """
    reached = {Announcement.NONE: 0, Announcement.SCHNEIDER: 1}.get(state.announcement, 2)
    return abs(state.matadors) + 1 + state.hand_game + state.announcement + reached


def base_value(state: SkatState) -> int:
    """The base value of a suit or grand game."""
    assert state.contract is not None
    return BASE_VALUES[state.contract]


def null_value(state: SkatState) -> int:
    """The value of a null game."""
    return NULL_VALUES[state.hand_game, state.announcement == Announcement.OUVERT]


def winning_question(state: SkatState) -> Question | None:
    """The question whose answer decides whether the soloist wins; None: the bid is too high, he cannot win.

    In suit and grand games he must reach its target, which the announcement and the bid may raise. In null games it
    asks whether he takes a trick, with which he loses.
    """
    if state.contract == Contract.NULL:
        return A_TRICK if null_value(state) >= state.bid else None
    announced = min(state.announcement, Announcement.SCHWARZ)
    for more, question in enumerate(_QUESTIONS[announced:]):
        if base_value(state) * (levels(state) + more) >= state.bid:
            return question
    return None
