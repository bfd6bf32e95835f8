"""The errors that a caller can cause; each is a `ValueError`.

What they quote comes from outside, so a message is made one line of bounded length here.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

MAX_MESSAGE: Final = 800
"""Characters of a message; the middle of a longer one is left out."""


class _Refusal(ValueError):
    """An error whose message is one line: what cannot be printed is escaped."""

    def __init__(self, message: object = "") -> None:
        text = str(message)
        if not text.isprintable():
            text = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
        if len(text) > MAX_MESSAGE:
            text = f"{text[: MAX_MESSAGE // 2]} … {text[3 - MAX_MESSAGE // 2 :]}"
        super().__init__(text)


class IllegalAction(_Refusal):
    """An action that the rules do not allow in this state; the state is unchanged."""


class ParseError(_Refusal):
    """A text that does not fit its format; the message names the place and what was expected."""


class UnknownName(_Refusal):
    """A name (agent, option, game, key) that does not exist; the message suggests the nearest one that does."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        name = name if isinstance(name, str) else repr(name)
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'? " if near else ""
        super().__init__(f"unknown {kind} '{name}': {hint}known are {', '.join(names) or 'none'}")
        self._given = (kind, name, names)

    def __reduce__(self) -> tuple[type, tuple[str, str, list[str]]]:
        """How to pickle it: a worker process hands its errors on."""
        return type(self), self._given


class OptionError(_Refusal):
    """An option of an agent, a belief or the like that is not what it may be."""


class EngineError(_Refusal):
    """An engine (docs/engines.md) gave no legal decision; the message has its command, the position and its words."""


class NotFinite(_Refusal):
    """A network gave an output that is infinite or not a number; the message names the network, and the position if it
    is known.

    Args:
        network: what names the network.
        value: the output.
        row: the number of the first such row of those that it was given.
        position: the text of the position.
    """

    def __init__(self, network: str, value: float, row: int = 0, position: str = "") -> None:
        place = f" at '{position}'" if position else ""
        super().__init__(f"{network} has an output of {value}{place}: expected finite numbers; train it anew")
        self.network, self.value, self.row, self.position = network, value, row, position

    def at(self, position: str) -> "NotFinite":
        """The same error of a position; of the one that it names already, if it does."""
        return NotFinite(self.network, self.value, self.row, self.position or position)

    def __reduce__(self) -> tuple[type, tuple[str, float, int, str]]:
        """How to pickle it: a worker process hands its errors on."""
        return type(self), (self.network, self.value, self.row, self.position)
