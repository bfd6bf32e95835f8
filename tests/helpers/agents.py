"""Agents that only tests have."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skat_env.protocols import Decision


class Batched:
    """Plays at random in batches, and notes how large these were."""

    name = "batched"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        self.sizes.append(len(views))
        return [
            Decision(int(rng.choice(view.legal_actions()))) for view, rng in zip(views, rngs, strict=True)
        ]


class Sensitive(Batched):
    """Whose every decision depends on everything else in the batch, as the last bits of a matrix product do."""

    name = "sensitive"

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        total = sum(view.legal() for view in views)
        legal = [view.legal_actions() for view in views]
        return [Decision(actions[total % len(actions)]) for actions in legal]
