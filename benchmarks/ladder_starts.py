"""Makes the benchmark of a ladder: deals, and starts of the cardplay on other deals, up to which `rule` plays.

    python benchmarks/ladder_starts.py --game skat --seed 20261122 --rules "" --out skat_env/data/ladder_skat.xz

It prints the hash, which the game's part `ladder` has to name. A benchmark is made once: another file makes another
ladder.
"""

import argparse
import hashlib
import shlex
from pathlib import Path

from skat_env.ladder.benchmark import Track, packed_benchmark
from skat_env.play.randomness import deal_rng
from skat_env.play.starts import start_source, starts_of
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules


def main() -> None:
    """Writes the file and prints its hash."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="skat")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--rules", default="", help="rule options that differ from the defaults")
    parser.add_argument("--bidder", default="rule", help="the agent that plays up to the cardplay")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
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
    packed = packed_benchmark(f"python benchmarks/ladder_starts.py {shlex.join(words)}", starts)
    options.out.write_bytes(packed)
    print(hashlib.sha256(packed).hexdigest(), len(packed), "bytes")


if __name__ == "__main__":
    main()
