"""How engines of ours keep the time of a decision: answers of another agent, and answers that came too late.

python -m benchmarks.speed.engine_time [--times 20 100] [--deals 5] [--out FILE.json]

Searches that would take far longer play the cards of deals that `rule` bids. An answer is late if the host has it after
the time; a host with that limit would have failed the engine.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import GameName, Kept, keep, print_table, run_benchmark
from skat_env.agents.engine.process import START_SECONDS, EngineProcess
from skat_env.agents.engine.question import PROTOCOL, question_lines
from skat_env.options import Count, Seed
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game
from skat_env.tools.progress import progress_bar

SEARCHES = (
    "pimc(worlds=3000)",
    "iimc(worlds=3000)",
    "ismcts(simulations=1000000)",
    "alpha_mu(worlds=100, m=6)",
    "epimc(worlds=200, depth=5)",
    "champion",
)


@dataclass
class Options(Kept):
    """How engines of ours keep the time of a decision."""

    times: tuple[Count, ...] = (20, 100)
    """Milliseconds that a decision may take."""
    games: tuple[GameName, ...] = ("skat", "klaverjas")
    deals: Count = 5
    seed: Seed = 0


@dataclass(frozen=True)
class Figures:
    """A search in a game at a limit."""

    game: str
    agent: str
    limit: int
    """Milliseconds."""
    decisions: int
    others: int
    """Decisions of another agent, where the search had none in time."""
    late: int
    """Answers after the limit."""
    median: float
    """Milliseconds of an answer."""
    slowest: float
    """The same of the slowest."""


def measure(name: str, agent: str, limit: int, options: Options) -> Figures:
    """Lets a search play the cards of deals at all seats."""
    game = get_game(name)
    process = EngineProcess(f"{sys.executable} -m skat_env engine '{agent}'")
    process.ask(f"{PROTOCOL}\n", START_SECONDS)
    process.ask(f"game {name}\n", START_SECONDS)
    start = PlayedTo(name, "cardplay", "rule")
    numbers = {text: number for number, text in enumerate(game.actions)}
    took, others = [], 0
    for deal in range(-1, options.deals):  # deal -1 loads what the first use needs
        state = start(np.random.default_rng([options.seed, max(deal, 0)]))
        while not state.is_over:
            lines = question_lines(game, state.view(state.to_act), "5", limit)
            began = time.perf_counter()
            answer = process.ask(lines, START_SECONDS)
            if deal >= 0:
                took.append(1000 * (time.perf_counter() - began))
                others += any(note.startswith("info late") for note in process.notes)
            state.apply(numbers[answer.split()[1]])
    process.quit()
    return Figures(
        name,
        agent,
        limit,
        len(took),
        others,
        sum(each > limit for each in took),
        float(np.median(took)),
        max(took),
    )


def main(options: Options) -> None:
    """Prints the figures, and writes them."""
    cases = [(game, agent, limit) for game in options.games for agent in SEARCHES for limit in options.times]
    found = []
    with progress_bar("searches", len(cases)) as advance:
        for case in cases:
            found.append(measure(*case, options))
            advance(len(found))
    titles = ("game", "agent", "ms", "decisions", "of another", "late", "median ms", "slowest")
    rows = [
        (
            each.game,
            each.agent,
            each.limit,
            each.decisions,
            each.others,
            each.late,
            f"{each.median:.1f}",
            f"{each.slowest:.1f}",
        )
        for each in found
    ]
    print_table(titles, rows, left=2)
    keep(options, searches=found)


if __name__ == "__main__":
    run_benchmark(main, Options)
