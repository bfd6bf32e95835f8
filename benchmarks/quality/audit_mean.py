"""The mean of two audits of the same deals, as the audits by either of two agents, with its interval by deal.

python -m benchmarks.quality.audit_mean results/audit_skat_policy results/audit_skat_rule [--out FILE.json]
"""

import json
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.audit.folder import CONFIG, AuditFolder
from skat_env.audit.play import AuditConfig
from skat_env.audit.result import ROLES, role_points
from skat_env.match.statistics import mean_by_deal
from skat_env.registry import get_game

ALIKE: Final = ("game", "agents", "deals", "seed", "bidder", "source", "rules", "kinds")
"""What two audits of the same deals have in common."""


@dataclass
class Options(Kept):
    """The mean of two audits."""

    folders: Positional[tuple[Path, Path]]
    """The folders of two finished audits of the same deals."""


def config_of(folder: Path) -> AuditConfig:
    """What determines an audit."""
    return AuditConfig(**json.loads((folder / CONFIG).read_text()))


def points(folder: Path) -> tuple[list[Hashable], NDArray[np.float64]]:
    """The deal of each game, and float64 [games, roles]: its points by role.

    Raises:
        ValueError: if the audit is not finished.
    """
    config = config_of(folder)
    kept = AuditFolder(folder, config)
    if not kept.is_finished:
        raise ValueError(f"the audit in {folder} is not finished: expected one with all its games")
    games = sorted(kept.read(), key=lambda audited: audited.deal)
    parse = get_game(config.game).state.parse
    return [parse(audited.position).dealt for audited in games], np.array(
        [role_points(config, audited) for audited in games]
    )


def main(options: Options) -> None:
    """Prints the mean of the sums over a game: all, and by role.

    Raises:
        ValueError: if the audits are of other deals, or not finished.
    """
    configs = [config_of(folder) for folder in options.folders]
    other = [name for name in ALIKE if len({getattr(config, name) for config in configs}) > 1]
    (deals, first), (others, second) = map(points, options.folders)
    if other or deals != others:
        raise ValueError(
            f"{' and '.join(map(str, options.folders))} have other {(*other, 'games')[0]}: expected two audits of the "
            "same deals"
        )
    mean = (first + second) / 2
    rows = {"whole": mean_by_deal(mean.sum(axis=1), deals)}
    rows |= {role: mean_by_deal(mean[:, number], deals) for number, role in enumerate(ROLES)}
    for name, each in rows.items():
        print(f"{name} {each.mean:+.2f} [{each.low:+.2f}, {each.high:+.2f}]")
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
