"""`skat-env onnx`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from skat_env.registry import get_game


@dataclass
class Onnx:
    """Write the networks of a checkpoint as ONNX files, for programs that use them without this package.

    Example: skat-env onnx klaverjas-policy --game klaverjas --out onnx

    docs/learning/onnx.md says what goes in and what comes out.
    """

    checkpoint: Annotated[Positional[str], arg(metavar="CHECKPOINT")]
    """The checkpoint: a folder, or the name of one that ships, such as klaverjas-policy."""
    out: Path
    """The folder to create."""
    game: str = "skat"
    """The game that it is of."""

    def run(self) -> int:
        """Writes the files and returns the exit status."""
        from skat_env.agents.networks.checkpoint import load_checkpoint
        from skat_env.agents.networks.onnx_file import write_onnx

        if self.out.exists():
            raise FileExistsError(f"{self.out} is there already: name another folder")
        for path in write_onnx(load_checkpoint(self.checkpoint, get_game(self.game).name), self.out):
            print(path)
        return 0
