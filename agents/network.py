"""The network that every learner of this project trains: fully connected layers over an encoder's features.

Rebstock 2019, section 3.1 and figure 3.1: five hidden layers, dropout on the middle ones, a linear output layer.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.encoders import get_encoder

try:
    import torch
    from torch import nn
except ImportError:
    raise ImportError("networks need torch: pip install 'skat_env[learn]'") from None

WIDTHS = {
    "small": (256, 256, 256, 128, 64),
    "paper": (512, 1024, 1024, 512, 128),
}
"""Hidden widths by name. `paper` has the weights that Rebstock 2019 counts (2.3 and 2.4 million); the widths
themselves stand in a figure only."""

ILLEGAL: Final = -1e9
"""The logit of an illegal output in training: nothing is learnt of it."""


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """What a network is, apart from its weights."""

    encoder: str
    """The name of the encoder whose features it reads."""
    outputs: int
    hidden: tuple[int, ...] = WIDTHS["small"]
    """The widths of the hidden layers."""
    scale: float = 1.0
    """Game units of one unit of output; networks learn best what is about 1."""


class Network(nn.Module):
    """Features float32 [n, encoder.width] -> outputs float32 [n, outputs].

    Args:
        spec: what to build.
        dropout: the share of units of the inner hidden layers (all but the first and the last) that training drops.
    """

    def __init__(self, spec: NetworkSpec, dropout: float = 0.0) -> None:
        super().__init__()
        self.spec = spec
        self.encoder = get_encoder(spec.encoder)
        layers: list[nn.Module] = []
        width = self.encoder.width
        for number, hidden in enumerate(spec.hidden):
            layers += [nn.Linear(width, hidden), nn.ReLU()]
            if dropout and 0 < number < len(spec.hidden) - 1:
                layers.append(nn.Dropout(dropout))
            width = hidden
        # Dropout has no weights: numbering the linear layers alone keeps their names the same with and without it.
        self.layers = nn.Sequential(*layers, nn.Linear(width, spec.outputs))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """The outputs, in units of `spec.scale`."""
        outputs: torch.Tensor = self.layers(features)
        return outputs

    def weights(self) -> dict[str, torch.Tensor]:
        """Its tensors by name: `0.weight`, `0.bias`, `1.weight` … by linear layer."""
        linear = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        return {
            f"{number}.{kind}": getattr(layer, kind)
            for number, layer in enumerate(linear)
            for kind in ("weight", "bias")
        }

    def infer(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Outputs in game units for float32 [n, encoder.width], on one thread, nothing dropped."""
        was_training = self.training
        if was_training:
            self.eval()
        with torch.inference_mode(), one_thread():
            outputs = self.layers(torch.from_numpy(features)).numpy()
        if was_training:
            self.train()
        if self.spec.scale == 1.0:
            return np.asarray(outputs)
        return np.asarray(outputs * np.float32(self.spec.scale))

    def outputs_of(self, positions: Sequence[Any], seats: Sequence[int] | None = None) -> NDArray[np.float32]:
        """The same for States or Views."""
        return self.infer(self.encoder.encode(positions, seats))

    def cards_of(self, views: Sequence[Any]) -> NDArray[np.float32]:
        """The outputs that stand for the 32 cards, float32 [n, 32] by card, however the encoder numbers them."""
        outputs = self.outputs_of(views)
        return np.take_along_axis(outputs, self.encoder.labels(views), axis=1)


def masked(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The probabilities of the legal outputs, float32 [n, outputs]; softmax over those, 0 elsewhere."""
    shifted = np.where(legal, logits, -np.inf)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


@contextmanager
def one_thread() -> Iterator[None]:
    """Keeps torch to one thread: networks this small are many times slower on several."""
    threads = torch.get_num_threads()
    if threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
