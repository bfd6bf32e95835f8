"""The learners of `examples/learners`: the same seed learns the same, and a small game with a known solution is learnt."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.bench.evaluate import Observing
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.task import Task, get_task
from skat_env.play.starts import Positions, StartSource
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.policy import AgentPolicy
from skat_env.solvers.endings.response import best_response, value_of
from tests.conftest import ROOT

pytest.importorskip("torch", reason="learners need the extra 'learn'")
FILES = sorted((ROOT / "examples" / "learners").glob("*.py"))
SMALL = {"games": 16, "hidden": 16}
SELF_PLAY = [path for path in FILES if path.stem != "maskable_ppo"]


@dataclass(frozen=True)
class Small(Task):
    """A task that begins in given positions."""

    positions: tuple[Any, ...] = field(default=())

    def start_source(self) -> StartSource:
        return Positions(self.positions)


def small(positions: list[Any]) -> Small:
    return Small("Small", "skat", "a small game", None, positions=tuple(positions))


def options_of(path: Path, **changes: object) -> Any:
    known = load_learner(path).module.Options.__dataclass_fields__
    return load_learner(path).options(
        tuple(f"{name}={value}" for name, value in changes.items() if name in known)
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_learner_that_goes_on_learns_what_one_that_was_not_stopped_does(path: Path) -> None:
    task = small(get_task("SkatEnding-v0").evaluation_starts()[:8])
    file, options = load_learner(path), options_of(path, **SMALL, horizon=16, batch=64, opponents="random")
    whole = file.make(task, options, 3)
    assert whole.learn(200, 7) >= 200
    kept = {name: array.copy() for name, array in whole.arrays().items()}
    second = whole.learn(200, 8)
    gone_on = file.make(task, options, 3)
    gone_on.restore(kept)
    assert gone_on.learn(200, 8) == second
    arrays, others = whole.arrays(), gone_on.arrays()
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)
    assert any((array != kept[name]).any() for name, array in arrays.items())


@pytest.mark.slow
@pytest.mark.parametrize("path", SELF_PLAY, ids=lambda path: path.stem)
def test_a_small_game_is_learnt(path: Path) -> None:
    """All worlds of what one seat knows, with three tricks left: what best responses win falls to a fifth."""
    state = get_task("SkatEnding-v0").evaluation_starts()[39]
    ending = Ending.of_view(state.view(state.to_act), game="skat", outcome="tournament_points")
    file = load_learner(path)
    learner = file.make(small(ending.states), options_of(path, games=128, hidden=32, learning_rate=0.003), 1)

    def exploited() -> float:
        agent = Observing(learner.act, getattr(learner, "chances", None))
        policies = dict.fromkeys(range(3), AgentPolicy(agent, samples=None))
        return sum(
            best_response(ending, seat, policies).value - value_of(ending, seat, policies)
            for seat in range(3)
        )

    before = exploited()
    learner.learn(30_000, 1)
    assert exploited() < before / 5
