"""Speed of whole games of networks, in lanes and in Python, recorded as `skat-env generate` does.

python -m benchmarks.speed.lanes [--game both] [--agent policy] [--games 1000] [--out results/lanes_speed.json]

Games per second of CPU time on one core, medians over files of games, made in turn in lanes and in Python.
Multiply-adds are those of the networks that decide; the peak is that of a product of large matrices by torch on the
same core.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import median

import torch

from benchmarks.harness import Games, Kept, cpu_seconds, keep, run_benchmark
from skat_env.datasets.generation import GenerationConfig, ShardPlayer
from skat_env.options import Count
from skat_env.registry import game_names, make_agent

FLOOR = 2000.0
"""The required games of Skat a second and core."""


@dataclass
class Options(Kept):
    """Speed of whole games of networks."""

    game: Games = "both"
    """One game, or both."""
    agent: str = "policy"
    """The player at every seat."""
    start: str = "deal"
    """Where the games begin."""
    games: Count = 1000
    """Games of a file."""
    repeats: Count = 9
    """Files that medians are taken over."""


@dataclass(frozen=True)
class Figure:
    """The speed of one game."""

    game: str
    lanes: float
    """Games per second of CPU time."""
    python: float
    """The same in Python."""
    microseconds: float
    """CPU time of a game in lanes."""
    starts: float
    """Of these, for dealing."""
    networks: float
    """Of these, for networks."""
    decisions: float
    """Decisions of networks in a game."""
    products: float
    """Multiply-adds of the networks in a game, those by 0 left out."""
    dense_products: float
    """The same with those by 0."""
    peak: float
    """Multiply-adds per second of large float32 matrices on this core."""


def peak() -> float:
    """Multiply-adds per second of a product of large matrices."""
    size = 1024
    matrix = torch.rand(size, size)
    return size**3 / min(cpu_seconds(lambda: matrix @ matrix) for _ in range(20))


def measure(game: str, options: Options) -> Figure:
    """The figures of a game."""
    config = GenerationConfig(
        game, (options.agent,), options.games * (options.repeats + 1), start=options.start, bidder=options.agent,
        games_per_shard=options.games,
    )  # fmt: skip
    agent = make_agent(options.agent, game)
    fast, slow = (ShardPlayer(config, {options.agent: agent}, lanes) for lanes in (True, False))
    fast(0)
    if fast.players is None:
        raise ValueError(f"{agent.name} does not play in lanes")
    networks = fast.players[0].networks  # type: ignore[attr-defined]
    times: dict[str, list[float]] = {"lanes": [], "python": [], "starts": []}
    for file in range(options.repeats + 1):
        seconds = {
            "lanes": cpu_seconds(partial(fast, file)),
            "python": cpu_seconds(partial(slow, file)),
            "starts": cpu_seconds(partial(config.starts(agent), config.numbers(file))),
        }
        if file == 0:  # a warm-up
            before = [(network.rows, network.products, network.seconds) for network in networks]
            continue
        for name, taken in seconds.items():
            times[name].append(taken / options.games * 1e6)
    played = options.games * options.repeats
    spent = [
        (network.rows - rows, network.products - products, network.seconds - seconds)
        for network, (rows, products, seconds) in zip(networks, before, strict=True)
    ]
    dense = [
        sum(a * b for a, b in pairwise(widths))
        for widths in ((network.inputs, *network.spec.hidden, network.outputs) for network in networks)
    ]
    micro = {name: median(values) for name, values in times.items()}
    return Figure(
        game,
        1e6 / micro["lanes"],
        1e6 / micro["python"],
        micro["lanes"],
        micro["starts"],
        sum(seconds for _, _, seconds in spent) / played * 1e6,
        sum(rows for rows, _, _ in spent) / played,
        sum(products for _, products, _ in spent) / played,
        sum(rows * size for (rows, _, _), size in zip(spent, dense, strict=True)) / played,
        peak(),
    )


def main(options: Options) -> None:
    """Prints the figures and writes them."""
    torch.set_num_threads(1)
    figures = [measure(game, options) for game in game_names() if options.game in (game, "both")]
    for figure in figures:
        print(
            f"{figure.game}: {figure.lanes:,.0f} games/s in lanes, {figure.python:,.0f} in Python\n"
            f"    {figure.microseconds:.0f} µs per game: {figure.networks:.0f} networks, {figure.starts:.0f} dealing, "
            f"{figure.microseconds - figure.networks - figure.starts:.0f} rules, encoders, choices and recording\n"
            f"    {figure.decisions:.1f} decisions, {figure.products / 1e6:.2f} million multiply-adds "
            f"({figure.dense_products / 1e6:.2f} with those by 0): {figure.products / figure.networks / 1e3:.1f} "
            f"billion per second, large matrices {figure.peak / 1e9:.0f}"
        )
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
