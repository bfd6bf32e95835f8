"""Reinforcement-learning environments for the card games Skat and Klaverjas.

Importing this package registers its environments: `gymnasium.make("skat_env/Skat-v0")`,
`gymnasium.make_vec("skat_env/Skat-v0", ...)`, and where PettingZoo has a registry (1.27 and later)
`pettingzoo.make("aec", "skat_env/skat_v0")`; `Klaverjas-v0` and `klaverjas_v0` likewise.
"""

from importlib.metadata import PackageNotFoundError, version

import gymnasium

# Imported before the other extensions: it refuses a processor on which they would crash.
from skat_env import _processor  # noqa: F401
from skat_env.registry import OURS, agent_names, get_game, make_agent

try:
    __version__ = version("skat_env")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+unknown"

__all__ = ["__version__", "agent_names", "get_game", "make_agent"]


def _register() -> None:
    for game in OURS:
        gymnasium.register(
            f"skat_env/{game.capitalize()}-v0",
            entry_point="skat_env.envs.single_seat:SingleSeatEnv",
            vector_entry_point="skat_env.envs.seat_vector:SeatVectorEnv",
            kwargs={"game": game},
            disable_env_checker=True,  # it warns about action masks, which it does not know; the tests run the checkers
        )
        try:
            import pettingzoo

            pettingzoo.register("aec", f"skat_env/{game}_v0", entry_point=f"skat_env.{game}_v0:env")
        except AttributeError:  # PettingZoo before 1.27
            continue


_register()
