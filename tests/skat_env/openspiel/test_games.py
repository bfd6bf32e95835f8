"""Our games as games of OpenSpiel: its own tests, and ours of what its algorithms rely on."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skat_env.beliefs.belief import Belief
from skat_env.protocols import World
from skat_env.registry import get_game
from tests.conftest import ROOT, klaverjas_positions, random_games, skat_positions
from tests.helpers.late_positions import late_positions

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")

from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts  # noqa: E402

from skat_env.openspiel import Resampler, ending_game, spiel_name, state_at  # noqa: E402

GAMES = ("skat", "klaverjas")
GRAND = "declarer=0 bids=18,0,0 game=G"
STRINGS = (
    "skat_env_skat()",
    "skat_env_skat(play_out=True)",
    "skat_env_skat(unit=card_points)",
    "skat_env_skat(head=declarer%3D0 bids%3D18%2C0%2C0 game%3DGH)",
    "skat_env_klaverjas()",
    "skat_env_klaverjas(choice=free,four_jacks=100,legality=amsterdam,pit=both,tie=made)",
    "skat_env_klaverjas(choice=forced,unit=score)",
    "skat_env_klaverjas(head=declarer%3D1 trump%3DS)",
)
both_games = pytest.mark.parametrize("name", GAMES)


@pytest.mark.parametrize("text", STRINGS)
def test_openspiels_own_test_passes(text: str) -> None:
    """Random games, in which states are cloned, written and read, and compared with what the game says of itself."""
    game = pyspiel.load_game(text)
    assert str(game) == text
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)


@both_games
@pytest.mark.parametrize("players", ["seats", "sides"])
def test_openspiels_own_test_passes_on_endings(name: str, players: str) -> None:
    for position in late_positions(name, 2, 3, seed=1):
        game = ending_game(position.view(position.to_act), players)
        pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)


def without_tensors(text: str) -> str:
    """A playthrough without its tensors: they are the observations, which have golden data of their own."""
    kept, skipping = [], False
    for line in text.splitlines():
        # A tensor begins with its name and goes on in lines of nothing but circles.
        skipping = "Tensor(" in line or (skipping and not line.strip(" ◯◉"))
        if not skipping:
            kept.append(line.rstrip())
    return "\n".join(kept) + "\n"


@both_games
def test_playthroughs_are_the_golden_ones(name: str) -> None:
    """To write them anew: `python -m tests.skat_env.openspiel.test_games`."""
    golden = (ROOT / "tests" / "golden" / f"openspiel_{name}.txt").read_text()
    assert without_tensors(playthrough(name)) == golden


PLAYED = {
    "skat": f"skat_env_skat(head={GRAND.replace('=', '%3D').replace(',', '%2C')})",
    "klaverjas": "skat_env_klaverjas(choice=free)",
}


def playthrough(name: str) -> str:
    return str(generate_playthrough.playthrough(PLAYED[name], None, seed=1))


@both_games
@given(data=st.data())
def test_states_are_our_positions(name: str, data: st.DataObject) -> None:
    """At every step: legal actions, who acts, what everybody knows and sees, results, the way back to the state."""
    position = data.draw({"skat": skat_positions, "klaverjas": klaverjas_positions}[name]())
    game = pyspiel.load_game(spiel_name(name), {"head": position.head()})
    state = state_at(game, position)
    seats = range(len(get_game(name).seats))
    while True:
        assert str(state) == position.text()
        assert state.is_terminal() == position.is_over
        assert state.returns() == [float(each) for each in position.returns()]
        for seat in seats:
            assert state.information_state_string(seat) == position.view(seat).text()
            assert np.array_equal(state.information_state_tensor(seat), position.observe(seat))
            assert np.array_equal(state.observation_tensor(seat), position.observe(seat))
            assert state.observation_string(seat) == get_game(name).render(position, seat)
        if position.is_over:
            break
        assert state.current_player() == position.to_act
        assert state.legal_actions() == position.legal_actions()
        action = data.draw(st.sampled_from(position.legal_actions()))
        state.apply_action(action)
        position.apply(action)
    again = game.deserialize_state(state.serialize())
    assert str(again) == str(state)
    assert again.history() == state.history() == state.clone().history()


@both_games
def test_all_deals_are_equally_likely(name: str) -> None:
    about = get_game(name)
    game = pyspiel.load_game(spiel_name(name))
    deals = math.factorial(32)
    for size in about.place_sizes:
        deals //= math.factorial(size)
    heads = {"skat": 1, "klaverjas": 16}[name]
    for position in random_games(about, 5, seed=3):
        while position.history():
            position.undo()
        state, likely = game.new_initial_state(), 1.0
        for outcome in state.variant.path(position):
            chances = dict(state.chance_outcomes())
            assert sum(chances.values()) == pytest.approx(1)
            likely *= chances[outcome]
            state.apply_action(outcome)
        assert likely * deals * heads == pytest.approx(1)
        assert str(state) == position.text()
        assert len(state.history()) == game.max_chance_nodes_in_history()


@both_games
@given(data=st.data())
def test_resampled_states_keep_what_the_player_knows(name: str, data: st.DataObject) -> None:
    position = data.draw({"skat": skat_positions, "klaverjas": klaverjas_positions}[name]())
    game = pyspiel.load_game(spiel_name(name), {"head": position.head()})
    state = state_at(game, position)
    for player in range(game.num_players()):
        other = state.resample_from_infostate(player, pyspiel.UniformProbabilitySampler(1, 0.0, 1.0))
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.current_player() == state.current_player()
        replayed = game.new_initial_state()
        for action in other.history():
            replayed.apply_action(action)
        assert str(replayed) == str(other)
        while not other.is_terminal():
            other.apply_action(other.legal_actions()[-1])


@both_games
def test_resampled_states_differ(name: str) -> None:
    position = late_positions(name, 5, 1, seed=2)[0]
    state = state_at(pyspiel.load_game(spiel_name(name), {"head": position.head()}), position)
    player = position.to_act
    drawn = {str(Resampler(seed)(state, player)) for seed in range(20)}
    assert len(drawn) > 10
    assert drawn == {str(Resampler(seed)(state, player)) for seed in range(20)}
    sampler = [pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0) for seed in range(20)]
    assert len({str(state.resample_from_infostate(player, each)) for each in sampler}) > 10


@both_games
def test_positions_are_resampled_by_their_weights(name: str) -> None:
    """After some cards of an ending the worlds that are still possible come up as often as their weights say."""
    position = late_positions(name, 3, 1, seed=4)[0]
    seat = position.to_act
    belief = Belief(position.view(seat))
    rows = np.concatenate([*belief.enumerate()])
    rng = np.random.default_rng(5)
    states = [belief.state(row, np.random.default_rng(0)) for row in rows]
    worlds = [
        World(state, float(weight))
        for state, weight in zip(states, rng.uniform(0.2, 2, len(states)), strict=True)
    ]
    state = state_at(ending_game(worlds), states[0])
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    known = state.information_state_string(seat)
    expected: dict[str, float] = {}
    for world in worlds:
        other = world.state.clone()
        for action in state.position.history()[len(states[0].history()) :]:
            if not other.legal() >> action & 1:
                break
            other.apply(action)
        else:
            if other.view(seat).text() == known:
                expected[other.text()] = world.weight
    resample = Resampler(6)
    drawn = [str(resample(state, seat)) for _ in range(1500)]
    assert set(drawn) <= set(expected)
    assert 1 < len(expected) < len(worlds)
    total = sum(expected.values())
    counts = [drawn.count(text) for text in expected]
    assert stats.chisquare(counts, [1500 * weight / total for weight in expected.values()]).pvalue > 1e-3


@both_games
def test_openspiels_tree_search_plays(name: str) -> None:
    position = late_positions(name, 4, 1, seed=7)[0]
    game = pyspiel.load_game(spiel_name(name), {"head": position.head()})

    def played(seed: int) -> list[int]:
        state = state_at(game, position)
        random = np.random.RandomState(seed)
        bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 50.0, 30, random_state=random)
        bot.set_resampler(Resampler(seed))
        while not state.is_terminal():
            state.apply_action(int(bot.step(state)))
        return [int(action) for action in state.history()]

    assert played(1) == played(1)


@both_games
def test_bounds_hold_in_random_games(name: str) -> None:
    about = get_game(name)
    for unit in about.reward_units:
        game = pyspiel.load_game(spiel_name(name), {"unit": unit})
        for state in random_games(about, 300, seed=8):
            assert all(game.min_utility() <= each <= game.max_utility() for each in state.returns(unit))
            assert len(state.history()) <= game.max_game_length()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"legality": "utrecht"}, "unknown value of the rule 'legality' 'utrecht'"),
        ({"four_jacks": 300}, "unknown value of the rule 'four_jacks' '300'"),
        ({"players": "teams"}, "unknown value of the parameter 'players' 'teams'"),
        ({"unit": "euro"}, "unknown reward unit 'euro'"),
        ({"players": "sides"}, "players=sides needs the parameter position"),
        ({"head": "trump=S"}, "declarer"),
        ({"head": "declarer=0 trump=S", "legality": "amsterdam"}, "rule options beside the parameter head"),
        ({"head": "declarer=0 trump=S", "position": "x"}, "exclude each other"),
        ({"position": "x"}, "the colon or the deal is missing"),
        ({"position": "-1*x :"}, "'-1' is no weight of a position"),
        ({"position": "many*x :"}, "'many' is no weight of a position"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r"^.+$") as error:
        pyspiel.load_game("skat_env_klaverjas", parameters)
    assert said in str(error.value)


def test_openspiel_names_unknown_options() -> None:
    with pytest.raises(pyspiel.SpielError, match="colour"):
        pyspiel.load_game("skat_env_skat", {"colour": "red"})


def test_positions_elsewhere_are_refused() -> None:
    skat, klaverjas = get_game("skat"), get_game("klaverjas")
    fresh = skat.state.random(np.random.default_rng(1))
    with pytest.raises(
        ValueError, match="is in the auction: a game of given positions begins in the cardplay"
    ):
        pyspiel.load_game("skat_env_skat", {"position": fresh.text()})
    over = random_games(klaverjas, 1, seed=1)[0]
    with pytest.raises(ValueError, match="is over"):
        pyspiel.load_game("skat_env_klaverjas", {"position": over.text()})
    game = pyspiel.load_game("skat_env_skat", {"head": GRAND})
    with pytest.raises(ValueError, match="has no start from which"):
        state_at(game, fresh)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["skat_env.openspiel", "skat_env.agents.search.openspiel_ismcts"])
def test_a_missing_openspiel_is_one_sentence(module: str) -> None:
    code = f"import sys; sys.modules.update(pyspiel=None, open_spiel=None); import {module}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert (
        last
        == "ImportError: skat_env.openspiel needs open_spiel: pip install '.[interop]' in the checkout of skat_env"
    )


@pytest.mark.slow
def test_programs_end_well() -> None:
    """OpenSpiel frees the registered games after Python has ended."""
    code = "import pyspiel, skat_env.openspiel; game = pyspiel.load_game('skat_env_skat'); game.new_initial_state()"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


if __name__ == "__main__":
    for game_name in GAMES:
        Path(ROOT / "tests" / "golden" / f"openspiel_{game_name}.txt").write_text(
            without_tensors(playthrough(game_name))
        )
