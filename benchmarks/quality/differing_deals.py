"""The deals on which two agents call differently, so that a match of their slow relatives can leave the others out.

python -m benchmarks.quality.differing_deals policy "policy(checkpoint=runs/values)" --deals 20000 --seed 8140
    --out data/differing.jsonl
skat-env match --agents "champion" "champion with those values" --from data/differing.jsonl --deals 20000

Where every seating of a match leads to the same calls, agents that differ in nothing else play the same games, and the
difference of the deal is exactly 0. So that of all deals is that of the others times their share.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from benchmarks.harness import run_benchmark
from skat_env.options import Count, Seed
from skat_env.play.casts import pair_casts
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent
from skat_env.tools.files import write_text
from skat_env.tools.progress import progress_bar

AT_ONCE = 1000
"""Deals that are played together."""


@dataclass
class Options:
    """Find the deals on which two agents call differently."""

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A")]
    """The first agent."""
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B")]
    """The second agent."""
    out: Path
    """File of records to write, one for each deal found; it ends before the cardplay."""
    game: str = "skat"
    """The game."""
    deals: Count = 20_000
    """The number of deals to look through."""
    seed: Seed = 0
    """The seed of the deals, as of a match."""


def main(options: Options) -> None:
    """Plays all deals up to the cardplay, with every seating of both agents."""
    game, names = get_game(options.game), (options.a, options.b)
    players = Players(game, [make_agent(name, options.game) for name in names])
    seated = np.array(
        [[names.index(name) for name in cast] for cast in pair_casts(options.game, names, "all-seats")]
    )
    deal, lines = RandomDeals(options.game), []
    with progress_bar("deals", options.deals) as advance:
        for first in range(0, options.deals, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, options.deals))
            starts: list[Any] = [deal(deal_rng(options.seed, number)) for number in numbers]
            states = [start.clone() for start in starts for _ in seated]

            def luck(each: int, seat: int, numbers: range = numbers) -> np.random.Generator:
                return agent_rng(options.seed, numbers[each // len(seated)], seat)

            players.play(states, luck, np.tile(seated, (len(starts), 1)).astype(np.int16), game.stages[-1])
            for number in range(len(starts)):
                ends = states[number * len(seated) :][: len(seated)]
                if any(end.history() != ends[0].history() for end in ends):
                    cast = [names[agent] for agent in seated[0]]
                    lines.append(GameRecord.of(options.game, ends[0], cast, options.seed).text() + "\n")
            advance(numbers.stop)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(options.out, "".join(lines))
    print(f"{len(lines):,} of {options.deals:,} deals ({len(lines) / options.deals:.1%})")


if __name__ == "__main__":
    run_benchmark(main, Options)
