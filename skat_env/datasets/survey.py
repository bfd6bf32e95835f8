"""A survey of a dataset: the number of games by kind and of decisions by stage."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from skat_env.datasets.dataset import Dataset
from skat_env.datasets.searches import Searches
from skat_env.errors import IllegalAction, ParseError
from skat_env.options import Count, checked_options
from skat_env.protocols import State

MAX_GAMES: Final = 50_000
"""The number of games to replay, which takes a few seconds; from larger datasets, as many are chosen evenly."""


@dataclass(slots=True)
class StageCount:
    """The number of decisions in a stage, and of those with search weights or a search value."""

    decisions: int = 0
    weights: int = 0
    values: int = 0


@dataclass(slots=True)
class Survey:
    """Counts of games and decisions."""

    games: int = 0
    damaged: int = 0
    """The number of games that cannot be replayed; no other count includes them."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """The number of games with each label, by aspect of the result such as `game`. Aborted games have no label."""
    stages: dict[str, StageCount] = field(default_factory=dict)
    """The counts of decisions by stage, in the order of the game."""


@checked_options("survey")
def survey(
    dataset: Dataset, max_games: Count = MAX_GAMES, progress: Callable[[int], None] | None = None
) -> Survey:
    """Counts the games of a dataset, at most `max_games` spread evenly; `progress` is called with the number done."""
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
            for aspect, label in getattr(result, "labels", {}).items():  # a game's result may have none
                counts.labels.setdefault(aspect, Counter())[label] += 1
        _count_stages(counts.stages, state, searches)
        counts.games += 1
        if progress:
            progress(done)
    return counts


def _count_stages(stages: dict[str, StageCount], state: State, searches: Searches | None) -> None:
    """Counts the decisions of a game; undoes all actions of its state."""
    for step in reversed(range(len(state.history()))):
        state.undo()
        count = stages[state.stage]
        count.decisions += 1
        if searches is not None:
            count.weights += bool(searches.counts[step])
            count.values += not np.isnan(searches.values[step])
