"""How long `expert` takes for a card, and how long worlds take to count and to list.

python -m benchmarks.speed.expert [--games 300] [--agents rule expert ...] [--out results/expert_speed.json]

Cards are in CPU microseconds per decision, with views made before; the positions are all decisions of the cardplay of
games that `rule` plays. Worlds are those of the soloist and of an opponent at the first card, in medians of 21.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from benchmarks.harness import Kept, keep, read_options
from skat_env.beliefs.belief import Belief
from skat_env.play.starts import draw_starts, start_source
from skat_env.registry import get_game, make_agent
from skat_env.skat import SkatView

MOST_LISTED = 1_000_000
"""Information sets with more worlds are only counted."""


@dataclass
class Options(Kept):
    """How long `expert` takes for a card."""

    agents: tuple[str, ...] = ("rule", "expert(endgame=none)", "expert", "expert(start=4, threshold=0.4)")
    """Agents to time."""
    games: int = 300
    """Number of games."""
    kind: str = "suit"
    """The kind of game."""
    seed: int = 1
    """Seed of the deals and of the agents."""


def main(options: Options) -> None:
    """Times and prints."""
    views = decisions(options)
    found: dict[str, float] = {}
    for text in options.agents:
        agent, rng = make_agent(text, "skat"), np.random.default_rng(options.seed)
        begun = process_time()
        for view in views:
            agent.decide(view, rng)
        found[text] = 1e6 * (process_time() - begun) / len(views)
        print(f"{text:40} {found[text]:10,.1f} us a decision, {30 * found[text] / 1e3:8,.2f} ms per game")
    worlds = {name: world_times(view) for name, view in first_views(options).items()}
    for name, (count, counting, listing) in worlds.items():
        listed = "" if listing is None else f", {listing:.1f} ms to list"
        print(f"{name}: {count:,} worlds, {counting:.3f} ms to count{listed}")
    keep(options, microseconds=found, worlds=worlds)


def decisions(options: Options) -> list[SkatView]:
    """The views of all decisions in the cardplay of some games."""
    source = start_source(get_game("skat"), "cardplay", "rule", kind=options.kind)
    player, rng, views = make_agent("rule", "skat"), np.random.default_rng(options.seed), []
    states: list[Any] = draw_starts("skat", source, options.games, options.seed)
    for state in states:
        while not state.is_over:
            views.append(state.view(state.to_act))
            state.apply(player.decide(views[-1], rng).action)
    return views


def first_views(options: Options) -> dict[str, SkatView]:
    """The views of the soloist and of an opponent at the first card of a game with the skat."""
    source = start_source(get_game("skat"), "cardplay", "rule", kind=options.kind)
    starts: list[Any] = draw_starts("skat", source, 50, options.seed)
    state = next(state for state in starts if not state.hand_game)
    return {"soloist": state.view(state.soloist), "opponent": state.view((state.soloist + 1) % 3)}


def world_times(view: SkatView) -> tuple[int, float, float | None]:
    """How many worlds a view has, and the milliseconds to count them and to list them; None: too many to list."""
    count = Belief(view).count
    listing = (
        median(lambda: [len(rows) for rows in Belief(view).enumerate()]) if count < MOST_LISTED else None
    )
    return count, median(lambda: Belief(view).count), listing


def median(work: Callable[[], Any]) -> float:
    """The median CPU milliseconds of 21 runs."""
    times = []
    for _ in range(21):
        begun = process_time()
        work()
        times.append(1e3 * (process_time() - begun))
    return float(np.median(times))


if __name__ == "__main__":
    main(read_options(Options, __doc__))
