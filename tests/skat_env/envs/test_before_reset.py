"""Before the first `reset` every method of every environment says one sentence."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import skat_env  # noqa: F401
from skat_env.envs.aec import raw_env
from skat_env.envs.vector import SelfPlayVector
from skat_env.registry import get_game

ENVIRONMENTS: dict[str, Callable[[str], Any]] = {
    "raw_env": lambda game: raw_env(get_game(game), render_mode="ansi"),
    "single seat": lambda game: (
        gymnasium.make(f"skat_env/{game.capitalize()}-v0", render_mode="ansi").unwrapped
    ),
    "SelfPlayVector": lambda game: SelfPlayVector(game, 2),
    "SeatVectorEnv": lambda game: (
        gymnasium.make_vec(f"skat_env/{game.capitalize()}-v0", num_envs=2).unwrapped
    ),
}
CALLS = {
    "raw_env": {
        "step": (0,),
        "observe": ("player_0",),
        "last": (),
        "state": (),
        "render": (),
        "view": ("player_0",),
    },
    "single seat": {"step": (0,), "action_masks": (), "view": (), "render": ()},
    "SelfPlayVector": {"step": (np.zeros(2, np.int64),)},
    "SeatVectorEnv": {"step": (np.zeros(2, np.int64),)},
}


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize(("kind", "call"), [(kind, call) for kind, calls in CALLS.items() for call in calls])
def test_what_is_asked_before_reset_is_one_sentence(kind: str, call: str, game: str) -> None:
    env = ENVIRONMENTS[kind](game)
    with pytest.raises(ResetNeeded, match=rf"no games? yet: call reset\(\) before {call}\(\)"):
        getattr(env, call)(*CALLS[kind][call])
    env.reset(seed=1)
