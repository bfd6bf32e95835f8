"""JSON objects with a checksum: their last key, `crc32`, is that of the text before it."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

from skat_env.tools.parsing import parse_json

_KEY: Final = b',"crc32":'


class WrongChecksum(ValueError):
    """A text is not the one that its checksum was made of."""


def sealed(fields: Mapping[str, Any], **style: Any) -> bytes:
    """The text of an object, with its checksum in place of one that it had.

    Args:
        fields: the object; it is not empty.
        style: options of `json.dumps`.
    """
    text = json.dumps({key: value for key, value in fields.items() if key != "crc32"}, **style).encode()
    text = text[:-1].rstrip()
    return text + _KEY + str(zlib.crc32(text)).encode() + b"}"


def unsealed(text: bytes) -> dict[str, Any]:
    """The object in a text. Texts without a checksum are read without this check.

    Raises:
        WrongChecksum: if its checksum is another.
        ValueError: if it is no JSON.
        TypeError: if it is no object.
    """
    found = parse_json(text)
    if not isinstance(found, dict):
        raise TypeError("no object in {}")
    if "crc32" in found and zlib.crc32(text[: text.rfind(_KEY)]) != found["crc32"]:
        raise WrongChecksum("the checksum is another")
    return found
