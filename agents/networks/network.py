"""The networks of all learners: fully connected layers over an encoder's features, evaluated in C.

Rebstock 2019, section 3.1 and figure 3.1: five hidden layers and a linear output layer. Solinas 2019, figure 1: the
history of the cardplay passes through four layers of its own before it joins the others. Learners train them as a
`NetworkModule`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks._int8 import Int8Network
from skat_env.agents.networks._rows import RowNetwork
from skat_env.encoders import get_encoder
from skat_env.errors import NotFinite, UnknownName
from skat_env.protocols import Position, View

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

ACTIVATIONS: Final = ("relu", "elu")
"""Activations of the hidden layers."""


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


class Network:
    """A network with the weights that it has; its outputs for a row depend on nothing but the row.

    Args:
        spec: the specification.
        weights: the arrays of `weight_shapes`, by name; others are ignored, and those that can be written to copied.
        name: what messages call it, such as its name and the checkpoint that it was loaded from.
        int8: whether it multiplies bytes after its first layer, where its units are rectified and no branch is there.

    Raises:
        UnknownName: if there is no such encoder or activation, or the encoder has no such feature.
        ValueError: if an array is missing, or has another shape.
    """

    def __init__(
        self, spec: NetworkSpec, weights: Mapping[str, NDArray[Any]], name: str = "", int8: bool = False
    ) -> None:
        self.spec, self._int8 = spec, int8
        self.name = name or f"a network of {spec.encoder}"
        self.encoder = get_encoder(spec.encoder)
        self._weights: dict[str, NDArray[np.float32]] = {}
        self._evaluated: dict[type[EvaluatedNetwork], EvaluatedNetwork] = {}
        self._floats: Network | None = None
        for key, shape in weight_shapes(spec).items():
            found = weights[key].shape if key in weights else None
            if found != shape:
                has = "is missing" if found is None else f"has shape {list(found)}"
                raise ValueError(f"tensor '{key}' {has}, expected shape {list(shape)}")
            array = np.asarray(weights[key], np.float32, order="C")
            if array.flags.writeable and np.may_share_memory(array, weights[key]):
                array = array.copy()
            array.flags.writeable = False
            self._weights[key] = array

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle it."""
        return Network, (self.spec, self._weights, self.name, self._int8)

    def in_int8(self) -> "Network":
        """The same network, which multiplies bytes after its first layer; both share their memory."""
        if self._int8:
            return self
        network = Network(self.spec, self._weights, self.name, int8=True)
        network._evaluated, network._floats = self._evaluated, self  # who loads it again finds this one
        return network

    def weights(self) -> Mapping[str, NDArray[np.float32]]:
        """The arrays by name, as `weight_shapes` has them; they cannot be written to."""
        return self._weights

    def __call__(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Outputs in units of `spec.scale`, float32 [n, outputs], for float32 [n, encoder.width].

        Raises:
            ValueError: if rows have another width.
            NotFinite: if an output is not finite.
        """
        if self._branch is not None:
            own = self.encoder.slices[self.spec.branch]
            inside = self._branch(np.ascontiguousarray(features[:, own]))
            features = np.concatenate((features[:, : own.start], inside, features[:, own.stop :]), axis=1)
        return self.evaluated(np.ascontiguousarray(features))

    @property
    def evaluated(self) -> EvaluatedNetwork:
        """Its layers in C, but for those of the branch."""
        bytes_do = self._int8 and self.spec.activation == "relu" and not self.spec.branch
        kind = Int8Network if bytes_do else RowNetwork
        if kind not in self._evaluated:
            self._evaluated[kind] = kind(self)
        return self._evaluated[kind]

    @cached_property
    def _branch(self) -> RowNetwork | None:
        return RowNetwork(self, branch=True) if self.spec.branch and self.spec.branch_hidden else None

    def infer(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Outputs in game units, float32 [n, outputs], for float32 [n, encoder.width].

        Raises:
            ValueError: if rows have another width.
            NotFinite: if an output is not finite.
        """
        return self(features) * np.float32(self.spec.scale)

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


def weight_shapes(spec: NetworkSpec) -> dict[str, tuple[int, ...]]:
    """The shapes of a network's arrays: `0.weight` [units, inputs], `0.bias` [units], `1.weight` … by layer.

    Those of the branch are before them, `branch.0.weight` ….

    Raises:
        UnknownName: if there is no such encoder or activation, or the encoder has no such feature.
    """
    encoder = get_encoder(spec.encoder)
    if spec.activation not in ACTIVATIONS:
        raise UnknownName("activation", spec.activation, ACTIVATIONS)
    shapes: dict[str, tuple[int, ...]] = {}
    inputs = encoder.width
    if spec.branch:
        if spec.branch not in encoder.slices:
            raise UnknownName(f"feature of {spec.encoder}", spec.branch, encoder.slices)
        own = encoder.slices[spec.branch]
        widths = (own.stop - own.start, *spec.branch_hidden)
        shapes |= _shapes("branch.", widths)
        inputs += widths[-1] - widths[0]
    return shapes | _shapes("", (inputs, *spec.hidden, spec.outputs))


def _shapes(prefix: str, widths: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The shapes of layers of some widths that follow one another; the first width is that of the inputs."""
    return {
        f"{prefix}{number}.{kind}": (units, inputs) if kind == "weight" else (units,)
        for number, (inputs, units) in enumerate(pairwise(widths))
        for kind in ("weight", "bias")
    }
