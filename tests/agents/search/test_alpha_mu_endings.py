"""αμ with all worlds of an ending and as many moves as cards: the best pure strategy against open cards."""

import os

import numpy as np
import pytest

from skat_env.agents.search.alpha_mu import AlphaMu
from skat_env.beliefs.belief import UniformSampler
from skat_env.klaverjas import KlaverjasRules
from skat_env.protocols import State
from skat_env.skat.rules import Contract
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.pure import best_pure
from tests.helpers.endings import klaverjas_ending, skat_ending

CASES = int(os.environ.get("SKAT_ENV_ENDINGS", "25"))
OUTCOMES = {"skat": "win", "klaverjas": "made"}
MORE_THAN_ALL = 100_000


def three_cards(game: str, rng: np.random.Generator) -> State:
    """A position in which the seat to act has three cards."""
    if game == "skat":
        return skat_ending(rng, Contract(int(rng.integers(6))), 9 - int(rng.integers(3)))
    return klaverjas_ending(rng, KlaverjasRules(), 12 - int(rng.integers(4)))


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_alpha_mu_plays_the_best_pure_strategy(game: str) -> None:
    compared = fused = 0
    searcher = AlphaMu(worlds=1, m=3, bidder="random", ties=False, game=game)
    for seed in range(CASES):
        rng = np.random.default_rng([11, seed])
        state = three_cards(game, rng)
        seat = state.to_act
        view = state.view(seat)
        if state.hands[seat].bit_count() != 3 or view.legal().bit_count() == 1:
            continue
        worlds = UniformSampler().worlds(view, MORE_THAN_ALL, rng)
        decision = searcher.vote(worlds)
        ending = Ending([world.state for world in worlds], game=game, outcome=OUTCOMES[game])
        exact = best_pure(ending, seat)
        # αμ counts the own side's successes; the ending's value of the other side is what the declarer's is, negated.
        successes = exact.value + (state.side(seat) == 1)
        assert max(decision.stats["means"].values()) == pytest.approx(successes, abs=1e-9)
        assert exact.cards[decision.action] == pytest.approx(exact.value, abs=1e-9)
        compared += 1
        fused += exact.open_value > exact.value + 1e-9
    assert compared > CASES / 3
    assert fused > 0
