"""The folder of a checkpoint: safetensors files, and `checkpoint.json`, which describes them.

Checkpoints that ship with the project lie in `weights/` and are found by name. Such a name means no folder of the
working directory: that one is `./NAME`.
"""

import json
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from skat_env.errors import ParseError, UnknownName
from skat_env.tools.files import write_bytes, write_text
from skat_env.tools.parsing import parse_json

MANIFEST: Final = "checkpoint.json"
FORMAT: Final = "skat_env checkpoint"
SHIPPED: Final = Path(__file__).parents[1] / "weights"


def write_folder(folder: Path, game: str, facts: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Writes a checkpoint whole or not at all; replaces one in the same folder, and nothing else.

    Args:
        folder: the checkpoint's folder.
        game: the name of the game.
        facts: further entries of `checkpoint.json`, which also has the SHA-256 of each file.
        files: the contents of the other files by name.

    Raises:
        ValueError: if the folder is the working directory or has it inside, or has files but no checkpoint.
    """
    given, folder = folder, folder.resolve()
    if not given.is_absolute() and Path.cwd().is_relative_to(folder):
        raise ValueError(
            f"a checkpoint replaces its folder, and '{given}' has the working directory: name another"
        )
    taken = folder.is_file() or (folder.exists() and any(folder.iterdir()))
    if taken and not (folder / MANIFEST).exists():
        raise ValueError(f"a checkpoint replaces its folder, and '{given}' is something else: name another")
    partial, replaced = folder.with_name(f".{folder.name}.partial"), _replaced(folder)
    if replaced.exists() and not folder.exists():
        replaced.rename(folder)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, content in files.items():
        write_bytes(partial / name, content)
    sums = {name: sha256(content).hexdigest() for name, content in files.items()}
    manifest = {"format": FORMAT, "game": game, "files": sums, **facts}
    write_text(partial / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    shutil.rmtree(replaced, ignore_errors=True)
    if folder.exists():
        folder.rename(replaced)
    partial.rename(folder)
    shutil.rmtree(replaced, ignore_errors=True)


def _replaced(folder: Path) -> Path:
    """Where a save keeps the checkpoint that it replaces; one that was killed may have left it there alone."""
    return folder.with_name(f".{folder.name}.replaced")


def read_folder(name: str | Path, game: str, content: str) -> tuple[Path, dict[str, Any]]:
    """Finds a checkpoint by name or path; returns its folder and its `checkpoint.json`.

    Args:
        name: the name of a checkpoint that ships, or a folder.
        game: the game that it must belong to.
        content: a key that `checkpoint.json` must have, for example `networks`.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, belongs to another game, or lacks the content.
    """
    folder = SHIPPED / name if name in shipped_names() else Path(name)
    if not folder.exists():
        folder = _replaced(folder)
    if name == "" or not (folder / MANIFEST).exists():
        raise UnknownName("checkpoint", str(name), shipped_names())
    try:
        manifest: dict[str, Any] = parse_json((folder / MANIFEST).read_bytes())
        if manifest["format"] != FORMAT or not isinstance(manifest["details"], dict):
            raise ValueError
        of = manifest["game"]
    except (ValueError, KeyError, TypeError):
        raise ParseError(f"{folder / MANIFEST} does not describe a checkpoint of skat_env") from None
    if of != game:
        raise ParseError(f"checkpoint {name} is of {of}, expected one of {game}")
    if content not in manifest:
        raise ParseError(f"checkpoint {name} has no {content}")
    if not isinstance(manifest[content], dict):
        raise ParseError(f"{folder / MANIFEST}: {content} is not an object")
    return folder, manifest


def read_file(folder: Path, manifest: Mapping[str, Any], name: str) -> bytes:
    """The content of a file of a checkpoint, checked against the checksum that `checkpoint.json` has of it, if it has.

    Raises:
        ParseError: if it cannot be read, or is not the one that was written.
    """
    path = folder / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error}") from None
    sums = manifest.get("files", {})
    expected = sums.get(name) if isinstance(sums, dict) else None
    if "files" in manifest and sha256(content).hexdigest() != expected:
        raise ParseError(
            f"{path} is damaged or of another checkpoint: its checksum is not the one in {MANIFEST}; "
            "expected the files as they were written together"
        )
    return content


def shipped_names() -> list[str]:
    """The names of the checkpoints that ship."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{MANIFEST}"))
