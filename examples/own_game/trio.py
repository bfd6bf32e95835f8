"""Trio, a game of one's own: what a package that adds a game registers, all in this module; its rules are _trio.pyx.

    python examples/own_game/trio.py

compiles the rules into a temporary folder, registers the game, and plays `pimc` against `random` in it.
"""

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import skat_env
from skat_env import compare
from skat_env.protocols import Game, State
from skat_env.registry import PART_GROUP, register, register_game

BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
folder, source, path = sys.argv[1:]
options = {"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}
modules = [Extension("_trio", [source])]
extensions = cythonize(modules, include_path=[path], compiler_directives=options, build_dir=folder, quiet=True)
words = ["build_ext", "--build-lib", folder, "--build-temp", folder, "--quiet"]
setup(name="trio", ext_modules=extensions, script_args=words)
"""


@dataclass(frozen=True)
class TrioRules:
    """Trio has no options."""

    def text(self) -> str:
        """The rules in the text of a position: none."""
        return ""


class TrickDifference:
    """The objective of PIMC: the tricks of the side to act less the other's, by brute force."""

    name = "tricks"

    def values(self, states: list[State], actions: list[int]) -> np.ndarray:
        """What each action is worth in each world, float64 [worlds, actions]."""
        from skat_env.solvers.brute_force import action_returns

        found = [action_returns(state) for state in states]
        return np.array([[values[action] for action in actions] for values in found], np.float64)

    def tie_values(self, states: list[State], actions: list[int]) -> np.ndarray:
        """What decides between equal actions: nothing, float64 [worlds, actions]."""
        return np.zeros((len(states), len(actions)))


def build(folder: Path) -> None:
    """Compiles the game into a folder on the path of imports, as a package's own build would."""
    source = Path(__file__).with_name("_trio.pyx")
    path = Path(skat_env.__file__).parents[1]  # where the headers of skat_env are found
    subprocess.run([sys.executable, "-c", BUILD, folder, source, path], check=True, cwd=folder)


def register_trio() -> Game:
    """Registers the game and its parts."""
    from skat_env.agents.networks.card_networks import CardNetworks

    trio: Any = importlib.import_module("_trio")
    render: Callable[[Any, int | None], str] = lambda state, seat: (  # noqa: E731
        state.text() if seat is None else state.view(seat).text()
    )
    game = Game(
        name="trio",
        seats=("forehand", "middlehand", "rearhand"),
        teams=((0,), (1,), (2,)),
        actions=tuple(map(trio.action_text, range(36))),
        features=trio.FEATURES,
        place_sizes=trio.PLACE_SIZES,
        reward_units=("tricks",),
        match_unit="tricks",
        kinds=("trumps",),
        stages=("choice", "cardplay"),
        state=trio.TrioState,
        view=trio.TrioView,
        rules=TrioRules,
        render=render,
        label=lambda state, action: trio.action_text(action),
        arrange=lambda state, actions: actions,
    )
    register_game(game)
    register(PART_GROUP, "trio.encoders", trio.ENCODERS)
    register(PART_GROUP, "trio.objectives", {"tricks": lambda threads: TrickDifference()})
    networks = CardNetworks(game="trio", names=("cardplay",), scale=1.0, route=((0, 0),) * 4)
    register(PART_GROUP, "trio.card_networks", networks)
    return game


def main() -> None:
    """Plays a match."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        sys.path.insert(0, folder)
        register_trio()
        match = compare("pimc(worlds=8, bidder=random)", "random", game="trio", deals=200, seed=1)
        print(match.difference.text())


if __name__ == "__main__":
    main()
