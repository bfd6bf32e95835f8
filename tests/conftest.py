"""Shared data, fixed profiles of hypothesis, and games to test with."""

import os
import signal

# Tests run side by side, one on each processor: a second thread of torch or numpy would only wait for its turn.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from skat_env import registry
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasState
from skat_env.klaverjas.rules import OPTIONS, KlaverjasRules
from skat_env.protocols import Game
from skat_env.skat import GAME, SkatRules, SkatState
from skat_env.skat.rules import PLACE_SIZES

hypothesis.settings.register_profile(
    "skat_env",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # machines may do other work
)
hypothesis.settings.load_profile("skat_env")

# What tests write need not outlive a failure of power, for which disks take milliseconds a file.
os.fsync = lambda fd: None

# A shell's background job ignores interrupts, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0
"""Seconds in which what has to happen on a cluster does."""
SHARED = Path(os.environ.get("SKAT_ENV_SHARED", ROOT.parent / "shared"))


@pytest.fixture(autouse=True)
def registered_as_before() -> Iterator[None]:
    """What a test registers goes with it."""
    before = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(before)


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """The path of a file of shared data; the test is skipped where there is none."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs the shared data file {path}")
        return path

    return find


def random_games(game: Game, games: int, seed: int, rules: Any = None) -> list[Any]:
    """Finished games of random play."""
    rng = np.random.default_rng(seed)
    played = []
    for _ in range(games):
        state = game.state.random(rng, rules or game.rules())
        while not state.is_over:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        played.append(state)
    return played


def perft(state: Any, depth: int) -> int:
    """The number of legal continuations of a length; games that end before count once."""
    if depth == 0 or state.is_over:
        return 1
    count = 0
    for action in state.legal_actions():
        state.apply(action)
        count += perft(state, depth - 1)
        state.undo()
    return count


@st.composite
def skat_positions(draw: st.DrawFn) -> SkatState:
    """A position of a game played by drawn actions; bidding on is as likely as all else, so that games get far."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    state = SkatState.new(Deal.random(rng, PLACE_SIZES), SkatRules(play_out=draw(st.booleans())))
    for _ in range(draw(st.integers(0, 60))):
        if state.is_over:
            break
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])
    return state


klaverjas_rules = st.builds(
    KlaverjasRules, **{name: st.sampled_from(get_args(kind)) for name, kind in OPTIONS.items()}
)


@st.composite
def klaverjas_positions(draw: st.DrawFn) -> KlaverjasState:
    """A position of a deal under drawn rules, played by drawn actions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rules = draw(klaverjas_rules)
    chosen = {"declarer": int(rng.integers(4)), "trump": int(rng.integers(4))}
    state = KlaverjasState.random(rng, rules)
    state = KlaverjasState.new(
        state.deal, rules, draw(st.integers(0, 3)), **(chosen if rules.choice == "given" else {})
    )
    for _ in range(draw(st.integers(0, 37))):
        if state.is_over:
            break
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])
    return state


def random_skat_games(games: int, seed: int) -> list[SkatState]:
    """Finished games of random play."""
    return random_games(GAME, games, seed)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A ray cluster of two nodes on this machine, of one processor each."""
    ray = pytest.importorskip("ray", reason="needs the extra 'ray'")
    from ray.cluster_utils import Cluster

    environment = pytest.MonkeyPatch()
    environment.setenv("PYTHONPATH", str(ROOT))
    environment.setenv("RAY_worker_niceness", "0")  # else a busy machine leaves workers nothing
    environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
    environment.delenv("RAY_ADDRESS", raising=False)
    quick = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": quick},
    )
    made.add_node(num_cpus=1)
    made.wait_for_nodes(timeout=PATIENCE)
    yield made
    ray.shutdown()
    made.shutdown()
    environment.undo()
