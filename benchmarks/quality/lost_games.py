"""How often soloists of Skat win games that open cards give up in every world: what traps are worth.

python -m benchmarks.quality.lost_games --games 240 --out benchmarks/results/lost_games_skat.json

`--bidder` declares random deals, at every seat. Before the soloist's first card its seat draws `--worlds`, uniformly
from those that it may think possible; a game counts if it loses in each of them where all see all cards. In these games
every agent plays the soloist's cards, against the same two `--defenders` with the same luck. So what it wins they gave
away, and the agent let them. `more` is how many more it wins than the first agent does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.search.objectives import make_objective
from skat_env.agents.search.pimc import merged
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng, worlds_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent
from skat_env.registry import make_agent, make_belief
from skat_env.skat import GAME, SkatState
from skat_env.skat.rules import NUM_SEATS
from skat_env.tools.console import milliseconds_text
from skat_env.tools.progress import progress_bar

DEALS_AT_ONCE: Final = 256


@dataclass
class Options(Kept):
    """Play games on that are lost with open cards."""

    agents: tuple[str, ...] = ("pimc(worlds=160)", "rule", "policy", "iimc(worlds=320)", "champion")
    """Agents that play the soloist's cards."""
    bidder: str = "policy"
    """The agent that declares the games."""
    defenders: str = "policy"
    """The agent that plays the cards of the other two seats."""
    games: Count = 240
    """How many games are lost in all worlds."""
    worlds: Count = 100
    """Worlds in which a game must be lost."""
    seed: Seed = 1
    """Seed of the deals, the worlds and the agents' luck."""


@dataclass(frozen=True)
class Row:
    """What an agent wins."""

    agent: str
    won: float
    """The share of the games."""
    interval: tuple[float, float]
    """95% of it (Wilson 1927)."""
    more: Estimate
    """The share that it wins more than the first agent."""
    points: Estimate
    """Tournament points of a game, for the soloist."""
    milliseconds: float
    """Of a decision."""


class Games:
    """Games that are lost in all worlds.

    Args:
        options: how they are found.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self.defenders = make_agent(options.defenders, GAME.name)
        self._starts = PlayedTo(GAME.name, GAME.stages[-1], options.bidder)
        self._belief, self._win = make_belief("uniform", GAME.name), make_objective("win", GAME.name, 1)
        self.declared = 0

    def __iter__(self) -> Iterator[tuple[int, SkatState]]:
        """The numbers of their deals, and the games before the soloist's first card, without end."""
        for first in count(step=DEALS_AT_ONCE):
            deals = range(first, first + DEALS_AT_ONCE)
            states = self._starts.many([deal_rng(self._options.seed, deal) for deal in deals])
            play_games(
                states, [[self.defenders] * NUM_SEATS] * len(states), self.luck(deals), until=soloist_acts
            )
            for deal, state in zip(deals, states, strict=True):
                self.declared += 1
                if self._is_lost(deal, state):
                    yield deal, state

    def luck(self, deals: Iterable[int]) -> list[list[np.random.Generator]]:
        """The generators of the agents, by game and seat."""
        return [[agent_rng(self._options.seed, deal, seat) for seat in range(NUM_SEATS)] for deal in deals]

    def _is_lost(self, deal: int, state: SkatState) -> bool:
        view = state.view(state.to_act)
        rng = worlds_rng(self._options.seed, deal, 0)
        worlds, _ = merged(drawn_worlds(self._belief, view, self._options.worlds, rng))
        actions = view.legal_actions()
        return not any(self._win.values([world], actions).any() for world in worlds)


def soloist_acts(state: Any) -> bool:
    """Whether the soloist is to act."""
    return bool(state.to_act == state.soloist)


@dataclass(frozen=True)
class Ends:
    """How an agent's games ended."""

    won: NDArray[np.bool_]
    points: NDArray[np.float64]
    """Tournament points of the soloist."""
    milliseconds: float


def ends(games: Games, agent: Agent, lost: list[tuple[int, SkatState]]) -> Ends:
    """Plays lost games on, with an agent as the soloist."""
    states = [state.clone() for _, state in lost]
    seats = [
        [agent if seat == state.soloist else games.defenders for seat in range(NUM_SEATS)] for state in states
    ]
    thinking = play_games(states, seats, games.luck(deal for deal, _ in lost))
    own = [seated[state.soloist] for seated, state in zip(thinking, states, strict=True)]
    return Ends(
        np.array([outcome.won for state in states if (outcome := state.outcome())], np.bool_),
        np.array([state.returns(GAME.match_unit)[state.soloist] for state in states], np.float64),
        1000 * sum(each.seconds for each in own) / sum(each.moves for each in own),
    )


def row_of(name: str, found: Ends, first: Ends) -> Row:
    """What an agent wins, and how much more than the first one."""
    low, high = binomtest(int(found.won.sum()), len(found.won)).proportion_ci(method="wilson")
    more, points = estimate(found.won.astype(float) - first.won), estimate(found.points)
    return Row(name, float(found.won.mean()), (low, high), more, points, found.milliseconds)


def main(options: Options) -> None:
    """Prints the table."""
    agents = [make_agent(name, GAME.name) for name in options.agents]
    games, lost = Games(options), []
    with progress_bar("games", options.games) as progress:
        for each in islice(games, options.games):
            lost.append(each)
            progress(len(lost))
    found = []
    with progress_bar("agents", len(agents)) as progress:
        for number, agent in enumerate(agents, 1):
            found.append(ends(games, agent, lost))
            progress(number)
    rows = [row_of(name, each, found[0]) for name, each in zip(options.agents, found, strict=True)]
    print(f"{len(lost)} of {games.declared:,} games that {options.bidder} declared are lost in all worlds")
    print_table(
        ["soloist", "won", "more", "points a game", "ms per decision"],
        [
            [
                row.agent,
                f"{row.won:.0%} [{row.interval[0]:.0%}, {row.interval[1]:.0%}]",
                f"{row.more.mean:+.0%} [{row.more.low:+.0%}, {row.more.high:+.0%}]",
                f"{row.points.mean:+.1f} {row.points.interval_text()}",
                milliseconds_text(row.milliseconds),
            ]
            for row in rows
        ],
    )
    keep(options, declared=games.declared, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
