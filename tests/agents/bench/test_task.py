"""The tasks of the benchmark: what defines them does not change, and what they are measured on is not learnt from."""

import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test

import skat_env
from skat_env.agents.bench import TASKS, get_task
from skat_env.agents.bench.task import EVALUATION, TRAINING, shipped
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.errors import OptionError, UnknownName
from skat_env.play.starts import Positions
from skat_env.registry import get_game

DIGESTS = {
    "SkatSuit-v0": "4c76ffa9f6cc6ad8",
    "SkatGrand-v0": "f8657b023c792c6c",
    "SkatNull-v0": "4669bcd565ae7c38",
    "SkatDefence-v0": "1b8b3a258082b68a",
    "SkatEnding-v0": "3bc296d51d2311f9",
    "SkatWhole-v0": "8d42c6d5f939642e",
    "KlaverjasCards-v0": "6a91eb40c01250b7",
    "KlaverjasWhole-v0": "08311b5452f1407e",
}
"""What the tasks are, as they were when their results were published."""


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_what_it_was(name: str) -> None:
    assert TASKS[name].digest == DIGESTS[name]


@pytest.mark.parametrize("name", TASKS)
def test_no_deal_is_both_learnt_from_and_measured_on(name: str) -> None:
    task = TASKS[name]
    measured = {state.dealt for state in task.evaluation_starts()}
    assert len(task.evaluation_starts()) == EVALUATION
    source = task.start_source()
    learnt = (
        source.states
        if isinstance(source, Positions)
        else [source(np.random.default_rng(i)) for i in range(200)]
    )
    assert not measured & {state.dealt for state in learnt}


@pytest.mark.parametrize("kind", ["suit", "grand", "null"])
def test_starts_that_ship_are_of_their_kind(kind: str) -> None:
    learnt, measured = shipped("skat", kind)
    assert (len(learnt), len(measured)) == (TRAINING, EVALUATION)
    assert {state.kind for state in learnt + measured} == {kind}
    assert all(state.stage == "cardplay" and not state.plays() for state in learnt + measured)


def test_endings_have_three_tricks_left() -> None:
    assert {len(state.plays()) for state in shipped("skat", "ending")[1]} == {21}


@pytest.mark.parametrize("name", TASKS)
def test_seats_of_an_evaluation_are_of_the_side(name: str) -> None:
    task = TASKS[name]
    starts = task.evaluation_starts()
    seats = task.seats(starts)
    if task.seat is None:
        counts = np.bincount(seats)
        assert counts.max() - counts.min() <= 1
        return
    wanted = int(task.seat == "defence")
    assert {state.side(seat) for state, seat in zip(starts, seats, strict=True)} == {wanted}


@pytest.mark.parametrize("name", TASKS)
def test_environments_have_the_ids_of_tasks(name: str) -> None:
    env = gymnasium.make(f"skat_env/{name}")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    state = env.unwrapped.state
    if isinstance(TASKS[name].seat, str):
        assert state.side(info["seat"]) == int(TASKS[name].seat == "defence")
    vector = gymnasium.make_vec(f"skat_env/{name}", num_envs=3, opponents="random")
    assert isinstance(vector, SeatVectorEnv)
    vector.reset(seed=1)
    tables = [TASKS[name].aec()]
    if hasattr(pettingzoo, "make"):
        tables.append(pettingzoo.make("aec", f"skat_env/{name}"))
    for table in tables:
        table.reset(seed=1)
        played = table.unwrapped
        assert played.scale == TASKS[name].scale  # type: ignore[attr-defined]
        assert played.game_state.rules == TASKS[name].rule_options  # type: ignore[attr-defined]
        if TASKS[name].starts:
            learnt = TASKS[name].start_source()
            assert isinstance(learnt, Positions)
            assert played.game_state in learnt.states  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry since 1.27")
@pytest.mark.parametrize("name", ["SkatDefence-v0", "KlaverjasWhole-v0"])
def test_pettingzoo_knows_tasks(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # api_test warns of observations that are dicts
        api_test(pettingzoo.make("aec", f"skat_env/{name}"), num_cycles=200)
    with pytest.raises(OptionError, match="start 0 of training is a deal that"):
        TASKS["SkatSuit-v0"].aec(starts=Positions(TASKS["SkatSuit-v0"].evaluation_starts()[:1]))


@pytest.mark.parametrize("side", ["declaring", "defence"])
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_a_side_has_the_seat_in_every_game(side: str, opponents: str) -> None:
    states = shipped("skat", "suit")[0][:50]
    env = SeatVectorEnv("skat", 16, seat=side, opponents=opponents, start=Positions(states))
    seen, _ = env.reset(seed=5)
    sides = set()
    for _ in range(40):
        batch = env._lanes.batch
        for lane in range(16):
            state = batch.position(lane)
            if not state.is_over:
                sides.add(state.side(int(batch.seats[lane])))
                assert state.to_act == batch.seats[lane]
        seen, *_ = env.step(seen["action_mask"].argmax(1))
    assert sides == {int(side == "defence")}


def test_a_side_needs_somebody_who_has_declared() -> None:
    with pytest.raises(OptionError, match="seat=declaring: expected a start at which somebody has declared"):
        gymnasium.make("skat_env/Skat-v0", seat="declaring").reset(seed=1)
    with pytest.raises(OptionError, match="seat=declaring"):
        SeatVectorEnv("skat", 2, seat="declaring").reset(seed=1)


def test_a_deal_that_is_measured_on_is_refused_in_training() -> None:
    task = get_task("SkatSuit-v0")
    own = Positions([*shipped("skat", "suit")[0][:3], task.evaluation_starts()[7]])
    with pytest.raises(OptionError, match="start 3 of training is a deal that SkatSuit-v0 is measured on"):
        task.vector(2, starts=own)


@pytest.mark.parametrize("option", [{"scale": 1.0}, {"start": "cardplay"}, {"rules": None}, {"game": "skat"}])
def test_what_the_task_says_is_no_option(option: dict) -> None:
    task = get_task("SkatSuit-v0")
    [name] = option
    for make in (
        lambda: task.vector(2, **option),
        lambda: task.single(**option),
        lambda: task.aec(**option),
        lambda: task.self_play(2, **option),
        lambda: gymnasium.make("skat_env/SkatSuit-v0", **option),
    ):
        with pytest.raises(OptionError, match=f"SkatSuit-v0 with {name}=.*given as 'starts'"):
            make()


@pytest.mark.parametrize("name", ["SkatSuit-v0", "SkatEnding-v0"])
def test_games_of_many_begin_at_all_starts(name: str) -> None:
    task = get_task(name)
    source = task.start_source()
    assert isinstance(source, Positions)
    games = task.self_play(4096)
    seen = set()
    for seed in range(8):
        games.reset(seed=seed)
        seen |= {games.state(lane).dealt for lane in range(4096)}
    assert seen <= {state.dealt for state in source.states}
    assert len(seen) > 0.95 * len({state.dealt for state in source.states})


def test_unknown_task() -> None:
    with pytest.raises(UnknownName, match="SkatSuit-v0"):
        get_task("SkatSuits-v0")


def test_the_registered_names_are_the_tasks() -> None:
    assert tuple(TASKS) == skat_env._TASKS
    assert {task.game for task in TASKS.values()} <= {get_game(name).name for name in ("skat", "klaverjas")}
