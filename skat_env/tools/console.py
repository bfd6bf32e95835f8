"""Output for people by rich, for readers who may stop reading."""

import io
from abc import ABC, abstractmethod
from typing import Final

import rich.console

COLUMNS: Final = 90
"""The width of tables as text."""


class Console(rich.console.Console):
    """As rich's, but a reader who has gone, as `head` does, is an error that the program handles, and not its end."""

    def on_broken_pipe(self) -> None:
        """Raises the error that rich would end the process for."""
        raise BrokenPipeError


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
