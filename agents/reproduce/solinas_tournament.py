"""Solinas, Rebstock and Buro 2019, tables 3 and 4: searches with different inference, by number of worlds."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.reproduce.bench import Bench, Played
from skat_env.agents.reproduce.reproduction import Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared, share
from skat_env.agents.reproduce.skat_players import BELIEFS, BIDDER, KINDS, PARTS, panel, searchers
from skat_env.match.result import mirrored_parts

WORLDS: Final = (80, 160, 320)
TABLE_3: Final = {
    ("BDI", "NI"): ("3.8 2.5 3.6", "1.4 0.4 0.5", "4.1 1.7 4.4"),
    ("KI", "NI"): ("6.0 4.4 4.6", "1.6 1.3 1.9", "6.2 5.2 5.8"),
    ("BDCI", "NI"): ("9.4 7.6 8.3", "3.7 3.7 4.0", "8.9 9.9 10.8"),
    ("KI", "BDI"): ("2.1 0.5 0.4", "0.3 1.4 0.5", "1.1 1.3 1.3"),
    ("BDCI", "BDI"): ("4.9 5.0 5.4", "2.6 2.9 3.1", "6.3 6.3 5.0"),
    ("BDCI", "KI"): ("4.0 3.4 4.7", "0.9 1.3 2.1", "4.4 4.1 4.8"),
}
"""The difference with each number of `WORLDS`, by kind of game."""
TABLE_4: Final = {
    "BDCI": "81.5 92.5 64.0",
    "KI": "80.5 92.6 62.3",
    "BDI": "79.2 92.2 61.4",
    "NI": "78.0 91.9 59.0",
}
"""The percentage of games won as soloist, by kind of game."""


def tournaments(bench: Bench) -> list[Row]:
    """The rows of both tables, from one match for each number of worlds."""
    matches = {
        worlds: bench.match(
            f"worlds-{worlds}", searchers(bench.models, tuple(TABLE_4), worlds), "mirrored", kinds=KINDS
        )
        for worlds in bench.effort
    }
    rows: list[Row | None] = []
    for (first, second), by_kind in TABLE_3.items():
        for kind, paper in zip(KINDS, by_kind, strict=True):
            printed = dict(zip(WORLDS, paper.split(), strict=True))
            for worlds, played in matches.items():
                label = (f"{first} : {second}", kind, f"{worlds} worlds")
                found = played.comparison(first, second, kind)
                rows.append(compared(label, found.difference, printed.get(worlds), panel(kind)))
            rows += _of_all_worlds(list(matches.values()), first, second, kind)
        rows += _of_all_worlds(list(matches.values()), first, second)
    for name, paper in TABLE_4.items():
        for kind, won in zip(KINDS, paper.split(), strict=True):
            games = [game for played in matches.values() for game in played.declared(name, kind)]
            wins = sum(game.outcome is not None and game.outcome.won for game in games)
            rows.append(share((name, kind, "won as soloist, %"), wins, len(games), won, "won as soloist, %"))
    return [row for row in rows if row is not None]


def _of_all_worlds(matches: Sequence[Played], first: str, second: str, kind: str | None = None) -> list[Row]:
    """The parts of the difference between two agents, in one kind of game or all, mean over the numbers of worlds."""
    if len(matches) < 2:
        return []

    def value(soloist: str, defenders: str) -> NDArray[np.float64]:
        return np.mean([played.values(soloist, defenders, kind) for played in matches], axis=0)  # type: ignore[no-any-return]

    values = (value(first, first), value(first, second), value(second, first), value(second, second))
    pair = f"{first} : {second}"
    of = kind or "all kinds"
    return [
        compared((pair, of, f"mean, {part}"), estimate, None, panel(of))
        for part, estimate in zip(PARTS, mirrored_parts(*values, seats=3), strict=True)
    ]


REPRODUCTIONS: Final = (
    Reproduction(
        "solinas-tables-3-4",
        "Solinas, Rebstock and Buro 2019, tables 3 and 4",
        "Searches with no inference (NI), Kermit's (KI), and by card locations without (BDI) and with the cards played "
        "(BDCI) in pairs. Mirrored from the cardplay on, by kind of game and number of worlds.",
        ("match-up", "kind", "quantity"),
        {
            "smoke": Size(2, 1, (4,)),
            "small": Size(250, 23, (80,)),
            "paper": Size(2500, 1000, WORLDS),
        },
        tournaments,
        models={name: BELIEFS[name] for name in TABLE_4} | {"bidder": BIDDER},
        notes=(
            "The paper starts from people's games; here the model `bidder` bids and declares, or --from gives recorded "
            "games. Each agent also plays against itself, which the paper's two games a match leave out: that tells "
            "defence and declaring apart. The win percentages are of games against others.",
            "The paper prints no stars; it calls the differences between BDCI and KI, and KI and NI, in grand games "
            "not significant. One standard deviation there is about 1.0 point in suit and null, 1.4 in grand games.",
        ),
    ),
)
