"""What `iimc` gains per decision when the other side's seats are played as its belief infers, without a match.

python -m benchmarks.quality.opponent_gains --game klaverjas --players "rule(variant=thesis)" policy --decisions 600
    --out benchmarks/results/opponent_gains_klaverjas.json

In each game the inner agent has one side, or with `--alone` one seat, and one of the players the rest; one decision of
the inner agent is asked of three agents: a search in the champions' manner with all seats played by the inner agent,
the same with `opponents=inferred`, and the inner agent alone. The player at the table plays its seats on after each
card that they choose, in the same worlds of the belief. The worth is the own side's result less the other side's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np

from benchmarks.harness import GameName, Kept, keep, print_table, run_benchmark
from benchmarks.quality.search_settings import INNER, drawn_choice, shown
from skat_env.agents.klaverjas.champion import inference as klaverjas_inference
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.rollouts import Rollouts
from skat_env.agents.skat.champion import inference as skat_inference
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng, deal_rng, question_rng, worlds_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.progress import progress_bar

BELIEF: Final = {"skat": skat_inference(1000), "klaverjas": klaverjas_inference(1000)}
SEARCH: Final = {
    "skat": "iimc(worlds=160, inner={}, belief={}, threshold=0, open_cards=0.5, race=2{})",
    "klaverjas": "iimc(worlds=160, inner={}, belief={}, threshold=0, race=2{})",
}
"""Searches in the champions' manner, of fewer worlds."""


@dataclass
class Options(Kept):
    """Compare the search with and without inferred opponents."""

    game: GameName = "klaverjas"
    """The game."""
    players: tuple[str, ...] = ("rule(variant=thesis)", "policy")
    """The agents at the table, one after the other."""
    alone: bool = False
    """Whether the player has the seats of partners too."""
    decisions: Count = 600
    """Decisions for each of them."""
    tricks: Count = 7
    """Decisions are of the first tricks."""
    worlds: Count = 160
    """Worlds in which cards are compared."""
    seed: Seed = 1
    """Seed of the games and worlds."""


@dataclass(frozen=True)
class Row:
    """What is gained per decision on the search whose inner agent plays all seats."""

    player: str
    inferred: Estimate
    differ: float
    """The share of decisions in which the card is another."""
    inner: Estimate


def decisions(options: Options, player: Agent) -> Iterator[tuple[int, Any, list[int]]]:
    """Games of the inner agent against a player, without end: the number of the deal, the state at one of the inner
    agent's decisions, and who has each seat.
    """
    game = get_game(options.game)
    inner = make_agent(INNER[game.name], game.name)
    table = Players(game, [inner, player])
    seats = range(len(game.seats))
    for deal in count():
        rng = deal_rng(options.seed, deal)
        state: Any = PlayedTo(game.name, game.stages[-1], inner)(rng)
        seat = int(rng.integers(len(seats)))
        own = {seat} if options.alone else {each for each in seats if state.side(each) == state.side(seat)}
        seated = [int(each not in own) for each in seats]

        def luck(_: int, each: int, deal: int = deal) -> np.random.Generator:
            return agent_rng(options.seed, deal, each)

        table.play([state], luck, np.array([seated], np.int16))
        choice = drawn_choice(state, rng, options.tricks, seat)
        if choice is not None:
            yield deal, choice, seated


def row_of(options: Options, name: str) -> Row:
    """What is gained against one player."""
    inner, belief = (each[options.game] for each in (INNER, BELIEF))
    texts = [SEARCH[options.game].format(inner, belief, more) for more in ("", ", opponents=inferred")]
    agents = [make_agent(text, options.game) for text in (*texts, inner)]
    player, sampler = make_agent(name, options.game), make_belief(belief, options.game)
    rollouts = Rollouts(agents[-1], options.game, [player])
    gains, differ = np.zeros((options.decisions, 3)), 0
    with progress_bar(name, options.decisions) as progress:
        some_decisions = islice(decisions(options, player), options.decisions)
        for place, (deal, state, seated) in enumerate(some_decisions):
            view = state.view(state.to_act)
            cards = [agent.decide(view, question_rng(options.seed, deal, 0)).action for agent in agents]
            differ += cards[1] != cards[0]
            some = sorted(set(cards))
            if len(some) > 1:
                luck = worlds_rng(options.seed, deal, 0)
                worlds, weights = merged(drawn_worlds(sampler, view, options.worlds, luck))
                tables = np.tile(np.array(seated, np.int16), (len(worlds), 1))
                worths = weights @ rollouts.results(worlds, some, place, seated=tables)
                gains[place] = [worths[some.index(card)] - worths[some.index(cards[0])] for card in cards]
            progress(place + 1)
    return Row(name, estimate(gains[:, 1]), differ / options.decisions, estimate(gains[:, 2]))


def main(options: Options) -> None:
    """Prints the table."""
    rows = [row_of(options, name) for name in options.players]
    print(f"{options.game}: {options.decisions} decisions against each player")
    print_table(
        ["at the table", "inferred", "other card", "inner agent alone"],
        [[row.player, shown(row.inferred), f"{row.differ:.0%}", shown(row.inner)] for row in rows],
    )
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
