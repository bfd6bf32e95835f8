"""The worlds that a view allows: exact counts, probabilities and samples.

A *world* assigns every unknown card to a place. The rules limit the places of a card: a seat does not hold a card that
would have made one of its plays illegal. With weights for cards at places (`weights`), the probability of a world is
proportional to the product over its cards, given the exact hand sizes: the card-location posterior of Solinas, Rebstock
and Buro 2019 (eq. 1), normalised and sampled exactly by dynamic programming instead of enumeration.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env._position import StateMethods, ViewMethods
from skat_env.beliefs._sampler import Sampler
from skat_env.errors import OptionError
from skat_env.options import MAX_COUNT, Count, Range, check_array, check_option, shown
from skat_env.protocols import State, View, World

Rows = NDArray[np.uint32]
"""Worlds as uint32 [n, places]: for each place of the game, a mask of the unknown cards there."""

MAX_DRAWN: Final = 100_000_000
"""The most worlds drawn at once, of 16 bytes each."""
POSSIBLE: Final = 1e-9
"""The least probability with which a card counts as possible at a place."""
FEW_WORLDS = 20_000
"""The most worlds that a weighted belief enumerates to draw different ones; with more, repeats are rare."""


class Belief:
    """The worlds of a view and their probabilities.

    Args:
        view: the view of a seat.
        weights: float [32, places], the weight of each card at each place of the game (Skat: hands 0, 1, 2, skat) in
            the current position; None: all worlds are equally likely. Rows of known cards are ignored.

    Raises:
        ValueError: if it is no view, the view contradicts itself, or every world has weight 0.
    """

    def __init__(self, view: View, weights: ArrayLike | None = None) -> None:
        if not isinstance(view, ViewMethods):
            raise OptionError(f"a belief with view={shown(view)}: expected a View")
        self._sampler = Sampler(view, view.seat)  # type: ignore[arg-type]  # views are Positions
        self.view = view
        self.count = int(self._sampler.total)
        """The number of possible worlds, whatever their weights."""
        self.is_uniform = weights is None
        self._weights: NDArray[np.float64] | None = None
        if weights is not None:
            self._weights = check_array("a belief", "weights", np.float64, weights, 2).copy()
            self._sampler.multiply(self._weights)

    def __reduce__(self) -> Any:
        return type(self), (self.view, self._weights)

    @property
    def cards(self) -> list[int]:
        """The unknown cards, ascending."""
        return self._sampler.cards

    @property
    def slots(self) -> list[int]:
        """The number of unknown cards at each place of the game."""
        return self._sampler.slots

    def possible(self) -> NDArray[np.bool_]:
        """Whether each unknown card can be at each place, given the plays so far: bool [32, places]."""
        return self._sampler.weights() > 0

    def probability(self, rows: Rows) -> NDArray[np.float64]:
        """The exact probability of each world, float64 [n]; 0 for rows that are not worlds of the view."""
        return self._sampler.probability(check_array("Belief.probability", "rows", np.uint32, rows, 2))

    def marginals(self) -> NDArray[np.float64]:
        """The exact probability that each unknown card is at each place, float64 [32, places].

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> chances = Belief(state.view(0)).marginals()
        >>> chances[:, 1:].sum().round(6).tolist()
        24.0

        Unlike the weights, these probabilities respect the hand sizes; rows of known cards are 0.
        """
        return self._sampler.marginals()

    def sample(self, n: int, rng: np.random.Generator) -> Rows:
        """`n` worlds drawn independently, with replacement.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> belief = Belief(state.view(state.to_act))
        >>> belief.count
        9465511770
        >>> belief.sample(2, np.random.default_rng(1)).shape
        (2, 4)

        Raises:
            OptionError: if n is no number from 0 to `MAX_DRAWN`.
        """
        return self._sampler.sample(checked_draws("Belief.sample", n, MAX_DRAWN), _stream(rng))

    def sample_backtracking(self, n: int, rng: np.random.Generator) -> Rows:
        """`n` worlds drawn by Aaldering 2023, algorithm 2: not all equally likely, and weights are ignored unless 0."""
        return self._sampler.sample_backtracking(
            checked_draws("Belief.sample_backtracking", n, MAX_DRAWN), _stream(rng)
        )

    def sample_distinct(self, n: int, rng: np.random.Generator) -> Rows:
        """`n` different worlds, each drawn from those left; all, in random order, if there are no more than `n`."""
        n = checked_draws("Belief.sample_distinct", n)
        if n >= self.count:
            return np.asarray(rng.permutation(np.concatenate([*self.enumerate()])))
        if self.is_uniform:
            return self._sampler.unrank(rng.choice(self.count, n, replace=False).astype(np.int64))
        if self.count <= FEW_WORLDS:
            rows = np.concatenate([*self.enumerate()])
            p = self.probability(rows)
            n = min(n, int(np.count_nonzero(p)))
            return np.asarray(rows[rng.choice(len(rows), n, replace=False, p=p / p.sum())])
        drawn: dict[bytes, None] = {}
        for _ in range(100):  # repeated draws are dropped; after 100 rounds nearly all draws repeat
            drawn.update(dict.fromkeys(row.tobytes() for row in self.sample(n, rng)))
            if len(drawn) >= n:
                break
        rows = np.frombuffer(b"".join(drawn), np.uint32).reshape(len(drawn), -1)
        return np.asarray(rows[:n])

    def enumerate(self, chunk: int = 65_536) -> Iterator[Rows]:
        """All possible worlds in a fixed order, in chunks, worlds of weight 0 included."""
        chunk = check_option("Belief.enumerate", "chunk", Count, chunk)
        uniform = self._sampler if self.is_uniform else Sampler(self._sampler.view, self._sampler.seat)
        for first in range(0, self.count, chunk):
            yield uniform.unrank(np.arange(first, min(first + chunk, self.count), dtype=np.int64))

    def states(self, rows: Rows, rng: np.random.Generator) -> list[Any]:
        """States in some worlds, with `state.view(view.seat) == view`.

        >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
        >>> belief = Belief(state.view(state.to_act))
        >>> worlds = belief.states(belief.sample(2, np.random.default_rng(1)), np.random.default_rng(1))
        >>> all(world.view(state.to_act) == belief.view for world in worlds)
        True

        What a world leaves open is drawn uniformly: in Skat, which two of the soloist's twelve cards it found.
        """
        rows = check_array("Belief.states", "rows", np.uint32, rows, 2)
        return self._sampler.states(rows, rng.integers(2**64, size=len(rows), dtype=np.uint64))

    def state(self, row: Rows, rng: np.random.Generator) -> Any:
        """A State in one world."""
        row = check_array("Belief.state", "row", np.uint32, row)
        return self.states(row[None], rng)[0]

    def row(self, state: State) -> Rows:
        """The world of a state: its unknown cards, by place."""
        if not isinstance(state, StateMethods):
            raise OptionError(f"Belief.row with state={shown(state)}: expected a State")
        unknown = sum(1 << card for card in self.cards)
        return np.array([mask & unknown for mask in state.places], np.uint32)


class UniformSampler:
    """A belief in which all worlds of the view are equally likely: no inference beyond the rules."""

    name = "uniform"
    cheats = False
    fallbacks = 0

    def posterior(self, view: View, rng: np.random.Generator) -> Belief:
        """The exact belief; `rng` is not used."""
        return Belief(view)

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        """`n` worlds drawn independently, or each once, in random order, if there are no more; all of weight 1."""
        n = checked_draws("worlds", n)
        belief = Belief(view)
        rows = belief.sample(n, rng) if belief.count > n else belief.sample_distinct(n, rng)
        return [World(state, 1.0) for state in belief.states(rows, rng)]


class ThesisSampler:
    """The backtracking sampler of Aaldering 2023, algorithm 2, for comparison. It is said to be uniform but is not.

    If three seats hold one card each and can hold {a, b}, {a, b, c} and {b, c}, it draws the three worlds with
    probabilities 0.361, 0.361 and 0.278. `UniformSampler` is exact and faster.
    """

    name = "thesis"
    cheats = False

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        """`n` worlds drawn independently, of weight 1."""
        belief = Belief(view)
        rows = belief.sample_backtracking(n, rng)
        return [World(state, 1.0) for state in belief.states(rows, rng)]


class CheatingSampler:
    """The belief that knows the true state: the upper bound in the papers' comparisons (Rebstock 2019, section 6.3)."""

    name = "cheating"
    cheats = True

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        """Raises a ValueError: the caller has the true state and must use it instead."""
        raise ValueError("the cheating belief needs the true state, which only a match gives")


def checked_draws(method: str, n: int, most: int = MAX_COUNT) -> int:
    """The number of worlds that a method is asked for.

    Raises:
        OptionError: if it is no number from 0 to the most.
    """
    number: int = check_option(method, "n", Annotated[int, Range(ge=0, le=most)], n)
    return number


def _stream(rng: np.random.Generator) -> int:
    return int(rng.integers(2**64, dtype=np.uint64))
