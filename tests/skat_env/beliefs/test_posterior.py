"""Posteriors on samples: exact where all worlds are known, equation 5.3 where they are not."""

import numpy as np
import pytest

from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import ImportanceSample, PosteriorSampler
from skat_env.protocols import View
from tests.helpers.late_skat import late_positions


def jacks_weigh(rows):
    """A made-up likelihood: a world weighs more the more jacks the seat before has."""
    jacks = np.bitwise_count(rows[:, 0] & 0x10101010)
    return 0.7 * jacks.astype(np.float64) + np.log1p(rows[:, 1] % 7)


def view_of(cards_left: int, seed: int) -> View:
    state = late_positions(cards_left, True, 1, seed)[0]
    seat = next(seat for seat in range(3) if seat != state.soloist and seat != 0)
    return state.view(seat)


def exact(view: View) -> tuple[np.ndarray, np.ndarray]:
    rows = np.concatenate([*Belief(view).enumerate()])
    odds = np.exp(jacks_weigh(rows))
    return rows, odds / odds.sum()


def test_all_worlds_give_the_exact_posterior():
    view = view_of(10, 3)
    rows, p = exact(view)
    posterior = ImportanceSample(Belief(view), rows, jacks_weigh(rows), jacks_weigh, "all")
    assert np.allclose(posterior.weights, p)
    assert np.allclose(posterior.probability(rows), p)
    bits = rows[:, None, :] >> np.arange(32, dtype=np.uint32)[:, None] & 1
    assert np.allclose(posterior.marginals(), (p[:, None, None] * bits).sum(axis=0))
    assert np.isclose(posterior.effective_size, 1 / (p**2).sum())


@pytest.mark.parametrize("how", ["independent", "distinct"])
def test_equation_5_3_is_what_samples_give_on_average(how):
    view = view_of(11, 3)
    belief = Belief(view)
    rows, _ = exact(view)
    row, n, rng = rows[5], 40, np.random.default_rng(0)
    assert n < belief.count
    shares, estimates = [], []
    for _ in range(4000):
        drawn = (belief.sample if how == "independent" else belief.sample_distinct)(n, rng)
        posterior = ImportanceSample(belief, drawn, jacks_weigh(drawn), jacks_weigh, how)
        shares.append(posterior.weights[(drawn == row).all(axis=1)].sum())
        estimates.append(posterior.probability(row[None])[0])
    error = np.std(shares) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - np.mean(estimates)) < 4 * error


def test_a_sample_has_each_world_as_often_as_its_weight_says():
    view = view_of(11, 3)
    rows, _ = exact(view)
    odds = jacks_weigh(rows)
    odds[:: len(rows) // 7] = -np.inf
    posterior = ImportanceSample(Belief(view), rows, odds, jacks_weigh, "all")
    rng = np.random.default_rng(0)
    number = {row.tobytes(): place for place, row in enumerate(rows)}
    for n in (1, 2, 40, 3 * len(rows)):
        counts, early = np.zeros(len(rows)), np.zeros(len(rows))
        for _ in range(2000):
            drawn = [number[row.tobytes()] for row in posterior.sample(n, rng)]
            found = np.bincount(drawn, minlength=len(rows))
            assert (np.abs(found - n * posterior.weights) < 1).all()
            counts += found
            early[drawn[0]] += 1
        # Of each world the counts are off by less than 1 in every draw, and right on average, the first draw's too.
        for seen, times in ((counts, n), (early, 1)):
            expected = 2000 * times * posterior.weights
            assert (np.abs(seen - expected) <= 5 * np.sqrt(expected)).all()
    assert posterior.sample(0, rng).shape == (0, rows.shape[1])


def test_worlds_that_are_hardly_ever_drawn_are_possible():
    view = view_of(11, 3)
    weights = np.ones((32, 4))
    rare = next(Belief(view).enumerate())[0]
    for place, cards in enumerate(rare.tolist()):
        weights[[card for card in range(32) if cards >> card & 1], place] = 1e-3
    belief = Belief(view, weights)
    n, chance = 40, float(belief.probability(rare[None])[0])
    assert 0 < chance * n < 1e-7
    drawn = belief.sample(n, np.random.default_rng(0))
    posterior = ImportanceSample(belief, drawn, jacks_weigh(drawn), jacks_weigh, "independent")
    drawn_odds = np.exp(jacks_weigh(drawn)) / belief.probability(drawn)
    odds = float(np.exp(jacks_weigh(rare[None]))[0]) / chance
    expected = n * chance * odds / (odds + (n - 1) * drawn_odds.mean())
    assert posterior.probability(rare[None])[0] == pytest.approx(expected, rel=1e-6)


def test_a_proposal_is_weighed_back():
    view = view_of(11, 4)
    rows, _ = exact(view)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, (32, 4))
    belief = Belief(view, weights)
    drawn = belief.sample(20_000, np.random.default_rng(2))
    posterior = ImportanceSample(belief, drawn, jacks_weigh(drawn), jacks_weigh, "independent")
    expected = ImportanceSample(Belief(view), rows, jacks_weigh(rows), jacks_weigh, "all").marginals()
    assert np.abs(posterior.marginals() - expected).max() < 0.03


def test_worlds_that_cannot_be_leave_the_belief_as_it_was():
    view = view_of(10, 3)
    rows, _ = exact(view)
    nothing = np.full(len(rows), -np.inf)
    posterior = ImportanceSample(Belief(view), rows, nothing, lambda rows: np.full(len(rows), -np.inf), "all")
    assert posterior.fell_back
    assert np.allclose(posterior.probability(rows), 1 / len(rows))


def test_a_sampler_gives_worlds_by_their_probability():
    class Jacks(PosteriorSampler):
        name = "jacks"

        def posterior(self, view, rng):
            rows = np.concatenate([*Belief(view).enumerate()])
            return ImportanceSample(Belief(view), rows, jacks_weigh(rows), jacks_weigh, "all")

    view = view_of(10, 3)
    rows, p = exact(view)
    rng = np.random.default_rng(0)
    worlds = Jacks().worlds(view, len(rows), rng)
    assert all(world.state.view(view.seat) == view for world in worlds)
    order = [int((rows == Belief(view).row(world.state)).all(axis=1).argmax()) for world in worlds]
    assert sorted(order) == list(range(len(rows))) != order
    assert np.allclose([world.weight for world in worlds], p[order])
    drawn = [
        tuple(Belief(view).row(world.state)) for _ in range(200) for world in Jacks().worlds(view, 20, rng)
    ]
    assert np.isclose(
        drawn.count(tuple(rows[p.argmax()])) / len(drawn), p.max(), atol=4 * np.sqrt(p.max() / len(drawn))
    )
