"""Commands that tests run."""

import dataclasses
from pathlib import Path
from typing import Final

import pytest

from skat_env import registry
from skat_env.agents.inference_quality.folder import InferenceFolder
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared
from skat_env.audit.folder import AuditFolder
from skat_env.match.folder import MatchFolder
from skat_env.registry import get_part
from tests.helpers.kills import RENAMES

WRITES: Final = (
    *RENAMES,
    (Path, "unlink"),
    (MatchFolder, "append"),
    (InferenceFolder, "append"),
    (AuditFolder, "append"),
)
"""What writes: renames of files and folders, removals, and what is added to files that grow."""


GAMES: Final = ["--game", "klaverjas", "--agents"]


def rows_of_matches(bench: Bench) -> list[Row]:
    """Two matches."""
    rows = []
    for name in ("rule", "random"):
        played = bench.match(name, {"A": name, "B": "ismcts(simulations=2, bidder=random)"}, "all-seats")
        rows.append(compared((name,), played.comparison("A", "B").difference, panel="points"))
    return rows


def quick_ladder(patch: pytest.MonkeyPatch) -> None:
    """Gives the ladder of Klaverjas quick anchors and agents."""
    ladder = dataclasses.replace(
        get_part("klaverjas", "ladder"), anchors=("rule", "random"), agents=("rule(variant=thesis)",)
    )
    patch.setitem(registry._registered, (registry.PART_GROUP, "klaverjas.ladder"), ladder)


REPRODUCTION: Final = Reproduction(
    "tiny", "A tiny table", "It is in no paper.", ("player",), {"smoke": Size(2, 0.1, (1,))}, rows_of_matches, "points",
    "klaverjas",
)  # fmt: skip
