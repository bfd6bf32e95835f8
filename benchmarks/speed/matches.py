"""Time that a match saves by caching decisions that come up again in the games of a deal, and networks by lanes.

python -m benchmarks.speed.matches [--agents "pimc(worlds=160)" "pimc(worlds=160, belief=locations)"] [--mode mirrored]
    [--game skat] [--bidder rule] [--deals 20] [--out FILE.json]

Deals are played as matches do and with every decision made in Python, in turn, in CPU time of the process on one
thread; the games are compared too.
"""

import time
from dataclasses import asdict, dataclass

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.match.play import DealPlayer, MatchConfig, deals_in_block
from skat_env.options import Count, Seed
from skat_env.play.casts import Mode
from skat_env.tools.console import Console
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Time that a match saves by caching decisions and by lanes."""

    agents: tuple[str, ...] = ("pimc(worlds=160)", "pimc(worlds=160, belief=locations)")
    game: str = "skat"
    mode: Mode = "mirrored"
    bidder: str = "rule"
    """Agent for everything before the cardplay."""
    deals: Count = 20
    seed: Seed = 0


@dataclass(frozen=True)
class Figures:
    """CPU seconds of the same games."""

    games: int
    match: float
    """Seconds of a match."""
    decided: float
    """Seconds with every decision made in Python."""
    ratio: float
    """The second over the first."""
    alike: int
    """Number of games that were the same both ways."""


def measure(options: Options) -> Figures:
    """Plays the deals both ways."""
    config = MatchConfig(
        options.game, options.agents, options.deals, options.seed, options.mode, options.bidder
    )
    players = [DealPlayer(config), DealPlayer(config, cache=False, in_lanes=False)]
    for player in players:
        player([(options.deals, None)])  # loads and compiles what the first use needs
    seconds = [0.0, 0.0]
    games = alike = 0
    block = deals_in_block(config)
    with progress_bar("deals", options.deals) as advance:
        for first in range(0, options.deals, block):
            deals = [(deal, None) for deal in range(first, min(first + block, options.deals))]
            played = []
            for number, player in enumerate(players):
                started = time.process_time()
                played.append(player(deals))
                seconds[number] += time.process_time() - started
            games += len(played[0])
            alike += sum(one.position == other.position for one, other in zip(*played, strict=True))
            advance(first + len(deals))
    return Figures(games, seconds[0], seconds[1], seconds[1] / seconds[0], alike)


def main(options: Options) -> None:
    """Prints the figures, and writes them."""
    found = measure(options)
    Console().print(
        f"{found.games} games, {found.alike} of them the same both ways: {found.match:.1f} s as matches play, "
        f"{found.decided:.1f} s with every decision in Python, {found.ratio:.2f} times as long",
        highlight=False,
        soft_wrap=True,
    )
    keep(options, **asdict(found))


if __name__ == "__main__":
    run_benchmark(main, Options)
