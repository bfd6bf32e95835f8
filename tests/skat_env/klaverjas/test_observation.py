"""The observation of Klaverjas against a plain twin that reads the view."""

import numpy as np
from hypothesis import given

from skat_env import klaverjas_v0
from skat_env.features import table, total_width
from skat_env.klaverjas import GAME, KlaverjasRules, KlaverjasState, KlaverjasView
from skat_env.klaverjas.observation import FEATURES, SLICES, WIDTH
from skat_env.klaverjas.rules import PASS, Phase
from tests.conftest import klaverjas_positions, random_games
from tests.skat_env.klaverjas.test_rules import defined_exclusions


def bits(mask: int) -> list[int]:
    return [mask >> card & 1 for card in range(32)]


def one_hot(index: int, width: int) -> list[int]:
    return [int(i == index) for i in range(width)]


def thermometer(value: int, width: int) -> list[int]:
    return [int(i < value) for i in range(width)]


def plain_observation(view: KlaverjasView) -> np.ndarray:
    """The observation of a view, slice by slice, from its public facts."""
    me = view.seat
    seats = [(me + i) % 4 for i in range(4)]
    teams = [me % 2, 1 - me % 2]
    plays = view.plays()
    tricks = [plays[i : i + 4] for i in range(0, 32, 4)]
    leaders = [trick[0][0] if trick else None for trick in tricks]
    if view.phase == Phase.PLAY and len(plays) % 4 == 0:
        leaders[len(plays) // 4] = view.leader
    passes = view.history().count(PASS)
    excluded = [0 if view.trump is None else defined_exclusions(view, seat) for seat in seats[1:]]
    slices = {
        "phase": one_hot(view.phase, 3),
        "forehand": one_hot((view.forehand - me) % 4, 4),
        "to_act": one_hot((view.to_act - me) % 4 if view.to_act >= 0 else -1, 4),
        "hand": bits(view.hand),
        "passed": [int((seat - view.forehand) % 4 < passes) for seat in seats],
        "declarer": one_hot((view.declarer - me) % 4 if view.declarer >= 0 else -1, 4),
        "trump": one_hot(-1 if view.trump is None else view.trump, 4),
        "trick": sum(
            (bits(sum(1 << card for who, card in view.trick() if who == seat)) for seat in seats), []
        ),
        "played": sum((bits(sum(1 << card for who, card in plays if who == seat)) for seat in seats), []),
        "trick_of_card": sum((bits(sum(1 << card for _, card in trick)) for trick in tricks), []),
        "leaders": sum((one_hot(-1 if who is None else (who - me) % 4, 4) for who in leaders), []),
        "excluded": sum(map(bits, excluded), []),
        "points": sum((thermometer(view.points[team], 162) for team in teams), []),
        "roem": sum((thermometer(view.roem[team] // 10, 50) for team in teams), []),
        "tricks": sum((thermometer(view.tricks[team], 8) for team in teams), []),
    }
    assert list(slices) == [feature.name for feature in FEATURES]
    return np.array(sum(slices.values(), []), np.int8)


@given(klaverjas_positions())
def test_equal_to_the_plain_twin(state: KlaverjasState) -> None:
    for seat in range(4):
        observation = state.observe(seat)
        expected = plain_observation(state.view(seat))
        wrong = [name for name, place in SLICES.items() if (observation[place] != expected[place]).any()]
        assert not wrong


def test_the_layout() -> None:
    assert WIDTH == total_width(FEATURES) == 1135
    assert len(SLICES) == len(FEATURES)
    observation = KlaverjasState.random(np.random.default_rng(0)).observe(2)
    assert observation.dtype == np.int8
    assert observation.shape == (WIDTH,)


def test_observations_recall_perfectly() -> None:
    """Different views of the same seat have different observations."""
    seen: dict[bytes, tuple] = {}
    for choice in ("given", "free"):
        for state in random_games(GAME, 30, 5, KlaverjasRules(choice=choice)):
            while True:
                for seat in range(4):
                    view = state.view(seat)
                    known = (seat, view.dealt[seat], view.declarer, view.trump, tuple(view.history()))
                    assert seen.setdefault(state.observe(seat).tobytes(), known) == known
                if not state.history():
                    break
                state.undo()
    assert len(seen) > 7000


def test_the_page_has_the_layout() -> None:
    assert table(FEATURES) in klaverjas_v0.__doc__
    assert f"int8 [{WIDTH}]" in klaverjas_v0.__doc__
    assert f"int8 [{len(GAME.actions)}]" in klaverjas_v0.__doc__
