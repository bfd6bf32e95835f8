"""Networks and optimizers of torch as named arrays, and back: what learners keep."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.networks.optimizer import optimizer_tensors, restore_optimizer

Part = torch.nn.Module | torch.optim.Optimizer


def arrays_of(**parts: Part) -> dict[str, NDArray[Any]]:
    """The weights of networks and the state of optimizers, each name after that of its part."""
    found: dict[str, NDArray[Any]] = {}
    for name, part in parts.items():
        if isinstance(part, torch.nn.Module):
            tensors = {f"{name}/{key}": tensor for key, tensor in part.state_dict().items()}
        else:
            tensors = optimizer_tensors(name, part)
        found |= {key: tensor.numpy(force=True).copy() for key, tensor in tensors.items()}
    return found


def restore_parts(arrays: Mapping[str, NDArray[Any]], **parts: Part) -> None:
    """The inverse of `arrays_of`; other arrays are left alone."""
    for name, part in parts.items():
        start = f"{name}/"
        own = {key: torch.from_numpy(np.array(each)) for key, each in arrays.items() if key.startswith(start)}
        if isinstance(part, torch.nn.Module):
            part.load_state_dict({key.removeprefix(start): tensor for key, tensor in own.items()})
        else:
            restore_optimizer(name, part, own)
