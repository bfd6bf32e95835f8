"""Speed of beliefs and search players of Skat, one thread, CPU time.

python benchmarks/search_speed.py [--agent "pimc(worlds=160)"] [--deals 100] [--out results/search_speed.json]

The agent plays whole games against itself on random deals; the belief is that of a defender before the second card.
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from skat_env.belief import Belief
from skat_env.match import agent_rng, deal_rng
from skat_env.progress import progress_bar
from skat_env.provenance import provenance
from skat_env.registry import make_agent
from skat_env.skat import GAME, Declaration, SkatState
from skat_env.skat.rules import Phase
from skat_env.starts import RandomDeals


@dataclass
class Options:
    """Speed of beliefs and search players of Skat, one thread."""

    agent: str = "pimc(worlds=160)"
    """The agent that plays."""
    deals: int = 100
    """Full deals."""
    seed: int = 1
    """Of the deals and of the agent."""
    out: Path | None = None
    """A JSON file for the figures."""


@dataclass
class Figure:
    """One row of the table, in milliseconds."""

    what: str
    count: int
    mean: float
    median: float
    p95: float
    max: float
    at_most: float | None
    """What the project asks of the mean."""


def figure(what: str, seconds: list[float], at_most: float | None) -> Figure:
    """The row of some times."""
    ms = 1000 * np.array(seconds)
    return Figure(
        what, len(ms), ms.mean(), float(np.median(ms)), float(np.quantile(ms, 0.95)), ms.max(), at_most
    )


def timed(work: Callable[[], object], runs: int) -> list[float]:
    """The seconds of each of some runs."""
    seconds = []
    for _ in range(runs):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return seconds


def beliefs() -> list[Figure]:
    """Setting the widest belief up, and drawing from it."""
    rng = np.random.default_rng(0)
    state = SkatState.cardplay(GAME.random_deal(rng), 0, Declaration.parse("C"), (18, 0, 0))
    view = state.view(1)
    belief = Belief(view)
    assert belief.count == 42_678_636
    return [
        figure("belief of 42,678,636 worlds: set-up", timed(lambda: Belief(view), 500), 1.0),
        figure("10,000 samples from it", timed(lambda: belief.sample(10_000, rng), 50), 20.0),
        figure("10,000 different ones", timed(lambda: belief.sample_distinct(10_000, rng), 50), None),
    ]


def games(options: Options) -> list[Figure]:
    """Decisions of whole games of an agent against itself."""
    agent = make_agent(options.agent, "skat")
    times: dict[str, list[float]] = defaultdict(list)
    with progress_bar("deals", options.deals) as advance:
        for deal in range(options.deals):
            state = RandomDeals("skat")(deal_rng(options.seed, deal))
            rngs = [agent_rng(options.seed, deal, seat, agent.name) for seat in range(3)]
            while state.to_act >= 0:
                view = state.view(state.to_act)
                started = time.process_time()
                action = agent.decide(view, rngs[view.seat]).action
                passed = time.process_time() - started
                if state.phase != Phase.PLAY:
                    times["bid" if state.stage == "auction" else "declaration"].append(passed)
                else:
                    times["move"].append(passed)
                    if not state.tricks_played:
                        times["first trick"].append(passed)
                state.apply(action)
            advance(deal + 1)
    return [
        figure("a move of the cardplay", times["move"], 100.0),
        figure("a move of the first trick", times["first trick"], 800.0),
        figure("a decision of the auction", times["bid"], 1000.0),
        figure("a decision of the declaration", times["declaration"], None),
    ]


def main() -> None:
    """Prints the table and writes the figures."""
    options = tyro.cli(Options, description=__doc__)
    figures = beliefs() + games(options)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=f"{options.agent}: CPU ms", title_justify="left")
    table.add_column("")
    for name in ("count", "mean", "median", "p95", "max", "mean at most"):
        table.add_column(name, justify="right")
    for row in figures:
        cells = [f"{value:.3g}" for value in (row.mean, row.median, row.p95, row.max)]
        table.add_row(row.what, str(row.count), *cells, "" if row.at_most is None else f"{row.at_most:g}")
    Console(width=100).print(table)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        rows = [vars(row) for row in figures]
        result = {**provenance(), "agent": options.agent, "deals": options.deals, "seed": options.seed}
        options.out.write_text(json.dumps({**result, "figures": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
