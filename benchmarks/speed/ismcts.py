"""Speed of tree search: simulations per second, by simulations per decision, trees and threads.

python -m benchmarks.speed.ismcts [--game klaverjas] [--deals 10] [--passes 10] [--out FILE.json]

Searches decide the same positions in every pass; a position counts with its fastest pass, so that other work on the
machine disturbs little. With more than one thread the clock on the wall counts, else the processor's time.
"""

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Kept, keep, print_table, read_options
from skat_env.play.randomness import deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar

SEARCHES = (
    (200, 1, 1), (200, 2, 1), (3200, 1, 1), (3200, 2, 1), (3200, 2, 2), (25600, 1, 1), (25600, 2, 1), (25600, 2, 2),
)  # fmt: skip
"""Simulations, trees and threads of each row."""


@dataclass
class Options(Kept):
    """Speed of tree search."""

    game: str = "klaverjas"
    """Name of the game."""
    deals: int = 10
    """Number of deals."""
    passes: int = 10
    """Times that each position is searched."""
    seed: int = 1
    """Seed of the deals and of the searches."""


def positions(options: Options) -> list[View]:
    """The views with a choice in the cardplay of some games that `random` plays."""
    game = get_game(options.game)
    views: list[View] = []
    starts = RandomDeals(options.game)
    for deal in range(options.deals):
        rng = deal_rng(options.seed, deal)
        state = starts(rng)
        while state.to_act >= 0:
            actions = state.legal_actions()
            if state.stage == game.stages[-1] and len(actions) > 1:
                views.append(state.view(state.to_act))
            state.apply(int(rng.choice(actions)))
    return views


def seconds(agent: Agent, views: list[View], seed: int, threads: int) -> list[float]:
    """The seconds of each decision."""
    clock = time.process_time if threads == 1 else time.perf_counter
    passed = []
    for number, view in enumerate(views):
        rng = np.random.default_rng([seed, number])
        started = clock()
        agent.decide(view, rng)
        passed.append(clock() - started)
    return passed


def main() -> None:
    """Prints the table and writes the figures."""
    options = read_options(Options, __doc__)
    views = positions(options)
    agents = [
        make_agent(f"ismcts(simulations={n}, trees={trees}, threads={threads}, reuse=false)", options.game)
        for n, trees, threads in SEARCHES
    ]
    best = np.full((len(SEARCHES), len(views)), np.inf)
    with progress_bar("passes", options.passes) as advance:
        for done in range(options.passes):
            for row, (agent, (_, _, threads)) in enumerate(zip(agents, SEARCHES, strict=True)):
                best[row] = np.minimum(best[row], seconds(agent, views, options.seed, threads))
            advance(done + 1)
    figures = [
        {
            "simulations": n,
            "trees": trees,
            "threads": threads,
            "ms": 1e3 * seconds,
            "millions": n / seconds / 1e6,
        }
        for (n, trees, threads), seconds in zip(SEARCHES, (times.mean() for times in best), strict=True)
    ]
    print_table(
        ("simulations", "trees", "threads", "ms per decision", "million simulations per second"),
        [
            (f"{n:,}", trees, threads, f"{ms:.3f}", f"{rate:.2f}")
            for n, trees, threads, ms, rate in map(dict.values, figures)
        ],
    )
    keep(options, positions=len(views), figures=figures)


if __name__ == "__main__":
    main()
