"""A network in training, as a module of torch."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self

import numpy as np

from skat_env.agents.networks.network import Network, NetworkSpec, weight_shapes
from skat_env.encoders import get_encoder

try:
    import torch
    from torch import nn

    from skat_env.agents.learners.networks.sparse_linear import SparseLinear
except ImportError:
    raise ImportError("learning needs torch: pip install '.[learn]' in the checkout of skat_env") from None

LAYERS: Final = {"relu": nn.ReLU, "elu": nn.ELU}
"""The layers of `ACTIVATIONS`."""

ILLEGAL: Final = -(2.0**30)
"""The logit of an illegal output in training, so low that it has no gradient."""


class NetworkModule(nn.Module):
    """Features float32 [n, encoder.width] -> outputs float32 [n, outputs], in units of `spec.scale`.

    Weights are random at first, by torch's generator.

    Args:
        spec: the specification.
        dropout: the dropout rate of the inner hidden layers (all but the first and the last).

    Raises:
        UnknownName: if there is no such encoder or activation, or the encoder has no such feature.
    """

    def __init__(self, spec: NetworkSpec, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.encoder = get_encoder(spec.encoder)
        shapes = weight_shapes(spec)
        self.branch, self._own = nn.Sequential(), slice(0, 0)
        if spec.branch:
            self._own = self.encoder.slices[spec.branch]
            width = self._own.stop - self._own.start
            self.branch.extend(_hidden_layers(width, spec.branch_hidden, spec.activation))
        # Only linear layers are numbered, so that the names of weights do not depend on dropout.
        last, width = shapes[f"{len(spec.hidden)}.weight"]
        self.layers = nn.Sequential(
            *_hidden_layers(shapes["0.weight"][1], spec.hidden, spec.activation, dropout),
            nn.Linear(width, last),
        )
        if not spec.branch:
            self.layers[0] = SparseLinear.of(self.layers[0])

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """The outputs, in units of `spec.scale`."""
        if self.spec.branch:
            own = self.branch(features[:, self._own])
            features = torch.cat((features[:, : self._own.start], own, features[:, self._own.stop :]), 1)
        outputs: torch.Tensor = self.layers(features)
        return outputs

    def weights(self) -> dict[str, torch.Tensor]:
        """The tensors, by the names of `weight_shapes`."""
        return {
            f"{prefix}{number}.{kind}": getattr(layer, kind)
            for prefix, layers in (("branch.", self.branch), ("", self.layers))
            for number, layer in enumerate(layer for layer in layers if isinstance(layer, nn.Linear))
            for kind in ("weight", "bias")
        }

    def set_weights(self, arrays: Mapping[str, Any], prefix: str = "") -> Self:
        """Copies the tensors or arrays whose names are those of `weights` after a prefix.

        Raises:
            KeyError: if one is missing.
            RuntimeError: if one has another shape.
        """
        with torch.no_grad():
            for name, tensor in self.weights().items():
                given = arrays[f"{prefix}{name}"]
                # A copy, as torch does not know arrays that cannot be written to.
                tensor.copy_(torch.from_numpy(given.copy()) if isinstance(given, np.ndarray) else given)
        return self

    def frozen(self, name: str = "") -> Network:
        """The network of the weights at present, to be used and not trained.

        Args:
            name: what messages call it.
        """
        arrays = {key: tensor.detach().cpu().numpy() for key, tensor in self.weights().items()}
        return Network(self.spec, arrays, name)


def _hidden_layers(
    width: int, hidden: Sequence[int], activation: str, dropout: float = 0.0
) -> list[nn.Module]:
    """Linear layers over `width` inputs, each with its activation, the inner ones with dropout."""
    layers: list[nn.Module] = []
    for number, units in enumerate(hidden):
        layers += [nn.Linear(width, units), LAYERS[activation]()]
        if dropout and 0 < number < len(hidden) - 1:
            layers.append(nn.Dropout(dropout))
        width = units
    return layers


@contextmanager
def one_thread() -> Iterator[None]:
    """Limits torch to one thread: small networks are many times slower on several."""
    threads = torch.get_num_threads()
    if threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
