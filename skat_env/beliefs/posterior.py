"""Posteriors: distributions over the worlds of a view that can be sampled and queried.

A `Belief` is known exactly. An `ImportanceSample` is known on a sample only, for likelihoods that must be computed
world by world (Rebstock 2019, algorithm 2).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from skat_env.beliefs.belief import MAX_DRAWN, Belief, Rows, checked_draws
from skat_env.options import Floor, NonNegative, check_fields, shown
from skat_env.protocols import Agent, State, View, World, WorldSampler

Floats = NDArray[np.float64]
Drawn = Literal["all", "distinct", "independent"]

_BITS: Final = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.float64)
"""The bits of each byte, float64 [256, 8]."""
INSIGNIFICANT: Final = 1e-7
"""Terms of equation 5.3 with a smaller binomial probability are dropped, as in Rebstock 2019, section 5.2, but for the
first: no possible world has probability 0."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How far the probabilities of a model are trusted. The papers use a temper of 1 and a floor of 0.

    Raises:
        ValueError: if one is out of range.
    """

    temper: NonNegative = 1.0
    """The exponent of a likelihood: below 1 the model is trusted less; with 0 all worlds are equally likely."""
    floor: Floor = 0.0
    """The minimum of each single probability of the model, before the exponent is applied."""

    def __post_init__(self) -> None:
        check_fields(self, "a belief")

    @property
    def log_floor(self) -> float:
        """The logarithm of the floor."""
        return float(np.log(self.floor)) if self.floor else -np.inf


class Posterior(Protocol):
    """A distribution over the worlds of a view; worlds are rows, as in `Belief`."""

    count: int
    """The number of possible worlds, whatever their probabilities."""

    def probability(self, rows: Rows) -> Floats:
        """The probability of each world, float64 [n]."""

    def marginals(self) -> Floats:
        """The probability that each unknown card is at each place, float64 [32, places]; 0 for known cards."""

    def sample(self, n: int, rng: np.random.Generator) -> Rows:
        """`n` worlds drawn by their probability, with replacement; the first of them are such a draw, too."""

    def states(self, rows: Rows, rng: np.random.Generator) -> list[Any]:
        """States in some worlds."""

    def row(self, state: State) -> Rows:
        """The world of a state."""


class ImportanceSample:
    """Worlds drawn from a belief, each weighted by its likelihood divided by its probability under the draws.

    Args:
        belief: the belief of the view, from which the rows are drawn (the proposal).
        rows: uint32 [n, places], all worlds once each, or a sample of them.
        log_likelihood: float64 [n], for each row; -inf: the world is impossible.
        likelihood: the function that computes the log-likelihood of any rows, for `probability`.
        drawn: how the rows were chosen: `all` worlds, so that everything is exact; `distinct` worlds, all equally
            likely; or `independent` draws, with replacement.
    """

    def __init__(
        self,
        belief: Belief,
        rows: Rows,
        log_likelihood: Floats,
        likelihood: Callable[[Rows], Floats],
        drawn: Drawn,
    ) -> None:
        self.belief, self.rows, self._likelihood = belief, rows, likelihood
        self.count = belief.count
        self.drawn: Drawn = drawn
        log_weights = self._log_weights(rows, log_likelihood)
        self._scale = float(log_weights.max(initial=-np.inf))
        self.fell_back = not np.isfinite(self._scale)
        """Whether all likelihoods were 0, so that they are ignored and the rows count as the belief drew them."""
        if self.fell_back:
            log_weights = np.zeros(len(rows))
            self._scale = 0.0
        odds = np.exp(log_weights - self._scale)
        self._total = float(odds.sum())
        self.weights = odds / self._total
        """float64 [n]: the weights of the rows, summing to 1."""

    @property
    def effective_size(self) -> float:
        """The effective sample size: 1 / sum of squared weights (Kong 1992)."""
        return float(1 / np.square(self.weights).sum())

    def probability(self, rows: Rows) -> Floats:
        """The probability of each world, float64 [n]; for a sample, the expected weight of the world in such samples.

        For independent draws this is Rebstock 2019, equation 5.3: a world occurs k times with the binomial probability,
        and then has k shares of the weight. Among n distinct worlds out of N it occurs with probability n/N.
        """
        odds = np.exp(self._log_weights(rows, self._likelihood(rows)) - self._scale)
        if self.fell_back:
            odds = np.ones(len(rows))
        if self.drawn == "all":
            return np.asarray(odds / self._total)
        chances = self.belief.probability(rows)
        return np.array(
            [self._expected_share(*each) for each in zip(rows, odds.tolist(), chances.tolist(), strict=True)]
        )

    def marginals(self) -> Floats:
        """The probability, in the sample, that each unknown card is at each place, float64 [32, places]."""
        # For each byte of the masks: the weight of each of its 256 values, then of its bits.
        octets = [[place >> shift & 0xFF for shift in (0, 8, 16, 24)] for place in self.rows.T]
        weights = [[np.bincount(octet, self.weights, 256) for octet in place] for place in octets]
        return np.asarray((np.array(weights) @ _BITS).reshape(len(weights), 32).T)

    def sample(self, n: int, rng: np.random.Generator) -> Rows:
        """`n` worlds of the sample, each as often as its weight says, rounded up or down at random, in random order."""
        n = checked_draws("ImportanceSample.sample", n, MAX_DRAWN)
        return np.asarray(self.rows[resampled(self.weights, n, rng)])

    def states(self, rows: Rows, rng: np.random.Generator) -> list[Any]:
        """States in some worlds."""
        return self.belief.states(rows, rng)

    def row(self, state: State) -> Rows:
        """The world of a state."""
        return self.belief.row(state)

    def _log_weights(self, rows: Rows, log_likelihood: Floats) -> Floats:
        """The logarithm of the likelihood divided by the probability of drawing each row."""
        if self.drawn == "all" or self.belief.is_uniform:
            return log_likelihood
        with np.errstate(divide="ignore"):
            return log_likelihood - np.log(self.belief.probability(rows))

    def _expected_share(self, row: Rows, odds: float, chance: float) -> float:
        """The expected share of a sample's weight for a world that each draw takes with probability `chance`."""
        from scipy import stats

        if odds == 0 or chance == 0:
            return 0.0
        n = len(self.rows)
        copies = int((self.rows == row).all(axis=1).sum())
        other = max(self._total - copies * odds, 0.0) / max(n - copies, 1)
        if self.drawn == "distinct":
            return n / self.count * odds / (odds + (n - 1) * other)
        times = np.arange(1, int(stats.binom.isf(INSIGNIFICANT / 10, n, chance)) + 2)
        mass = stats.binom.pmf(times, n, chance)
        kept = (mass >= INSIGNIFICANT) | (times == 1)
        times, mass = times[kept], mass[kept]
        return float((mass * times * odds / (times * odds + (n - times) * other)).sum())


