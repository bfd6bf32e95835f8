"""Strength of PIMC by number of sampled worlds: the saturation curve of the papers.

python -m benchmarks.quality.worlds_curve --deals 1000 --workers 2 --out results/worlds_curve
    [--worlds 20 40 80 160 320] [--against 160]

Matches of pimc(N) against pimc(160), sides changed, from the cardplay of games that `rule` has bid. Each match has its
own folder and resumes there; the curve is written as worlds_curve.png and worlds_curve.json.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from benchmarks.harness import run_benchmark
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.curve import curve_point, draw_interval
from skat_env.agents.reproduce.skat_players import pimc
from skat_env.options import Count, Seed
from skat_env.tools.figures import saved_figure
from skat_env.tools.provenance import write_result
from skat_env.tools.workers import Workers


@dataclass
class Options:
    """Strength of PIMC by number of sampled worlds."""

    out: Path
    """Folder for the matches and the curve."""
    deals: Count = 1000
    """Deals of each match."""
    worlds: tuple[Count, ...] = (20, 40, 80, 160, 320)
    """Numbers of worlds to measure; that of the opponent is left out."""
    against: Count = 160
    """Number of worlds of the opponent."""
    seed: Seed = 1
    """Seed of the deals and of the agents."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()


def play(options: Options, worlds: int) -> dict[str, Any]:
    """Plays or resumes the match for one number of worlds; returns its point."""
    bench = Bench(options.out, "skat", options.deals, (), {}, options.seed, options.workers)
    agents = {str(count): pimc(count) for count in (worlds, options.against)}
    return curve_point(bench.match(f"worlds-{worlds}", agents, "swapped"), worlds=worlds)


def draw(points: list[dict[str, Any]], options: Options) -> None:
    """Draws the curve with its intervals."""
    with saved_figure(options.out / "worlds_curve.png", figsize=(6, 4)) as (_, [[axes]]):
        worlds = [point["worlds"] for point in points]
        draw_interval(axes, worlds, points)
        axes.axhline(0, color="grey", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xticks(worlds, [str(count) for count in worlds])
        axes.set_xlabel("worlds per move")
        axes.set_ylabel(f"tournament points per game over pimc({options.against})")
        axes.set_title(f"PIMC by number of worlds, {options.deals} deals, 95% intervals", fontsize=10)


def main(options: Options) -> None:
    """Plays the matches and writes the curve."""
    options.out.mkdir(parents=True, exist_ok=True)
    points = []
    for worlds in sorted({*options.worlds, options.against}):
        if worlds == options.against:
            points.append(
                {"worlds": worlds, "mean": 0.0, "low": 0.0, "high": 0.0, "p": 1.0, "seconds_per_move": None}
            )
            continue
        points.append(play(options, worlds))
    curve = {"against": options.against, "deals": options.deals, "points": points}
    write_result(options.out / "worlds_curve.json", curve)
    draw(points, options)
    print(f"written to {options.out}/worlds_curve.png and worlds_curve.json")


if __name__ == "__main__":
    run_benchmark(main, Options)
