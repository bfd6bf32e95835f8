"""Every searcher beside the others of its game: against one opponent at equal worlds and at equal time.

python -m benchmarks.quality.searchers --out results/searchers --game skat --workers 2 [--budgets worlds 10 100 1000]

All have uniform beliefs and the same deals, from the cardplay of games that `rule` has bid.

`worlds` gives each 40 worlds, in a mirrored match. 10, 100 and 1000 are the sizes that take about so many milliseconds
of CPU time a decision, in an audit: the searcher and the opponent are asked in games that `policy` plays, and `rule`,
who is part of none of them, plays on after the card of either in 32 deals that the seat may think possible. Far fewer
games do than in a match, and fewer at larger budgets. Sizes rather than clocks limit the searchers, so that a result
can be repeated; the table has the time that they took. Each match and audit has its own folder and resumes there; the
tables are written as searchers.json and searchers.md.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from benchmarks.harness import GameName, run_benchmark
from skat_env.agents.reproduce.bench import Bench
from skat_env.audit.play import AuditConfig
from skat_env.audit.run import kept_audit
from skat_env.options import Count, Seed
from skat_env.tools.json_file import finite
from skat_env.tools.provenance import write_result
from skat_env.tools.workers import Workers

Budget = Literal["worlds", "10", "100", "1000"]
OPPONENT = "pimc(worlds=160, bidder=rule)"
WORLDS = 32
"""Deals in which an audit plays on."""
SHARES: dict[Budget, float] = {"worlds": 1.0, "10": 1.0, "100": 0.5, "1000": 0.125}
"""The share of the deals that each budget plays."""
TITLES: dict[Budget, str] = {"worlds": "40 worlds", "10": "10 ms", "100": "100 ms", "1000": "1,000 ms"}
SIZES: dict[str, dict[str, dict[Budget, int]]] = {
    "skat": {
        "pimc(worlds={})": {"worlds": 40, "10": 65, "100": 700, "1000": 7000},
        "alpha_mu(worlds={}, m=2)": {"worlds": 40, "10": 22, "100": 270},
        "alpha_mu(worlds={}, m=3)": {"worlds": 40},
        "alpha_mu(worlds={}, thresholds=31+46+61+76+90)": {"worlds": 40},
        "alpha_mu(worlds={}, backup=reduced)": {"worlds": 40},
        "epimc(worlds={}, depth=3)": {"worlds": 40, "10": 10, "100": 120, "1000": 1200},
        "iimc(worlds={})": {"worlds": 40, "10": 95, "100": 1050, "1000": 10_500},
        "iimc(worlds={}, inner=pimc(worlds=10))": {"100": 2, "1000": 13},
        "ismcts(simulations={})": {"10": 15_000, "100": 95_000, "1000": 930_000},
        "ismcts(simulations={}, evaluator=world_values(policy=skat-policy))": {
            "10": 800,
            "100": 6500,
            "1000": 60_000,
        },
    },
    "klaverjas": {
        "pimc(worlds={})": {"worlds": 40, "10": 75, "100": 850, "1000": 8500},
        "alpha_mu(worlds={}, m=2)": {"worlds": 40, "10": 43, "100": 150},
        "alpha_mu(worlds={}, m=3)": {"worlds": 40},
        "alpha_mu(worlds={}, backup=reduced)": {"worlds": 40},
        "epimc(worlds={}, depth=3)": {"worlds": 40, "10": 23, "100": 250, "1000": 2500},
        "iimc(worlds={}, threshold=0)": {"worlds": 40, "10": 36, "100": 370, "1000": 3700},
        "iimc(worlds={}, inner=pimc(worlds=10))": {"100": 2, "1000": 18},
        "ismcts(simulations={})": {"10": 17_500, "100": 95_000, "1000": 950_000},
        "ismcts(simulations={}, evaluator=world_values(policy=klaverjas-policy))": {
            "10": 900,
            "100": 8000,
            "1000": 75_000,
        },
    },
}
"""The size of each searcher, worlds or simulations, that a budget allows."""
PARTS = ("defence", "declaring")


@dataclass
class Options:
    """Every searcher at equal worlds and at equal time."""

    out: Path
    """Folder for the matches, the audits and the table."""
    game: GameName = "skat"
    """Name of the game."""
    budgets: tuple[Budget, ...] = ("worlds", "10", "100")
    """The budgets to play: 40 worlds each, or milliseconds."""
    deals: Count = 128
    """Deals of a match or an audit at the smaller budgets."""
    seed: Seed = 1902
    """Seed of the deals and of the agents."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()


