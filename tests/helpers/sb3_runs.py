"""Short trainings of stable-baselines3."""

from pathlib import Path

from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.sb3.card import newest_model
from skat_env.agents.sb3.train import Config, train


def tiny(**options) -> Config:
    """A run of a second."""
    return Config(
        **{
            "game": "klaverjas",
            "steps": 64,
            "leg": 64,
            "games": 8,
            "horizon": 8,
            "batch_size": 32,
            "epochs": 1,
            "layers": (8,),
            "starts": 4,
            "evaluation_deals": 0,
            **options,
        },
    )


def trained(out: Path, **options) -> Path:
    """The newest model of a tiny run."""
    config = tiny(**options)
    with TrainingRun(out, "sb3", config) as run:
        train(config, run)
    return newest_model(out)