def resampled(weights: Floats, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws `n` numbers, each as often as its weight says, rounded up or down at random; int64 [n], in random order.

    Systematic resampling (Kitagawa 1996), which leaves less to chance than independent draws.

    Args:
        weights: float64 [number], at least 0; one is more.
        n: how many are drawn.
        rng: the source of randomness.
    """
    shares = weights.cumsum()
    points = np.minimum((np.arange(n) + rng.random()) / n, np.nextafter(1.0, 0.0))
    return rng.permutation(np.searchsorted(shares / shares[-1], points, side="right"))


@runtime_checkable
class InferringSampler(WorldSampler, Protocol):
    """A belief that knows the probabilities of worlds.

    An optional attribute `fallbacks` counts the posteriors that gave every world weight 0 and were flattened until one
    had weight.
    """

    def posterior(self, view: Any, rng: np.random.Generator) -> Posterior:
        """The posterior over the worlds of a view."""


@runtime_checkable
class PlayerInference(WorldSampler, Protocol):
    """A belief that has several models of the other players, and infers which of them a seat follows."""

    @property
    def models(self) -> Sequence[str | Agent]:
        """The agents that play for the models in worlds played out, or their names."""

    def models_in(self, view: Any, states: Sequence[Any], rng: np.random.Generator) -> NDArray[np.int16]:
        """The model that each seat follows in some worlds, drawn by what its past decisions tell there.

        Args:
            view: the view of a seat.
            states: states of its worlds, one at least.
            rng: the source of randomness.

        Returns:
            int16 [worlds, seats], numbers of models; of the view's own seat any.
        """


def drawn_models(
    belief: PlayerInference, view: View, states: Sequence[State], seats: int, rng: np.random.Generator
) -> NDArray[np.int16]:
    """The model that each of the seats follows in some worlds, as `PlayerInference.models_in`.

    Raises:
        ValueError: if there is not the number of a model for each seat of each world.
    """
    found, shape, last = (
        np.asarray(belief.models_in(view, states, rng)),
        (len(states), seats),
        len(belief.models) - 1,
    )
    if found.dtype.kind not in "iu" or found.shape != shape or not ((found >= 0) & (found <= last)).all():
        raise ValueError(
            f"models_in of belief {belief.name} gives {shown(found)} of shape {found.shape}:"
            f" expected integers from 0 to {last} of shape {shape}"
        )
    return found.astype(np.int16)


def fallbacks_of(belief: WorldSampler) -> int:
    """The number of posteriors that a belief has flattened; 0 if it does not count them."""
    return int(getattr(belief, "fallbacks", 0))


class PosteriorSampler:
    """The base of beliefs that know the probabilities of worlds; subclasses define the posterior of a view."""

    name: str
    cheats = False
    exact = True
    """Whether every posterior is a `Belief`; False: some are over a sample of worlds."""
    fallbacks = 0
    """The number of posteriors that gave every world weight 0 and were flattened until one had weight."""

    def posterior(self, view: View, rng: np.random.Generator) -> Posterior:
        """The posterior over the worlds of a view; any randomness comes from `rng`."""
        raise NotImplementedError

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        """`n` worlds that the posterior draws; if there are no more, each once, weighted by its probability.

        They come in random order.
        """
        n = checked_draws("worlds", n)
        posterior = self.posterior(view, rng)
        if posterior.count > n:
            return [World(state, 1.0) for state in posterior.states(posterior.sample(n, rng), rng)]
        rows = Belief(view).sample_distinct(n, rng)
        chances = posterior.probability(rows)
        rows, chances = rows[chances > 0], chances[chances > 0]
        states = posterior.states(rows, rng)
        return [World(state, chance) for state, chance in zip(states, chances.tolist(), strict=True)]
