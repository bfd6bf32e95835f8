"""Every searcher at equal worlds and at equal time against one opponent: the table of searchers of a game.

python benchmarks/searchers.py --out results/searchers --game skat --deals 128 --workers 2
    [--budgets worlds 10 100 1000]

Mirrored matches from the cardplay of games that `rule` has bid, all searchers with uniform beliefs on the same deals.
`worlds` gives each 40 worlds; 10, 100 and 1000 are the sizes that take about so many milliseconds of CPU time a move,
in shares of the deals that make them cost alike. Sizes rather than clocks limit them, so that a result can be repeated;
the table has the time that they took. Each match has its own folder and resumes there; the table is written as
searchers.json and searchers.md.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agents.reproduce.bench import Bench, Played
from skat_env.tools.provenance import write_result
from skat_env.tools.workers import Workers

Budget = Literal["worlds", "10", "100", "1000"]
OPPONENT = "pimc(worlds=160, bidder=rule)"
SHARES: dict[Budget, float] = {"worlds": 1.0, "10": 1.0, "100": 0.25, "1000": 0.0625}
"""The share of the deals that each budget plays."""
SIZES: dict[str, dict[str, dict[Budget, int]]] = {
    "skat": {
        "pimc(worlds={})": {"worlds": 40, "10": 130, "100": 2000, "1000": 20_000},
        "alpha_mu(worlds={}, m=2)": {"worlds": 40, "10": 50, "100": 600, "1000": 6000},
        "alpha_mu(worlds={}, m=3)": {"worlds": 40},
        "alpha_mu(worlds={}, thresholds=31+46+61+76+90)": {"worlds": 40},
        "alpha_mu(worlds={}, backup=reduced)": {"worlds": 40},
        "epimc(worlds={}, depth=3)": {"worlds": 40, "10": 25, "100": 230, "1000": 2300},
        "iimc(worlds={})": {"worlds": 40, "10": 180, "100": 1900, "1000": 19_000},
        "iimc(worlds={}, inner=pimc(worlds=10))": {"100": 3, "1000": 26},
        "ismcts(simulations={})": {"10": 11_000, "100": 110_000, "1000": 1_100_000},
        "ismcts(simulations={}, evaluator=world_values(policy=skat-policy))": {
            "10": 220,
            "100": 2200,
            "1000": 22_000,
        },
    },
    "klaverjas": {
        "pimc(worlds={})": {"worlds": 40, "10": 80, "100": 1000, "1000": 10_000},
        "alpha_mu(worlds={}, m=2)": {"worlds": 40, "10": 35, "100": 500, "1000": 5000},
        "alpha_mu(worlds={}, m=3)": {"worlds": 40},
        "alpha_mu(worlds={}, backup=reduced)": {"worlds": 40},
        "epimc(worlds={}, depth=3)": {"worlds": 40, "10": 25, "100": 320, "1000": 3200},
        "iimc(worlds={}, threshold=0)": {"worlds": 40, "10": 100, "100": 1000, "1000": 10_000},
        "iimc(worlds={}, inner=pimc(worlds=10))": {"100": 3, "1000": 26},
        "ismcts(simulations={})": {"10": 15_000, "100": 150_000, "1000": 1_500_000},
        "ismcts(simulations={}, evaluator=world_values(policy=klaverjas-policy))": {
            "10": 240,
            "100": 2400,
            "1000": 24_000,
        },
    },
}
"""The size of each searcher, worlds or simulations, that a budget allows."""
PARTS = ("difference", "defence", "declaring")


@dataclass
class Options:
    """Every searcher at equal worlds and at equal time."""

    out: Path
    """Folder for the matches and the table."""
    game: str = "skat"
    """Name of the game."""
    budgets: tuple[Budget, ...] = ("worlds", "10", "100")
    """The budgets to play."""
    deals: int = 128
    """Deals of a match at the smaller budgets."""
    seed: int = 1902
    """Seed of the deals and of the agents."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()


def matches(options: Options) -> Iterator[tuple[Budget, str]]:
    """The budget and the text of each searcher, budget by budget."""
    for budget in options.budgets:
        for searcher, sizes in SIZES[options.game].items():
            if budget in sizes:
                yield budget, searcher.format(sizes[budget])


def row(budget: Budget, searcher: str, played: Played) -> dict[str, Any]:
    """The estimates of a searcher against the opponent, in all games and by kind."""
    kinds = {"all": None} | {kind: kind for kind in played.result.kinds}
    estimates = {}
    for name, kind in kinds.items():
        comparison = played.comparison(searcher, "opponent", kind)
        parts = {part: getattr(comparison, part) for part in PARTS}
        estimates[name] = {part: value and asdict(value) for part, value in parts.items()}
    milliseconds = 1000 * played.summary(searcher).seconds_per_move
    return {
        "budget": budget,
        "agent": searcher,
        "ms": milliseconds,
        "deals": played.result.deals,
        "kinds": estimates,
    }


def cell(estimate: dict[str, Any] | None) -> str:
    """An estimate as text; nothing without an interval."""
    if estimate is None or not math.isfinite(estimate["low"]):
        return ""
    return f"{estimate['mean']:+.1f} [{estimate['low']:+.1f}, {estimate['high']:+.1f}]"


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in markdown: whole, by role, and by kind."""
    kinds = list(dict.fromkeys(kind for row in rows for kind in row["kinds"] if kind != "all"))
    heads = ["budget", "searcher", "ms", "deals", *PARTS, *kinds]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for row in rows:
        whole = row["kinds"]["all"]
        cells = [cell(whole[part]) for part in PARTS]
        cells += [cell(row["kinds"].get(kind, {}).get("difference")) for kind in kinds]
        facts = [row["budget"], f"`{row['agent']}`", f"{row['ms']:.2g}", str(row["deals"])]
        lines.append("| " + " | ".join([*facts, *cells]) + " |")
    return "\n".join(lines) + "\n"


def main(options: Options) -> None:
    """Plays the matches and writes the table, which grows with each of them."""
    options.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.out, options.game, options.deals, (), {}, options.seed, options.workers)
    rows = []
    for number, (budget, searcher) in enumerate(matches(options)):
        agents = {searcher: searcher.removesuffix(")") + ", bidder=rule)", "opponent": OPPONENT}
        name = f"{budget}-{searcher}".translate(str.maketrans("(), =", "-----"))
        played = bench.match(name, agents, "mirrored", share=SHARES[budget])
        rows.append(row(budget, searcher, played))
        result = {"game": options.game, "opponent": OPPONENT, "seed": options.seed, "rows": rows}
        write_result(options.out / "searchers.json", result)
        (options.out / "searchers.md").write_text(table(rows), encoding="utf-8")
        print(f"{number + 1}: {budget} {searcher} {cell(rows[-1]['kinds']['all']['difference'])}", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
