"""`skat-env agents`."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import docstring_parser
import tyro
from rich.table import Table

from skat_env.call_text import value_text
from skat_env.registry import agent_factory, agent_names, get_game, option_parameters
from skat_env.tools.console import Console


@dataclass
class Agents:
    """List the agents of a game with their options, or say what the options of some of them do.

    Example: skat-env agents pimc iimc

    The text of an agent is its name and options: "pimc(worlds=40, belief=locations)".
    """

    names: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="NAME")] = ()
    """Agents whose options are explained; without any, all are listed."""
    game: str = "skat"
    """The game that they play."""

    def run(self) -> int:
        """Prints the list, or what each of the agents is."""
        get_game(self.game)
        factories = [agent_factory(name, self.game) for name in self.names]
        if not self.names:
            _print_all(self.game)
        for name, factory in zip(self.names, factories, strict=True):
            _print_one(name, factory)
        return 0


def _print_all(game: str) -> None:
    """What each agent is, in a line, and its options; or why it is not there."""
    table = Table("agent", "", box=None, padding=(0, 2, 0, 0))
    table.add_column("options", overflow="fold")
    for name in agent_names(game):
        try:
            factory = agent_factory(name, game)
        except ImportError as error:
            table.add_row(name, str(error))
            continue
        options = ", ".join(
            option if default is None else f"{option}={default}"
            for option, default in _defaults(factory).items()
        )
        table.add_row(name, _line(_doc(factory).short_description), options)
    Console().print(table, highlight=False)


def _print_one(name: str, factory: Callable[..., Any]) -> None:
    """What an agent is, and a row for each of its options."""
    doc = _doc(factory)
    params = doc.params
    if not params and hasattr(factory, "Options"):  # a class whose fields have docstrings of their own
        params = docstring_parser.parse_from_object(factory.Options).params
    meanings = {each.arg_name: _line(each.description) for each in params}
    table = Table("option", "default", "", box=None, padding=(0, 2, 0, 0))
    for option, default in _defaults(factory).items():
        table.add_row(option, "required" if default is None else default or "''", meanings.get(option))
    about = [_line(text) for text in (doc.short_description, doc.long_description) if text]
    Console().print(
        name,
        *about,
        *([table] if table.row_count else []),
        sep="\n\n",
        end="\n\n",
        highlight=False,
    )


def _doc(factory: Callable[..., Any]) -> docstring_parser.Docstring:
    """The docstring of an agent in its parts."""
    return docstring_parser.parse(inspect.getdoc(factory) or "")


def _defaults(factory: Callable[..., Any]) -> dict[str, str | None]:
    """The options of an agent and the texts of their defaults; None: it must be given."""
    return {
        name: None if parameter.default is inspect.Parameter.empty else value_text(parameter.default)
        for name, parameter in option_parameters(factory).items()
    }


def _line(text: str | None) -> str:
    """A text of several lines as one."""
    return " ".join((text or "").split())
