"""Training rows per second on one core, by encoder: games are replayed to random decisions, which are encoded.

python -m benchmarks.speed.encoders [--games 20000] [--seconds 1] [--out results/encoder_speed.json]

The games of Skat are those of the sample that ships, repeated; those of Klaverjas are random play. Every figure is the
median of five runs in CPU time of the process, as the core may have other work.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from benchmarks.harness import Kept, Seconds, Work, counted, keep, print_table, rate, run_benchmark
from skat_env._encoder import Encoder
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import encoders_of
from skat_env.options import Count
from skat_env.records import GameRecord
from skat_env.registry import game_names, get_game

FLOOR = 300_000
"""The required rows per second."""
BATCH = 2048


@dataclass
class Options(Kept):
    """Training rows per second on one core, by encoder."""

    games: Count = 20_000
    """Number of games of Skat and of Klaverjas; many more than the caches hold."""
    seconds: Seconds = 1.0
    """Seconds to measure each figure, over all its runs."""


@dataclass
class Figure:
    """One row of the table."""

    encoder: str
    width: int
    drawn: float
    """Rows per second for decisions drawn at random."""
    in_order: float
    """Rows per second for decisions in the order of the games."""


def sample_games() -> Iterator[GameRecord]:
    """The games of Skat that ship, repeated without end."""
    lines = files("skat_env").joinpath("data", "skat_games.jsonl").read_text().splitlines()
    return cycle([GameRecord.parse(line) for line in lines])


def random_games(name: str) -> Iterator[GameRecord]:
    """Games of random play, without end."""
    game, rng = get_game(name), np.random.default_rng(0)
    while True:
        state = game.state.random(rng)
        while not state.is_over:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        yield GameRecord.of(name, state, ("random",) * len(game.seats))


def rows(decisions: Decisions, encoder: Encoder, in_order: bool) -> Work:
    """Encodes batches of decisions; drawing them is not timed."""
    found = decisions.find(encoder)
    rng = np.random.default_rng(0)
    draws = [
        np.arange(BATCH) + rng.integers(max(1, len(found) - BATCH))
        if in_order
        else rng.integers(len(found), size=BATCH)
        for _ in range(32)
    ]
    batches = cycle([(found["game"][draw % len(found)], found["step"][draw % len(found)]) for draw in draws])
    out = np.empty((BATCH, encoder.width), np.float32)
    return counted(lambda: len(decisions.rows(encoder, *next(batches), out=out)))


def measure(name: str, games: int, seconds: float) -> list[Figure]:
    """The figures of a game."""
    source = sample_games() if name == "skat" else random_games(name)
    with tempfile.TemporaryDirectory() as folder:
        with DatasetWriter(Path(folder) / name, name) as writer:
            for record in islice(source, games):
                writer.add(record)
        decisions = Decisions(Dataset(Path(folder) / name))
        return [
            Figure(
                encoder.name,
                encoder.width,
                rate(rows(decisions, encoder, in_order=False), seconds),
                rate(rows(decisions, encoder, in_order=True), seconds),
            )
            for encoder in encoders_of(name)
        ]


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    figures = [figure for name in game_names() for figure in measure(name, options.games, options.seconds)]
    rows = [
        (each.encoder, each.width, f"{each.drawn:,.0f}", f"{each.in_order:,.0f}", f"{FLOOR:,}")
        for each in figures
    ]
    print_table(("rows per second, one core", "floats", "drawn at random", "in order", "at least"), rows)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
