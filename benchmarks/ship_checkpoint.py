"""Puts a trained checkpoint among those that ship: weights in float16, and a card that says what it is.

python benchmarks/ship_checkpoint.py runs/imitation/checkpoint skat-policy --data "50,000 games of ..." --hours 1.5
    [--strength "..." ...]

The card, `agents/weights/NAME/README.md`, has the data, config, command, hours, held-out figures and strength.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import torch
import tyro

from agents.checkpoint import SHIPPED, load_checkpoint, save_checkpoint
from skat_env.files import write_text

LARGEST = 20_000_000
"""Bytes of all weights that ship."""


@dataclass
class Options:
    """Puts a trained checkpoint among those that ship."""

    checkpoint: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="CHECKPOINT")]
    """Its folder."""
    name: tyro.conf.Positional[str]
    """What agents call it."""
    data: str
    """What it was trained on, with the command that made it."""
    hours: float
    """Of training and of making the data, on two cores."""
    game: str = "skat"
    strength: tuple[str, ...] = ()
    """Lines of results, each with the command that made it."""


def card(options: Options, details: Mapping[str, Any], size: int) -> str:
    """The card as Markdown."""
    lines = [f"# {options.name}", "", f"Networks for {options.game}, {size / 1e6:.1f} MB in float16.", ""]
    lines += [f"- **Data**: {options.data}", f"- **Command**: `{details.get('command', 'unknown')}`"]
    lines += [
        f"- **Hours**: {options.hours:g} on two cores, data included",
        f"- **Commit**: {details.get('commit')}",
    ]
    lines += [f"- **Strength**: {line}" for line in options.strength]
    lines += ["", "## Config", "", "```json", json.dumps(details.get("config", {}), indent=1), "```", ""]
    figures: dict[str, dict[str, float]] = details.get("figures", {})
    if figures:
        columns = sorted({column for row in figures.values() for column in row})
        lines += ["## Held-out figures", "", "| network | " + " | ".join(columns) + " |"]
        lines += ["|---|" + "---:|" * len(columns)]
        for network, row in figures.items():
            cells = [f"{row[column]:,.4g}" if column in row else "" for column in columns]
            lines.append(f"| {network} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Converts the checkpoint and writes its card."""
    options = tyro.cli(Options, description=__doc__)
    checkpoint = load_checkpoint(options.checkpoint, options.game)
    folder = SHIPPED / options.name
    save_checkpoint(folder, options.game, checkpoint.networks, checkpoint.details, torch.float16)
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    write_text(folder / "README.md", card(options, checkpoint.details, size))
    total = sum(path.stat().st_size for path in SHIPPED.rglob("*.safetensors"))
    print(f"{folder}: {size / 1e6:.1f} MB; all that ship: {total / 1e6:.1f} of {LARGEST / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
