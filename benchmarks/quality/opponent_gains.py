"""What `iimc` gains per decision when the other side's seats are played as its belief infers, without a match.

python -m benchmarks.quality.opponent_gains --game klaverjas --players "rule(variant=thesis)" policy --decisions 600
    --out benchmarks/results/opponent_gains_klaverjas.json

In each game the inner agent has one side, or with `--alone` one seat, and one of the players the rest; one decision of
the inner agent is asked of three agents: the champion's search with all seats played by the inner agent, the same with
`opponents=inferred`, and the inner agent alone. The player at the table plays its seats on after each card that they
choose, in the same worlds of the belief. The worth is the own side's result less the other side's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from benchmarks.quality.search_settings import INNER, shown
from skat_env.agents.klaverjas.champion import inference as klaverjas_inference
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.rollouts import Rollouts
from skat_env.agents.skat.champion import inference as skat_inference
from skat_env.match.statistics import Estimate, estimate
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.players import Players
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.progress import progress_bar

BELIEF: Final = {"skat": skat_inference(1000), "klaverjas": klaverjas_inference(1000)}
SEARCH: Final = {
    "skat": "iimc(worlds=160, inner={}, belief={}, threshold=0, open_cards=0.5, race=2{})",
    "klaverjas": "iimc(worlds=160, inner={}, belief={}, threshold=0, race=2{})",
}
"""The champions' searches."""


@dataclass
class Options(Kept):
    """Compare the search with and without inferred opponents."""

    game: str = "klaverjas"
    """The game."""
    players: tuple[str, ...] = ("rule(variant=thesis)", "policy")
    """The agents at the table, one after the other."""
    alone: bool = False
    """Whether the player has the seats of partners too."""
    decisions: int = 600
    """Decisions for each of them."""
    tricks: int = 7
    """Decisions are of the first tricks."""
    worlds: int = 160
    """Worlds in which cards are compared."""
    seed: int = 1
    """Seed of the games and worlds."""


@dataclass(frozen=True)
class Row:
    """What is gained per decision on the search whose inner agent plays all seats."""

    player: str
    inferred: Estimate
    differ: float
    """The share of decisions in which the card is another."""
    inner: Estimate


def decisions(options: Options, player: Agent, number: int) -> Iterator[tuple[Any, list[int]]]:
    """States at a decision of the inner agent in games against a player, without end, and who has each seat."""
    game = get_game(options.game)
    inner = make_agent(INNER[game.name], game.name)
    table = Players(game, [inner, player])
    seats = range(len(game.seats))
    for deal in count():
        seed = (options.seed, number, deal)
        rng = np.random.default_rng(seed)
        state: Any = PlayedTo(game.name, game.stages[-1], inner)(rng)
        seat = int(rng.integers(len(seats)))
        own = {seat} if options.alone else {each for each in seats if state.side(each) == state.side(seat)}
        seated = [int(each not in own) for each in seats]

        def luck(_: int, each: int, seed: tuple[int, ...] = seed) -> np.random.Generator:
            return np.random.default_rng([*seed, each])

        table.play([state], luck, np.array([seated], np.int16))
        found = []
        while state.plays():
            state.undo()
            early = len(state.plays()) < options.tricks * len(seats)
            if early and state.to_act == seat and state.view(seat).legal().bit_count() > 1:
                found.append(state.clone())
        if found:
            yield found[int(rng.integers(len(found)))], seated


def row_of(options: Options, name: str, number: int) -> Row:
    """What is gained against one player."""
    inner, belief = (each[options.game] for each in (INNER, BELIEF))
    texts = [SEARCH[options.game].format(inner, belief, more) for more in ("", ", opponents=inferred")]
    agents = [make_agent(text, options.game) for text in (*texts, inner)]
    player, sampler = make_agent(name, options.game), make_belief(belief, options.game)
    rollouts = Rollouts(agents[-1], options.game, [player])
    gains, differ = np.zeros((options.decisions, 3)), 0
    with progress_bar(name, options.decisions) as progress:
        for place, (state, seated) in enumerate(
            islice(decisions(options, player, number), options.decisions)
        ):
            seed = [options.seed, number, place]
            view = state.view(state.to_act)
            cards = [agent.decide(view, np.random.default_rng(seed)).action for agent in agents]
            differ += cards[1] != cards[0]
            some = sorted(set(cards))
            if len(some) > 1:
                rng = np.random.default_rng([*seed, 1])
                worlds, weights = merged(drawn_worlds(sampler, view, options.worlds, rng))
                tables = np.tile(np.array(seated, np.int16), (len(worlds), 1))
                worths = weights @ rollouts.results(worlds, some, place, seated=tables)
                gains[place] = [worths[some.index(card)] - worths[some.index(cards[0])] for card in cards]
            progress(place + 1)
    return Row(name, estimate(gains[:, 1]), differ / options.decisions, estimate(gains[:, 2]))


def main(options: Options) -> None:
    """Prints the table."""
    rows = [row_of(options, name, number) for number, name in enumerate(options.players)]
    print(f"{options.game}: {options.decisions} decisions against each player")
    print_table(
        ["at the table", "inferred", "other card", "inner agent alone"],
        [[row.player, shown(row.inferred), f"{row.differ:.0%}", shown(row.inner)] for row in rows],
    )
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
