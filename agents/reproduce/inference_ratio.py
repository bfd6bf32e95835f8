"""Solinas 2019, figure 2, and Rebstock 2019, figure 5.1: how much likelier the true world becomes by inference."""

import json
from collections.abc import Callable
from typing import Any, Final

from agents.reproduce.bench import Bench
from agents.reproduce.reproduction import Model, Reproduction, Scale, Size
from agents.reproduce.row import Row
from agents.reproduce.skat_players import BELIEFS
from skat_env.cli import main


def ratios(names: tuple[str, ...], places: str, place: str) -> Callable[[Bench], list[Row]]:
    """The rows of some beliefs by `by_trick` or `by_cards`; `place` says what of."""

    def rows(bench: Bench) -> list[Row]:
        called: dict[str, list[str]] = {}
        for name in names:
            called.setdefault(bench.models[name], []).append(name)
        found = []
        for quality in measured(bench, tuple(called)):
            for name in called[quality["belief"]]:
                panel = f"{place}, {quality['type']}, {quality['role']}"
                for point in quality[places]:
                    mean = point["tssr"]
                    if mean["mean"] is None:
                        continue
                    label = (name, quality["type"], quality["role"], f"{place} {point['at']}")
                    found.append(
                        Row(
                            label,
                            mean["mean"],
                            mean["low"],
                            mean["high"],
                            count=mean["games"],
                            panel=panel,
                            x=point["at"],
                            line=name,
                        )
                    )
        return found

    return rows


def measured(bench: Bench, beliefs: tuple[str, ...]) -> list[dict[str, Any]]:
    """What `skat-env inference` says of some beliefs, a dictionary for each game type, role and belief.

    Raises:
        ValueError: if it failed; it has said why.
    """
    folder = bench.folder / "inference"
    words = ["inference", "--data", bench.models["data"], "--beliefs", *beliefs]
    for option, value in (("games", bench.deals), ("seed", bench.seed), ("workers", bench.workers)):
        words += [f"--{option}", str(value)]
    if main([*words, "--out", str(folder)]):
        raise ValueError(f"skat-env inference failed; what it has measured is in {folder}")
    qualities: list[dict[str, Any]] = json.loads((folder / "result.json").read_text())["qualities"]
    return qualities


DATA: Final = Model("path", None, "recorded games, as a dataset of skat-env generate or an ISS file")
SIZES: Final[dict[Scale, Size]] = {
    "smoke": Size(2, 1),
    "small": Size(100, 60),
}
NOTES: Final = (
    "A ratio of 1 is no inference. The papers print these figures without numbers; their games are people's.",
)
REPRODUCTIONS: Final = (
    Reproduction(
        "solinas-figure-2",
        "Solinas, Rebstock and Buro 2019, figure 2",
        "The true world's probability over that of a uniform choice (TSSR) in held-out games, by trick.",
        ("belief", "kind", "role", "trick"),
        {**SIZES, "paper": Size(3000, 600)},
        ratios(("KI", "BDI", "BDCI"), "by_trick", "trick"),
        "TSSR",
        models={"data": DATA} | {name: BELIEFS[name] for name in ("KI", "BDI", "BDCI")},
        notes=NOTES,
    ),
    Reproduction(
        "rebstock-figure-5.1",
        "Rebstock 2019, figure 5.1",
        "The true world's probability over that of a uniform choice (TSSR) in held-out games, by cards played.",
        ("belief", "kind", "role", "cards"),
        {**SIZES, "paper": Size(4000, 6000)},
        ratios(("KI", "CLI", "PI", "PIF20", "PI100"), "by_cards", "cards"),
        "TSSR",
        models={"data": DATA} | {name: BELIEFS[name] for name in ("KI", "CLI", "PI", "PIF20", "PI100")},
        notes=(
            *NOTES,
            "The paper takes 4,000 suit and grand games, 3,800 of null and 13,000 of null ouvert, and has no CLI for "
            "the last.",
        ),
    ),
)
