"""Makes the sample games that ship: an agent against itself on random deals, one record a line.

python -m benchmarks.make.sample_games --agent rule --deals 500 --seed 2026 --out skat_env/data/skat_games.jsonl
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from rich.progress import track

from benchmarks.harness import run_benchmark
from skat_env.options import Count, Seed
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.records import GameRecord, Source
from skat_env.registry import get_game, make_agent
from skat_env.tools.files import write_text


@dataclass
class Options:
    """Make the sample games that ship with the project."""

    out: Path
    """File to write."""
    game: str = "skat"
    """Name of the game."""
    agent: str = "rule"
    """Agent at every seat."""
    deals: Count = 500
    """Number of deals."""
    seed: Seed = 2026
    """Seed of the deals and of the agent."""


def main(options: Options) -> None:
    """Plays the games and writes them."""
    agent = make_agent(options.agent, options.game)
    seats = range(len(get_game(options.game).seats))
    lines = []
    for number in track(range(options.deals), description="games"):
        state = RandomDeals(options.game)(deal_rng(options.seed, number))
        rngs = [agent_rng(options.seed, number, seat) for seat in seats]
        play_game(state, [agent for _ in seats], rngs)
        record = GameRecord.of(options.game, state, [agent.name for _ in seats], options.seed)
        lines.append(dataclasses.replace(record, source=Source("sample", 0, number)).text() + "\n")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(options.out, "".join(lines))


if __name__ == "__main__":
    run_benchmark(main, Options)
