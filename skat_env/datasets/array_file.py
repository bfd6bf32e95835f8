"""A file of named arrays with a JSON header, written whole or not at all, read by memory mapping.

    8 bytes `SKATDATA` · version u32 · length of the header u32 · header (JSON) · arrays, at multiples of 64

In the header, `arrays` has the dtype, shape, offset and checksum (`crc32`) of every array, and `bytes` their total
length; `sealed.py` gives it a checksum of its own. Readers use the arrays and keys that they know and ignore others, so
new ones need no new version. Files without checksums are read without this check.
"""

import math
import re
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets.sealed import sealed, unsealed
from skat_env.errors import ParseError
from skat_env.tools.files import write_bytes

MAGIC: Final = b"SKATDATA"
VERSION: Final = 1
_PREFIX: Final = struct.Struct("<8sII")
_ALIGNMENT: Final = 64
_NUMBERS: Final = re.compile("[<>|][iufb][1248]")
"""The dtypes of arrays of numbers."""


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a file of arrays whole or not at all."""
    table: dict[str, Any] = {}
    parts: list[bytes | memoryview] = []
    offset = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).data.cast("B") if array.size else b""
        table[name] = {
            "dtype": array.dtype.str,
            "shape": array.shape,
            "offset": offset,
            "crc32": zlib.crc32(data),
        }
        padding = -array.nbytes % _ALIGNMENT
        parts += [data, b"\0" * padding]
        offset += array.nbytes + padding
    text = sealed({**header, "arrays": table, "bytes": offset}, separators=(",", ":"))
    text += b" " * (-(_PREFIX.size + len(text)) % _ALIGNMENT)
    write_bytes(path, _PREFIX.pack(MAGIC, VERSION, len(text)), text, *parts)


def header_text(path: Path) -> bytes:
    """The header of a file as it is written; the checksums in it tell the arrays from others without reading them.

    Raises:
        ParseError: as `read_arrays`, but for what is after the header.
    """
    with path.open("rb") as file:
        prefix = file.read(_PREFIX.size)
        if len(prefix) < _PREFIX.size or prefix[:8] != MAGIC:
            raise ParseError(
                f"{path} is not a data file of skat_env: it does not begin with {MAGIC.decode()}"
            )
        _, version, length = _PREFIX.unpack(prefix)
        found = path.stat().st_size
        if version > VERSION:
            raise ParseError(
                f"{path} has version {version}, but this skat_env reads up to version {VERSION}: "
                "a newer one can read it"
            )
        if _PREFIX.size + length > found:
            raise ParseError(
                f"{path} is truncated: its header alone needs {_PREFIX.size + length} bytes, the file has {found}"
            )
        return file.read(length)


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file; the arrays are memory-mapped.

    Raises:
        ParseError: if the file is not a data file of skat_env, has a later version, is truncated or damaged.
    """
    text = header_text(path)
    found = path.stat().st_size
    try:
        header = unsealed(text)
        size = _natural(header["bytes"])
        expected = _PREFIX.size + len(text) + size
        if found != expected:
            raise ParseError(f"{path} is truncated or damaged: expected {expected} bytes, found {found}")
        data = np.memmap(path, np.uint8, "r", _PREFIX.size + len(text)) if size else np.empty(0, np.uint8)
        arrays = {name: _array(name, entry, data) for name, entry in header["arrays"].items()}
    except ParseError:
        raise
    except ValueError as error:
        raise ParseError(f"{path} is damaged: {error}") from None
    except (KeyError, TypeError, AttributeError, SyntaxError) as error:
        raise ParseError(f"{path} is damaged: {error!r} in its header") from None
    return header, arrays


def _array(name: str, entry: Mapping[str, Any], data: NDArray[np.uint8]) -> NDArray[Any]:
    """The array of an entry of the header, checked against its checksum."""
    if not _NUMBERS.fullmatch(entry["dtype"]):
        raise ValueError(f"array {name} has the type {entry['dtype']!r}, expected numbers")
    dtype, shape, offset = np.dtype(entry["dtype"]), tuple(map(_natural, entry["shape"])), entry["offset"]
    size = math.prod(shape) * dtype.itemsize
    if _natural(offset) + size > len(data):
        raise ValueError(f"array {name} is outside the file")
    raw = np.asarray(data[offset : offset + size])
    if "crc32" in entry and zlib.crc32(raw.data) != entry["crc32"]:
        raise ValueError(f"the checksum of the array {name} is another")
    array: NDArray[Any] = raw.view(dtype).reshape(shape)
    return array


def _natural(number: Any) -> int:
    """A number of a header that is an integer from 0; raises a ValueError if it is something else."""
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is not a size")
    return number
