"""The learners of `examples/learners`: the same seed learns the same, and a small game with a known solution is learnt."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from benchmarks.quality.learners import LEARNERS
from skat_env.agents.bench.evaluate import Observing
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.task import Task, get_task
from skat_env.agents.bench.wave import play_wave
from skat_env.errors import OptionError
from skat_env.play.starts import Positions, StartSource
from skat_env.registry import get_game, make_agent
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.response import nash_conv
from tests.conftest import ROOT

torch = pytest.importorskip("torch", reason="learners need the extra 'learn'")
FOLDER = ROOT / "examples" / "learners"
SMALL = {
    "games": 16,
    "hidden": 16,
    "horizon": 16,
    "batch": 64,
    "opponents": "random",
    "refresh": 3,
    "hold": 2,
}
LEARNT = {"games": 128, "hidden": 32, "learning_rate": 0.003, "refresh": 20}
FURTHER = {
    "recurrent_ppo": {"recurrent": 16},
    "imitation": {"lessons": 300},
    "deep_cfr": {"games": 16, "batch": 128, "memory": 20_000},
    "nfsp": {"anticipatory": 0.3, "batch": 128, "reuse": 4.0, "recent": 1000, "reservoir": 100},
}
"""What small games need besides."""


@dataclass(frozen=True)
class Small(Task):
    """A task that begins in given positions."""

    positions: tuple[Any, ...] = field(default=())

    def start_source(self) -> StartSource:
        return Positions(self.positions)


def small(positions: list[Any]) -> Small:
    return Small("Small", "skat", "a small game", None, positions=tuple(positions))


def made(name: str, task: Task, seed: int, **changes: object) -> Any:
    """A learner of the reference curves, with those of the changes that it knows."""
    entry = LEARNERS[name]
    for library in ("torchrl", "tianshou"):
        if name == f"{library}_ppo":
            pytest.importorskip(library, reason=f"needs the extra skat_env[{library}]")
    file = load_learner(FOLDER / f"{entry.file}.py")
    known = file.module.Options.__dataclass_fields__
    given = tuple(f"{option}={value}" for option, value in changes.items() if option in known)
    return file.make(task, file.options((*entry.changes, *given)), seed)


def test_the_reference_curves_have_all_learners() -> None:
    assert {entry.file for entry in LEARNERS.values()} == {path.stem for path in FOLDER.glob("*.py")}


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_that_goes_on_learns_what_one_that_was_not_stopped_does(name: str) -> None:
    task = small(get_task("SkatEnding-v0").evaluation_starts()[:8])
    options = {**SMALL, **FURTHER.get(name, {})}
    whole = made(name, task, 3, **options)
    assert whole.learn(200, 7) >= 200
    kept = {key: array.copy() for key, array in whole.arrays().items()}
    second = whole.learn(200, 8)
    gone_on = made(name, task, 3, **options)
    gone_on.restore(kept)
    assert gone_on.learn(200, 8) == second
    arrays, others = whole.arrays(), gone_on.arrays()
    assert arrays.keys() == others.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, others[key], err_msg=key)
    assert any((array != kept[key]).any() for key, array in arrays.items() if array.shape == kept[key].shape)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in ("maskable_ppo", "against_rule")])
def test_a_small_game_is_learnt(name: str) -> None:
    """All worlds of what one seat knows, with three tricks left: what best responses win falls to a fifth.

    Those who play against an agent do not come near an equilibrium.
    """
    state = get_task("SkatEnding-v0").evaluation_starts()[39]
    ending = Ending.of_view(state.view(state.to_act), game="skat", outcome="tournament_points")
    sizes = {"lessons": 5000, "recent": 20_000, "reservoir": 20_000}
    learner = made(name, small(ending.states), 1, **{**LEARNT, **FURTHER.get(name, {}), **sizes})

    def exploited() -> float:
        return nash_conv(ending, dict.fromkeys(range(3), Observing(learner)))

    before = exploited()
    learner.learn(40_000 if name == "nfsp" else 30_000, 1)
    assert exploited() < before / 5


@pytest.mark.parametrize(("warm_up", "explore", "lanes"), [(0, 0.0, 0), (0, 0.25, 4), (1000, 0.0, 16)])
def test_bids_explore_in_a_share_of_games_and_in_all_at_first(
    warm_up: int, explore: float, lanes: int
) -> None:
    learner = made("ppo", get_task("SkatWhole-v0"), 1, games=16, hidden=8, warm_up=warm_up, explore=explore)
    wave = play_wave(learner.games, learner.play, 1)
    may_pass = wave.mask[:, get_game("skat").actions.index("pass")] != 0
    explored = np.isnan(wave.further[0])
    np.testing.assert_array_equal(explored, may_pass & (wave.lane < lanes))
    before = learner.arrays()["network/policy.weight"]
    learner.learn(1, 1)
    # Nothing is learnt of what was drawn: the rows of actions that only bid, yes and pass, rest where all bids explore.
    bids = [get_game("skat").actions.index(name) for name in ("pass", "yes")]
    rest = learner.arrays()["network/policy.weight"][bids] == before[bids]
    assert rest.all() == (lanes == 16)


def test_certain_decisions_are_learnt_from_less_often() -> None:
    few, all_ = (
        made("ppo", get_task("SkatSuit-v0"), 1, games=16, hidden=8, epochs=1, certain=certain)
        for certain in (0.0001, 1.0)
    )
    sizes: dict[Any, list[int]] = {few: [], all_: []}
    for learner, seen in sizes.items():
        learner.update = lambda taught, *columns, seen=seen: seen.append(len(columns[0]))
        learner.learn(1, 1)
    assert sizes[few][0] < sizes[all_][0] / 4


def test_practice_is_half_of_the_waves() -> None:
    task = small(get_task("SkatEnding-v0").evaluation_starts()[:8])
    learner = made("ppo", task, 1, games=4, hidden=8, practice="SkatSuit-v0")
    played = []
    learner.update = lambda taught, *columns: played.append(learner.all_games.index(learner.games))
    learner.learn(2000, 1)
    assert set(played) == {0, 1}
    with pytest.raises(OptionError, match="is a deal that SkatEnding-v0 is measured on"):
        made("ppo", get_task("SkatEnding-v0"), 1, practice="SkatSuit-v0")
    with pytest.raises(OptionError, match="practice=KlaverjasCards-v0 is no task of skat, the game of Small"):
        made("ppo", task, 1, practice="KlaverjasCards-v0")


@pytest.mark.parametrize(
    "changes",
    [{}, {"ordered": True, "all_cards": True}, {"recurrent": 8}],
    ids=("plain", "ordered", "recurrent"),
)
def test_networks_may_be_on_another_device(changes: dict[str, object]) -> None:
    """On torch's device without numbers, where tensors of two devices do not mix either."""
    learner = made("ppo", get_task("SkatWhole-v0"), 1, **SMALL, **changes)
    lanes = np.arange(8)
    step = learner.games.reset(seed=1)
    seen = [torch.from_numpy(each[:8]) for each in (step.observation, step.action_mask)]
    logs, value = learner.network.to("meta")(*seen, torch.from_numpy(learner.opened(lanes)))
    (logs.mean() + value.mean()).backward()
    assert (logs.device.type, value.device.type) == ("meta", "meta")
    assert learner.network.policy.weight.grad.device.type == "meta"


