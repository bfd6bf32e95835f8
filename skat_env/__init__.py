"""Reinforcement-learning environments for the card games Skat and Klaverjas.

Importing this package registers its environments: `gymnasium.make("skat_env/Skat-v0")`,
`gymnasium.make_vec("skat_env/Skat-v0", ...)`, and where PettingZoo has a registry (1.27 and later)
`pettingzoo.make("aec", "skat_env/skat_v0")`; `Klaverjas-v0` and `klaverjas_v0` likewise. Neither library is imported
for it: whichever comes first, they know the environments once both are there.
"""

from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

# Imported before the other extensions: it refuses a processor on which they would crash.
try:
    from skat_env import _processor  # noqa: F401
except ImportError as error:
    if "circular import" not in str(error):
        raise
    raise ImportError(
        f"Python found the source of skat_env at {__path__[0]}, which is not compiled: `pip install -e .` in the "
        "folder above compiles it there; an installed skat_env is found from any other folder"
    ) from None
from skat_env.tools.after_import import after_import

if TYPE_CHECKING:
    from skat_env.beliefs.belief import Belief
    from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName
    from skat_env.gauntlet.play import PlayedGauntlet, play_gauntlet
    from skat_env.ladder.play import PlayedLadder, play_ladder
    from skat_env.match.compare import PlayedMatch, compare
    from skat_env.play.lockstep import play_game, play_games
    from skat_env.protocols import Agent, BatchAgent, Decision, Game, State, View, World, WorldSampler
    from skat_env.records import GameRecord
    from skat_env.registry import (
        agent_names,
        agent_options,
        game_names,
        get_game,
        make_agent,
        make_belief,
        register,
        register_game,
    )

    __version__: str

_HOMES: Final = {
    "beliefs.belief": ("Belief",),
    "errors": ("IllegalAction", "OptionError", "ParseError", "UnknownName"),
    "agents.learners.train": ("TrainedRun", "train"),
    "gauntlet.play": ("PlayedGauntlet", "play_gauntlet"),
    "ladder.play": ("PlayedLadder", "play_ladder"),
    "match.compare": ("PlayedMatch", "compare"),
    "play.lockstep": ("play_game", "play_games"),
    "protocols": ("Agent", "BatchAgent", "Decision", "Game", "State", "View", "World", "WorldSampler"),
    "records": ("GameRecord",),
    "registry": (
        "agent_names", "agent_options", "game_names", "get_game", "make_agent", "make_belief", "register",
        "register_game",
    ),
    "solvers.review": ("Review", "review"),
}  # fmt: skip
"""The public names, by the module where they are."""

__all__ = [
    "Agent",
    "BatchAgent",
    "Belief",
    "Decision",
    "Game",
    "GameRecord",
    "IllegalAction",
    "OptionError",
    "ParseError",
    "PlayedGauntlet",
    "PlayedLadder",
    "PlayedMatch",
    "Review",
    "State",
    "TrainedRun",
    "UnknownName",
    "View",
    "World",
    "WorldSampler",
    "__version__",
    "agent_names",
    "agent_options",
    "compare",
    "game_names",
    "get_game",
    "make_agent",
    "make_belief",
    "play_game",
    "play_games",
    "play_gauntlet",
    "play_ladder",
    "register",
    "register_game",
    "review",
    "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The public names, found when they are asked for: without them the package is imported in a few milliseconds."""
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            value: Any = version("skat_env")
        except PackageNotFoundError:  # run from a source tree that is not installed
            value = "0+unknown"
    elif home is not None:
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{home}"), name)
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


_TASKS = (
    "SkatSuit-v0", "SkatGrand-v0", "SkatNull-v0", "SkatDefence-v0", "SkatEnding-v0", "SkatWhole-v0",
    "KlaverjasCards-v0", "KlaverjasWhole-v0",
)  # fmt: skip
# The tasks of `skat_env.agents.bench`, which is imported when one is made.


def _register_gymnasium(gymnasium: ModuleType) -> None:
    from skat_env.registry import OURS

    single, vector = "skat_env.envs.single_seat:SingleSeatEnv", "skat_env.envs.seat_vector:SeatVectorEnv"
    made = [(f"{game.capitalize()}-v0", single, vector, {"game": game}) for game in OURS]
    single, vector = "skat_env.agents.bench.task:single_env", "skat_env.agents.bench.task:vector_env"
    made += [(task, single, vector, {"task": task}) for task in _TASKS]
    for name, single, vector, options in made:
        gymnasium.register(
            f"skat_env/{name}",
            entry_point=single,
            vector_entry_point=vector,
            kwargs=options,
            disable_env_checker=True,  # it warns about action masks, which it does not know; the tests run the checkers
        )


def _register_pettingzoo(pettingzoo: ModuleType) -> None:
    from skat_env.registry import OURS

    if hasattr(pettingzoo, "register"):  # 1.27 and later
        for game in OURS:
            pettingzoo.register("aec", f"skat_env/{game}_v0", entry_point=f"skat_env.{game}_v0:env")
        for task in _TASKS:
            entry = "skat_env.agents.bench.task:aec_env"
            pettingzoo.register("aec", f"skat_env/{task}", entry_point=entry, kwargs={"task": task})


after_import("gymnasium", _register_gymnasium)
after_import("pettingzoo", _register_pettingzoo)
