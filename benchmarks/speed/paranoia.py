"""Speed of paranoia search in Skat on one core, by the cards that each player has left.

python -m benchmarks.speed.paranoia [--games 100] [--time-limit 10] [--out results/paranoia_speed.json]

The positions are those of the sample games that ship with skat_env, when a trick is to be led. A decision asks whether
the soloist, or the defender after it, is sure to win; exact asks for what it is sure of. Times are CPU time. A search
that reaches the limit counts with it and is not solved.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import Kept, keep, print_table, read_options
from skat_env.skat import SkatState, SkatView
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import SureQuestion
from skat_env.solvers.skat.winning import sure_question
from skat_env.tools.progress import progress_bar

SAMPLE = Path("skat_env/data/skat_games.jsonl")
QUESTIONS = ("decision", "exact")


@dataclass
class Options(Kept):
    """Speed of paranoia search in Skat."""

    cards: tuple[int, ...] = (5, 6, 7, 8, 10)
    """Cards that each player has left."""
    games: int = 100
    """Number of games that the positions come from."""
    exact_up_to: int = 7
    """Maximum of cards for exact values."""
    time_limit: float = 10.0
    """Seconds after which a search stops."""


@dataclass(frozen=True)
class Figure:
    """One row of the table; times in milliseconds."""

    cards: int
    player: str
    question: str
    positions: int
    mean: float
    median: float
    p95: float
    longest: float
    nodes: float
    solved: float
    """The share that ended before the limit."""
    sure: float
    """The share of decisions whose player is sure to win."""


def views(cards: int, soloist: bool, games: int) -> Iterator[SkatView]:
    """The views of a player when everybody has some cards left, of games with a soloist in which that happens."""
    found = 0
    for line in SAMPLE.read_text().splitlines():
        end = SkatState.parse(json.loads(line)["position"])
        state = SkatState.new(end.deal, end.rules)
        for action in end.history():
            if state.stage == "cardplay" and len(state.plays()) == 3 * (10 - cards):
                yield state.view(state.soloist if soloist else (state.soloist + 1) % 3)
                found += 1
                break
            state.apply(action)
        if found == games:
            return


def measure(cards: int, soloist: bool, question: str, options: Options) -> Figure:
    """The figures of one row."""
    solver = ParanoiaSolver()
    times, nodes, solved, sure = [], [], 0, 0
    chosen = list(views(cards, soloist, options.games))
    with progress_bar(f"{cards} cards, {question}", len(chosen)) as advance:
        for number, view in enumerate(chosen, start=1):
            known = InformationSet.of(view)
            wins = sure_question(view)
            target = wins.target if wins is not None and question == "decision" else None
            started = time.process_time()
            solution = solver.solve(known, SureQuestion(target=target, time_limit=options.time_limit))
            times.append(1e3 * (time.process_time() - started))
            nodes.append(solution.nodes)
            solved += solution.exact
            sure += target is not None and solution.reaches(target) is True
            advance(number)
    return Figure(
        cards,
        "soloist" if soloist else "defender",
        question,
        len(times),
        float(np.mean(times)),
        float(np.median(times)),
        float(np.percentile(times, 95)),
        max(times),
        float(np.mean(nodes)),
        solved / len(times),
        sure / len(times),
    )


def main() -> None:
    """Prints the table and writes the figures."""
    options = read_options(Options, __doc__)
    figures = [
        measure(cards, soloist, question, options)
        for cards in options.cards
        for soloist in (True, False)
        for question in QUESTIONS
        if question == "decision" or (soloist and cards <= options.exact_up_to)
    ]
    rows = [
        (
            each.player,
            each.question,
            each.cards,
            *tuple(f"{time:,.2f}" for time in (each.mean, each.median, each.p95, each.longest)),
            f"{each.nodes:,.0f}",
            f"{each.solved:.0%}",
            f"{each.sure:.0%}" if each.question == "decision" else "",
        )
        for each in figures
    ]
    titles = ("player", "question", "cards", "mean ms", "median", "p95", "max", "nodes", "solved", "sure")
    print_table(titles, rows, left=2)
    keep(options, figures=figures)


if __name__ == "__main__":
    main()