def test_a_graphics_card_learns_too() -> None:
    task = get_task("SkatWhole-v0")
    if not torch.cuda.is_available():
        with pytest.raises(OptionError, match="device=cuda: expected cpu, or cuda where torch finds"):
            made("ppo", task, 1, **SMALL, device="cuda")
        pytest.skip("torch finds no CUDA device")
    one, two = (made("ppo", task, 1, **SMALL, device="cuda", ordered=True, all_cards=True) for _ in range(2))
    one.learn(500, 2)
    two.restore(one.arrays())
    step = one.games.reset(seed=1)
    assert np.allclose(*(each.chances(step.observation, step.action_mask).sum(1) for each in (one, two)))
    two.learn(500, 3)


def test_deep_cfr_is_for_endings() -> None:
    learner = made("deep_cfr", get_task("SkatSuit-v0"), 1, games=20, hidden=8)
    with pytest.raises(OptionError, match="in SkatSuit-v0 over 100,000 at once: expected a task of endings"):
        learner.learn(10, 1)


@pytest.mark.slow
def test_a_teacher_is_followed() -> None:
    task = small(get_task("SkatEnding-v0").evaluation_starts()[:8])
    learner = made("imitation", task, 1, games=128, batch=64, learning_rate=0.003, lessons=10_000)
    rule = make_agent("rule", "skat")
    views = [state.view(state.to_act) for state in task.positions]
    taught = [rule.decide(view, np.random.default_rng(0)).action for view in views]
    observation = np.stack([view.observe(view.seat) for view in views])
    mask = np.stack([view.action_mask() for view in views])
    assert learner.chances(observation, mask).argmax(1).tolist() != taught
    learner.learn(10_000, 1)
    assert learner.chances(observation, mask).argmax(1).tolist() == taught
