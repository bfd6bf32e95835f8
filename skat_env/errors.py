"""The errors that a caller can cause; each is a `ValueError`."""

from collections.abc import Iterable
from difflib import get_close_matches


class IllegalAction(ValueError):
    """An action that the rules do not allow in this state; the state is unchanged."""


class ParseError(ValueError):
    """A text that does not fit its format; the message names the place and what was expected."""


class UnknownName(ValueError):
    """A name (agent, option, game, key) that does not exist; the message suggests the nearest one that does."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        name = name if isinstance(name, str) else repr(name)
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'? " if near else ""
        shown = name if name.isprintable() else repr(name)[1:-1]
        super().__init__(f"unknown {kind} '{shown}': {hint}known are {', '.join(names) or 'none'}")
        self._given = (kind, name, names)

    def __reduce__(self) -> tuple[type, tuple[str, str, list[str]]]:
        """How to pickle it: a worker process hands its errors on."""
        return type(self), self._given


class OptionError(ValueError):
    """An option of an agent, a belief or the like that is not what it may be."""
