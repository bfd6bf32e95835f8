"""Makes the benchmark of a ladder: deals, and starts of the cardplay on other deals, up to which `rule` plays.

    python -m benchmarks.make.ladder_starts --game skat --seed 20261122 --rules "" --out skat_env/data/ladder_skat.xz

It prints the hash, which the game's part `ladder` has to name. A benchmark is made once: another file makes another
ladder.
"""

import hashlib
import shlex
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import run_benchmark
from skat_env.ladder.benchmark import Track, packed_benchmark
from skat_env.options import Count, Seed
from skat_env.play.randomness import deal_rng
from skat_env.play.starts import start_source, starts_of
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules


@dataclass
class Options:
    """Makes the benchmark of a ladder."""

    out: Path
    game: str = "skat"
    seed: Seed = 20261122
    deals: Count = 1000
    rules: str = ""
    """Rule options that differ from the defaults."""
    bidder: str = "rule"
    """The agent that plays up to the cardplay."""


def main(options: Options) -> None:
    """Writes the file and prints its hash."""
    game = get_game(options.game)
    rules = parse_rules(options.rules, game) if options.rules else None
    starts: dict[Track, list[str]] = {}
    tracks: dict[Track, str] = {"deals": game.stages[0], "cardplay": game.stages[-1]}
    for number, (track, stage) in enumerate(tracks.items()):
        source = start_source(game, stage, options.bidder, rules)
        rngs = [deal_rng(options.seed, number * options.deals + deal) for deal in range(options.deals)]
        starts[track] = [state.text() for state in starts_of(game.name, source, rngs)]
    words = ["--game", options.game, "--seed", str(options.seed), "--deals", str(options.deals)]
    words += ["--rules", options.rules] * bool(options.rules) + ["--bidder", options.bidder]
    packed = packed_benchmark(f"python -m benchmarks.make.ladder_starts {shlex.join(words)}", starts)
    options.out.write_bytes(packed)
    print(hashlib.sha256(packed).hexdigest(), len(packed), "bytes")


if __name__ == "__main__":
    run_benchmark(main, Options)
