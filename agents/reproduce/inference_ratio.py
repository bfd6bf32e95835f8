"""Solinas 2019, figure 2, and Rebstock 2019, figure 5.1: the true world's probability with and without inference."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import numpy as np

from skat_env.agents.inference_quality.games import Part, Split
from skat_env.agents.inference_quality.measure import MeasureConfig
from skat_env.agents.inference_quality.run import Source, kept_measurement
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row
from skat_env.agents.reproduce.skat_players import BELIEFS
from skat_env.match.statistics import Ratio


def ratios(names: tuple[str, ...], places: str, place: str) -> Callable[[Bench], list[Row]]:
    """Makes the function that measures beliefs; `places` is `by_trick` or `by_cards`, and `place` labels it."""

    def rows(bench: Bench) -> list[Row]:
        called: dict[str, list[str]] = {}
        for name in names:
            called.setdefault(bench.models[name], []).append(name)
        config = MeasureConfig("skat", tuple(called), bench.seed)
        part = cast(Part, bench.models["part"])
        source = Source(Path(bench.models["data"]), bench.deals, split=Split(part, bench.seed))
        found = []
        for quality in kept_measurement(bench.folder / "inference", config, source, bench.workers):
            for name in called[quality.belief]:
                of = (name, quality.type, quality.role)
                for what, whole in (("TSSR, first eight tricks", quality.tssr), ("bits", quality.bits)):
                    low, high = _ends(whole)
                    found.append(Row((*of, what), whole.mean, low, high, count=whole.clusters))
                panel = f"{place}, {quality.type}, {quality.role}"
                for point in getattr(quality, places):
                    mean = point.tssr
                    if mean.clusters == 0:
                        continue
                    low, high = _ends(mean)
                    label = (*of, f"{place} {point.at}")
                    found.append(
                        Row(
                            label,
                            mean.mean,
                            low,
                            high,
                            count=mean.clusters,
                            panel=panel,
                            x=point.at,
                            line=name,
                        )
                    )
        return found

    return rows


def _ends(mean: Ratio) -> tuple[float | None, float | None]:
    """The ends of an interval; None if it is infinite."""
    return (mean.low, mean.high) if np.isfinite([mean.low, mean.high]).all() else (None, None)


GAMES: Final = {
    "data": Model("path", None, "recorded games, as a dataset of skat-env generate or an ISS file"),
    "part": Model("part", "test"),
}
"""The recorded games, and the part of them: one that learners hold out, or `all` if no model was trained on them."""
NOTES: Final = (
    "A ratio of 1 is no inference. The papers print these figures without numbers; their games are people's.",
)
REPRODUCTIONS: Final = (
    Reproduction(
        "solinas-figure-2",
        "Solinas, Rebstock and Buro 2019, figure 2",
        "The true world's probability over that of a uniform choice (TSSR) in held-out games, by trick.",
        ("belief", "kind", "role", "trick"),
        {"smoke": Size(2, 0.2), "small": Size(100, 1), "paper": Size(3000, 15)},
        ratios(("KI", "BDI", "BDCI"), "by_trick", "trick"),
        "TSSR",
        models=GAMES | {name: BELIEFS[name] for name in ("KI", "BDI", "BDCI")},
        notes=NOTES,
    ),
    Reproduction(
        "rebstock-figure-5.1",
        "Rebstock 2019, figure 5.1",
        "The true world's probability over that of a uniform choice (TSSR) in held-out games, by cards played.",
        ("belief", "kind", "role", "cards"),
        {"smoke": Size(2, 0.5), "small": Size(100, 18), "paper": Size(4000, 700)},
        ratios(("KI", "CLI", "PI", "PIF20", "PI100"), "by_cards", "cards"),
        "TSSR",
        models=GAMES | {name: BELIEFS[name] for name in ("KI", "CLI", "PI", "PIF20", "PI100")},
        notes=(
            *NOTES,
            "The paper takes 4,000 suit and grand games, 3,800 of null and 13,000 of null ouvert, and has no CLI for "
            "the last.",
        ),
    ),
)
