"""Vectors of outcomes over worlds by plain recursion: no cuts, no tables, one question at a time.

The twin of `skat_env.agents.search.outcomes._outcome_tree`. Worlds are states of one information set, by number; a
vector is the set of the outcomes (world, level) that are had.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from skat_env.solvers.klaverjas import Question as KlaverjasQuestion
from skat_env.solvers.klaverjas import Solver as KlaverjasSolver
from skat_env.solvers.skat import Question as SkatQuestion
from skat_env.solvers.skat import Solver as SkatSolver
from skat_env.solvers.skat.winning import winning_question
from tests.helpers import minimax

Vector = frozenset[tuple[int, int]]
Open = Callable[[Any], list[bool]]
"""(state) -> whether the declaring side has each outcome with open cards."""


def open_outcomes(game: str, thresholds: Sequence[int]) -> Open:
    """By the solver, of which a position asks anew."""
    solver: Any = SkatSolver() if game == "skat" else KlaverjasSolver()

    def value(state: Any, question: Any) -> int:
        if state.is_over:
            found = minimax.leaf(state, question.aim)(state)
            assert found is not None
            return found
        found = solver.solve(state, question).value
        assert found is not None
        return found

    def klaverjas(state: Any) -> list[bool]:
        if thresholds:
            return [value(state, KlaverjasQuestion("difference")) >= t for t in thresholds]
        return [value(state, KlaverjasQuestion("made")) == 1]

    def skat(state: Any) -> list[bool]:
        if thresholds and minimax.wants_more(state):
            return [value(state, SkatQuestion()) >= t for t in thresholds]
        question = winning_question(state)
        if question is None:
            return [False]
        reached = value(state, SkatQuestion(question.aim)) >= (question.target or 0)
        return [reached == minimax.wants_more(state)]

    return skat if game == "skat" else klaverjas


class Plain:
    """The searches on given worlds, which are left as they were."""

    def __init__(self, states: Sequence[Any], weights: Sequence[float], open_cards: Open) -> None:
        self.states = [state.clone() for state in states]
        self.weights = [weight / sum(weights) for weight in weights]
        self.open = open_cards
        self.seat = states[0].to_act
        self.side = states[0].side(self.seat)
        self.all = tuple(range(len(states)))

    def worth(self, vector: Vector) -> float:
        return sum(self.weights[world] for world, _ in vector)

    def leaf(self, worlds: Sequence[int]) -> Vector:
        return frozenset(
            (w, level)
            for w in worlds
            for level, had in enumerate(self.open(self.states[w]))
            if had == (self.side == 0)
        )

    def after(self, worlds: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The worlds in which each action is legal."""
        actions = sorted({a for w in worlds for a in self.states[w].legal_actions()})
        return {a: tuple(w for w in worlds if self.states[w].legal() >> a & 1) for a in actions}

    def played(self, worlds: Sequence[int], action: int, then: Callable[[], Any]) -> Any:
        for w in worlds:
            self.states[w].apply(action)
        found = then()
        for w in worlds:
            self.states[w].undo()
        return found

    def front(self, worlds: tuple[int, ...], m: int) -> set[Vector]:
        """αμ without cuts: the best vectors of a node."""
        state = self.states[worlds[0]]
        if m == 0 or state.is_over:
            return {self.leaf(worlds)}
        own = state.to_act == self.seat
        partner = state.side(state.to_act) == self.side
        after = self.after(worlds)
        fronts = {
            a: self.played(some, a, lambda some=some: self.front(some, m - own)) for a, some in after.items()
        }
        if own:
            return pareto(v for found in fronts.values() for v in found)
        outcomes = [(w, level) for w in worlds for level in range(len(self.open(self.states[w])))]
        merge = any if partner else all
        return pareto(
            frozenset(
                (w, level)
                for w, level in outcomes
                if merge((w, level) in v for a, v in zip(after, choice, strict=True) if w in after[a])
            )
            for choice in product(*fronts.values())
        )

    def alpha_mu(self, m: int) -> dict[int, float]:
        """What each action is worth with m own moves."""
        return {
            a: max(self.worth(v) for v in self.played(self.all, a, lambda: self.front(self.all, m - 1)))
            for a in self.states[0].legal_actions()
        }

    def vector(self, worlds: tuple[int, ...], left: int, rule: str, possible: Vector | None = None) -> Vector:
        """The one vector of a node by a rule: `vector`, `reduced` or `postponed`.

        `possible`: the outcomes that no node above has ruled out, with `reduced`.
        """
        state = self.states[worlds[0]]
        if left == 0 or state.is_over:
            return self.leaf(worlds) if possible is None else self.leaf(worlds) & possible
        seat = state.to_act
        own, partner = seat == self.seat, state.side(seat) == self.side
        after = self.after(worlds)
        less = left - (own or rule == "postponed")
        if rule == "reduced" and not own and not partner:
            here = self.leaf(worlds)
            possible = here if possible is None else here & possible
        found = {
            a: self.played(some, a, lambda some=some: self.vector(some, less, rule, possible))
            for a, some in after.items()
        }
        if own:
            return first_best(found, self.worth)
        if rule == "postponed":
            views = {w: self.states[w].view(seat) for w in worlds}
            total: set[tuple[int, int]] = set()
            for view in set(views.values()):
                group = {w for w in worlds if views[w] == view}
                own_part = {
                    a: frozenset(o for o in v if o[0] in group)
                    for a, v in found.items()
                    if group <= set(after[a])
                }
                sign = 1 if partner else -1
                total |= first_best(own_part, lambda v, sign=sign: sign * self.worth(v))
            return frozenset(total)
        outcomes = {o for v in found.values() for o in v}
        merge = any if partner else all
        return frozenset(o for o in outcomes if merge(o in v for a, v in found.items() if o[0] in after[a]))

    def backed_up(self, left: int, rule: str) -> dict[int, float]:
        """What each action is worth by a rule."""
        return {
            a: self.worth(self.played(self.all, a, lambda: self.vector(self.all, left - 1, rule)))
            for a in self.states[0].legal_actions()
        }

    # --- the best pure strategy, by trying all ---

    def own_choices(self, worlds: Sequence[int]) -> dict[tuple[int, ...], list[int]]:
        """The actions at each own information set from here on, by the history that all see."""
        found: dict[tuple[int, ...], list[int]] = {}

        def visit(state: Any, history: tuple[int, ...]) -> None:
            if state.is_over:
                return
            if state.to_act == self.seat:
                found[history] = state.legal_actions()
            for action in state.legal_actions():
                state.apply(action)
                visit(state, (*history, action))
                state.undo()

        for w in worlds:
            visit(self.states[w], ())
        return found

    def by_strategy(self, strategy: dict[tuple[int, ...], int], world: int) -> int:
        """The number of outcomes that a strategy has in a world against players who see all and know it."""
        state = self.states[world]

        def value(history: tuple[int, ...]) -> int:
            if state.is_over:
                return sum(had == (self.side == 0) for had in self.open(state))
            actions = [strategy[history]] if state.to_act == self.seat else state.legal_actions()
            values = []
            for action in actions:
                state.apply(action)
                values.append(value((*history, action)))
                state.undo()
            return max(values) if state.side(state.to_act) == self.side else min(values)

        return value(())

    def best_strategy(self, action: int, most: int) -> float | None:
        """What the best of all strategies is worth that begin with an action; None: there are too many."""
        for w in self.all:
            self.states[w].apply(action)
        choices = self.own_choices(self.all)
        count = 1
        for actions in choices.values():
            count *= len(actions)
        best = None
        if count <= most:
            best = max(
                sum(
                    self.weights[w] * self.by_strategy(dict(zip(choices, picked, strict=True)), w)
                    for w in self.all
                )
                for picked in product(*choices.values())
            )
        for w in self.all:
            self.states[w].undo()
        return best


def first_best(found: dict[int, Vector], worth: Callable[[Vector], float]) -> Vector:
    """The vector that is worth most; the first of several."""
    best = max(worth(v) for v in found.values())
    return next(v for v in found.values() if worth(v) >= best - 1e-9)


def pareto(vectors: Any) -> set[Vector]:
    """Those that no other contains."""
    found = set(vectors)
    return {v for v in found if not any(v < other for other in found)}
