"""The observation against a plain twin that reads the view."""

import numpy as np
import pytest
from hypothesis import given

from skat_env import skat_v0
from skat_env.features import table, total_width
from skat_env.skat import GAME, Declaration, SkatState, SkatView
from skat_env.skat.observation import FEATURES, SLICES, WIDTH
from skat_env.skat.rules import BID_LEVEL, HIDDEN, Contract, Phase, Start
from tests.conftest import random_skat_games
from tests.skat_env.skat.test_state import positions


def bits(mask: int) -> list[int]:
    return [mask >> card & 1 for card in range(32)]


def one_hot(index: int, width: int) -> list[int]:
    return [int(i == index) for i in range(width)]


def thermometer(value: int, width: int) -> list[int]:
    return [int(i < value) for i in range(width)]


def plain_observation(view: SkatView) -> np.ndarray:
    """The observation of a view, slice by slice, from its public facts."""
    me = view.seat
    seats = [me, (me + 1) % 3, (me + 2) % 3]
    mine = view.is_soloist and view.picked_up
    plays = view.plays()
    opened = view.announcement == 3 and view.phase in (Phase.PLAY, Phase.OVER)
    played = [sum(1 << card for who, card in plays if who == seat) for seat in seats]
    tricks = [plays[i : i + 3] for i in range(0, 30, 3)]
    leaders = [trick[0][0] if trick else None for trick in tricks]
    if view.phase == Phase.PLAY and len(plays) % 3 == 0:
        leaders[len(plays) // 3] = view.leader
    before_play = view.history()[: len(view.history()) - len(plays)]
    level = 0 if view.contract == Contract.NULL else int(view.announcement)
    slices = {
        "phase": one_hot(view.phase, 8),
        "seat": one_hot(me, 3),
        "to_act": one_hot((view.to_act - me) % 3 if view.to_act >= 0 else -1, 3),
        "hand": bits(view.hand),
        "picked_up": bits(view.dealt[3] if mine and view.start != Start.CARDPLAY else 0),
        "discards": bits(view.skat if mine else 0),
        "bids": sum((thermometer(BID_LEVEL.get(view.bids[seat], 0), 63) for seat in seats), []),
        "passed": [int(view.passed[seat]) for seat in seats],
        "soloist": one_hot((view.soloist - me) % 3 if view.soloist >= 0 else -1, 3),
        "skat_decision": [int(view.picked_up), int(view.hand_game)],
        "discarded": thermometer(sum(a < 32 or a == HIDDEN for a in before_play), 2),
        "contract": one_hot(-1 if view.contract is None else view.contract, 6),
        "announced": [int(level >= 1), int(level >= 2), int(view.announcement == 3)],
        "open_hand": bits(view.hands[view.soloist] if opened else 0),
        "trick": sum(
            (bits(sum(1 << card for who, card in view.trick() if who == seat)) for seat in seats), []
        ),
        "played": sum(map(bits, played), []),
        "trick_of_card": sum((bits(sum(1 << card for _, card in trick)) for trick in tricks), []),
        "leaders": sum((one_hot(-1 if who is None else (who - me) % 3, 3) for who in leaders), []),
        "void": [int(view.is_void(seat, group)) for seat in seats[1:] for group in range(5)],
        "soloist_points": thermometer(view.points[0], 120),
        "defender_points": thermometer(view.points[1], 120),
    }
    assert list(slices) == [feature.name for feature in FEATURES]
    return np.array(sum(slices.values(), []), np.int8)


@given(positions())
def test_equal_to_the_plain_twin(state: SkatState) -> None:
    for seat in range(3):
        observation = state.observe(seat)
        expected = plain_observation(state.view(seat))
        wrong = [name for name, place in SLICES.items() if (observation[place] != expected[place]).any()]
        assert not wrong
        assert (state.view(seat).observe(seat) == observation).all()


@pytest.mark.parametrize("text", ["GHS", "NO", "CO", "D"])
def test_given_cardplays_too(text: str) -> None:
    rng = np.random.default_rng(1)
    state = SkatState.cardplay(GAME.random_deal(rng), 1, Declaration.parse(text), (18, 22, 20))
    while not state.is_over:
        for seat in range(3):
            assert (state.observe(seat) == plain_observation(state.view(seat))).all()
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])


def test_the_layout() -> None:
    assert WIDTH == total_width(FEATURES) == 1142
    assert len(SLICES) == len(FEATURES)
    state = SkatState.new(GAME.random_deal(np.random.default_rng(0)))
    observation = state.observe(2)
    assert observation.dtype == np.int8
    assert observation.shape == (WIDTH,)
    assert set(np.unique(observation)) <= {0, 1}


def without_order_of_discards(view: SkatView) -> tuple[int, ...]:
    """What a view tells, but for the order in which the soloist laid his two cards away."""
    actions = view.history()
    first = len(actions) - len(view.plays())
    discards = sorted(a for a in actions[:first] if a < 32)
    return (view.dealt, tuple(discards), tuple(a for i, a in enumerate(actions) if i >= first or a >= 32))


def test_observations_recall_perfectly() -> None:
    """Different views of the same seat have different observations."""
    seen: dict[bytes, tuple] = {}
    for state in random_skat_games(60, 5):
        while state.history():
            for seat in range(3):
                known = (seat, *without_order_of_discards(state.view(seat)))
                assert seen.setdefault(state.observe(seat).tobytes(), known) == known
            state.undo()
    assert len(seen) > 3000


def test_the_page_has_the_layout() -> None:
    assert table(FEATURES) in skat_v0.__doc__
    assert f"int8 [{WIDTH}]" in skat_v0.__doc__
    assert f"int8 [{len(GAME.actions)}]" in skat_v0.__doc__
