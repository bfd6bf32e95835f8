"""The mean of two audits of the same deals, as the audits by either of two agents, with its interval.

python -m benchmarks.quality.audit_mean results/audit_skat_policy results/audit_skat_rule [--out FILE.json]
"""

import json
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
from skat_env.match.statistics import estimate

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


def points(folder: Path) -> NDArray[np.float64]:
    """float64 [games, roles]: the points of each game by role."""
    config = config_of(folder)
    games = sorted(AuditFolder(folder, config).read(), key=lambda audited: audited.deal)
    return np.array([role_points(config, audited) for audited in games])


def main(options: Options) -> None:
    """Prints the mean of the sums over a game: all, and by role.

    Raises:
        ValueError: if the audits are of other deals.
    """
    configs = [config_of(folder) for folder in options.folders]
    if other := [name for name in ALIKE if len({getattr(config, name) for config in configs}) > 1]:
        raise ValueError(
            f"{' and '.join(map(str, options.folders))} have other {other[0]}: expected two audits of the same deals"
        )
    first, second = map(points, options.folders)
    mean = (first + second) / 2
    rows = {"whole": estimate(mean.sum(axis=1))}
    rows |= {role: estimate(mean[:, number]) for number, role in enumerate(ROLES)}
    for name, each in rows.items():
        print(name, each.text())
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
