"""The training steps of a wave: its rows, which of them each step learns from, and what is made small."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Loss = Callable[..., tuple[torch.Tensor, dict[str, torch.Tensor]]]
"""(outputs [m, outputs], columns [m] …, the last their weights) -> the gradient of the mean loss by weight with respect
to the outputs, and measures. Rows of weight 0 change nothing."""


@dataclass(frozen=True, slots=True)
class TrainingSteps:
    """What a network learns from in some steps."""

    parts: list[Any]
    """Rows as `AveragedNetwork.load` returns them, which are numbered through."""
    rows: NDArray[np.int64]
    """int64 [n]: the numbers of those that are learnt from."""
    columns: Sequence[NDArray[Any]]
    """[n] each: what `loss` takes of these besides the outputs; the last is their weights."""
    batches: Sequence[NDArray[np.int64]]
    """int64 [m] each: the places in `rows` of each step."""
    loss: Loss
    """What is made small."""
    learning_rate: float
    """Of Adam."""