def by_match(options: Options, name: str, searcher: str, deals: int) -> dict[str, Any]:
    """What a mirrored match says: all games, the parts, and the games of each kind."""
    bench = Bench(options.out, options.game, deals, (), {}, options.seed, options.workers)
    played = bench.match(name, {"searcher": searcher, "opponent": OPPONENT}, "mirrored")
    whole = played.comparison("searcher", "opponent")
    kinds = {kind: played.comparison("searcher", "opponent", kind).difference for kind in played.result.kinds}
    parts = {"whole": whole.difference} | {part: getattr(whole, part) for part in PARTS} | kinds
    return {"ms": 1000 * played.summary("searcher").seconds_per_move, "points": parts}


def by_audit(options: Options, name: str, searcher: str, deals: int) -> dict[str, Any]:
    """What an audit says: the sum over a game, its parts by side and by kind, and how often the cards differ."""
    config = AuditConfig(
        options.game,
        (searcher, OPPONENT),
        deals,
        options.seed,
        "rule",
        "policy",
        worlds=WORLDS,
        belief="locations",
    )
    result = kept_audit(options.out / "audits" / name, config, workers=options.workers)
    parts = result.groups["role"] | result.groups["kind"]
    points = {name: group.points_a_game for name, group in parts.items()}
    return {
        "ms": 1000 * result.seconds["a"] / result.whole.asked,
        "differ": asdict(result.whole.share) if result.whole.share else None,
        "points": {"whole": result.whole.points_a_game} | points,
    }


def cells(row: dict[str, Any], kinds: Iterable[str]) -> list[str]:
    """The cells of a row: time, games, how often its cards differ, the difference, and the means of the parts."""
    whole = row["points"]["whole"]
    parts = [row["points"].get(part) for part in (*PARTS, *kinds)]
    return [
        f"`{row['agent']}`",
        f"{row['ms']:.{0 if row['ms'] >= 10 else 1}f}",
        str(row["deals"]),
        f"{100 * row['differ']['mean']:.0f}%" if row.get("differ") else "",
        f"{whole['mean']:+.1f} [{whole['low']:+.1f}, {whole['high']:+.1f}]",
        *("" if part is None else f"{part['mean']:+.1f}" for part in parts),
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in markdown, the budgets below each other."""
    kinds = dict.fromkeys(kind for row in rows for kind in row["points"] if kind not in ("whole", *PARTS))
    kinds = kinds if len(kinds) > 1 else {}
    heads = ["", "ms", "games", "differ", "difference", *PARTS, *kinds]
    lines = [heads, ["---"] * len(heads)]
    for budget, title in TITLES.items():
        of_budget = [row for row in rows if row["budget"] == budget]
        if of_budget:
            lines.append([f"**{title}**", *[""] * (len(heads) - 1)])
        lines += [cells(row, kinds) for row in of_budget]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  ", "| ") for line in lines)


def main(options: Options) -> None:
    """Compares the searchers and writes the tables, which grow with each of them."""
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for budget in options.budgets:
        deals = max(2, round(options.deals * SHARES[budget]))
        sizes = {text: sizes[budget] for text, sizes in SIZES[options.game].items() if budget in sizes}
        for searcher in [text.format(size) for text, size in sizes.items()]:
            name = f"{budget}-{searcher}".translate(str.maketrans("(), =", "-----"))
            compare = by_match if budget == "worlds" else by_audit
            found = compare(options, name, searcher.removesuffix(")") + ", bidder=rule)", deals)
            points = {part: estimate and asdict(estimate) for part, estimate in found.pop("points").items()}
            row = finite({"budget": budget, "agent": searcher, "deals": deals, **found, "points": points})
            rows.append(row)
            result = {"game": options.game, "opponent": OPPONENT, "seed": options.seed, "rows": rows}
            write_result(options.out / "searchers.json", result)
            (options.out / "searchers.md").write_text(table(rows), encoding="utf-8")
            print(f"{len(rows)}: {budget} {' '.join(cells(row, ()))}", flush=True)


if __name__ == "__main__":
    run_benchmark(main, Options)
