"""Trained networks on disk: a folder with a safetensors file for each network, described in `checkpoint.json`.

The description names each network's encoder and its version; a network trained on features of another version is
refused. Checkpoints that ship with the project lie in `weights/` and are loaded by name. A checkpoint may have another
of these as its base: it has the networks of the base, too, but for those that it has itself.
"""

import dataclasses
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final
from weakref import WeakValueDictionary

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from skat_env.agents.networks.checkpoint_folder import (
    MANIFEST,
    SHIPPED,
    read_file,
    read_folder,
    shipped_names,
    write_folder,
)
from skat_env.agents.networks.network import Network, NetworkSpec, Width, Widths, weight_shapes
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName

_in_use: Final[WeakValueDictionary[tuple[Path, str, NetworkSpec], Network]] = WeakValueDictionary()
"""The networks that somebody has, by file, its checksum and specification: agents with the same ones share them."""


@dataclass(frozen=True)
class Checkpoint:
    """Networks that belong together."""

    game: str
    networks: dict[str, Network]
    """The networks by name."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """How they were made: config, data, figures."""
    name: str = ""
    """The name or path that it was loaded by."""

    def network(self, name: str) -> Network:
        """The network with a name.

        Raises:
            ParseError: if the checkpoint has no such network.
        """
        if name not in self.networks:
            raise ParseError(
                f"checkpoint {self.name} has no network '{name}', only {', '.join(sorted(self.networks))}: "
                "was there nothing to train it on?"
            )
        return self.networks[name]

    def network_like(self, name: str, spec: NetworkSpec) -> Network:
        """The network with a name, for a learner that begins with its weights.

        Raises:
            ParseError: if the checkpoint has no such network, or it is of another kind than `spec`.
        """
        network = self.network(name)
        here, there = dataclasses.asdict(spec), dataclasses.asdict(network.spec)
        if differences := [f"{key} {there[key]}, not {here[key]}" for key in here if here[key] != there[key]]:
            raise ParseError(
                f"network '{name}' of checkpoint {self.name} has {'; '.join(differences)}: "
                "training begins with a network of the same shape"
            )
        return network

    def in_int8(self, names: Collection[str] | None = None) -> "Checkpoint":
        """The same networks, of which those with these names (None: all) multiply bytes after their first layer."""
        some = self.networks if names is None else names
        networks = {
            name: network.in_int8() if name in some else network for name, network in self.networks.items()
        }
        return dataclasses.replace(self, networks=networks)

    def require_any(self, outputs: Mapping[str, int], valued: Collection[str] = ()) -> None:
        """Checks that the checkpoint has one of these networks: without any, it is for another purpose.

        Args:
            outputs: how many outputs each has, by its name.
            valued: the names of those that may have one more, a value.

        Raises:
            ParseError: if it has none, or one with other outputs.
        """
        if self.networks.keys().isdisjoint(outputs):
            raise ParseError(
                f"checkpoint {self.name} has networks {', '.join(sorted(self.networks))}: expected some of "
                f"{', '.join(outputs)}"
            )
        self.require_outputs(outputs, valued)

    def require_outputs(self, outputs: Mapping[str, int], valued: Collection[str] = ()) -> None:
        """Raises ParseError if one of these networks is here and has other outputs; as in `require_any`."""
        for name, network in self.networks.items():
            found = network.spec.outputs
            least = outputs.get(name, found)
            if not least <= found <= least + (name in valued):
                raise ParseError(
                    f"network '{name}' of checkpoint {self.name} has {found} outputs: expected {least}"
                    f"{', or one more for a value' if name in valued else ''}"
                )


def save_checkpoint(
    folder: Path,
    game: str,
    networks: Mapping[str, Network],
    details: Mapping[str, Any] | None = None,
    dtype: type[np.floating[Any]] = np.float32,
    base: str = "",
) -> None:
    """Writes a checkpoint whole or not at all; replaces one in the same folder, and nothing else.

    Args:
        folder: the checkpoint's folder.
        game: the name of the game.
        networks: the networks by name.
        details: how they were made, in values that JSON can hold; kept for people and tools.
        dtype: the type of the stored weights; float16 halves their size.
        base: the name of a checkpoint that ships, whose other networks belong to this one; empty: none.

    Raises:
        ValueError: if the folder is the working directory or has it inside, or has files but no checkpoint.
    """
    files, specs = {}, {}
    for name, network in networks.items():
        with np.errstate(over="ignore"):  # what overflows is refused when it is loaded
            files[f"{name}.safetensors"] = save(
                {key: array.astype(dtype) for key, array in network.weights().items()}
            )
        specs[name] = {**dataclasses.asdict(network.spec), "encoder_version": network.encoder.version}
    facts = {"base": base} if base else {}
    write_folder(folder, game, {**facts, "networks": specs, "details": dict(details or {})}, files)


def load_checkpoint(name: str | Path, game: str) -> Checkpoint:
    """Loads a checkpoint by name or path; who loads the same networks while somebody has them shares their memory.

    Args:
        name: the name of a checkpoint that ships, or a folder; `./NAME` is one that is called like one that ships.
        game: the game that it must belong to.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, belongs to another game, or needs another version of an encoder.
    """
    with suppress(ParseError, UnknownName, OSError):
        return _load_checkpoint(name, game)
    return _load_checkpoint(name, game)  # a save may have replaced it meanwhile


def _load_checkpoint(name: str | Path, game: str) -> Checkpoint:
    """The checkpoint, if no other takes its place while it is read."""
    folders = _with_bases(name, game)
    places = {key: (folder, facts) for folder, facts in reversed(folders) for key in facts["networks"]}
    networks = {key: _load_network(folder, facts, key) for key, (folder, facts) in places.items()}
    return Checkpoint(game, networks, folders[0][1]["details"], str(name))


def _with_bases(name: str | Path, game: str) -> list[tuple[Path, Mapping[str, Any]]]:
    """The folder of a checkpoint with its `checkpoint.json`, that of its base, that of the base's base and so on."""
    folder, manifest = read_folder(name, game, "networks")
    base = manifest.get("base")
    if base is None:
        return [(folder, manifest)]
    if base not in shipped_names():
        raise ParseError(
            f"{folder / MANIFEST} has the base {base!r}: expected a checkpoint that ships, one of "
            f"{', '.join(shipped_names())}"
        )
    return [(folder, manifest), *_with_bases(SHIPPED / base, game)]


