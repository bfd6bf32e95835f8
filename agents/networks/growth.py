"""Larger networks with the outputs of smaller ones: more features to read, wider layers (Chen et al. 2016, Net2Net)."""

from collections.abc import Sequence

import numpy as np

from skat_env.agents.networks.network import Network, NetworkSpec, weight_shapes
from skat_env.encoders import get_encoder


def grown(network: Network, encoder: str, hidden: Sequence[int], rng: np.random.Generator) -> Network:
    """A network that gives the same outputs as a smaller one, and can learn more.

    Features that the smaller one does not read, and what units that it lacks give, have weights of 0 at first.
    These units read what is before them by random weights, uniform as those of a new layer of torch.

    Args:
        network: the smaller one.
        encoder: the name of an encoder that has all features of its encoder, and maybe others.
        hidden: the widths of the hidden layers, none below its own.
        rng: for the weights of new units.

    Raises:
        UnknownName: if there is no such encoder.
        ValueError: if a feature or a layer is smaller, or the network has a branch.
    """
    before, larger = network.encoder, get_encoder(encoder)
    old = network.spec
    if old.branch:
        raise ValueError(f"{network.name} has a branch: expected a network without one")
    if len(hidden) != len(old.hidden) or any(new < had for new, had in zip(hidden, old.hidden, strict=True)):
        raise ValueError(
            f"hidden layers of {list(hidden)} units: expected as many as {list(old.hidden)}, or more"
        )
    lacking = [feature.name for feature in before.features if feature not in larger.features]
    if lacking:
        raise ValueError(f"encoder {encoder} lacks what {network.name} reads: {', '.join(lacking)}")
    spec = NetworkSpec(encoder, old.outputs, tuple(hidden), old.scale, old.activation)
    weights, had = {}, network.weights()
    rows_of_inputs = np.concatenate(
        [np.arange(larger.slices[each.name].start, larger.slices[each.name].stop) for each in before.features]
    )
    for name, shape in weight_shapes(spec).items():
        array = np.zeros(shape, np.float32)
        kept = had[name]
        if name.endswith("weight"):
            new = slice(len(kept), None)
            bound = shape[1] ** -0.5
            array[new] = rng.uniform(-bound, bound, array[new].shape)
            columns = rows_of_inputs if name == "0.weight" else np.arange(kept.shape[1])
            array[: len(kept), columns] = kept
        else:
            array[: len(kept)] = kept
        weights[name] = array
    return Network(spec, weights, network.name)
