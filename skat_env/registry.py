"""Games and agents by name. Agents are texts such as `pimc(worlds=160, belief=uniform)`.

An agent's name is looked up among the entry points of the group `skat_env.agents`, first as `GAME.NAME`,
then as `NAME`, so that other packages can add theirs. An argument is a number, a word, or another agent.
"""

import importlib.metadata
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import Agent, Game

AGENT_GROUP = "skat_env.agents"
GAME_NAMES = ("skat",)
_TOKEN = re.compile(r"\s*([(),=]|\"[^\"]*\"|'[^']*'|[^\s(),=]+)")


def get_game(name: str) -> Game:
    """The game of a name.

    Raises:
        UnknownName: if there is none.
    """
    if name not in GAME_NAMES:
        raise UnknownName("game", name, GAME_NAMES)
    module = importlib.import_module(f"skat_env.{name}")
    game: Game = module.GAME
    return game


def agent_names(game: str) -> list[str]:
    """The names that `make_agent` knows for a game."""
    names = (entry.name for entry in importlib.metadata.entry_points(group=AGENT_GROUP))
    return sorted(
        {
            name.removeprefix(f"{game}.")
            for name in names
            if name.count(".") == 0 or name.startswith(f"{game}.")
        }
    )


def make_agent(spec: str | Agent, game: str) -> Agent:
    """The agent that a text describes; an agent object is returned as it is.

    Raises:
        ParseError: if the text is malformed or an argument has a wrong value.
        UnknownName: if there is no such agent, or it has no such option.
    """
    if not isinstance(spec, str):
        return spec
    tokens = _TOKEN.findall(spec)
    if "".join(tokens) != re.sub(r"\s+", "", spec) and not re.search(r"[\"']", spec):
        raise ParseError(f"agent '{spec}' is malformed: expected name(option=value, ...)")
    value, rest = _parse(tokens, spec)
    if rest:
        raise ParseError(f"agent '{spec}' is malformed at '{rest[0]}': expected name(option=value, ...)")
    if not isinstance(value, _Call):
        value = _Call(str(value), [], {})
    return value.make(game)


class _Call:
    """A parsed `name(arguments)`; it becomes an agent when it is made for a game."""

    def __init__(self, name: str, arguments: list[Any], options: dict[str, Any]) -> None:
        self.name, self.arguments, self.options = name, arguments, options

    def make(self, game: str) -> Agent:
        factory = _factory(self.name, game)
        signature = inspect.signature(factory)
        known = [name for name in signature.parameters if name != "game"]
        for option in self.options:
            if option not in known:
                raise UnknownName(f"option of agent '{self.name}'", option, known)
        if len(self.arguments) > len(known):
            raise ParseError(
                f"agent '{self.name}' takes at most {len(known)} options, got {len(self.arguments)}"
            )
        options = dict(zip(known, self.arguments, strict=False))
        for option in options.keys() & self.options.keys():
            raise ParseError(f"agent '{self.name}' is given its option '{option}' twice")
        options = {name: _resolve(value, game) for name, value in {**options, **self.options}.items()}
        missing = [
            name
            for name in known
            if signature.parameters[name].default is inspect.Parameter.empty and name not in options
        ]
        if missing:
            raise ParseError(f"agent '{self.name}' needs its option '{missing[0]}'")
        if "game" in signature.parameters:
            options["game"] = game
        agent: Agent = factory(**options)
        return agent


def _resolve(value: Any, game: str) -> Any:
    return value.make(game) if isinstance(value, _Call) else value


def _parse(tokens: list[str], spec: str) -> tuple[Any, list[str]]:
    """The value at the head of the tokens, and the tokens after it."""
    malformed = ParseError(f"agent '{spec}' is malformed: expected name(option=value, ...)")
    if not tokens or tokens[0] in "(),=":
        raise malformed
    head, tokens = tokens[0], tokens[1:]
    if not tokens or tokens[0] != "(":
        return _constant(head), tokens
    arguments: list[Any] = []
    options: dict[str, Any] = {}
    tokens = tokens[1:]
    while tokens and tokens[0] != ")":
        if len(tokens) > 1 and tokens[1] == "=":
            options[tokens[0]], tokens = _parse(tokens[2:], spec)
        else:
            value, tokens = _parse(tokens, spec)
            arguments.append(value)
        if tokens and tokens[0] == ",":
            tokens = tokens[1:]
        elif not tokens or tokens[0] != ")":
            raise malformed
    if not tokens:
        raise malformed
    return _Call(head, arguments, options), tokens[1:]


def _constant(text: str) -> Any:
    """A number, a truth value, or the word itself."""
    if text[0] in "\"'":
        return text[1:-1]
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _factory(name: str, game: str) -> Callable[..., Agent]:
    """What makes agents of a name."""
    entries = importlib.metadata.entry_points(group=AGENT_GROUP)
    for full_name in (f"{game}.{name}", name):
        found = [entry for entry in entries if entry.name == full_name]
        if found:
            refuse_foreign_package(found[0].module.partition(".")[0])
            factory: Callable[..., Agent] = found[0].load()
            return factory
    raise UnknownName(f"agent for {game}", name, agent_names(game))


def refuse_foreign_package(package: str) -> None:
    """Raises an ImportError if `agents` or `solvers` is somebody else's package that hides ours."""
    if package not in ("agents", "solvers"):
        return
    ours = Path(__file__).resolve().parent.parent / package
    module = importlib.import_module(package)
    places = [Path(place).resolve() for place in module.__path__]
    if ours not in places:
        raise ImportError(
            f"the package '{package}' at {places[0]} hides the one of skat_env at {ours}: "
            f"rename it, or take its folder off the path (sys.path[0] is '{sys.path[0]}')"
        )