class _StoredSpec(msgspec.Struct, forbid_unknown_fields=True):
    """A `NetworkSpec` as `checkpoint.json` has it."""

    encoder: str
    outputs: Width
    encoder_version: int
    hidden: Widths
    scale: Annotated[float, msgspec.Meta(gt=0, le=1e9)]
    activation: str = "relu"
    branch: str = ""
    branch_hidden: Widths = ()


def _load_network(folder: Path, manifest: Mapping[str, Any], name: str) -> Network:
    """A network of a checkpoint; without checksums one of its own, else one that all share who have it."""
    try:
        stored = msgspec.convert(manifest["networks"][name], _StoredSpec)
        fields = msgspec.structs.asdict(stored)
        version = fields.pop("encoder_version")
        spec = NetworkSpec(**fields)
        weight_shapes(spec)
        encoder = get_encoder(spec.encoder)
    except (msgspec.ValidationError, UnknownName) as error:
        raise ParseError(f"{folder / MANIFEST} does not say what network '{name}' is: {error}") from None
    if version != encoder.version:
        raise ParseError(
            f"network '{name}' of {folder} reads version {version} of the encoder {spec.encoder}, "
            f"this skat_env has version {encoder.version}: train it anew"
        )
    path = folder / f"{name}.safetensors"
    content = read_file(folder, manifest, path.name)
    if "files" not in manifest:
        return _network_of(content, path, spec)
    shared = (path, manifest["files"][path.name], spec)
    network = _in_use.get(shared)
    if network is None:
        network = _in_use[shared] = _network_of(content, path, spec)
    return network


def _network_of(content: bytes, path: Path, spec: NetworkSpec) -> Network:
    """The network whose weights are the content of a file."""
    name, folder = path.stem, path.parent
    checkpoint = folder.name if folder.parent == SHIPPED else folder
    try:
        weights = load(content)
    except SafetensorError as error:
        raise ParseError(f"{path} cannot be read: {error}") from None
    except KeyError as error:  # a type that numpy does not know
        raise ParseError(f"{path} has numbers of type {error}: expected float16 or float32") from None
    try:
        network = Network(spec, weights, f"network '{name}' of checkpoint {checkpoint}")
    except ValueError as error:
        raise ParseError(f"{path}: {error}") from None
    for key, array in network.weights().items():
        # Many times faster than a look at each number; in float64 no sum of theirs overflows.
        with np.errstate(invalid="ignore"):
            total = array.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise ParseError(
                f"{path}: tensor '{key}' of network '{name}' has numbers that are not finite: train it anew"
            )
    return network
