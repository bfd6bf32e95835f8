"""`skat-env agents`."""

import inspect
from dataclasses import dataclass

from rich.table import Table

from skat_env.call_text import value_text
from skat_env.registry import agent_factory, agent_names, get_game, option_parameters
from skat_env.tools.console import Console


@dataclass
class Agents:
    """List the agents of a game: what each is, and its options with their defaults.

    Example: skat-env agents --game klaverjas

    The text of an agent is its name and options: "pimc(worlds=40, belief=locations)".
    """

    game: str = "skat"
    """The game that they play."""

    def run(self) -> int:
        """Prints the table."""
        get_game(self.game)
        table = Table("agent", "", box=None, padding=(0, 2, 0, 0))
        table.add_column("options", overflow="fold")
        for name in agent_names(self.game):
            table.add_row(name, *_about(name, self.game))
        Console().print(table, markup=False, highlight=False)
        return 0


def _about(name: str, game: str) -> tuple[str, str]:
    """What an agent is, in a line, and its options; or why it is not there."""
    try:
        factory = agent_factory(name, game)
    except ImportError as error:
        return str(error), ""
    options = [_option(each) for each in option_parameters(factory).values()]
    summary = " ".join((inspect.getdoc(factory) or "").partition("\n\n")[0].split())
    return summary, ", ".join(options)


def _option(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    return f"{parameter.name}={value_text(parameter.default)}"
