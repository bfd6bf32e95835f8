"""What games of each kind bring the agents of a Skat match: as soloist by what they announce, and as defender.

skat-env gauntlet --agents champion --engines "xskat=engine(command='python engines/xskat/xskat.py')" \
    --forms alone --deals 1700 --seed 504 --out results/iss
python -m benchmarks.quality.kind_points results/iss/alone-champion-xskat-*

A row has the share of the agent's games, those that the soloist won, and the tournament points of the agent's seat in
such a game; intervals are by deal. The last column is what the row adds to the agent's points per game.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import tyro

from benchmarks.harness import print_table, run_benchmark
from benchmarks.quality.seat_gains import match_in
from skat_env.match.play import PlayedGame
from skat_env.match.statistics import ratio

PASSED: Final = "nobody declares"


@dataclass
class Options:
    """Say what games of each kind bring."""

    match: Annotated[Path, tyro.conf.Positional]
    """The folder of a match of two agents in whole games."""


def main(options: Options) -> None:
    """Prints a table for each agent."""
    match = match_in(options.match, ("alone", "all-seats"))
    games = list(match.read())
    for agent in match.config.agents:
        show(agent, games, match.config.deals)


def role_of(game: PlayedGame, seat: int) -> str:
    """What a seat did in a game: `soloist, null ouvert`, `defender, suit`."""
    outcome = game.outcome
    if outcome is None:
        return PASSED
    if outcome.declarer == seat:
        return " ".join(("soloist,", outcome.kind, *outcome.marks))
    return f"defender, {outcome.kind}"


def show(agent: str, games: list[PlayedGame], deals: int) -> None:
    """Prints a row for each role of an agent and kind of game, the most frequent first."""
    sums: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]] = defaultdict(
        lambda: np.zeros((3, deals))
    )
    seats = 0
    for game in games:
        for seat, name in enumerate(game.agents):
            if name == agent:
                is_won = game.outcome is not None and game.outcome.won
                sums[role_of(game, seat)][:, game.spec.deal] += (1, is_won, game.returns[seat])
                seats += 1
    rows = []
    for role, (count, won, points) in sorted(sums.items(), key=lambda item: -item[1][0].sum()):
        each = ratio(points, count)
        rows.append(
            (
                role,
                f"{count.sum():,.0f}",
                f"{count.sum() / seats:.1%}",
                "-" if role == PASSED else f"{won.sum() / count.sum():.1%}",
                f"{each.mean:+.1f}",
                f"[{each.low:+.1f}, {each.high:+.1f}]" if np.isfinite(each.low) else "-",
                f"{points.sum() / seats:+.2f}",
            )
        )
    total = sum(found[2].sum() for found in sums.values())
    rows.append(("all", f"{seats:,}", "100%", "", f"{total / seats:+.1f}", "", f"{total / seats:+.2f}"))
    print_table(
        ("role", "games", "share", "soloist wins", "points", "95% interval", "adds"),
        rows,
        title=f"{agent}: {deals:,} deals",
    )


if __name__ == "__main__":
    run_benchmark(main, Options)
