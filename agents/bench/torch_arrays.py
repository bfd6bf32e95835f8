"""Networks and optimizers of torch as named arrays, and back: what learners keep."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Part = torch.nn.Module | torch.optim.Optimizer


def arrays_of(**parts: Part) -> dict[str, NDArray[Any]]:
    """The weights of networks and the state of optimizers, each name after that of its part."""
    found: dict[str, NDArray[Any]] = {}
    for name, part in parts.items():
        if isinstance(part, torch.nn.Module):
            tensors = part.state_dict()
        else:
            state = part.state_dict()["state"].items()
            tensors = {f"{index}.{slot}": value for index, slots in state for slot, value in slots.items()}
        found |= {
            f"{name}/{key}": torch.as_tensor(value).numpy(force=True).copy() for key, value in tensors.items()
        }
    return found


def restore_parts(arrays: Mapping[str, NDArray[Any]], **parts: Part) -> None:
    """The inverse of `arrays_of`; other arrays are left alone."""
    for name, part in parts.items():
        own = {
            key.removeprefix(f"{name}/"): torch.from_numpy(np.array(value))
            for key, value in arrays.items()
            if key.startswith(f"{name}/")
        }
        if isinstance(part, torch.nn.Module):
            part.load_state_dict(own)
            continue
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, tensor in own.items():
            index, slot = key.split(".")
            state.setdefault(int(index), {})[slot] = tensor
        part.load_state_dict({**part.state_dict(), "state": state})
