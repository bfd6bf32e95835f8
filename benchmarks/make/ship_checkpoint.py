"""Adds trained networks, in float16, or counted tables to the weights that ship, with a card that describes them.

python -m benchmarks.make.ship_checkpoint skat-policy runs/bidding/checkpoint runs/cards/checkpoint --data "..."
    --hours 1.5 [--strength "..." ...]

The card, `agents/weights/NAME/README.md`, has the data, config, command, hours, held-out figures and strength.
Where the first checkpoint is the one that ships, the others have learnt on from it, and its card is gone on with:
data and hours are added to those that it has, and new strengths come first.
Networks that the base has too are left to it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import tyro

from benchmarks.harness import run_benchmark
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.checkpoint_folder import MANIFEST, SHIPPED
from skat_env.agents.networks.network import Network
from skat_env.agents.skat.counted.tables import SkatTables
from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.openings import OpeningTables
from skat_env.tools.files import write_text

MAX_BYTES = 32_000_000
"""The maximum size of all weights that ship."""
COUNTED: dict[str, Any] = {"tables": SkatTables, "winning": WinningTables, "openings": OpeningTables}
"""Counted tables by the key of their facts in `checkpoint.json`."""


@dataclass
class Options:
    """Add trained networks or counted tables to the weights that ship."""

    name: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="NAME")]
    """Name of the new checkpoint."""
    checkpoints: Annotated[tyro.conf.Positional[tuple[Path, ...]], tyro.conf.arg(metavar="CHECKPOINT")]
    """Checkpoint folders to merge, of runs or such as agents/weights/skat-policy; the last one wins for networks of the
    same name. Tables have a single folder."""
    data: str
    """Training data, with the commands that made it; of a checkpoint that ships already, what came after."""
    hours: float
    """Hours to train and to make the data, on two cores; of a checkpoint that ships already, those since."""
    game: str = "skat"
    base: str = ""
    """A checkpoint that ships, whose networks this one has but for its own; none: that of the first checkpoint."""
    strength: tuple[str, ...] = ()
    """Results to list, each with the command that made it."""


@dataclass(frozen=True)
class Account:
    """What a card says of a checkpoint as a whole."""

    data: str
    hours: float
    strength: tuple[str, ...]

    def lines(self) -> list[str]:
        """It as lines of Markdown."""
        hours = f"- **Hours**: {self.hours:g} on two cores, data included"
        return [f"- **Data**: {self.data}", hours, *(f"- **Strength**: {line}" for line in self.strength)]

    @classmethod
    def read(cls, text: str) -> Self:
        """Reads what `lines` wrote."""
        [data], [hours], strength = (
            re.findall(rf"^- \*\*{name}\*\*: (.*)$", text, re.MULTILINE)
            for name in ("Data", "Hours", "Strength")
        )
        return cls(data, float(hours.split()[0]), tuple(strength))

    def then(self, later: "Account") -> "Account":
        """The account of a checkpoint that has learnt on."""
        return Account(
            f"{self.data}; {later.data}", self.hours + later.hours, (*later.strength, *self.strength)
        )


def account(options: Options) -> Account:
    """What the card says of the checkpoint; it goes on with what it has, if that is the first of the checkpoints."""
    new = Account(options.data, options.hours, options.strength)
    shipped = SHIPPED / options.name
    if options.checkpoints[0].resolve() != shipped.resolve():
        return new
    return Account.read((shipped / "README.md").read_text()).then(new)


def card(name: str, what: str, whole: Account, parts: Sequence[Mapping[str, Any]]) -> str:
    """The card as Markdown; `what` is a sentence or two, `parts` are the details of the checkpoints."""
    lines = [f"# {name}", "", what, "", *whole.lines()]
    for details in parts:
        lines += ["", f"`{details['command']}` at commit {details['commit']}:", ""]
        if "note" in details:
            lines += [details["note"], ""]
        lines += ["```json", json.dumps(details.get("config", {})), "```", ""]
        figures: dict[str, dict[str, float]] = details.get("figures", {})
        columns = sorted({column for row in figures.values() for column in row})
        if figures:
            lines += ["| part | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
        for network, row in figures.items():
            cells = [f"{row[column]:,.4g}" if column in row else "" for column in columns]
            lines.append(f"| {network} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def check(details: Mapping[str, Any]) -> None:
    """Checks that a training run can be repeated: it has a commit, and a config of this project.

    Raises:
        ValueError: if it cannot.
    """
    if not re.fullmatch(r"[0-9a-f]{40}", details["commit"] or ""):
        raise ValueError(f"trained at commit {details['commit']}: commit first, then train what ships")
    if not re.match(r"skat-env train \w+ --config configs/[\w-]+\.toml ", details["command"]):
        raise ValueError(f"trained by {details['command']}: expected skat-env train with a file of configs/")


def trainings(manifests: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The details of every training, in order, with the figures of those of its networks that stay.

    A training that keeps other networks beside those that it has learnt names the latter, `learnt`.
    """
    parts: list[dict[str, Any]] = []
    for manifest in manifests:
        for part in manifest["details"].get("parts", [manifest["details"]]):
            replaced = part.get("learnt", part.get("figures", {}))
            for earlier in parts:
                kept = earlier.get("figures", {}).items()
                earlier["figures"] = {name: row for name, row in kept if name not in replaced}
            parts.append(dict(part))
    return parts


def without_shared(networks: Mapping[str, Network], base: str, game: str) -> dict[str, Network]:
    """The networks but for those that the base has with the same weights."""
    shared = load_checkpoint(base, game).networks if base else {}
    return {
        name: network
        for name, network in networks.items()
        if name not in shared or not same(network, shared[name])
    }


def same(one: Network, other: Network) -> bool:
    """Whether two networks are one in float16."""
    weights, others = one.weights(), other.weights()
    return one.spec == other.spec and all(
        np.array_equal(array.astype(np.float16), others[key].astype(np.float16))
        for key, array in weights.items()
    )


def main(options: Options) -> None:
    """Converts the checkpoints and writes their card."""
    manifests = [json.loads((path / MANIFEST).read_text()) for path in options.checkpoints]
    details = trainings(manifests)
    for training in details:
        check(training)
    folder = SHIPPED / options.name
    is_of_networks = "networks" in manifests[0]
    base = options.base or manifests[0].get("base", "")
    # Read before the folder is replaced, which holds the card that is gone on with.
    whole = account(options)
    if is_of_networks:
        parts = [load_checkpoint(path, options.game) for path in options.checkpoints]
        networks = {
            name: network
            for part in parts
            for name, network in part.networks.items()
            if name in part.details.get("learnt", part.networks)
        }
        figures = {name: row for part in details for name, row in part.get("figures", {}).items()}
        own = without_shared(networks, base, options.game)
        save_checkpoint(folder, options.game, own, {"figures": figures, "parts": details}, np.float16, base)
    else:
        [path] = options.checkpoints
        counted = next(tables for content, tables in COUNTED.items() if content in manifests[0])
        counted.load(path).save(folder, details[0])
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    what = f"{'Networks in float16' if is_of_networks else 'Tables'} for {options.game}, {size / 1e6:.1f} MB."
    if base:
        what += f" Its other networks are those of [{base}](../{base}/README.md)."
    write_text(folder / "README.md", card(options.name, what, whole, details))
    total = sum(path.stat().st_size for path in SHIPPED.rglob("*.safetensors"))
    print(f"{folder}: {size / 1e6:.1f} MB; all that ship: {total / 1e6:.1f} of {MAX_BYTES / 1e6:.0f} MB")


if __name__ == "__main__":
    run_benchmark(main, Options)
