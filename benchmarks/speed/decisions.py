"""How long agents take for a decision, by stage of the game: in games that each plays against itself.

python -m benchmarks.speed.decisions [--agents "pimc(worlds=160)" policy ...] [--game skat] [--deals 100]
    [--start cardplay --kind suit] [--clock wall] [--batch 512] [--out results/decisions_speed.json]

Forced actions do not count. Agents that decide in batches are also asked for all decisions of a stage in batches of
`--batch`. For agents that count simulations, their number per second is over the decisions that were searched.
"""

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.options import Count, Range, Seed
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import start_source
from skat_env.protocols import BatchAgent
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}
FIRST_TRICK = "first trick"
SKAT_LIMITS = {"cardplay": 100, FIRST_TRICK: 800, "auction": 1000}
"""The maximum means in milliseconds that the project requires of `pimc(worlds=160)`."""


@dataclass
class Options(Kept):
    """How long agents take for a decision."""

    agents: tuple[str, ...] = ("pimc(worlds=160)",)
    """Agents to time."""
    game: str = "skat"
    """Name of the game."""
    deals: Count = 100
    """Number of deals."""
    start: str = "deal"
    """Where the games begin; `rule` plays up to there."""
    kind: str | None = None
    """The kind of game; default: all."""
    seed: Seed = 1
    """Seed of the deals and of the agents."""
    clock: Literal["cpu", "wall"] = "cpu"
    """CPU time of all threads, or time on the wall: what an agent with several threads takes on an idle machine."""
    batch: Annotated[int, Range(ge=0)] = 0
    """Number of views in a batch; 0: none."""


@dataclass
class Figure:
    """One row of the table, in milliseconds."""

    agent: str
    stage: str
    count: int
    mean: float
    median: float
    p95: float
    max: float
    batched: float | None
    """A decision in a batch; None: it was not asked in batches."""
    simulations: float
    """Million simulations per second; 0: it counts none."""


def measure(text: str, options: Options) -> list[Figure]:
    """The rows of an agent."""
    game, agent, now = get_game(options.game), make_agent(text, options.game), CLOCKS[options.clock]
    source = start_source(game, options.start, "rule", kind=options.kind)
    views: dict[str, list[Any]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    searched: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with progress_bar(f"deals of {text}", options.deals) as advance:
        for deal in range(options.deals):
            state: Any = source(deal_rng(options.seed, deal)).clone()
            rngs = [agent_rng(options.seed, deal, seat) for seat in range(len(game.seats))]
            while not state.is_over:
                view = state.view(state.to_act)
                started = now()
                decision = agent.decide(view, rngs[view.seat])
                passed = now() - started
                stages = [state.stage]
                if state.stage == game.stages[-1] and len(state.plays()) < len(game.seats):
                    stages.append(FIRST_TRICK)
                for stage in stages if len(view.legal_actions()) > 1 else ():
                    views[stage].append(view)
                    times[stage].append(1000 * passed)
                    searched[stage].append((decision.stats.get("simulations", 0), passed))
                state.apply(decision.action)
            advance(deal + 1)
    return [
        Figure(
            text,
            stage,
            len(taken),
            float(np.mean(taken)),
            float(np.median(taken)),
            float(np.quantile(taken, 0.95)),
            max(taken),
            in_batches(agent, views[stage], options) if options.batch else None,
            rate(searched[stage]),
        )
        for stage, taken in times.items()
    ]


def in_batches(agent: Any, views: list[Any], options: Options) -> float | None:
    """The milliseconds of a decision in batches; None: the agent does not decide so."""
    if not isinstance(agent, BatchAgent):
        return None
    now, rng = CLOCKS[options.clock], np.random.default_rng(options.seed)
    taken = []
    for first in range(0, len(views), options.batch):
        some = views[first : first + options.batch]
        started = now()
        agent.decide_many(some, [rng] * len(some))
        taken.append(1000 * (now() - started) / len(some))
    return float(np.median(taken))


def rate(searched: list[tuple[float, float]]) -> float:
    """Million simulations per second."""
    counted = [(number, seconds) for number, seconds in searched if number]
    return (
        sum(number for number, _ in counted) / sum(seconds for _, seconds in counted) / 1e6
        if counted
        else 0.0
    )


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    figures = [figure for text in options.agents for figure in measure(text, options)]
    rows = [
        (
            each.agent,
            each.stage,
            each.count,
            *(f"{value:.3g}" for value in (each.mean, each.median, each.p95, each.max)),
            "" if each.batched is None else f"{each.batched:.2g}",
            f"{each.simulations:.2f}" if each.simulations else "",
            SKAT_LIMITS.get(each.stage, "")
            if (options.game, each.agent) == ("skat", "pimc(worlds=160)")
            else "",
        )
        for each in figures
    ]
    titles = ("agent", "", "count", "mean ms", "median", "p95", "max", "in batches", "Msim/s", "mean at most")
    print_table(titles, rows, left=2)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
