"""Endings as games of OpenSpiel: exact values, best responses, and starts that are none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skat_env.beliefs.belief import Belief
from skat_env.klaverjas import KlaverjasView
from skat_env.protocols import World
from skat_env.registry import get_game
from skat_env.skat import SkatView
from tests.conftest import random_games
from tests.helpers.late_positions import late_positions
from tests.helpers.sequence_form import value_of

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")

from open_spiel.python.algorithms import best_response, expected_game_score, exploitability  # noqa: E402

from skat_env.openspiel import AgentPolicy, ending_game, native_game  # noqa: E402

VIEWS = {
    "skat": (
        "DT.DJ.H8.HT.HQ.S9.SK.SA.C9.CJ/?/?/? seat=0 declarer=0 bids=18,0,0 game=GH : CJ DQ SJ HT HA HK D9 DK DT SA S8 ST "
        "SK H9 S7 H8 D7 H7 C9 CK CT C8 HQ CQ",
        "?/DK.DA.H7.S8.S9.ST.SJ.SK.C9.CA/?/? seat=1 declarer=0 bids=18,0,0 game=GH : D8 DK D9 CA CQ C7 S9 SQ SA H8 H7 HQ "
        "CK S7 C9 H9 HK ST HJ SJ DJ S8 DT D7",
        "?/?/DQ.DK.DA.H9.HQ.S8.S9.CT.CQ.CK/? seat=2 declarer=0 bids=18,0,0 game=G : CA C8 CQ HJ DJ S9 D8 D9 DQ HQ HA H8 "
        "D7 DT DK H7 H9 SK CK C7 HT DA SJ ST",
    ),
    "klaverjas": (
        "?/?/D9.DJ.DQ.DK.H7.S8.SK.C9/? seat=2 declarer=1 trump=H : CJ C7 C9 HT ST S7 SJ SK DT HA D7 DQ C8 CQ H7 HK DA H8 "
        "H9 DJ CK S8 HQ CA",
        "?/?/D8.DT.DA.H9.HT.S8.ST.CJ/? seat=2 declarer=1 trump=D : HK HA HT H8 CQ CJ C7 C9 D9 DA DK D7 CT D8 CK DQ S9 SK "
        "S8 SQ DJ DT C8 HQ",
    ),
}
"""Two tricks before the end, views in which both sides must mix."""
CLASSES = {"skat": SkatView, "klaverjas": KlaverjasView}
UNITS = {"skat": "card_points", "klaverjas": "score"}


def lead_of(name: str) -> Callable[[Any], float]:
    """(finished state) -> the points of the declarer's side minus those of the other."""

    def lead(state: Any) -> float:
        points = {state.side(seat): got for seat, got in enumerate(state.returns(UNITS[name]))}
        return float(points[0] - points[1])

    return lead


