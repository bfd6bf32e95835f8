"""Aaldering 2023, figure 8: the strength of a self-play agent as it learns."""

import json
from pathlib import Path
from typing import Final

from agents.reproduce.bench import Bench
from agents.reproduce.reproduction import Model, Reproduction, Size
from agents.reproduce.row import Row


def learning_curve(bench: Bench) -> list[Row]:
    """The strength in the metrics of a training run.

    Raises:
        ValueError: if the run has none.
    """
    run = Path(bench.models["run"])
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    rows = [
        Row(
            (f"cycle {line['step']}",),
            line["strength"],
            line.get("strength_low"),
            line.get("strength_high"),
            panel="cycles of self-play",
            x=line["step"],
            line="self-play",
        )
        for line in lines
        if "strength" in line
    ]
    if not rows:
        known = sorted({name for line in lines for name in line} - {"step"})
        raise ValueError(f"{run} has no metric 'strength': it has {', '.join(known) or 'none'}")
    return rows


SIZE: Final = Size(0, 0.1, measured=True)
REPRODUCTIONS: Final = (
    Reproduction(
        "aaldering-figure-8",
        "Aaldering 2023, figure 8",
        "The value network of self-play over the rule agent, points a round with ten simulations a move, by cycles of "
        "training.",
        ("training",),
        {"smoke": SIZE, "small": SIZE, "paper": SIZE},
        learning_curve,
        "points a round over the rule agent",
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
