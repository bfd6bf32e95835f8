"""Search results at the decisions of games: a weight for each legal action and a value of the position, in few bytes.

A weight takes a byte, relative to the largest of its decision; a value takes two bytes, about three decimal digits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.protocols import Decision

MAX_SHARE: Final = 255
MAX_VALUE: Final = 65504
"""The largest value of a float16."""
Found = tuple[Any, float | None]
"""The search result of a decision: weights of the legal actions in ascending order, and the value; None if absent."""


def found(legal_actions: list[int], decision: Decision, unit: str) -> Found:
    """The search result in a decision.

    Args:
        legal_actions: in ascending order.
        decision: what an agent found.
        unit: the unit that matches count; a value in another, as PIMC's share of worlds won, is left out.
    """
    weights = decision.weights
    value = decision.value if decision.unit in ("", unit) else None
    return None if weights is None else weights[legal_actions], value


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """The search results of a game, with a step for each decision."""

    counts: NDArray[np.uint8]
    """uint8 [steps]: the number of weights of a step, one per legal action; 0: none kept."""
    shares: NDArray[np.uint8]
    """uint8 [weights]: the weights of all steps joined, in ascending order of the actions."""
    values: NDArray[np.float16]
    """float16 [steps]: the value for the seat that acted, in the unit that matches count; NaN: none kept."""

    @classmethod
    def of(cls, steps: Iterable[Found]) -> Self:
        """The search results of a game, from those of its decisions.

        Raises:
            ValueError: if weights are negative, infinite or all zero, or a value is too large for a float16.
        """
        counts: list[int] = []
        joined: list[NDArray[np.float64]] = [np.empty(0, np.float64)]
        values: list[float] = []
        for weights, value in steps:
            if weights is not None:
                joined.append(np.asarray(weights, np.float64))
                if not len(joined[-1]):
                    raise _bad_weights([])
            counts.append(0 if weights is None else len(joined[-1]))
            values.append(np.nan if value is None else value)
        return cls.packed(np.array(counts, np.uint8), np.concatenate(joined), np.array(values, np.float64))

    @classmethod
    def packed(cls, counts: NDArray[np.uint8], weights: NDArray[Any], values: NDArray[np.float64]) -> Self:
        """The search results of one or more games, from the number of weights of each step, the weights and the values.

        Raises:
            ValueError: as `of`.
        """
        sizes = counts[counts > 0].astype(np.int64)
        first = np.cumsum(sizes) - sizes
        largest = np.maximum.reduceat(weights, first) if len(sizes) else np.empty(0)
        lowest = np.minimum.reduceat(weights, first) if len(sizes) else np.empty(0)
        sound = (lowest >= 0) & (largest > 0) & (largest < np.inf)
        if not sound.all():
            bad = int(sound.argmin())
            raise _bad_weights(weights[first[bad] : first[bad] + sizes[bad]].tolist())
        beyond = values[np.abs(values) > MAX_VALUE]
        if len(beyond):
            raise ValueError(f"the value {beyond[0]:g} of a search is beyond {MAX_VALUE}")
        scale = MAX_SHARE / largest.astype(np.float64)
        shares = np.rint(weights.astype(np.float64) * np.repeat(scale, sizes)).astype(np.uint8)
        return cls(counts, shares, values.astype(np.float16))

    @classmethod
    def none(cls, steps: int) -> Self:
        """The search results of a game that has none."""
        return cls(np.zeros(steps, np.uint8), np.empty(0, np.uint8), np.full(steps, np.nan, np.float16))

    def weights(self, step: int) -> NDArray[np.float32] | None:
        """float32 [legal actions] in ascending order of the actions, summing to 1; None if the step has none."""
        end = int(self.counts[: step + 1].sum())
        shares = self.shares[end - int(self.counts[step]) : end].astype(np.float32)
        weights: NDArray[np.float32] = shares / shares.sum()
        return weights if len(shares) else None

    def value(self, step: int) -> float | None:
        """The value of a step; None if none is kept."""
        value = float(self.values[step])
        return None if np.isnan(value) else value


def _bad_weights(weights: list[float]) -> ValueError:
    return ValueError(
        f"weights {weights} of a search: expected finite numbers, none below 0 and one or more above"
    )


ARRAYS: Final = ("weight_counts", "weights", "values")
"""The arrays in a file of games: `Searches.counts`, `shares` and `values`, each joined over all games."""


def joined(games: Sequence[Searches | None], lengths: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The `ARRAYS` of some games with these numbers of steps; empty if no game has search results."""
    if all(each is None for each in games):
        return {}
    whole = [
        Searches.none(length) if each is None else each for each, length in zip(games, lengths, strict=True)
    ]
    counts = np.concatenate([each.counts for each in whole])
    shares = np.concatenate([each.shares for each in whole])
    values = np.concatenate([each.values for each in whole])
    if not len(shares) and np.all(np.isnan(values)):
        return {}
    return dict(zip(ARRAYS, (counts, shares, values), strict=True))


def require_search_types(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raises a ValueError if a file has only some arrays of search results, or one of another type."""
    if not any(name in arrays for name in ARRAYS):
        return
    for name, kind in zip(ARRAYS, (np.uint8, np.uint8, np.float16), strict=True):
        if name not in arrays or arrays[name].ndim != 1 or arrays[name].dtype != kind:
            raise ValueError(f"the array {name} of search results is missing or has another type")


class SearchTable:
    """The search results of all games of a file; steps are numbered across games.

    Raises:
        ValueError: if the arrays contradict each other.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], steps: int) -> None:
        self.counts, self._shares, self._values = (arrays[name] for name in ARRAYS)
        self._ends = np.cumsum(self.counts, dtype=np.int64)
        weights = int(self._ends[-1]) if len(self._ends) else 0
        if (len(self.counts), len(self._values), len(self._shares)) != (steps, steps, weights):
            raise ValueError("the arrays contradict each other: weights or values are missing")

    def game(self, first: int, end: int) -> Searches:
        """The search results of the game with the steps `first` to `end` - 1."""
        counts = self.counts[first:end]
        begin = int(self._ends[first] - counts[0]) if len(counts) else 0
        shares = self._shares[begin : begin + int(counts.sum())]
        return Searches(counts, shares, self._values[first:end])

    def targets(
        self, steps: NDArray[np.int64], legal: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The search results at some steps, int64 [n], with the legal actions there as bits, uint64 [n].

        Returns:
            Weights, float32 [n, 64] by action, summing to 1, or all zero if there are none; values, float32 [n], NaN if
            there is none.

        Raises:
            ValueError: if a step has weights for more or fewer actions than are legal.
        """
        counts = self.counts[steps].astype(np.int64)
        bits = np.ascontiguousarray(legal, "<u8").view(np.uint8).reshape(-1, 8)
        actions = np.unpackbits(bits, axis=1, bitorder="little").view(bool)
        actions[counts == 0] = False
        if np.any(actions.sum(axis=1) != counts):
            raise ValueError("a decision has weights for more or fewer actions than are legal")
        ends = np.cumsum(counts)
        places = np.arange(int(counts.sum())) + np.repeat(self._ends[steps] - ends, counts)
        weights = np.zeros((len(steps), 64), np.float32)
        weights[actions] = self._shares[places]
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1)
        return weights, self._values[steps].astype(np.float32)
