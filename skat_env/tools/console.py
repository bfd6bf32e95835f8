"""Output for people by rich, for readers who may stop reading."""

import io
from abc import ABC, abstractmethod
from typing import Any, Final

import rich.console

COLUMNS: Final = 90
"""The width of tables as text."""


class Console(rich.console.Console):
    """As rich's, but a reader who has gone, as `head` does, is an error that the program handles, and not its end.

    Brackets and colons are text, no markup: names of agents and files have them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def on_broken_pipe(self) -> None:
        """Raises the error that rich would end the process for."""
        raise BrokenPipeError


def milliseconds_text(milliseconds: float) -> str:
    """A time per decision: two digits, or all those of whole milliseconds.

    >>> from skat_env.tools.console import milliseconds_text
    >>> [milliseconds_text(each) for each in (0.154, 3.2, 123.4)]
    ['0.15', '3.2', '123']
    """
    return f"{milliseconds:.2g}" if milliseconds < 99.5 else f"{milliseconds:.0f}"


class Printed(ABC):
    """What prints itself for people: as text, and in a notebook as HTML."""

    __slots__ = ()

    @abstractmethod
    def print_on(self, console: Console) -> None:
        """Prints tables."""

    def __str__(self) -> str:
        written = io.StringIO()
        self.print_on(Console(file=written, width=COLUMNS))
        return written.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        console = Console(record=True, file=io.StringIO(), width=COLUMNS)
        self.print_on(console)
        return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
