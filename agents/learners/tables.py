"""Tables: what players hold, which hands win, or which cards begin the cardplay, counted in recorded games.

How a game's hands are counted is its part `tables`, `winning` or `openings`: for Skat in `table_counts.py` and
`winning_counts.py` of `agents/skat/counted`, and in `agents/skat/expert/opening_counts.py`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.config import GameName, LearnerConfig, Rate, Seed, Share
from skat_env.agents.learners.experience.held_out import (
    first_games,
    open_dataset,
    part_of_game,
    require_training_part,
)
from skat_env.agents.learners.run import CHECKPOINT, TrainingRun
from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError
from skat_env.registry import get_part
from skat_env.tools.provenance import provenance


class Config(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How tables are counted."""

    game: GameName
    what: Literal["tables", "winning", "openings"] = "tables"
    """What is counted: what players hold (Kermit's inference), which hands win, or which cards are played."""
    data: str
    """The folder of a dataset. It is split by deal; the training games are counted."""
    pseudo: Rate = 300.0
    """Pseudo-counts: hands of the wider context that are added to each context (ours). With fewer, tables of what
    players hold, from some thousand games, overfit; winning chances need some 20.
    Openings: the games that an entry needs; one with fewer is left out, and players fall back on a rule."""
    valid: Share = 0.05
    """Share of the games that are left out to choose options with."""
    test: Share = 0.05
    """Share of the games that the figures are measured on."""
    seed: Seed = 0
    """Seed of the split."""

    def __post_init__(self) -> None:
        require_training_part(self.valid, self.test)


class Starts(Protocol):
    """Some games, a row each."""

    @property
    def game(self) -> NDArray[np.int64]:
        """int64 [n]: the number of each row's game in the dataset."""

    def __len__(self) -> int: ...

    def part(self, chosen: NDArray[np.bool_]) -> Self:
        """The chosen rows, bool [n]."""


class Tables(Protocol):
    """Counted tables."""

    def save(self, folder: Path, details: Mapping[str, Any]) -> None:
        """Writes them as a checkpoint; `details` are kept for people and tools."""


class Counting(Protocol):
    """How a game's hands are counted: its part `tables`, `winning` or `openings`, a module."""

    def read_starts(self, dataset: Dataset) -> Any:
        """The `Starts` of a dataset."""

    def counted(self, starts: Any, pseudo: float) -> Tables:
        """The tables of some games; each context is given some pseudo-counts."""

    def figures(self, tables: Any, learnt: Any, held_out: Any) -> dict[str, dict[str, float]]:
        """What tables know of the games counted and of those held out, by part of the tables."""


def train(config: Config, run: TrainingRun) -> None:
    """Counts the tables and writes them as the run's checkpoint, unless it has one.

    Raises:
        ValueError: if the game has no tables.
        ParseError: if the dataset holds another game, or has no cardplay to count.
    """
    if (run.folder / CHECKPOINT).exists():
        return
    counting: Counting = get_part(config.game, config.what)
    dataset = open_dataset(config.data, config.game)
    starts: Starts = counting.read_starts(dataset)
    first = first_games(dataset)
    part = part_of_game(first[starts.game], config.seed, (config.valid, config.test))
    learnt = starts.part(part == 0)
    if not len(learnt):
        raise ParseError(f"{config.data} has no game to count")
    tables = counting.counted(learnt, config.pseudo)
    details = {
        **provenance(),
        "config": json.loads(msgspec.json.encode(config)),
        "figures": counting.figures(tables, learnt, starts.part(part == 2)),
    }
    run.has_worked = True
    tables.save(run.folder / CHECKPOINT, details)
