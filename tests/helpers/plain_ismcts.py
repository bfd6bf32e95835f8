"""Information-set tree search written plainly over States: the slow twin of `agents/search/tree/_ismcts.pyx`.

It consumes the same random numbers in the same order (SplitMix64), so that its trees must be the same.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.helpers.plain_random import Stream


class Edge:
    def __init__(self, action: int) -> None:
        self.action = action
        self.total = 0.0
        self.visits = 0
        self.available = 1
        self.best = 0.0


class PriorEdge(Edge):
    def __init__(self, action: int) -> None:
        super().__init__(action)
        self.priors: list[float] = []

    @property
    def prior(self) -> float:
        return sum(self.priors) / len(self.priors)


def total_of(edge: Edge, share: float) -> float:
    """The total of an edge, mixed with its implicit minimax value."""
    return (1 - share) * edge.total + share * edge.best * edge.visits


def best_of(edges: Sequence[Edge], declares: bool) -> float:
    """What the best action is worth, each in the worlds in which it is available and no better one is."""
    most = max(edge.available for edge in edges)
    left, value = 1.0, 0.0
    for edge in sorted((edge for edge in edges if edge.visits), key=lambda edge: edge.best, reverse=declares):
        chance = left * edge.available / most
        value += chance * edge.best
        left -= chance
    return value / (1 - left)


def difference(state: Any, unit: str, partners: int) -> float:
    """The declaring side's returns less the other's."""
    returns = state.returns(unit)
    return sum(-r if state.side(seat) else r for seat, r in enumerate(returns)) / partners


def search(
    view: Any,
    states: list[Any],
    simulations: int,
    seed: int,
    unit: str,
    partners: int,
    c: float,
    relative: bool = True,
    by_availability: bool = True,
    private: bool = False,
    rollouts: int = 1,
    minimax: float = 0.0,
) -> list[tuple[int, int, int, float]]:
    """(action, visits, times available, mean value of the declaring side) of each action tried at the root."""
    stream = Stream(seed)
    nodes: dict[Any, list[Edge]] = {}
    lowest, highest = math.inf, -math.inf
    root = tuple(view.history())
    for number in range(simulations):
        state = states[stream.below(len(states))].clone()
        path = []
        while not state.is_over:
            seat = state.to_act
            cards = state.places[seat] if private and seat != view.seat else None
            edges = nodes.setdefault((tuple(state.history()), cards), [])
            legal = state.legal_actions()
            best, best_bound = None, -math.inf
            for edge in edges:
                if edge.action not in legal:
                    continue
                edge.available += 1
                scale = c
                if relative:
                    scale *= 0.5 * (highest - lowest) if highest > lowest else 0.0
                count = edge.available if by_availability else max(number, 1)
                weight = 1 / math.sqrt(edge.visits)
                worth = (-1 if state.side(seat) else 1) * total_of(edge, minimax) * weight
                bound = weight * (math.sqrt(math.log(count)) * scale + worth)
                if bound > best_bound:
                    best, best_bound = edge, bound
            untried = [action for action in legal if action not in [edge.action for edge in edges]]
            if untried:
                best = Edge(stream.choice(untried))
                edges.insert(0, best)
            assert best is not None
            path.append((best, edges, state.side(seat) == 0))
            state.apply(best.action)
            if untried and cards is None:
                break
        values = []
        for _ in range(rollouts):
            end = state.clone()
            while not end.is_over:
                end.apply(stream.choice(end.legal_actions()))
            values.append(difference(end, unit, partners))
        value = sum(values) / rollouts
        lowest, highest = min(lowest, value), max(highest, value)
        below = None
        for edge, beside, declares in reversed(path):
            edge.visits += 1
            edge.total += value
            edge.best = edge.total / edge.visits if below is None else best_of(*below)
            below = beside, declares
    return sorted(
        (edge.action, edge.visits, edge.available, total_of(edge, minimax) / edge.visits)
        for edge in nodes[root, None]
    )


Policy = Callable[[Any], tuple[dict[int, float], float]]
"""A state -> the probabilities of its legal actions, and the value for the side to act."""


def search_by_priors(
    view: Any,
    states: list[Any],
    simulations: int,
    seeds: list[int],
    unit: str,
    partners: int,
    c: float,
    policy: Policy,
    private: bool = False,
    minimax: float = 0.0,
) -> list[tuple[int, int, float, float]]:
    """The same by PUCT, one leaf at a time: (action, visits, mean value, prior) of each action at the root.

    Every simulation has a stream of its own, of the seed of its number.
    """
    nodes: dict[Any, list[PriorEdge]] = {}
    seen: list[float] = []
    root = tuple(view.history())
    for number in range(simulations):
        state = states[Stream(seeds[number]).below(len(states))].clone()
        path = []
        value = below = None
        while not state.is_over and value is None:
            seat, legal = state.to_act, state.legal_actions()
            if len(legal) == 1:
                state.apply(legal[0])
                continue
            cards = state.places[seat] if private and seat != view.seat else None
            edges = nodes.setdefault((tuple(state.history()), cards), [])
            sign = -1 if state.side(seat) else 1
            for edge in edges:
                edge.available += edge.action in legal
            if {edge.action for edge in edges} >= set(legal):
                here = [edge for edge in edges if edge.action in legal]
                visits = sum(edge.visits for edge in here)
                mean = sum(total_of(edge, minimax) for edge in here) / visits if visits else 0.0
                scale = c * (0.5 * (max(seen) - min(seen)) if seen and max(seen) > min(seen) else 1.0)
                scale *= math.sqrt(1 + visits) / sum(edge.prior for edge in here)

                def bound(
                    edge: PriorEdge, sign: int = sign, mean: float = mean, scale: float = scale
                ) -> float:
                    worth = total_of(edge, minimax) / edge.visits if edge.visits else mean
                    return sign * worth + scale * edge.prior / (1 + edge.visits)

                best = max(here, key=bound)
                path.append((best, edges, sign > 0))
                state.apply(best.action)
            else:
                if any(edge.visits for edge in edges):
                    below = edges, sign > 0
                chances, own = policy(state)
                value = sign * own
                for action in legal:
                    found = [edge for edge in edges if edge.action == action]
                    if not found:
                        found = [PriorEdge(action)]
                        edges.insert(0, found[0])
                    found[0].priors.append(chances[action])
        if value is None:
            value = difference(state, unit, partners)
        seen.append(value)
        for edge, beside, declares in reversed(path):
            edge.visits += 1
            edge.total += value
            edge.best = edge.total / edge.visits if below is None else best_of(*below)
            below = beside, declares
    return sorted(
        (edge.action, edge.visits, total_of(edge, minimax) / max(edge.visits, 1), edge.prior)
        for edge in nodes[root, None]
    )
