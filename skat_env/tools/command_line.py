"""The words of a command line, before they are read."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from skat_env.errors import ParseError


def require_once(words: Sequence[str], command: Any) -> None:
    """Checks that no option of several values is given twice: those behind the first would be lost without a word.

    Args:
        words: the command line.
        command: a dataclass whose fields are the options.

    Raises:
        ParseError: naming the option, if one is.
    """
    given = [word.partition("=")[0].replace("_", "-") for word in words if word.startswith("--")]
    repeated = {name for name in given if given.count(name) > 1}
    for name in _of_several_values(command) if repeated else ():
        if name in repeated:
            raise ParseError(
                f"option {name} is given twice: expected it once, with all of its values behind it"
            )


def _of_several_values(kind: Any) -> Iterator[str]:
    """The options that take several values, of a command and of what it is made of."""
    if get_origin(kind) is Annotated:
        yield from _of_several_values(get_args(kind)[0])
    elif dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        for field in dataclasses.fields(kind):
            hint = hints[field.name]
            kinds = [each for each in (hint, *get_args(hint)) if get_origin(each) in (tuple, list)]
            # Tuples of tuples are of options that may be given several times.
            if kinds and not any(get_origin(inner) in (tuple, list) for inner in get_args(kinds[0])):
                yield f"--{field.name.replace('_', '-')}"
            yield from _of_several_values(hint)
    else:
        for each in get_args(kind):
            yield from _of_several_values(each)
