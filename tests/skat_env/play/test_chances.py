"""The probabilities of what an agent does."""

import numpy as np
import pytest

from skat_env.errors import OptionError
from skat_env.play.chances import chances, require_chances
from skat_env.registry import get_game, make_agent
from tests.helpers.endings import skat_choice
from tests.helpers.scripted import Likely, Lowest, Undecided


def test_chances_are_those_of_the_agent() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        state = skat_choice(rng, "C", 9)
        view = state.view(state.to_act)
        legal = view.legal_actions()
        [sure] = chances(Lowest(), [view])
        assert sure[legal[0]] == 1
        assert sure.sum() == 1
        [even] = chances(make_agent("random", "skat"), [view])
        assert even[legal] == pytest.approx(1 / len(legal))
        agent = Likely()
        [likely] = chances(agent, [view])
        counts = np.bincount([agent.decide(view, rng).action for _ in range(2000)], minlength=64)
        assert counts / 2000 == pytest.approx(likely, abs=0.06)


def test_policies_draw_by_their_weights() -> None:
    state = skat_choice(np.random.default_rng(1), "C", 15)
    view = state.view(state.to_act)
    drawn, best = make_agent("policy(cardplay=sample)", "skat"), make_agent("policy", "skat")
    [found] = chances(drawn, [view])
    assert found == pytest.approx(drawn.decide(view, np.random.default_rng(0)).weights, abs=1e-6)
    assert 0 < found.max() < 1
    [sure] = chances(best, [view])
    assert sure[int(found.argmax())] == 1


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_agents_without_probabilities_are_refused(game: str) -> None:
    require_chances(make_agent("rule", game), get_game(game))
    require_chances(Likely(), get_game(game))
    for agent, told in (
        (Undecided(), "undecided uses chance"),
        (make_agent("pimc(worlds=2, bidder=random)", game), "uses chance"),
        (make_agent("pimc(worlds=2, bidder=random, belief=cheating)", game), "sees all cards"),
        (make_agent("ismcts(simulations=2, bidder=random)", game), "remembers its games"),
    ):
        with pytest.raises(OptionError, match=told):
            require_chances(agent, get_game(game))
