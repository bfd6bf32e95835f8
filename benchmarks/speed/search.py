"""Speed of beliefs and search players, in CPU time or on the clock on the wall.

python -m benchmarks.speed.search [--game skat] [--agent "pimc(worlds=160)"] [--deals 100] [--out FILE.json]
python -m benchmarks.speed.search --agent "pimc(worlds=160, threads=2)" --clock wall
python -m benchmarks.speed.search --game klaverjas --agent "ismcts(simulations=3200)" --deals 100

The agent plays whole games against itself on random deals; the belief is the one with the most worlds before the second
card. For agents that count simulations, their number a second is over the decisions that were searched.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Kept, keep, print_table, read_options
from skat_env.beliefs.belief import Belief
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.registry import get_game, make_agent
from skat_env.skat import GAME, Declaration, SkatState
from skat_env.tools.progress import progress_bar

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}
Limits = dict[str, float]

LIMITS: dict[str, Limits] = {
    "skat": {"set-up": 1, "samples": 20, "move": 100, "first trick": 800, "auction": 1000},
    "klaverjas": {"set-up": 1, "samples": 20, "move": 4},
}
"""The maximum means in milliseconds that the project requires, by game."""


@dataclass
class Options(Kept):
    """Speed of beliefs and search players."""

    game: str = "skat"
    """Name of the game."""
    agent: str = "pimc(worlds=160)"
    """Agent to time."""
    deals: int = 100
    """Number of deals."""
    seed: int = 1
    """Seed of the deals and of the agent."""
    clock: Literal["cpu", "wall"] = "cpu"
    """CPU time of all threads, or time on the wall: what an agent with several threads takes on an idle machine."""


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
    """The maximum mean that the project requires; None: there is none."""


def figure(what: str, seconds: list[float], at_most: float | None) -> Figure:
    """The row of the table for some times."""
    ms = 1000 * np.array(seconds)
    return Figure(
        what, len(ms), ms.mean(), float(np.median(ms)), float(np.quantile(ms, 0.95)), ms.max(), at_most
    )


def timed(work: Callable[[], object], runs: int, now: Callable[[], float]) -> list[float]:
    """The seconds of each of some runs."""
    seconds = []
    for _ in range(runs):
        started = now()
        work()
        seconds.append(now() - started)
    return seconds


def widest_view(game: str) -> Any:
    """The view with the most worlds: that of the seat to play the second card."""
    rng = np.random.default_rng(0)
    if game == "skat":
        return SkatState.cardplay(GAME.random_deal(rng), 0, Declaration.parse("C"), (18, 0, 0)).view(1)
    return get_game(game).state.random(rng).view(1)


def beliefs(game: str, now: Callable[[], float]) -> list[Figure]:
    """Times making the belief of `widest_view` and drawing from it."""
    rng = np.random.default_rng(0)
    view = widest_view(game)
    belief = Belief(view)
    limits = LIMITS[game]
    return [
        figure(
            f"belief of {belief.count:,} worlds: set-up",
            timed(lambda: Belief(view), 500, now),
            limits["set-up"],
        ),
        figure(
            "10,000 samples from it", timed(lambda: belief.sample(10_000, rng), 50, now), limits["samples"]
        ),
        figure("10,000 different ones", timed(lambda: belief.sample_distinct(10_000, rng), 50, now), None),
    ]


def games(options: Options) -> tuple[list[Figure], float]:
    """Times the decisions of whole games by stage; also returns simulations per second (0 if the agent counts none)."""
    game = get_game(options.game)
    agent = make_agent(options.agent, options.game)
    deals = RandomDeals(options.game)
    now = CLOCKS[options.clock]
    times: dict[str, list[float]] = defaultdict(list)
    simulations, searched = 0, 0.0
    with progress_bar("deals", options.deals) as advance:
        for deal in range(options.deals):
            state = deals(deal_rng(options.seed, deal))
            rngs = [agent_rng(options.seed, deal, seat) for seat in range(len(game.seats))]
            while state.to_act >= 0:
                view = state.view(state.to_act)
                started = now()
                decision = agent.decide(view, rngs[view.seat])
                passed = now() - started
                if "simulations" in decision.stats:
                    simulations += decision.stats["simulations"]
                    searched += passed
                cardplay = state.stage == game.stages[-1]
                times["move" if cardplay else state.stage].append(passed)
                if cardplay and not state.tricks_played:
                    times["first trick"].append(passed)
                state.apply(decision.action)
            advance(deal + 1)
    limits = LIMITS[options.game]
    titles = {"move": "a move of the cardplay", "first trick": "a move of the first trick"}
    figures = [figure(titles[key], times[key], limits.get(key)) for key in titles]
    for stage in game.stages[:-1]:
        if times[stage]:
            figures.append(figure(f"a decision of the {stage}", times[stage], limits.get(stage)))
    return figures, simulations / searched if searched else 0.0


def main() -> None:
    """Prints the table and writes the figures."""
    options = read_options(Options, __doc__)
    played, simulations = games(options)
    figures = beliefs(options.game, CLOCKS[options.clock]) + played
    rows = [
        (
            row.what,
            row.count,
            *(f"{value:.3g}" for value in (row.mean, row.median, row.p95, row.max)),
            "" if row.at_most is None else f"{row.at_most:g}",
        )
        for row in figures
    ]
    titles = ("", "count", "mean", "median", "p95", "max", "mean at most")
    print_table(titles, rows, title=f"{options.agent}: ms ({options.clock})")
    if simulations:
        print(f"{simulations / 1e6:.2f} million simulations per second")
    keep(options, simulations_per_second=simulations, figures=figures)


if __name__ == "__main__":
    main()
