"""Rebstock 2019, tables 6.1 to 6.3: searches with different kinds of inference, by kind of game."""

from typing import Final

from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared
from skat_env.agents.reproduce.skat_players import BELIEFS, BIDDER, KINDS, PARTS, panel, searchers

TABLE_6_1: Final = {
    ("KI", "CLI"): ("-3.2 -2.8 -0.4*", "-2.0 -1.8 -0.1*", "-2.6 -2.7 0.1*"),
    ("KI", "PI"): ("-5.1 -4.2 -0.9", "-3.1 -2.3 -0.8*", "-2.4 -2.9 0.6*"),
    ("NI", "CLI"): ("-8.0 -7.4 -0.6*", "-3.9 -3.4 -0.5*", "-6.5 -6.6 0.1*"),
    ("PI", "CLI"): ("2.3 1.6* 0.7*", "0.6* 0.2* 0.5*", "1.6 1.1 0.4*"),
    ("KI", "NI"): ("4.6 4.5 0.1*", "1.3 1.3 0.1*", "3.8 3.9 -0.0*"),
    ("NI", "PI"): ("-10.4 -9.1 -1.4", "-3.6 -3.1 -0.4*", "-6.3 -6.8 0.5"),
}
"""By kind of game: the difference, and its parts from defence and from declaring."""
TABLE_6_2: Final = {
    "PI": ("2.3", "0.6*", "1.6"),
    "PIF20": ("1.6", "0.5*", "0.3*"),
    "PI100": ("2.9", "2.1", "1.0*"),
    "C": ("-3.3", "-8.5", "9.8"),
}
"""The difference to CLI, by kind of game."""
TABLE_6_2_SIX_WAY: Final = ("1.2", "0.4*", "0.6")
TABLE_6_3: Final = ("1.0 -1.1 0.6*", "0.4* 0.0* 0.2*", "0.2* -0.6* 0.5*")
"""By kind of game: the difference in declaring, and the gain of one CLI or PI defender in a pair of the other."""


def pairs(bench: Bench) -> list[Row]:
    """The rows of table 6.1."""
    worlds = bench.worlds
    agents = searchers(bench.models, ("KI", "NI", "PI", "CLI"), worlds)
    played = bench.match("pairs", agents, "mirrored", kinds=KINDS)
    rows = []
    for (first, second), by_kind in TABLE_6_1.items():
        for kind, paper in zip(KINDS, by_kind, strict=True):
            found = played.comparison(first, second, kind)
            for part, printed in zip(PARTS, paper.split(), strict=True):
                estimate = getattr(found, part)
                rows.append(compared((f"{first} : {second}", kind, part), estimate, printed, panel(kind)))
    return rows


def samples(bench: Bench) -> list[Row]:
    """The rows of tables 6.2 and 6.3; the 6-way match of table 6.3 includes the games of PI and CLI alone."""
    agents = searchers(bench.models, (*TABLE_6_2, "CLI"), bench.worlds)
    others = {name: agent for name, agent in agents.items() if name != "PI"}
    alone = bench.match("samples", others, "swapped", "CLI", KINDS)
    six_way = bench.match("six-way", {name: agents[name] for name in ("PI", "CLI")}, "mixed", kinds=KINDS)
    rows = []
    for name, by_kind in TABLE_6_2.items():
        played = six_way if name == "PI" else alone
        for kind, printed in zip(KINDS, by_kind, strict=True):
            estimate = played.comparison(name, "CLI", kind).difference
            rows.append(compared((f"{name} : CLI", kind, "difference"), estimate, printed, panel(kind)))
    for kind, difference, paper in zip(KINDS, TABLE_6_2_SIX_WAY, TABLE_6_3, strict=True):
        mixed = six_way.comparison("PI", "CLI", kind).mixed
        assert mixed is not None
        declaring, with_cli, with_pi = paper.split()
        for part, estimate, printed in (
            ("difference", mixed.difference, difference),
            ("declaring, mixed", mixed.declaring, declaring),
            ("defence + CLI", mixed.defence_b, with_cli),
            ("defence + PI", mixed.defence_a, with_pi),
        ):
            rows.append(compared(("PI : CLI, 6-way", kind, part), estimate, printed, panel(kind)))
    return rows


NOTES: Final = (
    "The paper takes bidding and declaration from people's games; here the model `bidder` does both, or --from gives "
    "recorded games.",
    "The paper's remark under equation 6.2, that a negative value means a better defence, contradicts its equations "
    "and tables: defence and declaring add up to the difference, and positive is better.",
)
REPRODUCTIONS: Final = (
    Reproduction(
        "rebstock-table-6.1",
        "Rebstock 2019, table 6.1",
        "Searches with no inference (NI), Kermit's (KI), by card locations (CLI) and by policies (PI) in pairs. "
        "Mirrored from the cardplay on, by kind of game.",
        ("match-up", "kind", "part"),
        {
            "smoke": Size(2, 1, (4,)),
            "small": Size(100, 15, (80,), measured=True),
            "paper": Size(5000, 1200, (160,)),
        },
        pairs,
        models={name: BELIEFS[name] for name in ("NI", "KI", "CLI", "PI")} | {"bidder": BIDDER},
        notes=NOTES,
    ),
    Reproduction(
        "rebstock-tables-6.2-6.3",
        "Rebstock 2019, tables 6.2 and 6.3",
        "Policy inference with more samples (PI100), of states (PIF20), and cheating (C), against card locations "
        "(CLI); then PI and CLI with mixed defences (the 6-way match). From the cardplay on, by kind of game.",
        ("match-up", "kind", "part"),
        {
            "smoke": Size(2, 1, (4,)),
            "small": Size(72, 30, (80,), measured=True),
            "paper": Size(5000, 4000, (160,)),
        },
        samples,
        models={name: BELIEFS[name] for name in (*TABLE_6_2, "CLI")} | {"bidder": BIDDER},
        notes=(
            *NOTES,
            "What one more agent gives a defence is scaled as equation 6.2, over both soloists and both places: with "
            "that the paper's own tables agree, 0.6 - (-1.1) in suit games with 1.6 in table 6.1.",
        ),
    ),
)
