"""The agents and beliefs that a client of a server may ask for by name.

A text that names an agent can name files and, with `engine`, programs of this machine. Whoever reaches the server may
choose the options of agents, but no program, no path and nothing endless: those are for the command line that starts
it.
"""

from collections.abc import Collection
from os.path import exists, join
from typing import Any, Final

from skat_env.agents.networks.checkpoint_folder import MANIFEST, shipped_names
from skat_env.call_text import parse_call
from skat_env.errors import UnknownName
from skat_env.options import check_option
from skat_env.protocols import Agent, WorldSampler
from skat_env.registry import agent_names, make_agent, make_belief

MAX_LENGTH: Final = 500
"""Characters of a text that names an agent."""
MAX_NUMBER: Final = 100_000
"""The largest number in it: worlds, simulations, milliseconds."""
_PROGRAMS: Final = ("engine", "sb3", "learner", "llm")
"""Agents that run a program, load a file that may hold one, or spend the tokens of whoever started the server."""


def asked_names(game: str) -> list[str]:
    """The names of a game's agents that clients may ask for."""
    return [name for name in agent_names(game) if name not in _PROGRAMS]


def asked_agent(text: Any, game: str, allowed: Collection[str] = ()) -> Agent:
    """The agent that a client asks for.

    Args:
        text: what describes it.
        game: the name of the game.
        allowed: texts that may be asked for whatever they name.

    Raises:
        ValueError: if it names a program, a path or a checkpoint in the server's folder; its subclasses as
            `make_agent`.
    """
    harmless = _harmless("agent", text, allowed)
    name = parse_call(harmless)[0]
    if name not in agent_names(game):
        raise UnknownName(f"agent for {game}", name, asked_names(game))
    return make_agent(harmless, game)


def asked_belief(text: Any, game: str, allowed: Collection[str] = ()) -> WorldSampler:
    """The belief that a client asks for; arguments and errors as `asked_agent`."""
    return make_belief(_harmless("belief", text, allowed), game)


def _harmless(kind: str, text: Any, allowed: Collection[str]) -> str:
    given: str = check_option("the server", kind, str, text)
    if given not in allowed:
        if len(given) > MAX_LENGTH:
            raise ValueError(f"the {kind} has {len(given)} characters: expected at most {MAX_LENGTH}")
        _check(given, given)
    return given


def _check(text: str, whole: str) -> None:
    name, arguments, options = parse_call(text)
    if name in _PROGRAMS:
        raise ValueError(
            f"'{whole}' runs a program or spends tokens, which a client may not ask for: "
            "name it when you start the server"
        )
    for value in (*arguments, *options.values()):
        if not isinstance(value, str):
            if value > MAX_NUMBER:
                raise ValueError(f"'{whole}' asks for {value}: expected at most {MAX_NUMBER:,} of anything")
            continue
        if _names_a_file(value):
            raise ValueError(
                f"'{whole}' names a file, which a client may not ask for: name it when you start the server"
            )
        if "(" in value or value in _PROGRAMS:
            _check(value, whole)


def _names_a_file(value: str) -> bool:
    """Whether a word of a text is a path, or a checkpoint in the folder in which the server runs."""
    if "/" in value.partition("(")[0] or "\\" in value or value.startswith((".", "~")):
        return True
    # Loaders look there for names that do not ship; `a+b` names two.
    return any(
        name not in shipped_names() and exists(join(name, MANIFEST)) for name in (value, *value.split("+"))
    )
