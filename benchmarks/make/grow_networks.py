"""Makes some networks of a checkpoint larger, with the same outputs, for a learner that goes on with them.

python -m benchmarks.make.grow_networks skat-policy --encoders suit_soloist=skat.tactical_soloist
    suit_defender=skat.tactical_defender --out runs/tactical [--hidden 512 256 128] [--seed 0]
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from benchmarks.harness import GameName, run_benchmark
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.growth import grown
from skat_env.options import Count, Seed


@dataclass
class Options:
    """Make some networks of a checkpoint larger."""

    checkpoint: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="CHECKPOINT")]
    """The checkpoint, by name or path."""
    encoders: tuple[str, ...]
    """For each of these networks, `NETWORK=ENCODER`: what it reads then."""
    out: Path
    """Folder of the new checkpoint, which has all networks of the old one."""
    hidden: tuple[Count, ...] = ()
    """Widths of their hidden layers; default: as they are."""
    game: GameName = "skat"
    seed: Seed = 0
    """Seed of the weights of new units."""


def main(options: Options) -> None:
    """Writes the checkpoint."""
    if options.out.exists():
        raise SystemExit(f"{options.out} exists already: expected a new folder")
    checkpoint = load_checkpoint(options.checkpoint, options.game)
    networks, rng = dict(checkpoint.networks), np.random.default_rng(options.seed)
    for each in options.encoders:
        name, _, encoder = each.partition("=")
        network = checkpoint.network(name)
        networks[name] = grown(network, encoder, options.hidden or network.spec.hidden, rng)
    save_checkpoint(options.out, options.game, networks, checkpoint.details)
    print(f"{options.out}: {', '.join(options.encoders)}")


if __name__ == "__main__":
    run_benchmark(main, Options)
