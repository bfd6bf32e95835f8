"""Rebstock 2019, tables 4.4 and 4.5: the policy plays the first tricks and the search the others."""

from typing import Final

from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared
from skat_env.agents.reproduce.skat_players import BIDDER, POINTS, pimc
from skat_env.match.statistics import estimate

TRICKS: Final = range(10)
TABLE_4_4: Final = ["-0.1*", "0.7*", "0.3*", "0.3*", "-0.5*", "-1.5", "-3.1", "-4.7", "-5.2", "-5.5"]
TABLE_4_5: Final = """
-0.1 0.7 0.5 0.2 -0.4 -1.2 -2.1 -3.3 -3.7 -4.0
-0.1 0.7 0.5 0.2 -0.4 -1.2 -2.1 -3.3 -3.7 -4.0
-0.3 0.5 0.3 -0.1 -0.6 -1.4 -2.3 -3.5 -3.9 -4.2
0.1 0.9 0.6 0.3 -0.3 -1.1 -1.9 -3.2 -3.6 -3.9
-0.2 0.6 0.4 0.0 -0.5 -1.3 -2.2 -3.4 -3.8 -4.1
-0.4 0.4 0.2 -0.2 -0.8 -1.5 -2.4 -3.6 -4.0 -4.3
-1.1 -0.3 -0.5 -0.9 -1.5 -2.3 -3.1 -4.4 -4.8 -5.1
-1.5 -0.7 -0.9 -1.3 -1.9 -2.7 -3.5 -4.7 -5.2 -5.4
-1.5 -0.7 -0.9 -1.3 -1.9 -2.6 -3.5 -4.7 -5.2 -5.4
-1.6 -0.8 -1.0 -1.4 -2.0 -2.8 -3.6 -4.8 -5.3 -5.5
"""
"""Rows: the trick from which the search plays as soloist; columns: as defender."""
KERMIT: Final = "K"
PANEL: Final = "tricks by the policy"


def hybrids(bench: Bench) -> list[Row]:
    """The rows of both tables, from the games of one match."""
    worlds = bench.worlds
    search = pimc(worlds)
    agents = {
        f"Hybrid-{tricks}": f"hybrid(policy={bench.models['policy']}, search={search}, trick={tricks})"
        for tricks in TRICKS
    }
    played = bench.match("hybrids", {**agents, KERMIT: search}, "swapped", KERMIT)
    rows = []
    for tricks, paper in zip(TRICKS, TABLE_4_4, strict=True):
        found = played.comparison(f"Hybrid-{tricks}", KERMIT)
        label = (f"Hybrid-{tricks}", POINTS)
        rows.append(compared(label, found.difference, paper, PANEL, tricks, "Hybrid"))
    solo = [played.values(f"Hybrid-{tricks}", KERMIT) for tricks in TRICKS]
    against = [played.values(KERMIT, f"Hybrid-{tricks}") for tricks in TRICKS]
    for soloist, line in zip(TRICKS, TABLE_4_5.split("\n")[1:-1], strict=True):
        for defender, paper in zip(TRICKS, line.split(), strict=True):
            difference = estimate((solo[soloist] - against[defender]) / 3)
            rows.append(compared((f"Def{defender}-Sol{soloist}", POINTS), difference, paper))
    return rows


REPRODUCTIONS: Final = (
    Reproduction(
        "rebstock-tables-4.4-4.5",
        "Rebstock 2019, tables 4.4 and 4.5",
        "The policy plays the first tricks and the search the others, as soloist and as defender, against the search. "
        "Mirrored from the cardplay on; the pairs of table 4.5 are put together from the games of table 4.4.",
        ("player", "quantity"),
        {
            "smoke": Size(2, 0.5, (4,)),
            "small": Size(1000, 50, (40,)),
            "paper": Size(5000, 420, (160,)),
        },
        hybrids,
        f"{POINTS} over the search",
        models={"policy": Model("agent", "policy"), "bidder": BIDDER},
        notes=(
            "Kermit's part is `pimc` with uniform worlds; the model `bidder` plays what comes before the cards.",
        ),
    ),
)
