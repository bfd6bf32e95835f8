"""What games of each kind bring the agents of a Skat match: as soloist by what they announce, and as defender.

skat-env gauntlet --agents champion --engines "xskat=engine(command='python engines/xskat/xskat.py')" \
    --forms alone --deals 1700 --seed 504 --out results/iss
python -m benchmarks.quality.kind_points results/iss/alone-champion-xskat-* [--out FILE.json]

A row has the share of the agent's games, those that the soloist won, and the tournament points of the agent's seat in
such a game; intervals are by deal. The last column is what the row adds to the agent's points per game.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import tyro

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from benchmarks.quality.seat_gains import match_in
from skat_env.match.play import PlayedGame
from skat_env.match.statistics import Ratio, ratio

PASSED: Final = "nobody declares"


@dataclass
class Options(Kept):
    """Say what games of each kind bring."""

    match: Annotated[Path, tyro.conf.Positional]
    """The folder of a match of two agents in whole games."""


def main(options: Options) -> None:
    """Prints a table for each agent."""
    match = match_in(options.match, ("alone", "all-seats"))
    games = list(match.read())
    keep(options, agents={agent: show(agent, games, match.config.deals) for agent in match.config.agents})


def role_of(game: PlayedGame, seat: int) -> str:
    """What a seat did in a game: `soloist, null ouvert`, `defender, suit`."""
    outcome = game.outcome
    if outcome is None:
        return PASSED
    if outcome.declarer == seat:
        return " ".join(("soloist,", outcome.kind, *outcome.marks))
    return f"defender, {outcome.kind}"


@dataclass(frozen=True)
class Row:
    """A role of an agent in games of a kind."""

    role: str
    games: int
    share: float
    """Of the agent's games."""
    won: float | None
    """The share of these that the soloist won; None: nobody declared."""
    points: Ratio
    """Of a game."""
    adds: float
    """To the agent's points per game."""


def show(agent: str, games: list[PlayedGame], deals: int) -> list[Row]:
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
        number = float(count.sum())
        share_won = None if role == PASSED else float(won.sum() / number)
        adds = float(points.sum() / seats)
        rows.append(Row(role, int(number), number / seats, share_won, ratio(points, count), adds))
    total = sum(row.adds for row in rows)
    print_table(
        ("role", "games", "share", "soloist wins", "points", "95% interval", "adds"),
        [
            *(
                (
                    row.role,
                    f"{row.games:,}",
                    f"{row.share:.1%}",
                    "-" if row.won is None else f"{row.won:.1%}",
                    f"{row.points.mean:+.1f}",
                    f"[{row.points.low:+.1f}, {row.points.high:+.1f}]"
                    if np.isfinite(row.points.low)
                    else "-",
                    f"{row.adds:+.2f}",
                )
                for row in rows
            ),
            ("all", f"{seats:,}", "100%", "", f"{total:+.1f}", "", f"{total:+.2f}"),
        ],
        title=f"{agent}: {deals:,} deals",
    )
    return rows


if __name__ == "__main__":
    run_benchmark(main, Options)
