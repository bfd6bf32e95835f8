"""Rollouts and networks at the leaves of Klaverjas tree searches: figures 6 and 7 of Aaldering 2023.

python benchmarks/evaluators_curve.py --deals ../shared/data/klaverjas/deals.csv --out results/evaluators
    --records CHECKPOINT --selfplay CHECKPOINT --policy CHECKPOINT [--rounds 1000] [--budgets 10 50 200 800 3200]

Every round of recorded deals is played twice, sides changed, against one opponent. The thesis's search is played with
its own exploration by budget. `policy` plays without a search, `priors` is the search that it guides (PUCT), with the
network's values or with half of a random rollout's in them. The time of a move is CPU time, measured apart from the
matches: `step` with 128 games in step, as matches are played, where networks are asked for many leaves at once; `alone`
for one decision after another. Each match has a folder of its own and goes on where it was stopped; all is written as
evaluators_curve.json and .png, by simulations and by time.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agents.reproduce.aaldering_search import GAMES_IN_STEP, MOST_IN_STEP, milliseconds, thesis
from benchmarks.ismcts_curve import PUBLISHED, SIMULATIONS
from benchmarks.matches import draw_interval, match_result
from skat_env.provenance import provenance
from skat_env.registry import make_agent

ROUNDS = {800: 0.5, 3200: 0.25}
"""The share of the rounds that costly budgets are given."""
GAMES_ALONE = 4


@dataclass
class Options:
    """Rollouts and networks at the leaves of Klaverjas tree searches."""

    deals: Path
    """The recorded deals."""
    out: Path
    """The folder of the matches and of the curves."""
    records: str | None = None
    """A checkpoint of a value network from records."""
    selfplay: str | None = None
    """A checkpoint of a value network from self-play."""
    policy: str | None = None
    """A checkpoint of a policy-value network."""
    rounds: int = 1000
    """Of each match; fewer for costly budgets."""
    budgets: tuple[int, ...] = tuple(SIMULATIONS)
    """Simulations a move."""
    opponent: str = "rule(variant=thesis)"
    """What is played against."""
    seed: int = 1
    """Of the deals and of the agents."""
    workers: int = 1
    """Processes."""


def lines(options: Options) -> dict[str, dict[int, str]]:
    """The agents of each line by budget."""

    def searches(evaluator: str = "") -> dict[int, str]:
        return {n: thesis(n, SIMULATIONS[n], evaluator) for n in options.budgets}

    found = {"rollout": searches()}
    for line in ("records", "selfplay"):
        if checkpoint := getattr(options, line):
            found[line] = searches(f", evaluator=value(checkpoint={checkpoint})")
    if options.policy:
        found["policy"] = {0: f"policy(checkpoint={options.policy})"}
        evaluator = f"evaluator=policy_value(checkpoint={options.policy})"
        for line, share in (("priors", 0), ("priors, half rollout", 0.5)):
            found[line] = {
                n: f"ismcts(simulations={n}, rollout_share={share}, {evaluator}, bidder=rule)"
                for n in options.budgets
            }
    return found


def play(options: Options) -> list[dict[str, Any]]:
    """One point for each line and budget."""
    points = []
    for line, agents in lines(options).items():
        for budget, spec in agents.items():
            result = match_result(
                options.out / f"{line.replace(', ', '-').replace(' ', '-')}-{budget}",
                [spec, options.opponent],
                game="klaverjas",
                deals=round(options.rounds * ROUNDS.get(budget, 1)),
                seed=options.seed,
                workers=options.workers,
                **{"from": options.deals},
            )
            [comparison] = result["comparisons"]
            agent = make_agent(spec, "klaverjas")
            milliseconds(agent, 1, 0)
            in_step = max(GAMES_ALONE, min(GAMES_IN_STEP, MOST_IN_STEP // max(budget, 1)))
            points.append(
                {
                    "line": line,
                    "simulations": budget,
                    "agent": spec,
                    **comparison["difference"],
                    "ms_step": milliseconds(agent, in_step, options.seed),
                    "ms_alone": sum(milliseconds(agent, 1, seed) for seed in range(GAMES_ALONE))
                    / GAMES_ALONE,
                }
            )
    return points


def draw(points: list[dict[str, Any]], options: Options) -> None:
    """The lines with their intervals, by simulations and by time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axes, key, label in zip(
        panels, ("simulations", "ms_step"), ("simulations a move", "CPU milliseconds a move"), strict=True
    ):
        for line in dict.fromkeys(point["line"] for point in points):
            own = [
                point for point in points if point["line"] == line and (key != "simulations" or point[key])
            ]
            draw_interval(axes, [point[key] for point in own], own, label=line)
        axes.set_xscale("log")
        axes.set_xlabel(label)
    if options.opponent == "rule(variant=thesis)":
        panels[0].plot(
            list(PUBLISHED), list(PUBLISHED.values()), "x--", color="grey", label="Aaldering 2023, rollout"
        )
    panels[0].set_ylabel(f"points a round over {options.opponent}")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(options.out / "evaluators_curve.png", dpi=150)


def main() -> None:
    """Plays the matches, prints the table and writes the curves."""
    options = tyro.cli(Options, description=__doc__)
    options.out.mkdir(parents=True, exist_ok=True)
    points = play(options)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=f"points a round over {options.opponent}")
    for name in ("evaluator", "simulations", "mean", "95% interval", "rounds", "ms in step", "ms alone"):
        table.add_column(name, justify="left" if name == "evaluator" else "right")
    for point in points:
        interval = f"[{point['low']:+.1f}, {point['high']:+.1f}]"
        times = (f"{point['ms_step']:.2g}", f"{point['ms_alone']:.2g}")
        mean = f"{point['mean']:+.1f}"
        table.add_row(point["line"], str(point["simulations"]), mean, interval, str(point["pairs"]), *times)
    Console(width=100).print(table)
    curve = {**provenance(), "opponent": options.opponent, "points": points}
    (options.out / "evaluators_curve.json").write_text(json.dumps(curve, indent=2) + "\n")
    draw(points, options)
    print(f"written to {options.out}/evaluators_curve.png and evaluators_curve.json")


if __name__ == "__main__":
    main()
