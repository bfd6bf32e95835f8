"""Speed of network decisions on one core, from views to actions, one at a time and in batches.

python -m benchmarks.speed.policy [--agent policy] [--batch 512] [--games 200] [--out results/policy_speed.json]

The decisions are those of games that the agent plays against itself, without forced actions. Every figure is the median
over batches in CPU time of the process, as the core may have other work.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Kept, keep, median_seconds, print_table, read_options
from skat_env.play.lockstep import play_game
from skat_env.protocols import BatchAgent, State
from skat_env.registry import get_game, make_agent


@dataclass
class Options(Kept):
    """Speed of network decisions, one at a time and in batches."""

    agent: str = "policy"
    """Agent that decides in batches."""
    game: str = "skat"
    batch: int = 512
    """Number of views in a batch."""
    games: int = 200
    """Number of games that the views come from."""
    repeats: int = 20
    """Number of batches, and of tens of single decisions, that medians are taken over."""


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    stage: str
    views: int
    """The number of different views."""
    single: float
    """Milliseconds of a single decision."""
    batched: float
    """Microseconds of a decision in a batch."""


def collect(agent: BatchAgent, options: Options) -> dict[str, list[Any]]:
    """Plays games; returns views by stage of the game."""
    game = get_game(options.game)
    views: dict[str, list[Any]] = defaultdict(list)
    for number in range(options.games):
        rng = np.random.default_rng(number)
        state: State = game.state.random(rng)
        end = state.clone()
        play_game(end, [agent] * len(game.seats), [rng] * len(game.seats))
        for action in end.history():
            if len(state.legal_actions()) > 1:
                views[state.stage].append(state.view(state.to_act))
            state.apply(action)
    return views


def measure(agent: BatchAgent, stage: str, views: list[Any], options: Options) -> Figure:
    """The figures of a stage."""
    rng = np.random.default_rng(0)
    rngs = [rng] * options.batch

    def some(count: int) -> list[Any]:
        return [views[index] for index in rng.integers(len(views), size=count)]

    batch = median_seconds(lambda: agent.decide_many(some(options.batch), rngs), options.repeats)
    # Ten decisions a call, as the clock of CPU time is coarse.
    ten = median_seconds(lambda: [agent.decide(view, rng) for view in some(10)], options.repeats)
    return Figure(stage, len(views), 1e3 * ten / 10, 1e6 * batch / options.batch)


def main() -> None:
    """Prints the table and writes the figures."""
    options = read_options(Options, __doc__)
    agent = make_agent(options.agent, options.game)
    if not isinstance(agent, BatchAgent):
        raise SystemExit(f"{agent.name} does not decide in batches")
    views = collect(agent, options)
    figures = [measure(agent, stage, found, options) for stage, found in views.items()]
    print_table(
        (options.agent, "views", "ms alone", f"µs in batches of {options.batch}"),
        [(each.stage, each.views, f"{each.single:.3f}", f"{each.batched:.1f}") for each in figures],
    )
    keep(options, agent=agent.name, figures=figures)


if __name__ == "__main__":
    main()
