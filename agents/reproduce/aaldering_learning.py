"""Aaldering 2023, figure 8: the strength of a self-play agent as it learns."""

from pathlib import Path
from typing import Final

from skat_env.agents.learners.metrics import curve
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row


def learning_curve(bench: Bench) -> list[Row]:
    """The strengths that a training run measured.

    Raises:
        ValueError: if it measured none.
    """
    return [
        Row(
            (f"cycle {point.step}",),
            point.mean,
            point.low,
            point.high,
            panel="cycles of self-play",
            x=point.step,
            line="self-play",
        )
        for point in curve(Path(bench.models["run"]), "strength")
    ]


SIZE: Final = Size(0, 0.1, measured=True)
REPRODUCTIONS: Final = (
    Reproduction(
        "aaldering-figure-8",
        "Aaldering 2023, figure 8",
        "The value network of self-play over the rule agent, points per round with ten simulations per move, by cycles "
        "of training.",
        ("training",),
        {"smoke": SIZE, "small": SIZE, "paper": SIZE},
        learning_curve,
        "points per round over the rule agent",
        "klaverjas",
        {
            "run": Model(
                "path",
                None,
                "the folder of a run, as skat-env train selfplay --config configs/selfplay-klaverjas.toml --out DIR "
                "makes",
            )
        },
        (
            "The run's config says how long it trains, what it is measured against, and on how many deals; the time is "
            "that of reading it. The thesis prints no numbers of this figure.",
        ),
    ),
)