def solved(game: Any, iterations: int) -> tuple[float, float]:
    """The first player's value and the exploitability after iterations of CFR+."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    value = pyspiel.expected_returns(game.new_initial_state(), average, -1, False)[0]
    return value, pyspiel.exploitability(game, average)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name, texts in VIEWS.items() for text in texts],
    ids=lambda text: text[:9],
)
def test_cfr_converges_to_the_exact_value(name: str, text: str) -> None:
    """The linear programme knows our rules only; CFR+ knows them by way of OpenSpiel."""
    view = CLASSES[name].parse(text)
    game = ending_game(view, "sides", UNITS[name])
    assert len(game.variant.starts) == Belief(view).count > 10
    exact = value_of(game.variant.starts, len(get_game(name).seats), lead_of(name))
    assert exact * len(game.variant.starts) != pytest.approx(round(exact * len(game.variant.starts)))
    value, gap = solved(native_game(game), 600)
    assert value == pytest.approx(exact, abs=1e-3)
    assert gap < 1e-2


@pytest.mark.parametrize("name", list(VIEWS))
def test_the_tree_in_cpp_is_the_same(name: str) -> None:
    position = late_positions(name, 2, 1, seed=2)[0]
    game = ending_game(position, "sides")
    assert solved(game, 3) == pytest.approx(solved(native_game(game), 3))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(VIEWS))
def test_values_of_weighted_worlds_and_of_single_ones(name: str) -> None:
    """Random weights; and a single world, in which all cards are known, is worth its minimax value."""
    position = late_positions(name, 2, 1, seed=3)[0]
    seats = len(get_game(name).seats)
    belief = Belief(position.view(position.to_act))
    rng = np.random.default_rng(4)
    rows = np.concatenate([*belief.enumerate()])
    states = [belief.state(row, np.random.default_rng(0)) for row in rows]
    worlds = [
        World(state, weight) for state, weight in zip(states, rng.uniform(0.5, 2, len(states)), strict=True)
    ]
    for start in (worlds, [World(position, 3.0)]):
        exact = value_of(start, seats, lead_of(name))
        value, _ = solved(native_game(ending_game(start, "sides", UNITS[name])), 600)
        assert value == pytest.approx(exact, abs=1e-3)
    single = ending_game(position, "sides", UNITS[name])
    assert value_of(single.variant.starts, seats, lead_of(name)) == pytest.approx(
        minimax(position, lead_of(name))
    )


def minimax(state: Any, lead: Callable[[Any], float]) -> float:
    if state.is_over:
        return lead(state)
    values = []
    for action in state.legal_actions():
        state.apply(action)
        values.append(minimax(state, lead))
        state.undo()
    return max(values) if state.side(state.to_act) == 0 else min(values)


@pytest.mark.parametrize("name", list(VIEWS))
def test_seats_tell_worlds_apart_by_their_own_cards_only(name: str) -> None:
    """From a view, worlds in which a seat holds the same cards are one information set of that seat."""
    for text in VIEWS[name]:
        game = ending_game(CLASSES[name].parse(text))
        for seat in range(game.num_players()):
            held: dict[int, set[str]] = {}
            for start in game.variant.starts:
                # The soloist also knows the skat, unless he plays from the hand.
                view = start.state.view(seat)
                held.setdefault(hash(view.places), set()).add(view.text())
            assert all(len(texts) == 1 for texts in held.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", list(VIEWS))
def test_best_responses_to_agents(name: str) -> None:
    """No agent, and no policy of OpenSpiel, gets more against the others than the best response of its seat."""
    position = late_positions(name, 2, 1, seed=5)[0]
    game = ending_game(position.view(position.to_act), unit=UNITS[name])
    rule = AgentPolicy("rule", game)
    random = AgentPolicy("random", game, seed=1)
    root = game.new_initial_state()
    level = expected_game_score.policy_value(root, [rule] * game.num_players())
    for player in range(game.num_players()):
        best = best_response.BestResponsePolicy(game, player, rule).value(root)
        mixed = [random if seat == player else rule for seat in range(game.num_players())]
        assert best >= level[player] - 1e-9
        assert best >= expected_game_score.policy_value(root, mixed)[player] - 1e-9
    assert exploitability.nash_conv(game, random) > 0


def test_starts_that_are_no_endings() -> None:
    position = late_positions("klaverjas", 5, 1, seed=6)[0]
    with pytest.raises(ValueError, match="is no ending: 5 tricks are left, the limit is 4"):
        ending_game(position)
    over = random_games(get_game("skat"), 1, seed=1)[0]
    with pytest.raises(ValueError, match="is over: a game of given positions begins in the cardplay"):
        ending_game(over)
    with pytest.raises(ValueError, match=r"the view allows [\d,]+ worlds, the limit is 1,000"):
        ending_game(position.view(0), max_tricks=5)
    worlds = [World(position, 1.0)] * 3
    with pytest.raises(ValueError, match="the ending has 3 worlds, the limit is 2"):
        ending_game(worlds, max_tricks=5, max_worlds=2)
    with pytest.raises(ValueError, match="expected a State, a View or a list of World"):
        ending_game([])
    with pytest.raises(ValueError, match="a list"):
        ending_game(7)
    with pytest.raises(ValueError, match=r"a world of weight 0\.0: expected a number above 0"):
        ending_game([World(position, 0.0)], max_tricks=5)
    skat = late_positions("skat", 2, 1, seed=6)[0]
    with pytest.raises(ValueError, match="the worlds of an ending are of one game"):
        ending_game([World(skat, 1.0), World(position, 1.0)], max_tricks=5)
    with pytest.raises(ValueError, match="unknown value of the parameter 'players' 'teams'"):
        ending_game(skat, "teams")
    with pytest.raises(ValueError, match="max_tricks=0"):
        ending_game(skat, max_tricks=0)
