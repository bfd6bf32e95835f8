"""Counted tables of Skat as a checkpoint: arrays of counts, the version of what they count, and the pseudo-counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.checkpoint_folder import MANIFEST, read_file, read_folder, write_folder
from skat_env.errors import ParseError


@dataclass(frozen=True)
class CountsFile:
    """The counts of a checkpoint, not yet held against what they should be."""

    path: Path
    """The file of the arrays, for messages."""
    arrays: Mapping[str, NDArray[np.int64]]
    pseudo: float
    details: Mapping[str, Any]

    def parts(self, table: str, names: Sequence[str]) -> list[NDArray[np.int64]]:
        """The arrays of a table, which `joined_parts` put together.

        Raises:
            ParseError: if one is missing.
        """
        found = [self.arrays.get(f"{table}/{name}") for name in names]
        present = [array for array in found if array is not None]
        if len(present) < len(found):
            raise ParseError(f"{self.path} has no table '{table}'")
        return present


def joined_parts(tables: Mapping[str, Any], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The attributes with some names of each table, as arrays of the smallest type that holds their numbers."""
    arrays = {}
    for table, counts in tables.items():
        for name in names:
            numbers = getattr(counts, name)
            arrays[f"{table}/{name}"] = numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
    return arrays


def save_counts(
    folder: Path,
    content: str,
    version: int,
    pseudo: float,
    arrays: Mapping[str, Any],
    details: Mapping[str, Any],
) -> None:
    """Writes a checkpoint of counts; `details` are kept for people and tools."""
    from safetensors.numpy import save

    facts = {"version": version, "pseudo": pseudo}
    write_folder(
        folder,
        "skat",
        {content: facts, "details": dict(details)},
        {f"{content}.safetensors": save(dict(arrays))},
    )


def load_counts(name: str | Path, content: str, version: int) -> CountsFile:
    """The counts of a checkpoint, by name or path.

    Args:
        name: the checkpoint.
        content: its key in `checkpoint.json`, and the name of its file.
        version: the version that it must have.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, of another version, or holds no such counts.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    folder, manifest = read_folder(name, "skat", content)
    facts = manifest[content]
    if facts.get("version") != version:
        raise ParseError(
            f"the tables of {folder} are of version {facts.get('version')}, this skat_env has version {version}: "
            "count them anew"
        )
    pseudo = facts.get("pseudo")
    if not isinstance(pseudo, int | float) or not 0 < pseudo < 1e300:
        raise ParseError(f"{folder / MANIFEST}: pseudo is {pseudo!r}, expected a number more than 0")
    path = folder / f"{content}.safetensors"
    try:
        arrays = load(read_file(folder, manifest, path.name))
    except SafetensorError as error:
        raise ParseError(f"{path} cannot be read: {error}") from None
    for table, counts in arrays.items():
        if counts.dtype.kind not in "iu" or (counts.size and counts.min() < 0):
            raise ParseError(f"{path}: table '{table}' has numbers that are not counts")
    wide = {table: counts.astype(np.int64) for table, counts in arrays.items()}
    return CountsFile(path, wide, float(pseudo), manifest["details"])
