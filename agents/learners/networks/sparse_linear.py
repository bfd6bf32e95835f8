"""A first layer that multiplies only the inputs that are not 0, as most features of cards are."""

from typing import Any, Final

import torch
from torch import nn

from skat_env.agents.learners.networks._sparse import SparseRows

DENSE_THREADS: Final = 4
"""The threads of torch from which on its dense product is as fast, measured with one input in 18 other than 0."""


class SparseLinear(nn.Linear):
    """A linear layer whose inputs are mostly 0 and need no gradient.

    It has the weights, the results but for rounding, and the gradients of `nn.Linear`, in a fraction of the time on a
    few threads of a processor. Elsewhere, and for other inputs, it is one. Its weights lie in memory input by input.
    """

    @classmethod
    def of(cls, layer: nn.Module) -> "SparseLinear":
        """A layer that shares the parameters of a linear one, which an optimizer may hold already.

        Raises:
            ValueError: if it is not a linear layer with a bias.
        """
        if not isinstance(layer, nn.Linear) or layer.bias is None:
            raise ValueError(f"{layer} cannot be read sparsely: expected a linear layer with a bias")
        with torch.device("meta"):
            sparse = cls(layer.in_features, layer.out_features)
        sparse.weight, sparse.bias = layer.weight, layer.bias
        sparse.weight.data = sparse.weight.data.t().contiguous().t()
        return sparse

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """float32 [n, in_features] -> float32 [n, out_features]."""
        if not self._reads_sparsely(input):
            return super().forward(input)
        found: torch.Tensor = _Product.apply(input, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return found

    def _reads_sparsely(self, input: torch.Tensor) -> bool:
        return (
            type(input) is torch.Tensor  # no stand-in of a tracer, which sees no products of numpy
            and not torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]
            and not torch.compiler.is_compiling()
            and input.dim() == 2
            and not input.requires_grad
            and torch.get_num_threads() < DENSE_THREADS
            and all(x.device.type == "cpu" and x.dtype == torch.float32 for x in (input, self.weight))
            and not torch.is_autocast_enabled("cpu")
        )


class _Product(torch.autograd.Function):
    """input @ weight.T + bias, with gradients of weight and bias."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        ctx.rows = SparseRows(input.detach().contiguous().numpy())
        out = torch.empty(len(input), len(bias))
        by_input = weight.detach().t().contiguous()
        ctx.rows.times(by_input.numpy(), bias.detach().contiguous().numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[None, torch.Tensor, torch.Tensor]:
        (grad,) = grads
        by_input = torch.empty(ctx.rows.columns, grad.shape[1])
        ctx.rows.transposed_times(grad.contiguous().numpy(), by_input.numpy())
        return None, by_input.t(), grad.sum(0)
