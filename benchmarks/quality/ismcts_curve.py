"""Strength of tree search in Klaverjas by budget: figures 5 and 6 of Aaldering 2023 for random rollouts.

python -m benchmarks.quality.ismcts_curve --deals deals.csv --workers 2 --out results/ismcts_curve
    [--rounds 10000] [--opponent "rule(variant=thesis)"] [--budget simulations|time]

The deals are a table of recorded deals. Every round is played twice, sides changed. `--budget simulations` compares the
thesis's variant, with its own budgets and exploration, to ours with as many simulations; `--budget time` gives both the
same milliseconds per move. Each match has its own folder and resumes there; the curve is written as ismcts_curve.png
and .json.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from benchmarks.harness import print_table, read_options
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.curve import curve_point, draw_interval
from skat_env.tools.provenance import write_result
from skat_env.tools.workers import Workers

SIMULATIONS = {10: 50, 50: 200, 200: 200, 800: 200, 3200: 200}
"""The exploration constant, in points, of the thesis's variant for each budget (Aaldering 2023, figure 5)."""
PUBLISHED = {10: 4.0, 50: 29.0, 200: 45.6, 800: 54.5, 3200: 61.5}
"""Points per round against the rule agent (Aaldering 2023, section 4.1)."""
MILLISECONDS = (1, 5, 20, 100)
ROUNDS = {"simulations": {3200: 0.5}, "time": {1: 0.5, 5: 0.2, 20: 0.1, 100: 0.03}}
"""The share of the rounds that costly budgets play."""


@dataclass
class Options:
    """Strength of tree search in Klaverjas by budget."""

    deals: Path
    """Table of recorded deals."""
    out: Path
    """Folder for the matches and the curve."""
    rounds: int = 10_000
    """Rounds of each match; fewer for costly budgets."""
    opponent: str = "rule(variant=thesis)"
    """Agent to play against."""
    budget: Literal["simulations", "time"] = "simulations"
    """Equal simulations, or equal milliseconds per move."""
    seed: int = 1
    """Seed of the deals and of the agents."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()


def agents(budget: str, amount: int) -> dict[str, str]:
    """The agents of a budget, by the names of their curves."""
    limit = f"{budget}={amount}"
    c = SIMULATIONS[amount] if budget == "simulations" else 200
    return {
        "variant=thesis": f"ismcts({limit}, c={c}, variant=thesis, bidder=rule)",
        "default": f"ismcts({limit}, bidder=rule)",
    }


def play(options: Options) -> list[dict[str, Any]]:
    """Plays the matches; one point for each curve and budget."""
    bench = Bench(
        options.out, "klaverjas", options.rounds, (), {}, options.seed, options.workers, str(options.deals)
    )
    points = []
    for amount in SIMULATIONS if options.budget == "simulations" else MILLISECONDS:
        share = ROUNDS[options.budget].get(amount, 1.0)
        for line, agent in agents(options.budget, amount).items():
            name = f"{line.replace('=', '-')}-{amount}"
            pair = {line: agent, "opponent": options.opponent}
            played = bench.match(name, pair, "all-seats", share=share)
            points.append(curve_point(played, line=line, amount=amount, agent=agent))
    return points


def draw(points: list[dict[str, Any]], options: Options) -> None:
    """Draws the curves with their intervals, and the published one."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for line in dict.fromkeys(point["line"] for point in points):
        own = [point for point in points if point["line"] == line]
        draw_interval(axes, [point["amount"] for point in own], own, label=line)
    if options.budget == "simulations" and options.opponent == "rule(variant=thesis)":
        axes.plot(list(PUBLISHED), list(PUBLISHED.values()), "x--", color="grey", label="Aaldering 2023")
    amounts = sorted({point["amount"] for point in points})
    axes.set_xscale("log")
    axes.set_xticks(amounts, [str(amount) for amount in amounts])
    axes.minorticks_off()
    axes.set_xlabel("simulations per move" if options.budget == "simulations" else "milliseconds per move")
    axes.set_ylabel(f"points per round over {options.opponent}")
    axes.legend()
    figure.tight_layout()
    figure.savefig(options.out / "ismcts_curve.png", dpi=150)


def main() -> None:
    """Plays the matches, prints the table and writes the curve."""
    options = read_options(Options, __doc__)
    options.out.mkdir(parents=True, exist_ok=True)
    points = play(options)
    print_table(
        ("variant", options.budget, "mean", "95% interval", "rounds", "ms per move"),
        [
            (
                point["line"],
                point["amount"],
                f"{point['mean']:+.1f}",
                f"[{point['low']:+.1f}, {point['high']:+.1f}]",
                point["pairs"],
                f"{1000 * point['seconds_per_move']:.2g}",
            )
            for point in points
        ],
        title=f"points per round over {options.opponent}",
    )
    curve = {"opponent": options.opponent, "budget": options.budget, "points": points}
    write_result(options.out / "ismcts_curve.json", curve)
    draw(points, options)
    print(f"written to {options.out}/ismcts_curve.png and ismcts_curve.json")


if __name__ == "__main__":
    main()
