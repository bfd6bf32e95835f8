"""Adam, as all learners use it: one step at a time, and its state among the tensors of a run."""

from collections.abc import Mapping

import torch

from skat_env.agents.learners.networks.network_module import NetworkModule


class Adam:
    """Steps of Adam (Kingma and Ba 2015) for one network.

    Args:
        network: whose weights change.
        fused: whether torch updates all weights in one kernel, which rounds otherwise.
    """

    def __init__(self, network: NetworkModule, fused: bool = True) -> None:
        self._adam = torch.optim.Adam(network.parameters(), fused=fused)

    def step(self, loss: torch.Tensor, learning_rate: float) -> None:
        """Moves the weights against the gradient of a loss."""
        for group in self._adam.param_groups:
            group["lr"] = learning_rate
        self._adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam.step()

    def tensors(self, prefix: str) -> dict[str, torch.Tensor]:
        """Its state by name, each name after a prefix."""
        return optimizer_tensors(prefix, self._adam)

    def restore(self, prefix: str, tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `tensors`; other tensors are ignored."""
        restore_optimizer(prefix, self._adam, tensors)


def optimizer_tensors(prefix: str, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The state of an optimizer of torch as named tensors."""
    return {
        f"{prefix}/{index}/{name}": torch.as_tensor(value)
        for index, slots in optimizer.state_dict()["state"].items()
        for name, value in slots.items()
    }


def restore_optimizer(
    prefix: str, optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]
) -> None:
    """The inverse of `optimizer_tensors`; other tensors are ignored.

    What belongs to each weight is laid in memory as the weights are, as fused steps take both in order of memory.
    """
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith(f"{prefix}/"):
            index, name = key.removeprefix(f"{prefix}/").split("/")
            state.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    for weights, slots in optimizer.state.items():
        for name, tensor in slots.items():
            if tensor.shape == weights.shape:
                slots[name] = torch.empty_like(weights).copy_(tensor)
