"""Shared data, fixed profiles of hypothesis, and games to test with."""

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from skat_env.skat import GAME, SkatState

hypothesis.settings.register_profile("skat_env", deadline=None, derandomize=True, max_examples=60)
hypothesis.settings.load_profile("skat_env")

SHARED = Path(os.environ.get("SKAT_ENV_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """The path of a file of shared data; the test is skipped where there is none."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs the shared data file {path}")
        return path

    return find


def random_skat_games(games: int, seed: int) -> list[SkatState]:
    """Finished games of random play."""
    rng = np.random.default_rng(seed)
    played = []
    for _ in range(games):
        state = SkatState.new(GAME.random_deal(rng))
        while not state.is_over:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        played.append(state)
    return played
