"""Objectives of PIMC in Skat: to win, card points, or tournament points, with open cards."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.objectives import played_objectives
from skat_env.skat import SkatState
from skat_env.skat.rules import Announcement, Contract
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.winning import (
    A_TRICK,
    OUT_OF_SCHNEIDER,
    SCHNEIDER,
    base_value,
    levels,
    null_value,
    winning_question,
)

Values = NDArray[np.float64]


class Win:
    """1 if the soloist wins, otherwise 0; negated for defenders. Card points break ties, except in null games."""

    name = "win"

    def __init__(self, threads: int = 1) -> None:
        self._solver = Solver()
        self._threads = threads

    def values(self, states: list[SkatState], actions: list[int]) -> Values:
        """Whether the soloist wins after each action, for the mover's side, float64 [worlds, actions]."""
        return turned(states, self._won(states, actions))

    def tie_values(self, states: list[SkatState], actions: list[int]) -> Values:
        """The soloist's card points after each action, for the mover's side."""
        return turned(states, self._points(states, actions))

    def _won(self, states: list[SkatState], actions: list[int]) -> Values:
        won = np.zeros((len(states), len(actions)))
        # Worlds of a decision differ in nothing else that the question depends on.
        by_matadors: dict[int, list[int]] = defaultdict(list)
        for i, state in enumerate(states):
            by_matadors[state.matadors].append(i)
        groups: dict[Question, list[int]] = defaultdict(list)
        for members in by_matadors.values():
            question = winning_question(states[members[0]])
            if question is not None:
                groups[question] += members
        for question, members in groups.items():
            reached = self._reached([states[i] for i in members], actions, question)
            # A null game is won if the soloist takes no trick.
            won[members] = 1 - reached if question is A_TRICK else reached
        return won

    def _reached(self, states: list[SkatState], actions: list[int], question: Question) -> Values:
        """Whether the soloist reaches the question's target after each action."""
        assert question.target is not None
        values = self._solver.action_values(states, actions, question, self._threads)
        return (values >= question.target).astype(np.float64)

    def _points(self, states: list[SkatState], actions: list[int]) -> Values:
        if states[0].contract == Contract.NULL:
            return np.zeros((len(states), len(actions)))
        return self._solver.action_values(states, actions, threads=self._threads).astype(np.float64)


class Points(Win):
    """The soloist's card points; in null games, whether it wins."""

    name = "points"

    def values(self, states: list[SkatState], actions: list[int]) -> Values:
        """The soloist's card points after each action, for the mover's side."""
        if states[0].contract == Contract.NULL:
            return super().values(states, actions)
        return turned(states, self._points(states, actions))

    def tie_values(self, states: list[SkatState], actions: list[int]) -> Values:
        """Zeros: ties are not broken."""
        return np.zeros((len(states), len(actions)))


class TournamentPoints(Win):
    """The soloist's tournament points less the defenders', with schneider where it changes the game's value."""

    name = unit = "tournament_points"

    def values(self, states: list[SkatState], actions: list[int]) -> Values:
        """The difference after each action, for the mover's side."""
        won = self._won(states, actions)
        schneider = np.zeros_like(won)
        if states[0].contract != Contract.NULL and states[0].announcement == Announcement.NONE:
            # Schneider takes 90 points if the soloist wins, and depends on its 31st point if it loses.
            for target, members in (
                (SCHNEIDER, np.flatnonzero(won.any(axis=1))),
                (OUT_OF_SCHNEIDER, np.flatnonzero(~won.all(axis=1))),
            ):
                if len(members):
                    question = Question(target=target)
                    reached = self._reached([states[i] for i in members], actions, question)
                    if target == SCHNEIDER:
                        schneider[members] += reached * won[members]
                    else:
                        schneider[members] += (1 - reached) * (1 - won[members])
        plain = np.array([[value_of(state, False), value_of(state, True)] for state in states])
        value = np.where(schneider > 0, plain[:, 1:], plain[:, :1])
        return turned(states, np.where(won > 0, value + 50, -2 * value - 50 - 80))


def turned(states: list[SkatState], values: Values) -> Values:
    """Turns the soloist's values into those of the mover's side: negated for defenders."""
    return values if states[0].to_act == states[0].soloist else -values


def value_of(state: SkatState, schneider: bool) -> int:
    """The value of the game if it ends with or without schneider (a null game's is fixed), not below the bid."""
    if state.contract == Contract.NULL:
        return null_value(state)
    base = base_value(state)
    extra = schneider and state.announcement == Announcement.NONE
    return max(base * (levels(state, state.matadors) + extra), -(-state.bid // base) * base)


OBJECTIVES = {**{kind.name: kind for kind in (Win, Points, TournamentPoints)}, **played_objectives("skat")}
