"""What the games of a dataset are: counts by kind, and of decisions by stage."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from skat_env.datasets.dataset import Dataset
from skat_env.datasets.searches import Searches
from skat_env.errors import IllegalAction, ParseError
from skat_env.protocols import State

MAX_GAMES: Final = 50_000
"""Games that are replayed, a few seconds' worth; of larger datasets as many, evenly spread."""


@dataclass(slots=True)
class StageCount:
    """How many decisions a stage has, and of how many a search's weights or value are kept."""

    decisions: int = 0
    weights: int = 0
    values: int = 0


@dataclass(slots=True)
class Survey:
    """The counts."""

    games: int = 0
    damaged: int = 0
    """Games that cannot be replayed; they count nowhere else."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """By aspect of the results, as `game` or `trumps`: how many games have each label. Aborted games have none."""
    stages: dict[str, StageCount] = field(default_factory=dict)
    """By stage, in the order of the game."""


def survey(
    dataset: Dataset, max_games: int = MAX_GAMES, progress: Callable[[int], None] | None = None
) -> Survey:
    """Counts the games of a dataset, or of a large one so many, evenly spread; `progress` is told how many are done."""
    counts = Survey(stages={stage: StageCount() for stage in dataset.game.stages})
    claims = dataset.column("claim")
    chosen = np.linspace(0, len(dataset), min(max_games, len(dataset)), endpoint=False, dtype=np.int64)
    for done, game in enumerate(chosen.tolist(), start=1):
        try:
            state, searches = dataset.state(game), dataset.searches(game)
        except (IllegalAction, ParseError):
            counts.damaged += 1
            continue
        claim = int(claims[game])
        if state.is_over or claim >= 0:
            result = state.result(None if claim < 0 else bool(claim))
            for aspect, label in result.labels.items():
                counts.labels.setdefault(aspect, Counter())[label] += 1
        _count_stages(counts.stages, state, searches)
        counts.games += 1
        if progress:
            progress(done)
    return counts


def _count_stages(stages: dict[str, StageCount], state: State, searches: Searches | None) -> None:
    """Counts the decisions of a game, whose state is taken back to its start."""
    for step in reversed(range(len(state.history()))):
        state.undo()
        count = stages[state.stage]
        count.decisions += 1
        if searches is not None:
            count.weights += bool(searches.counts[step])
            count.values += not np.isnan(searches.values[step])
