"""Networks as ONNX files, for programs that use them without this package."""

import json
import logging
from pathlib import Path
from typing import Any, Final

import torch

from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.agents.networks.network import Network, one_thread
from skat_env.tools.extras import explained
from skat_env.tools.files import write_bytes

FEATURES: Final = "features"
"""The name of the input, float32 [rows, features]."""
OUTPUTS: Final = "outputs"
"""The name of the output, float32 [rows, outputs], in game units."""


class _InGameUnits(torch.nn.Module):
    """A network with its scale."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.network(features) * self.network.spec.scale
        return outputs


def onnx_of(network: Network, game: str) -> bytes:
    """A network as the content of an ONNX file.

    Its metadata say what the input is: `game`, `encoder`, `encoder_version`, and `slices`, a JSON object with the first
    column of every feature and that after its last.

    Raises:
        ImportError: if the extra `onnx` is not installed; names it.
    """
    try:
        import onnx
        import onnxscript  # noqa: F401  (of the exporter)
    except ImportError as error:
        raise explained(error) from None
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of a library that nothing here needs
    example = torch.zeros((2, network.encoder.width))
    with torch.no_grad(), one_thread():
        program: Any = torch.onnx.export(
            _InGameUnits(network).eval(),
            (example,),
            input_names=[FEATURES],
            output_names=[OUTPUTS],
            dynamic_shapes=({0: torch.export.Dim("rows")},),
            dynamo=True,
            verbose=False,
        )
    model = program.model_proto
    slices = {name: [where.start, where.stop] for name, where in network.encoder.slices.items()}
    facts = {
        "game": game,
        "encoder": network.spec.encoder,
        "encoder_version": str(network.encoder.version),
        "slices": json.dumps(slices),
    }
    for key, value in facts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
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
