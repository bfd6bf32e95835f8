"""Environments that have no game yet: every method that needs one says so in the sentence that `step` gives."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from skat_env import klaverjas_v0, skat_v0
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector

MODULES: dict[str, Any] = {"skat": skat_v0, "klaverjas": klaverjas_v0}
ACTIONS = np.zeros(3, np.int64)


def sb3(game: str) -> Any:
    module = pytest.importorskip("skat_env.envs.sb3")
    return module.Sb3VecEnv(game, 3, start="deal")


Calls = dict[str, Callable[[Any], Any]]
AEC: Calls = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "last": lambda env: env.last(),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
}
VIEW: Calls = {"view": lambda env: env.view("player_0")}
ITER: Calls = {"agent_iter": lambda env: env.agent_iter()}
MASKS: Calls = {"step": lambda env: env.step(ACTIONS), "action_masks": lambda env: env.action_masks()}
RENDER: Calls = {"render": lambda env: env.render()}
OURS = r"^no game yet: call reset\(\) before {}\(\)$"
PETTINGZOO = r"^reset\(\) needs to be called before {}(\(\))?\.?$"
ENVIRONMENTS: dict[str, tuple[Callable[[str], Any], type[Exception], str, Calls]] = {
    "raw_env": (lambda game: MODULES[game].raw_env(), gymnasium.error.ResetNeeded, OURS, AEC | VIEW),
    "env": (lambda game: MODULES[game].env(), AssertionError, PETTINGZOO, AEC | ITER),
    "view of env": (lambda game: MODULES[game].env(), gymnasium.error.ResetNeeded, OURS, VIEW),
    "SingleSeatEnv": (
        SingleSeatEnv,
        gymnasium.error.ResetNeeded,
        OURS,
        MASKS | RENDER | {"view": lambda env: env.view(), "state": lambda env: env.state},
    ),
    "SelfPlayVector": (
        lambda game: SelfPlayVector(game, 3),
        gymnasium.error.ResetNeeded,
        OURS,
        RENDER | {"step": lambda env: env.step(ACTIONS), "state": lambda env: env.state(0)},
    ),
    "SeatVectorEnv": (
        lambda game: SeatVectorEnv(game, 3),
        gymnasium.error.ResetNeeded,
        OURS,
        MASKS | RENDER | {"seats": lambda env: env.seats},
    ),
    "Sb3VecEnv": (
        sb3,
        gymnasium.error.ResetNeeded,
        OURS,
        MASKS | {"state": lambda env: env.state(0), "seats": lambda env: env.seats},
    ),
}
NO_GAME_NEEDED = {
    "action_space", "agent_iter", "class_name", "clone", "close", "close_extras", "env_is_wrapped", "env_method", "get_attr",
    "get_images", "get_wrapper_attr", "getattr_depth_check", "has_attr", "has_wrapper_attr", "num_agents",
    "observation_space", "reset", "seed", "set_attr", "set_options", "set_starts", "set_wrapper_attr", "step_async",
    "step_wait",
}  # fmt: skip
"""Or they call one of the others."""


@pytest.mark.parametrize("game", list(MODULES))
@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_every_method_asks_for_a_reset(name: str, game: str) -> None:
    make, kind, sentence, calls = ENVIRONMENTS[name]
    for method, call in calls.items():
        env = make(game)
        with pytest.raises(kind, match=sentence.format(method)):
            call(env)
        env.reset()
        if method != "step":
            call(env)


@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name != "view of env"])
def test_no_method_is_left_out(name: str) -> None:
    """A method that is added is in the table above, or needs no game."""
    env = ENVIRONMENTS[name][0]("skat")
    methods = {
        each
        for each in dir(type(env))
        if not each.startswith("_") and callable(getattr(type(env), each)) and each not in NO_GAME_NEEDED
    }
    # Sb3VecEnv has no render mode here, and then its `render` shows nothing, whenever it is called.
    assert methods - {"render"} <= ENVIRONMENTS[name][3].keys()
