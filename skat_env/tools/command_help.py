"""How `--help` shows options that may be left out: `PATH`, in place of `{None}|PATH` and `(default: None)`."""

import dataclasses
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from tyro.conf import arg

_WORDS: Final = {Path: "PATH", str: "STR", int: "INT", float: "FLOAT"}


def show_plainly(command: type) -> None:
    """Marks the options of a command, and of what it is made of, that may be left out.

    Args:
        command: a dataclass whose fields are the options.
    """
    hints = get_type_hints(command, include_extras=True)
    for field in dataclasses.fields(command):
        hint, marks = hints[field.name], list[Any]()
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
        kinds = [kind for kind in get_args(hint) if kind is not NoneType] or [hint]
        for kind in kinds:
            if dataclasses.is_dataclass(kind) and isinstance(kind, type):
                show_plainly(kind)
        if field.default is None and NoneType in get_args(hint):
            words = " ".join(filter(None, map(_word, kinds)))
            command.__annotations__[field.name] = Annotated[hint, *_marked(marks, words)]


def _word(kind: Any) -> str:
    """What a user gives for a value of a kind."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return f"{{{','.join(map(str, get_args(kind)))}}}"
    if get_origin(kind) is tuple:
        return f"{_word(get_args(kind)[0])} ..."
    return _WORDS.get(kind, "")


def _marked(marks: list[Any], words: str) -> list[Any]:
    """Marks with one more; that of the field itself keeps what it says."""
    new: Any = arg(metavar=words or None, help_behavior_hint="")
    kind = type(new)
    own = [mark for mark in marks if isinstance(mark, kind)]
    for mark in own:
        set_already = {
            field.name: getattr(mark, field.name)
            for field in dataclasses.fields(mark)
            if field.name in ("name", "metavar", "help", "aliases") and getattr(mark, field.name) is not None
        }
        new = dataclasses.replace(new, **set_already)
    return [*(mark for mark in marks if not isinstance(mark, kind)), new]
