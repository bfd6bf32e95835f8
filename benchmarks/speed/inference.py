"""Speed of beliefs on one core: from a view to the posterior and a sample of worlds, and within a search.

python -m benchmarks.speed.inference [--game skat] [--belief locations] [--games 40] [--out FILE]

The views are the choices of a card in games of the rule player, without forced cards. Every figure is the median over
views in CPU time of the process, as the core may have other work; the two searches are timed in turn.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Kept, keep, print_table, read_options
from skat_env.agents.inference_quality.card_choices import card_choices
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Speed of beliefs on one core."""

    game: str = "skat"
    belief: str = "locations"
    """Belief to measure."""
    against: str = "uniform"
    """Belief of the search to compare with."""
    worlds: int = 160
    """Number of worlds to sample, and to search."""
    games: int = 40
    """Number of games that the views come from; for searches a fifth of them."""


@dataclass(frozen=True)
class Figure:
    """The medians of one role in one trick."""

    role: str
    trick: int
    views: int
    posterior: float
    """Milliseconds from a view to the posterior."""
    sample: float
    """Milliseconds with worlds sampled as rows."""
    states: float
    """Milliseconds with worlds sampled as full states."""


def by_role_and_trick(views: list[Any], game: str) -> dict[tuple[str, int], list[Any]]:
    """Groups views of the cardplay by role and trick."""
    seats = len(get_game(game).seats)
    found: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for view in views:
        found[quality_groups(game).roles[view.side(view.seat)], 1 + len(view.plays()) // seats].append(view)
    return found


def milliseconds(work: Callable[[Any], object], views: list[Any]) -> list[float]:
    """The CPU time of a call for each view."""
    times = []
    for view in views:
        started = time.process_time_ns()
        work(view)
        times.append((time.process_time_ns() - started) / 1e6)
    return times


def main() -> None:
    """Prints the tables and writes the figures."""
    options = read_options(Options, __doc__)
    belief: Any = make_belief(options.belief, options.game)
    rng = np.random.default_rng(0)

    def sample(view: Any) -> object:
        return belief.posterior(view, rng).sample(options.worlds, rng)

    games = list(card_choices(make_agent("rule", options.game), options.game, options.games))
    found = by_role_and_trick([view for views in games for view in views], options.game)
    milliseconds(sample, next(iter(found.values())))  # loads libraries, untimed
    figures, everything = [], []
    for (role, trick), views in sorted(found.items()):
        drawn = milliseconds(sample, views)
        everything += drawn
        posterior = milliseconds(lambda view: belief.posterior(view, rng), views)
        states = milliseconds(lambda view: belief.worlds(view, options.worlds, rng), views)
        medians = [float(np.median(times)) for times in (posterior, drawn, states)]
        figures.append(Figure(role, trick, len(views), *medians))
    titles = ("role", "trick", "views", "posterior, ms", f"{options.worlds} worlds, ms", "as states, ms")
    rows = [
        (
            each.role,
            each.trick,
            each.views,
            *tuple(f"{value:.2f}" for value in (each.posterior, each.sample, each.states)),
        )
        for each in figures
    ]
    print_table(titles, rows)
    median = float(np.median(everything))
    print(f"{belief.name}, median of all {len(everything)} views: {median:.2f} ms")
    searches = [
        make_agent(f"pimc(worlds={options.worlds}, belief={name}, bidder=rule)", options.game)
        for name in (options.belief, options.against)
    ]
    some = [view for views in games[: max(1, options.games // 5)] for view in views]
    moves: list[list[float]] = [[], []]
    with progress_bar("searches", len(some)) as advance:
        for number, view in enumerate(some, start=1):
            for search, times_of_search in zip(searches, moves, strict=True):
                times_of_search += milliseconds(lambda view: search.decide(view, rng), [view])  # noqa: B023
            advance(number)
    means = [float(np.mean(times)) for times in moves]
    for search, mean in zip(searches, means, strict=True):
        print(f"{search.name}: {mean:.1f} ms per move, mean of {len(some)}")
    print(f"ratio {means[0] / means[1]:.2f}")
    keep(
        options,
        belief=belief.name,
        median_ms=median,
        views=len(everything),
        figures=figures,
        searches={search.name: mean for search, mean in zip(searches, means, strict=True)},
        searched_moves=len(some),
    )


if __name__ == "__main__":
    main()
