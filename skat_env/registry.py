"""Games, agents, beliefs and evaluators by name. Agents are texts such as `pimc(worlds=160, belief=uniform)`.

A name is looked up among the entry points of its group (`skat_env.agents`, `skat_env.beliefs`, `skat_env.evaluators`),
first as `GAME.NAME`, then as `NAME`, so that other packages can add theirs. An option is a number, a word, or again a
text with options of its own, which the constructor that takes it hands on to `make_agent` or its like.
"""

import importlib
import importlib.metadata
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import Agent, Game, WorldSampler
from skat_env.tools.extras import explained

AGENT_GROUP = "skat_env.agents"
BELIEF_GROUP = "skat_env.beliefs"
EVALUATOR_GROUP = "skat_env.evaluators"
GAME_NAMES = ("skat", "klaverjas")


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
    return _names(AGENT_GROUP, game)


def make_agent(spec: str | Agent, game: str) -> Agent:
    """The agent that a text describes; an agent object is returned as it is.

    Raises:
        ParseError: if the text is malformed or an option is missing or given twice.
        UnknownName: if there is no such agent, or it has no such option.
    """
    if not isinstance(spec, str):
        return spec
    agent: Agent = _make(AGENT_GROUP, "agent", spec, game)
    return agent


def make_belief(spec: str | WorldSampler, game: str) -> WorldSampler:
    """The sampler of worlds that a text describes; a sampler is returned as it is.

    Raises:
        ParseError, UnknownName: as `make_agent`.
    """
    if not isinstance(spec, str):
        return spec
    sampler: WorldSampler = _make(BELIEF_GROUP, "belief", spec, game)
    return sampler


def make_evaluator(spec: str | Any, game: str) -> Any:
    """What values the leaves of a tree search, as a text describes it; an evaluator is returned as it is.

    Raises:
        ParseError, UnknownName: as `make_agent`.
    """
    return _make(EVALUATOR_GROUP, "evaluator", spec, game) if isinstance(spec, str) else spec


def _make(group: str, kind: str, spec: str, game: str) -> Any:
    """What a text of a group describes."""
    name, arguments, given = parse_call(spec)
    factory = _factory(group, kind, name, game)
    parameters = inspect.signature(factory).parameters
    known = [option for option in parameters if option != "game"]
    if len(arguments) > len(known):
        raise ParseError(f"{kind} '{name}' takes at most {len(known)} options, got {len(arguments)}")
    options = dict(zip(known, arguments, strict=False))
    for option in given:
        if option not in known:
            raise UnknownName(f"option of {kind} '{name}'", option, known)
        if option in options:
            raise ParseError(f"{kind} '{name}' is given its option '{option}' twice")
    options |= given
    for option in known:
        if parameters[option].default is inspect.Parameter.empty and option not in options:
            raise ParseError(f"{kind} '{name}' needs its option '{option}'")
    if "game" in parameters:
        options["game"] = game
    return factory(**options)


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Name, arguments and named options of a text `name(value, option=value)`.

    Values are numbers, truth values and words; one that has options of its own stays text.

    Raises:
        ParseError: if the text is malformed, or an option is given twice.
    """
    match = re.fullmatch(r"\s*([^\s()=,]+)\s*(?:\((.*)\))?\s*", text, flags=re.DOTALL)
    malformed = ParseError(f"'{text}' is malformed: expected name(option=value, ...)")
    if match is None:
        raise malformed
    name, inside = match.groups()
    arguments: list[Any] = []
    options: dict[str, Any] = {}
    parts = _split(inside or "")
    if parts is None:
        raise malformed
    for part in parts:
        option = re.fullmatch(r"\s*(\w+)\s*=(.*)", part, flags=re.DOTALL)
        value = (option[2] if option else part).strip()
        plain = "(" not in value and value[:1] not in "\"'"
        if not value or (plain and re.search(r"[\s=)]", value)):
            raise malformed
        if not option:
            arguments.append(_constant(value))
        elif option[1] in options:
            raise ParseError(f"'{text}' gives its option '{option[1]}' twice")
        else:
            options[option[1]] = _constant(value)
    return name, arguments, options


def _split(text: str) -> list[str] | None:
    """The parts between the commas that stand outside brackets and quotes; None if these do not match."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
            if depth < 0:
                return None
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    if depth or quote:
        return None
    return parts if text.strip() else []


def _constant(text: str) -> Any:
    """A number, a truth value, or the text itself."""
    if text[0] in "\"'" and text[-1] == text[0] and len(text) > 1:
        return text[1:-1]
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _names(group: str, game: str) -> list[str]:
    """The names of a group for a game."""
    names = [entry.name for entry in importlib.metadata.entry_points(group=group)]
    prefix = f"{game}."
    return sorted({name.removeprefix(prefix) for name in names if "." not in name or name.startswith(prefix)})


def _factory(group: str, kind: str, name: str, game: str) -> Callable[..., Any]:
    """What makes the things of a name."""
    entries = importlib.metadata.entry_points(group=group)
    for full_name in (f"{game}.{name}", name):
        found = [entry for entry in entries if entry.name == full_name]
        if found:
            refuse_foreign_package(found[0].module.partition(".")[0])
            try:
                factory: Callable[..., Any] = found[0].load()
            except ImportError as error:
                raise explained(error) from None
            return factory
    raise UnknownName(f"{kind} for {game}", name, _names(group, game))


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
