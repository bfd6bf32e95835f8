"""Files of one JSON object: one sentence if they are damaged, and no numbers that JSON cannot hold."""

import math
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError
from skat_env.tools.parsing import parse_json


def read_object(path: Path, advice: str) -> dict[str, Any]:
    """The JSON object in a file.

    Args:
        path: the file.
        advice: what to do if it is damaged, as the end of a sentence.

    Raises:
        ParseError: if it holds anything else.
    """
    try:
        found = parse_json(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ParseError(f"{path} is damaged: expected a JSON object; {advice}")
    return found


def finite(value: Any) -> Any:
    """A value with None in place of the numbers that are not finite, which JSON cannot hold; tuples become lists."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
