"""A file of named arrays with a JSON header, written whole or not at all, read by memory mapping.

    8 bytes `SKATDATA` · version u32 · length of the header u32 · header (JSON) · arrays, at multiples of 64

In the header, `arrays` has the dtype, shape and offset of every array and `bytes` their total length. Readers use
the arrays and keys that they know and ignore others, so new ones need no new version.
"""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import ParseError
from skat_env.tools.files import write_bytes

MAGIC: Final = b"SKATDATA"
VERSION: Final = 1
_PREFIX: Final = struct.Struct("<8sII")
_ALIGNMENT: Final = 64


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a file of arrays whole or not at all."""
    table: dict[str, Any] = {}
    parts: list[bytes | memoryview] = []
    offset = 0
    for name, array in arrays.items():
        table[name] = {"dtype": array.dtype.str, "shape": array.shape, "offset": offset}
        padding = -array.nbytes % _ALIGNMENT
        parts += [np.ascontiguousarray(array).data.cast("B") if array.size else b"", b"\0" * padding]
        offset += array.nbytes + padding
    text = json.dumps({**header, "arrays": table, "bytes": offset}, separators=(",", ":")).encode()
    text += b" " * (-(_PREFIX.size + len(text)) % _ALIGNMENT)
    write_bytes(path, _PREFIX.pack(MAGIC, VERSION, len(text)), text, *parts)


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file; the arrays are memory-mapped.

    Raises:
        ParseError: if the file is not a data file of skat_env, has a later version, is truncated or damaged.
    """
    with path.open("rb") as file:
        prefix = file.read(_PREFIX.size)
        if len(prefix) < _PREFIX.size or prefix[:8] != MAGIC:
            raise ParseError(
                f"{path} is not a data file of skat_env: it does not begin with {MAGIC.decode()}"
            )
        _, version, length = _PREFIX.unpack(prefix)
        text = file.read(length)
    if version > VERSION:
        raise ParseError(
            f"{path} has version {version}, but this skat_env reads up to version {VERSION}: a newer one can read it"
        )
    found = path.stat().st_size
    if len(text) < length:
        raise ParseError(
            f"{path} is truncated: its header alone needs {_PREFIX.size + length} bytes, the file has {found}"
        )
    try:
        header = json.loads(text)
        expected = _PREFIX.size + length + header["bytes"]
        if found != expected:
            raise ParseError(f"{path} is truncated or damaged: expected {expected} bytes, found {found}")
        data = (
            np.memmap(path, np.uint8, "r", _PREFIX.size + length)
            if header["bytes"]
            else np.empty(0, np.uint8)
        )
        arrays = {}
        for name, entry in header["arrays"].items():
            dtype, shape, offset = np.dtype(entry["dtype"]), tuple(entry["shape"]), entry["offset"]
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            if dtype.hasobject or offset < 0 or offset + size > len(data):
                raise ValueError(f"array {name} is outside the file")
            arrays[name] = np.asarray(data[offset : offset + size]).view(dtype).reshape(shape)
    except ParseError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParseError(f"{path} is damaged: {error!r} in its header") from None
    return header, arrays
