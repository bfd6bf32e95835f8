"""The mean of two audits of the same deals, as the audits by either of two agents, with its interval.

python -m benchmarks.quality.audit_mean results/audit_skat_policy results/audit_skat_rule
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional

from benchmarks.harness import run_benchmark
from skat_env.audit.folder import CONFIG, AuditFolder
from skat_env.audit.play import AuditConfig
from skat_env.audit.result import ROLES, role_points
from skat_env.match.statistics import estimate


@dataclass
class Options:
    """The mean of two audits."""

    folders: Positional[tuple[Path, Path]]
    """The folders of two finished audits of the same deals."""


def points(folder: Path) -> NDArray[np.float64]:
    """float64 [games, roles]: the points of each game by role."""
    fields = json.loads((folder / CONFIG).read_text())
    config = AuditConfig(**{**fields, "agents": tuple(fields["agents"])})
    games = sorted(AuditFolder(folder, config).read(), key=lambda audited: audited.deal)
    return np.array([role_points(config, audited) for audited in games])


def main(options: Options) -> None:
    """Prints the mean of the sums over a game: all, and by role."""
    first, second = map(points, options.folders)
    mean = (first + second) / 2
    print("whole", estimate(mean.sum(axis=1)).text())
    for number, role in enumerate(ROLES):
        print(role, estimate(mean[:, number]).text())


if __name__ == "__main__":
    run_benchmark(main, Options)
