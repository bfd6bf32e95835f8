"""Endings by plain enumeration: every strategy is written down, on the rules' Python states."""

from collections.abc import Iterator, Sequence
from typing import Any

from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.outcome import Outcome

Vector = tuple[float, ...]
"""A value for each world; 0 for worlds that are not in play."""


def value_of(outcome: Outcome, state: Any) -> float:
    """The outcome of a finished game for the declaring side."""
    returns = state.returns(outcome.unit)
    others = sum(each for seat, each in enumerate(returns) if state.side(seat) == 1)
    return float(returns[state.declarer] + outcome.others * others + outcome.offset) / outcome.divisor


def final_value(ending: Ending, state: Any, seat: int) -> float:
    """The outcome of a finished game for the side of a seat."""
    return ending.side(seat) * value_of(ending.outcome, state)


def after(states: Sequence[Any], card: int) -> list[Any]:
    """The worlds in which a card is legal, after it; None for the others."""
    played = []
    for state in states:
        if state is not None and card in state.legal_actions():
            state = state.clone()
            state.apply(card)
            played.append(state)
        else:
            played.append(None)
    return played


def cards_of(states: Sequence[Any]) -> list[int]:
    return sorted({card for state in states if state is not None for card in state.legal_actions()})


def best_pure(ending: Ending, seat: int) -> float:
    """The best pure strategy against opponents who see all cards: the best of all vectors."""
    return max(
        sum(weight * value for weight, value in zip(ending.weights, vector, strict=True))
        for vector in vectors(ending, ending.states, seat)
    )


def vectors(ending: Ending, states: Sequence[Any], seat: int) -> set[Vector]:
    """What each pure strategy is worth, by world; those that another one dominates are left out."""
    present = [number for number, state in enumerate(states) if state is not None]
    first = states[present[0]]
    if first.is_over:
        return {tuple(0.0 if state is None else final_value(ending, state, seat) for state in states)}
    found: set[Vector] = set()
    if first.to_act == seat:
        for card in cards_of(states):
            found |= vectors(ending, after(states, card), seat)
        return undominated(found)
    better = max if ending.side(first.to_act) == ending.side(seat) else min
    joined: set[tuple[float | None, ...]] = {(None,) * len(states)}
    for card in cards_of(states):
        then = after(states, card)
        new = set()
        for vector in vectors(ending, then, seat):
            for old in joined:
                new.add(
                    tuple(
                        a if state is None else b if a is None else better(a, b)
                        for a, b, state in zip(old, vector, then, strict=True)
                    )
                )
        joined = new
    return undominated({tuple(value or 0.0 for value in vector) for vector in joined})


def undominated(found: set[Vector]) -> set[Vector]:
    kept: set[Vector] = set()
    for vector in sorted(found, reverse=True):
        if not any(all(a >= b for a, b in zip(other, vector, strict=True)) for other in kept):
            kept.add(vector)
    return kept


def best_response(ending: Ending, seat: int, policies: Any) -> float:
    """The best response: in each information set of the seat the best card, by its reach in every world."""
    groups: dict[Any, list[tuple[Any, float]]] = {}
    for state, weight in zip(ending.states, ending.weights, strict=True):
        groups.setdefault(state.view(seat), []).append((state, weight))
    return sum(_respond(ending, seat, policies, group) for group in groups.values())


def _respond(ending: Ending, seat: int, policies: Any, worlds: list[tuple[Any, float]]) -> float:
    if worlds[0][0].is_over:
        return sum(reach * final_value(ending, state, seat) for state, reach in worlds)
    to_act = worlds[0][0].to_act
    if to_act == seat:
        return max(
            _respond(ending, seat, policies, [(_played(state, card), reach) for state, reach in worlds])
            for card in worlds[0][0].legal_actions()
        )
    by_card: dict[int, list[tuple[Any, float]]] = {}
    for state, reach in worlds:
        chances = policies[to_act].probabilities([state.view(to_act)])[0]
        for card in state.legal_actions():
            if chances[card] > 0:
                by_card.setdefault(card, []).append((_played(state, card), reach * chances[card]))
    return sum(_respond(ending, seat, policies, group) for group in by_card.values())


def _played(state: Any, card: int) -> Any:
    state = state.clone()
    state.apply(card)
    return state


def pure_strategies(ending: Ending, seat: int) -> Iterator[dict[Any, int]]:
    """Every pure strategy of a seat, as the card for each of its views, reduced to those it can come to."""
    yield from _strategies([{}], [state.clone() for state in ending.states], seat)


def _strategies(found: list[dict[Any, int]], states: list[Any], seat: int) -> list[dict[Any, int]]:
    views: dict[Any, list[int]] = {}

    def visit(state: Any) -> None:
        if state.is_over:
            return
        legal = state.legal_actions()
        if state.to_act == seat and len(legal) > 1:
            views.setdefault(state.view(seat), legal)
        for card in legal:
            visit(_played(state, card))

    for state in states:
        visit(state)
    for view, legal in views.items():
        found = [{**strategy, view: card} for strategy in found for card in legal]
    return found
