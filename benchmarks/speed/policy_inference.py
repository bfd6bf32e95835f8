"""Speed of policy inference on one core, from view to weighted worlds, by trick and role.

python -m benchmarks.speed.policy_inference [--game skat] [--k 20000 100000] [--states configurations] [--games 50]
    [--out results/policy_inference_speed.json]

The views are the choices of a card in games that an agent plays against itself, without forced cards. As in a match,
every seat reuses the results of its last move. Times are CPU times of the process on one thread, as the core may have
other work.
"""

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Kept, keep, print_table, read_options
from skat_env.agents.beliefs.policy_inference import STATES, PolicyInference
from skat_env.agents.inference_quality.card_choices import card_choices
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.errors import UnknownName
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Speed of policy inference by trick and role."""

    game: str = "skat"
    k: tuple[int, ...] = (20_000, 100_000)
    """Numbers of worlds to draw."""
    states: str = "configurations"
    """What a world is: `configurations` or `full`."""
    model: str | None = None
    """Checkpoint of policy networks; None: the one that ships."""
    agent: str = "policy"
    """Agent that plays the games."""
    games: int = 50
    """Number of games in which cards are played."""
    seed: int = 0


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    k: int
    role: str
    trick: str
    """The trick from 1, `all`, or `first move`: the seat's own first decision."""
    moves: int
    mean: float
    """Mean milliseconds of a posterior."""
    slowest: float
    """Milliseconds of the slowest posterior."""
    effective: float
    """Median effective sample size."""


def measure(sampler: PolicyInference, k: int, games: list[list[Any]], options: Options) -> list[Figure]:
    """The figures for one number of worlds, on the views of some games."""
    seats = len(get_game(options.game).seats)
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    sizes: dict[tuple[str, str], list[float]] = defaultdict(list)
    with progress_bar(f"{sampler.name}, games", len(games)) as advance:
        for number, views in enumerate(games):
            rngs = [np.random.default_rng([options.seed, number, seat]) for seat in range(seats)]
            moved: set[int] = set()
            for view in views:
                seat = view.seat
                started = time.process_time()
                posterior = sampler.posterior(view, rngs[seat])
                spent = 1e3 * (time.process_time() - started)
                role = quality_groups(options.game).roles[view.side(seat)]
                rows = [(role, str(len(view.plays()) // seats + 1)), (role, "all")]
                rows += [(role, "first move")] * (seat not in moved)
                for row in (*rows, ("all", "all")):
                    times[row].append(spent)
                    sizes[row].append(posterior.effective_size)
                moved.add(seat)
            advance(number + 1)
    order = sorted(times, key=lambda row: (row[0] == "all", row[0], row[1].zfill(2)))
    return [
        Figure(
            k,
            *row,
            len(times[row]),
            float(np.mean(times[row])),
            max(times[row]),
            float(np.median(sizes[row])),
        )
        for row in order
    ]


def main() -> None:
    """Prints the table and writes the figures."""
    options = read_options(Options, __doc__)
    if options.states not in STATES:
        raise UnknownName("states of policy inference", options.states, STATES)
    games = list(
        card_choices(make_agent(options.agent, options.game), options.game, options.games, options.seed)
    )
    figures: list[Figure] = []
    for k in options.k:
        sampler = PolicyInference(k, states=options.states, model=options.model, game=options.game)
        # The first call loads the networks' libraries.
        sampler.posterior(games[0][-1], np.random.default_rng(0))
        figures += measure(sampler, k, games, options)
    rows = [
        (
            each.role,
            each.trick,
            f"{each.k:,}",
            each.moves,
            f"{each.mean:.1f}",
            f"{each.slowest:.0f}",
            f"{each.effective:,.0f}",
        )
        for each in figures
    ]
    print_table(("role", "trick", "k", "moves", "ms", "slowest", "effective worlds"), rows, left=2)
    keep(options, figures=figures)


if __name__ == "__main__":
    main()
