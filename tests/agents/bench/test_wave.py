"""Waves: whose decision follows whose, advantages against a plain twin, all cards, and what an agent would do."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.agents.bench.task import get_task
from skat_env.agents.bench.wave import Wave, advantages, ask_agent, open_cards, play_wave
from skat_env.registry import make_agent


def wave(task: str = "SkatWhole-v0", games: int = 20) -> Wave:
    rng = np.random.default_rng(3)
    return play_wave(
        get_task(task).self_play(games),
        lambda observation, mask, lanes: (
            (mask * rng.random(mask.shape)).argmax(1),
            rng.random(len(mask), np.float32),
        ),
        5,
    )


def test_turns_are_the_decisions_of_each_seat_in_order() -> None:
    played = wave()
    rows = played.turns()
    assert sorted(rows[rows >= 0].tolist()) == list(range(len(played.action)))
    for line in rows:
        own = line[line >= 0]
        assert (line[len(own) :] == -1).all()
        assert len({(played.lane[row], played.seat[row]) for row in own}) == 1
        assert (np.diff(played.step[own]) > 0).all()


@pytest.mark.parametrize("gae_lambda", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("rewarded", [False, True])
def test_advantages_are_those_of_a_plain_sum(gae_lambda: float, rewarded: bool) -> None:
    played = wave()
    (value,) = played.further
    reward = np.random.default_rng(1).random(len(value), np.float32) if rewarded else None
    gain = advantages(played, value, gae_lambda, reward)
    for line in played.turns():
        own = line[line >= 0]
        after = [*value[own[1:]], played.result[own[0]]]
        errors = [
            later - value[row] + (0 if reward is None else reward[row])
            for row, later in zip(own, after, strict=True)
        ]
        for number, row in enumerate(own):
            plain = sum(gae_lambda**ahead * error for ahead, error in enumerate(errors[number:]))
            assert gain[row] == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("task", ["SkatEnding-v0", "KlaverjasCards-v0"])
def test_open_cards_begin_with_the_hand_to_act(task: str) -> None:
    games = get_task(task).self_play(12)
    step = games.reset(seed=1)
    cards = open_cards(games, np.arange(12)).reshape(12, -1, 32)
    for lane in range(12):
        places = games.state(lane).places
        seats = games.num_players
        for number, bits in enumerate(cards[lane]):
            place = (step.current_player[lane] + number) % seats if number < seats else number
            assert sum(1 << card for card in np.flatnonzero(bits).tolist()) == places[place]


def test_an_agent_says_what_it_would_do_in_each_game() -> None:
    games = get_task("SkatEnding-v0").self_play(12)
    games.reset(seed=1)
    asked = ask_agent(games, make_agent("rule", "skat"), np.arange(12), np.random.default_rng(1))
    for lane, action in enumerate(asked):
        state = games.state(lane)
        view = state.view(state.to_act)
        assert action == make_agent("rule", "skat").decide(view, np.random.default_rng(0)).action


@pytest.mark.parametrize("name", ["SkatWhole-v0", "KlaverjasWhole-v0"])
def test_an_agent_plays_the_cards_of_one_side_and_its_seats_are_left_out(name: str) -> None:
    task, rng = get_task(name), np.random.default_rng(3)
    games, rule = task.self_play(12), make_agent("rule", task.game)
    asked: dict[tuple[int, int], int] = {}

    def player(observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]) -> tuple[Any]:
        actions = (mask * rng.random(mask.shape)).argmax(1)
        for lane, action in zip(lanes.tolist(), actions.tolist(), strict=True):
            asked[lane, len(games.state(lane).history())] = action
        return (actions,)

    played = play_wave(games, player, 5, rule)
    rows = zip(
        *(each.tolist() for each in (played.lane, played.step, played.seat, played.action)), strict=True
    )
    results = dict(zip(rows, played.result.tolist(), strict=True))
    games.reset(seed=5)
    sides = set()
    for lane in range(12):
        state, own, replaced = games.state(lane), [], set()
        while not state.is_over:
            seat, step = state.to_act, len(state.history())
            if state.stage == "cardplay" and state.side(seat) == lane % 2:
                assert (lane, step) not in asked
                replaced.add(seat)
                action = rule.decide(state.view(seat), rng).action
            else:
                action = asked[lane, step]
                own.append((lane, step, seat, action))
            state.apply(action)
        gains = state.returns(None)
        for row in own:
            if row[2] in replaced:
                assert row not in results
            else:
                assert results.pop(row) == pytest.approx(gains[row[2]] * task.scale)
                sides.add((lane % 2, state.side(row[2])))
    assert not results
    assert sides >= {(0, 1), (1, 0)}
