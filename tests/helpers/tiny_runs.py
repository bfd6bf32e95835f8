"""Trainings of a fraction of a second, one of every learner, and what they leave."""

import importlib
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from skat_env.agents.learners import run, tables
from skat_env.agents.learners.config import LearnerConfig
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.learners.train import LEARNERS
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.tools.workers import Workers

CHANGES: Final[dict[str, dict[str, Any]]] = {
    "imitation": {"networks": ("declare", "hand_pickup"), "dropout": 0.3},
    "locations": {"networks": ("suit_bdi", "grand_bdi", "suit_bdci"), "history": (4,)},
    "tables": {},
    "value": {"epoch_rows": 128},
    "selfplay": {"cycles": 3, "rounds": 2, "simulations": 3, "buffer": 200, "evaluate_every": 2},
    "dmc": {
        "games": 24,
        "lanes": 8,
        "starts": 8,
        "fresh": 0,
        "bidder": "random",
        "threads": 1,
        "report_every": 8,
    },
    "ppo": {
        "checkpoint": "klaverjas-policy",
        "games": 24,
        "lanes": 8,
        "warm_up": 8,
        "critic_hidden": (8,),
        "starts": 8,
        "fresh": 0,
        "bidder": "random",
        "threads": 1,
        "report_every": 8,
    },
    "expert": {"data_steps": 2, "iterations": 2, "games": 2, "steps": 2, "simulations": 3, "buffer": 200},
    "sb3": {"steps": 96, "leg": 32, "games": 4, "horizon": 8, "layers": (8,), "starts": 2, "self_play": 0.5},
}
"""What is changed in each learner's config, besides `COMMON`, where it has those keys."""
COMMON: Final[dict[str, Any]] = {
    "hidden": (8,),
    "epochs": 2,
    "batch": 64,
    "batch_size": 16,
    "valid": 0.2,
    "test": 0.2,
    "held_out": 0.2,
    "precision": "float32",
    "deals": 0,
    "evaluate_every": 1,
    "evaluation_deals": 2,
    "evaluation_simulations": 2,
    "opponent": "random",
    "opponents": ("random",),
    "evaluate_against": ("random",),
}
SKAT: Final = ("imitation", "locations", "tables")
"""Learners that the tests have learn Skat; the others learn Klaverjas."""


def generate_data(folder: Path) -> None:
    """Makes the datasets that `tiny_config` names: Skat, and Klaverjas with searches."""
    generate(GenerationConfig("skat", ("rule",), 60, 1), folder / "skat")
    search = "ismcts(simulations=4, bidder=random)"
    generate(
        GenerationConfig("klaverjas", (search,), 16, start="cardplay", bidder="random"), folder / "klaverjas"
    )


def tiny_config(learner: str, data: Path) -> LearnerConfig:
    """The config of a training of a fraction of a second, on the datasets in a folder."""
    kind: type[LearnerConfig] = importlib.import_module(LEARNERS[learner]).Config
    game = "skat" if learner in SKAT else "klaverjas"
    folder = str(data / game)
    values = {
        **COMMON,
        "game": game,
        "data": (folder,) if learner == "expert" else folder,
        **CHANGES[learner],
    }
    return msgspec.convert({key: values[key] for key in kind.__struct_fields__ if key in values}, kind)


def train(learner: str, config: LearnerConfig, folder: Path, workers: Workers | int = 1) -> None:
    """Trains in a folder, from where it was stopped."""
    with pytest.MonkeyPatch.context() as patch:
        # Command, commit and versions take longer to find out than the training, and differ between processes.
        for module in (run, tables):
            patch.setattr(module, "provenance", dict)
        with TrainingRun(folder, learner, config, workers) as opened:
            importlib.import_module(LEARNERS[learner]).train(config, opened)


def left(folder: Path) -> dict[str, Any]:
    """All that a training has left, by name, but for how long it took, and dates in archives."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".zip":
            from skat_env.agents.sb3.model import read_parameters

            policy = read_parameters(path)["policy"]
            found[name] = {key: tensor.tolist() for key, tensor in policy.items()}
        elif path.is_file() and not name.startswith("tensorboard"):
            found[name] = re.sub(rb'"(games_per_second|time/\w+)": [^,}]+', b"", path.read_bytes())
    assert len(found) > 1
    return found
