"""What other bids would have brought in the games of a match of Skat.

skat-env match --agents policy "pimc(worlds=160)" --deals 300 --seed 1 --out results/policy-pimc
python -m benchmarks.quality.other_bids results/policy-pimc policy "policy(boldness=15)"

In each game another agent takes the place of a player at one seat after the other, with the same luck. Where it first
bids otherwise, the game is played on from there, by the agents of the match at the other seats. The gain is the seat's
points less the mean of the others', and intervals are by deal.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from benchmarks.quality.seat_gains import match_in
from skat_env.agents.skat.policy.networks import more_than_others
from skat_env.errors import UnknownName
from skat_env.match.play import PlayedGame
from skat_env.match.statistics import ratio
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, branch_rng
from skat_env.protocols import Agent
from skat_env.registry import make_agent
from skat_env.skat import GAME, SkatState
from skat_env.skat.rules import NUM_SEATS
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Bid otherwise in the games of a match."""

    match: Annotated[Path, tyro.conf.Positional]
    """The folder of a match of two agents in mode all-seats."""
    player: Annotated[str, tyro.conf.Positional]
    """The agent of the match that is replaced, as the match names it."""
    other: Annotated[str, tyro.conf.Positional]
    """The agent that takes its place."""


def main(options: Options) -> None:
    """Prints the table."""
    match = match_in(options.match, ("all-seats",))
    if options.player not in match.config.agents:
        raise UnknownName("player of the match", options.player, match.config.agents)
    agents = {name: make_agent(name, GAME.name) for name in match.config.agents}
    other = make_agent(options.other, GAME.name)
    games = match.read()
    # Of each deal: the seats, those that bid otherwise, those of them that became soloists, and the gains.
    sums = np.zeros((match.config.deals, 4))
    with progress_bar("games", len(games)) as progress:
        for number, game in enumerate(games):
            for seat in range(NUM_SEATS):
                if game.agents[seat] == options.player:
                    end = other_end(game, seat, other, agents, match.config.seed)
                    gain = 0.0 if end is None else gain_of(end, game, seat)
                    sums[game.spec.deal] += 1, end is not None, end is not None and end.soloist == seat, gain
            progress(number + 1)
    seats, differ, soloists, gains = sums.T
    if not differ.any():
        print(f"{options.other} bids as {options.player} at all {seats.sum():,.0f} seats")
        return
    of_seat, of_one = ratio(gains, seats), ratio(gains, differ)
    print_table(
        [
            "agent",
            "seats",
            "bids otherwise",
            "of these soloist",
            "gain of one",
            "95% interval",
            "of a seat",
            "95% interval",
        ],
        [
            [
                options.other,
                f"{seats.sum():,.0f}",
                f"{differ.sum() / seats.sum():.1%}",
                f"{soloists.sum() / differ.sum():.0%}",
                f"{of_one.mean:+.2f}",
                f"[{of_one.low:+.2f}, {of_one.high:+.2f}]",
                f"{of_seat.mean:+.2f}",
                f"[{of_seat.low:+.2f}, {of_seat.high:+.2f}]",
            ]
        ],
    )
    keep(
        options,
        seats=seats.sum(),
        differ=differ.sum(),
        soloists=soloists.sum(),
        of_one=of_one,
        of_seat=of_seat,
    )


def other_end(
    game: PlayedGame, seat: int, other: Agent, agents: dict[str, Agent], seed: int
) -> SkatState | None:
    """The end of a game in which another agent has a seat; None if it bids no otherwise."""
    state: Any = SkatState.parse(game.position)
    actions = state.history()
    for _ in actions:
        state.undo()
    rng = agent_rng(seed, game.spec.deal, seat)
    for number, action in enumerate(actions):
        if state.stage != GAME.stages[0]:
            return None
        found = action if state.to_act != seat else other.decide(state.view(seat), rng).action
        state.apply(found)
        if found != action:
            seated = [agents[name] for name in game.agents]
            seated[seat] = other
            rngs = [branch_rng(seed, game.spec.deal, number, each) for each in range(len(seated))]
            play_games([state], [seated], [rngs])
            end: SkatState = state
            return end
    return None


def gain_of(end: SkatState, game: PlayedGame, seat: int) -> float:
    """What a seat has more at another end of a game, less the mean of what the others have more."""
    points = np.array([end.returns(GAME.match_unit), game.returns], np.float64)
    other, own = more_than_others(points, seat)
    return float(other - own)


if __name__ == "__main__":
    run_benchmark(main, Options)
