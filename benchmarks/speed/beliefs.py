"""How long beliefs take on one core, from a view to what is believed and to a sample of worlds, by role and trick.

python -m benchmarks.speed.beliefs [--beliefs uniform locations "policy(k=20000)"] [--game skat] [--agent rule]
    [--games 40] [--worlds 160] [--out results/beliefs_speed.json]

The views are the choices of a card in games that an agent plays against itself, without forced cards. As in a match,
every seat reuses what a belief keeps of its last move. Times are CPU times of the process on one thread.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Kept, cpu_seconds, keep, print_table, run_benchmark
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.options import Count, Seed
from skat_env.play.lockstep import play_game
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """How long beliefs take."""

    beliefs: tuple[str, ...] = ("uniform", "locations")
    """Beliefs to measure."""
    game: str = "skat"
    agent: str = "rule"
    """Agent that plays the games."""
    games: Count = 40
    """Number of games in which cards are played."""
    worlds: Count = 160
    """Number of worlds to sample."""
    seed: Seed = 0


@dataclass(frozen=True)
class Figure:
    """One row of the table, in milliseconds."""

    belief: str
    role: str
    trick: str
    """The trick from 1, or `all`."""
    views: int
    posterior: float
    """Mean time from a view to what is believed."""
    slowest: float
    """The same of the slowest view."""
    sample: float
    """Mean time to sample worlds as full states, what is believed included."""


def card_choices(agent: Agent, game: str, games: int, seed: int) -> Iterator[list[Any]]:
    """Yields for each game that an agent plays against itself the views of the seats with more than one legal card.

    Games without such choices, as passed ones, do not count; deals have the seeds from `seed` on.
    """
    about = get_game(game)
    found = 0
    while found < games:
        rng = np.random.default_rng(seed)
        seed += 1
        state: Any = about.state.random(rng)
        end = state.clone()
        play_game(end, [agent] * len(about.seats), [rng] * len(about.seats))
        views = []
        for action in end.history():
            if state.stage == about.stages[-1] and len(state.legal_actions()) > 1:
                views.append(state.view(state.to_act))
            state.apply(action)
        if views:
            found += 1
            yield views


def measure(text: str, games: list[list[Any]], options: Options) -> list[Figure]:
    """The rows of a belief."""
    # Each has a belief of its own, so that sampling finds nothing kept of the posterior before.
    believed, sampled = (make_belief(text, options.game) for _ in range(2))
    seats = len(get_game(options.game).seats)
    times: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for belief in (believed, sampled):  # the first call loads libraries
        belief.worlds(games[0][-1], options.worlds, np.random.default_rng(0))
    with progress_bar(f"games, {text}", len(games)) as advance:
        for number, views in enumerate(games):
            rngs = [
                [np.random.default_rng([options.seed, number, seat]) for seat in range(seats)] for _ in "ab"
            ]
            for view in views:
                first, second = (each[view.seat] for each in rngs)
                taken = (
                    1000 * cpu_seconds(lambda: believed.posterior(view, first)),  # type: ignore[attr-defined]  # noqa: B023
                    1000 * cpu_seconds(lambda: sampled.worlds(view, options.worlds, second)),  # noqa: B023
                )
                role = quality_groups(options.game).roles[view.side(view.seat)]
                for row in ((role, str(1 + len(view.plays()) // seats)), (role, "all"), ("all", "all")):
                    times[row].append(taken)
            advance(number + 1)
    order = sorted(times, key=lambda row: (row[0] == "all", row[0], row[1].zfill(2)))
    return [
        Figure(
            text, *row, len(times[row]), *map(float, (each[:, 0].mean(), each[:, 0].max(), each[:, 1].mean()))
        )
        for row in order
        for each in [np.array(times[row])]
    ]


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    games = list(
        card_choices(make_agent(options.agent, options.game), options.game, options.games, options.seed)
    )
    figures = [figure for text in options.beliefs for figure in measure(text, games, options)]
    rows = [
        (
            *(each.belief, each.role, each.trick, each.views),
            *(f"{value:.2f}" for value in (each.posterior, each.slowest, each.sample)),
        )
        for each in figures
    ]
    titles = ("belief", "role", "trick", "views", "posterior, ms", "slowest", f"{options.worlds} worlds, ms")
    print_table(titles, rows, left=3)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
