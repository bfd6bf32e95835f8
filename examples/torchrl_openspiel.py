"""TorchRL on our games by way of OpenSpiel: a rollout of random legal actions by all players.

    pip install '.[torchrl]' in the checkout of skat_env
    python examples/torchrl_openspiel.py --game klaverjas

TorchRL's own `OpenSpielWrapper` takes a game that `skat_env.openspiel` has registered. It steps one game at a time in
Python; for learning at speed take `SelfPlayVector` of `skat_env.envs`, whose arrays `torch.from_numpy` takes as they
are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
import torch
import tyro
from torchrl.envs.libs.openspiel import OpenSpielWrapper

from skat_env.openspiel import spiel_name


@dataclass
class Options:
    """The options of the example."""

    game: str = "klaverjas"
    """The game: skat or klaverjas."""
    steps: int = 200
    """The most steps of the rollout; it ends with the game."""
    seed: int = 0


def rollout(options: Options) -> Any:
    """A TensorDict [steps] with observations, actions and rewards of all players."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)

    def deal(outcomes: list[int], chances: list[float]) -> int:
        return int(rng.choice(outcomes, p=chances))

    game = pyspiel.load_game(spiel_name(options.game))
    return OpenSpielWrapper(game.new_initial_state(), chance_sampler=deal).rollout(options.steps)


if __name__ == "__main__":
    print(rollout(tyro.cli(Options, description=__doc__)))
