"""Networks as ONNX files, for programs that use them without this package."""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.networks.network import Network
from skat_env.tools.extras import explained
from skat_env.tools.files import write_bytes

FEATURES: Final = "features"
"""The name of the input, float32 [rows, features]."""
OUTPUTS: Final = "outputs"
"""The name of the output, float32 [rows, outputs], as the network gives it: in units of its scale."""
OPSET: Final = 18
"""The version of the operators; programs of 2023 and later have it."""
OPERATORS: Final = {"relu": "Relu", "elu": "Elu"}
"""The operators of `ACTIVATIONS`."""


class _Graph:
    """The operators that a network is made of, one after another.

    Args:
        network: the network.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Adds an operator; returns the name of its output."""
        from onnx import helper

        output = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, name: str, array: Any) -> str:
        """Adds an array; returns its name."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def layers(self, value: str, prefix: str, count: int, units: int) -> str:
        """Adds linear layers, the first `units` of them with units behind them; returns the name of the output."""
        weights = self._network.weights()
        for number in range(count):
            keys = [f"{prefix}{number}.{kind}" for kind in ("weight", "bias")]
            value = self.add("Gemm", value, *(self.constant(key, weights[key]) for key in keys), transB=1)
            if number < units:
                value = self.add(OPERATORS[self._network.spec.activation], value)
        return value

    def columns(self, value: str, first: int, last: int) -> str:
        """Adds the choice of the columns from `first` to before `last`; returns the name of the output."""
        where = {"first": first, "last": last, "axis": 1}
        arrays = (self.constant(f"{key}_{len(self.nodes)}", np.array([each])) for key, each in where.items())
        return self.add("Slice", value, *arrays)


def onnx_of(network: Network, game: str) -> bytes:
    """A network as the content of an ONNX file.

    Its metadata say what the input is: `game`, `encoder`, `encoder_version`, and `slices`, a JSON object with the first
    column of every feature and that after its last. A value times `scale` is in game units; logits are as they are.

    Raises:
        ImportError: if the extra `onnx` is not installed; names it.
    """
    try:
        import onnx
        from onnx import helper
    except ImportError as error:
        raise explained(error) from None
    spec, encoder = network.spec, network.encoder
    graph = _Graph(network)
    value = FEATURES
    if spec.branch:
        own = encoder.slices[spec.branch]
        before, inside, behind = (
            graph.columns(FEATURES, *ends)
            for ends in ((0, own.start), (own.start, own.stop), (own.stop, encoder.width))
        )
        count = len(spec.branch_hidden)
        value = graph.add("Concat", before, graph.layers(inside, "branch.", count, count), behind, axis=1)
    graph.layers(value, "", len(spec.hidden) + 1, len(spec.hidden))
    graph.nodes[-1].output[0] = OUTPUTS
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", width])
        for name, width in ((FEATURES, encoder.width), (OUTPUTS, spec.outputs))
    ]
    whole = helper.make_graph(graph.nodes, spec.encoder, ends[:1], ends[1:], graph.constants)
    model = helper.make_model_gen_version(whole, opset_imports=[helper.make_opsetid("", OPSET)])
    helper.set_model_props(
        model,
        {
            "game": game,
            "encoder": spec.encoder,
            "encoder_version": str(encoder.version),
            "scale": str(spec.scale),
            "slices": json.dumps({name: [at.start, at.stop] for name, at in encoder.slices.items()}),
        },
    )
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def write_onnx(checkpoint: Checkpoint, folder: Path) -> list[Path]:
    """Writes every network of a checkpoint into a new folder as `NAME.onnx`; returns the files.

    Raises:
        FileExistsError: if the folder is there.
        ImportError: if the extra `onnx` is not installed; names it.
    """
    files = {name: onnx_of(network, checkpoint.game) for name, network in checkpoint.networks.items()}
    folder.mkdir(parents=True)
    paths = []
    for name, content in files.items():
        paths.append(folder / f"{name}.onnx")
        write_bytes(paths[-1], content)
    return paths
