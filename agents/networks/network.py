"""The network that all learners train: fully connected layers over an encoder's features.

Rebstock 2019, section 3.1 and figure 3.1: five hidden layers, dropout on the middle ones, a linear output layer.
Solinas 2019, figure 1: the history of the cardplay passes through four layers of its own before it joins the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from skat_env.encoders import get_encoder
from skat_env.errors import NotFinite, UnknownName
from skat_env.protocols import Position, View

try:
    import torch
    from torch import nn

    from skat_env.agents.networks.sparse_linear import SparseLinear
except ImportError:
    raise ImportError("networks need torch: pip install '.[learn]' in the checkout of skat_env") from None

WIDTHS = {
    "small": (256, 256, 256, 128, 64),
    "paper": (512, 1024, 1024, 512, 128),
}
"""Widths of the hidden layers by name. `paper` has as many weights as Rebstock 2019 reports (2.3 and 2.4 million); the
thesis gives the widths themselves only in a figure."""

Width = Annotated[int, msgspec.Meta(ge=1, le=65_536)]
"""Units of a layer, where they are read from a file."""
Widths = Annotated[tuple[Width, ...], msgspec.Meta(max_length=64)]
"""Units of layers that follow one another, where they are read from a file."""

ACTIVATIONS: Final = {"relu": nn.ReLU, "elu": nn.ELU}
"""Activations of the hidden layers by name."""

ILLEGAL: Final = -(2.0**30)
"""The logit of an illegal output in training, so low that it has no gradient."""


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """The specification of a network: everything but its weights."""

    encoder: str
    """The name of the encoder whose features it reads."""
    outputs: int
    hidden: tuple[int, ...] = WIDTHS["small"]
    """The widths of the hidden layers."""
    scale: float = 1.0
    """Game units of one unit of output; networks learn best if targets are about 1."""
    activation: str = "relu"
    """One of `ACTIVATIONS`."""
    branch: str = ""
    """A feature of the encoder that first passes through layers of its own; empty: none."""
    branch_hidden: tuple[int, ...] = ()
    """The widths of those layers; the output of the last one replaces the feature."""


class Network(nn.Module):
    """Features float32 [n, encoder.width] -> outputs float32 [n, outputs].

    Args:
        spec: the specification.
        dropout: the dropout rate of the inner hidden layers (all but the first and the last).
    """

    def __init__(self, spec: NetworkSpec, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.name = f"a network of {spec.encoder}"
        """What messages call it: its name, and the checkpoint that it was loaded from."""
        self.encoder = get_encoder(spec.encoder)
        if spec.activation not in ACTIVATIONS:
            raise UnknownName("activation", spec.activation, ACTIVATIONS)
        width = self.encoder.width
        self._own = slice(0, 0)
        self.branch = nn.Sequential()
        if spec.branch:
            if spec.branch not in self.encoder.slices:
                raise UnknownName(f"feature of {spec.encoder}", spec.branch, self.encoder.slices)
            self._own = self.encoder.slices[spec.branch]
            own = self._own.stop - self._own.start
            self.branch = nn.Sequential(*_hidden_layers(own, spec.branch_hidden, spec.activation))
            width += (spec.branch_hidden[-1] if spec.branch_hidden else own) - own
        # Only linear layers are numbered, so that the names of weights do not depend on dropout.
        self.layers = nn.Sequential(
            *_hidden_layers(width, spec.hidden, spec.activation, dropout),
            nn.Linear(spec.hidden[-1] if spec.hidden else width, spec.outputs),
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
        """The tensors by name: `0.weight`, `0.bias`, `1.weight` … by layer, `branch.0.weight` … in the branch."""
        return {
            f"{prefix}{number}.{kind}": getattr(layer, kind)
            for prefix, layers in (("", self.layers), ("branch.", self.branch))
            for number, layer in enumerate(layer for layer in layers if isinstance(layer, nn.Linear))
            for kind in ("weight", "bias")
        }

    def set_weights(self, tensors: Mapping[str, torch.Tensor], prefix: str = "") -> None:
        """Copies the tensors whose names are those of `weights` after a prefix.

        Raises:
            KeyError: if one is missing.
            RuntimeError: if one has another shape.
        """
        with torch.no_grad():
            for name, tensor in self.weights().items():
                tensor.copy_(tensors[f"{prefix}{name}"])

    def infer(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Outputs in game units for float32 [n, encoder.width], on one thread, without dropout.

        Raises:
            NotFinite: if an output is not finite.
        """
        was_training = self.training
        if was_training:
            self.eval()
        with torch.inference_mode(), one_thread():
            outputs = self(torch.from_numpy(features)).numpy()
        if was_training:
            self.train()
        if self.spec.scale != 1.0:
            outputs = outputs * np.float32(self.spec.scale)
        require_finite(outputs, self.name)
        return np.asarray(outputs)

    def outputs_of(
        self, positions: Sequence[Position], seats: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        """Outputs in game units for States or Views.

        Raises:
            NotFinite: if an output is not finite.
        """
        try:
            return self.infer(self.encoder.encode(positions, seats))
        except NotFinite as error:
            raise error.at(positions[error.row].text()) from None

    def cards_of(self, views: Sequence[View]) -> NDArray[np.float32]:
        """The outputs of the 32 cards in the usual order, float32 [n, 32], whatever the encoder's numbering."""
        outputs = self.outputs_of(views)
        return np.take_along_axis(outputs, self.encoder.labels(views), axis=1)


def require_finite(outputs: NDArray[np.float32], network: str) -> None:
    """Raises NotFinite if an output of a network, float32 [n, outputs], is infinite or not a number."""
    # A sum is finite but for them, or where it overflows, and costs a fraction of a look at each.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(outputs.sum(dtype=np.float64)):
            return
    if len(found := np.argwhere(~np.isfinite(outputs))):
        row, column = found[0].tolist()
        raise NotFinite(network, float(outputs[row, column]), row)


def network_with(spec: NetworkSpec, tensors: Mapping[str, torch.Tensor], prefix: str = "") -> Network:
    """The network of a specification and tensors as `Network.set_weights` takes them, to be used and not trained.

    Raises:
        KeyError: if a weight is missing.
        RuntimeError: if one has another shape.
    """
    with torch.random.fork_rng(devices=[]):
        network = Network(spec)
    network.set_weights(tensors, prefix)
    return network.eval()


def _hidden_layers(
    width: int, hidden: Sequence[int], activation: str, dropout: float = 0.0
) -> list[nn.Module]:
    """Linear layers over `width` inputs, each with its activation, the inner ones with dropout."""
    layers: list[nn.Module] = []
    for number, units in enumerate(hidden):
        layers += [nn.Linear(width, units), ACTIVATIONS[activation]()]
        if dropout and 0 < number < len(hidden) - 1:
            layers.append(nn.Dropout(dropout))
        width = units
    return layers


def masked(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Softmax over the legal outputs, float32 [n, outputs]; 0 elsewhere."""
    shifted = np.where(legal, logits, -np.inf)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


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
