"""Time that a match saves by caching decisions that come up again in the games of a deal.

python benchmarks/match_speed.py [--agents "pimc(worlds=160)" "pimc(worlds=160, belief=locations)"] [--mode mirrored]
    [--game skat] [--bidder rule] [--deals 20] [--out FILE.json]

Every deal is played with and without the cache in turn, in CPU time of the process on one thread; the games are
compared too.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import tyro
from rich.console import Console

from skat_env.match.play import DealPlayer, MatchConfig
from skat_env.play.casts import Mode
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import write_result


@dataclass
class Options:
    """Time that a match saves by caching decisions."""

    agents: tuple[str, ...] = ("pimc(worlds=160)", "pimc(worlds=160, belief=locations)")
    game: str = "skat"
    mode: Mode = "mirrored"
    bidder: str = "rule"
    """Agent for everything before the cardplay."""
    deals: int = 20
    seed: int = 0
    out: Path | None = None
    """JSON file for the figures."""


@dataclass(frozen=True)
class Figures:
    """CPU seconds of the same games."""

    games: int
    cached: float
    """Seconds with the decision cache."""
    decided: float
    """Seconds without it."""
    ratio: float
    """Seconds without the cache over seconds with it."""
    alike: int
    """Number of games that were the same both ways."""


def measure(options: Options) -> Figures:
    """Plays the deals with and without the cache."""
    config = MatchConfig(
        options.game, options.agents, options.deals, options.seed, options.mode, options.bidder
    )
    players = [DealPlayer(config, cache=cache) for cache in (True, False)]
    for player in players:
        player([(options.deals, None)])  # loads and compiles what the first use needs
    seconds = [0.0, 0.0]
    games = alike = 0
    with progress_bar("deals", options.deals) as advance:
        for deal in range(options.deals):
            played = []
            for number, player in enumerate(players):
                started = time.process_time()
                played.append(player([(deal, None)]))
                seconds[number] += time.process_time() - started
            games += len(played[0])
            alike += sum(one.position == other.position for one, other in zip(*played, strict=True))
            advance(deal + 1)
    return Figures(games, *seconds, seconds[1] / seconds[0], alike)


def main(options: Options) -> None:
    """Prints the figures, and writes them."""
    found = measure(options)
    Console().print(
        f"{found.games} games, {found.alike} of them the same both ways: {found.cached:.1f} s with decisions "
        f"cached, {found.decided:.1f} s with all decided, {found.ratio:.2f} times as long",
        highlight=False,
        soft_wrap=True,
    )
    if options.out is not None:
        config = {**asdict(options), "out": str(options.out)}
        write_result(options.out, {"config": config, **asdict(found)})


if __name__ == "__main__":
    main(tyro.cli(Options))
