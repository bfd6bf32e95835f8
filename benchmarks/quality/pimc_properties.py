"""The properties of a game on which perfect-information Monte Carlo depends, as Long, Sturtevant, Buro and Furtak 2010
name them: leaf correlation, bias, disambiguation factor.

python -m benchmarks.quality.pimc_properties --game skat --out results/pimc_properties_skat.json
    [--deals 2000] [--bidder rule] [--player random] [--seed 1]

Deals that `--bidder` declares are played by `--player`. Leaf correlation: the share of pairs of sibling leaves that the
same side wins, on average over games. Siblings are the results of the last choice of a game, whose other cards are
played on at random. Bias: the share of the pairs that agree which the declaring side wins. Disambiguation factor: how
much smaller the number of worlds that a seat thinks possible is at its next card, as a share of those before; 0: it
learns nothing, 1: it knows all.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.beliefs.belief import Belief
from skat_env.match.statistics import Ratio, ratio
from skat_env.options import Count, Seed
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Game, State
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """The properties of a game on which perfect-information Monte Carlo depends."""

    game: str = "skat"
    bidder: str = "rule"
    """The agent that bids and declares."""
    player: str = "random"
    """The agent that plays the cards."""
    deals: Count = 2000
    seed: Seed = 1


@dataclass(slots=True)
class Counts:
    """What one game adds, each a pair of a part and a whole."""

    agreeing: tuple[float, float]
    """The share of its pairs of sibling leaves that the same side wins, and 1."""
    declared: tuple[float, float]
    """The share of the pairs that the declaring side wins, and that which the same side wins."""
    shrinking: dict[str, tuple[float, float]]
    """By role: the sum of the shares of worlds that a step rules out, and the number of steps."""


def leaves(end: State, rng: np.random.Generator) -> list[bool]:
    """Whether the declaring side wins, after each action of the last choice of a game that is over."""
    last: Any = end.clone()
    while last.history() and last.legal().bit_count() < 2:
        last.undo()
    found = []
    for action in last.legal_actions():
        leaf = last.clone()
        leaf.apply(action)
        while not leaf.is_over:
            leaf.apply(int(rng.choice(leaf.legal_actions())))
        found.append(bool(leaf.outcome().won))
    return found


def shrinking(game: Game, end: State) -> dict[str, tuple[float, float]]:
    """The shares of a seat's worlds that are ruled out from one of its cards to the next, by role."""
    state: Any = end.clone()
    counts: dict[int, list[int]] = {seat: [] for seat in range(len(game.seats))}
    while state.plays():
        state.undo()
        counts[state.to_act].append(Belief(state.view(state.to_act)).count)
    found = {"declaring": (0.0, 0.0), "defending": (0.0, 0.0)}
    for seat, numbers in counts.items():
        role = "declaring" if end.side(seat) == 0 else "defending"
        numbers = numbers[::-1]
        # A seat that knows all has nothing left to learn.
        steps = [1 - after / before for before, after in pairwise(numbers) if before > 1]
        found[role] = found[role][0] + sum(steps), found[role][1] + len(steps)
    return found


def counts_of(game: Game, end: State, rng: np.random.Generator) -> Counts:
    """The counts of a game that is over."""
    results = leaves(end, rng)
    won = sum(results)
    lost = len(results) - won
    pairs = len(results) * (len(results) - 1) / 2
    both = won * (won - 1) / 2 / pairs
    agreeing = both + lost * (lost - 1) / 2 / pairs
    return Counts((agreeing, 1.0), (both, agreeing), shrinking(game, end))


def main(options: Options) -> None:
    """Plays, prints and writes the result."""
    game = get_game(options.game)
    player = make_agent(options.player, options.game)
    start = PlayedTo(options.game, game.stages[-1], make_agent(options.bidder, options.game))
    counts = []
    with progress_bar("deals", options.deals) as advance:
        for deal in range(options.deals):
            state = start(deal_rng(options.seed, deal))
            seats = range(len(game.seats))
            play_game(state, [player] * len(seats), [agent_rng(options.seed, deal, seat) for seat in seats])
            counts.append(counts_of(game, state, np.random.default_rng([options.seed, deal])))
            advance(deal + 1)
    rows = {
        "leaf correlation": ratio(*zip(*(each.agreeing for each in counts), strict=True)),
        "bias": ratio(*zip(*(each.declared for each in counts), strict=True)),
        **{
            f"disambiguation, {role}": ratio(*zip(*(each.shrinking[role] for each in counts), strict=True))
            for role in ("declaring", "defending")
        },
    }
    for name, value in rows.items():
        print(f"{name:<28} {text(value)}")
    keep(options, rows=rows)


def text(value: Ratio) -> str:
    """`0.512 [0.500, 0.524]`."""
    return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


if __name__ == "__main__":
    run_benchmark(main, Options)
