"""Typed configs from TOML files, checked before anything is written: keys, types, ranges, and the names of agents.

The annotation of a key says what it may be; every number is finite. So no learner checks its values by hand.
"""

import math
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, inspect

from skat_env.errors import ParseError, UnknownName
from skat_env.options import MAX_COUNT, MAX_THREADS
from skat_env.play.starts import require_kinds, start_source
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.parsing import TooDeep, parse_toml

NAME: Final = "name"
"""The key under which an annotation says what a text is the name of."""

Natural = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
Positive = Annotated[int, Meta(ge=1, le=MAX_COUNT)]
Deals = Annotated[int, Meta(ge=2, le=MAX_COUNT)]
"""Deals of an evaluation match: one alone has no interval."""
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Threads = Annotated[int, Meta(ge=1, le=MAX_THREADS)]
Rate = Annotated[float, Meta(gt=0)]
Weight = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Part = Annotated[float, Meta(gt=0, lt=1)]
"""A share that leaves something on both sides."""
GameName = Annotated[str, Meta(extra={NAME: "game"})]
AgentName = Annotated[str, Meta(extra={NAME: "agent"})]
StartName = Annotated[str, Meta(extra={NAME: "start"})]
RulesText = Annotated[str, Meta(extra={NAME: "rules"})]
KindName = Annotated[str, Meta(extra={NAME: "kind"})]
DeviceName = Annotated[str, Meta(extra={NAME: "device"})]
PROCESSOR: Final = "cpu"
"""The device on which networks learn in C."""


class LearnerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every learner's config has."""

    FREE: ClassVar[tuple[str, ...]] = ()
    """Keys that may change while a run goes on; with any other key changed it is another run."""


Config = TypeVar("Config", bound=LearnerConfig)
SHIPPED: Final = Path(__file__).parents[1] / "configs"


def find_config(name: Path) -> Path:
    """The TOML file of a path, or of the name of a config that ships, as `imitation-skat`.

    Raises:
        UnknownName: if no config of that name ships.
    """
    if name.suffix or name.is_file():
        return name
    shipped = {path.stem: path for path in SHIPPED.glob("*.toml")}
    if str(name) not in shipped:
        raise UnknownName("config", str(name), list(shipped))
    return shipped[str(name)]


def read_config(
    kind: type[Config], path: Path, changes: Sequence[str] = (), values: Mapping[str, Any] | None = None
) -> Config:
    """The config of a file, with some keys changed.

    Args:
        kind: the struct to fill.
        path: a TOML file.
        changes: `key=value` each, the value as in TOML; text may stand without quotes.
        values: more changes, as values of Python: paths and numpy's numbers and arrays are taken, too.

    Raises:
        ParseError: if the file is not TOML, or a value has the wrong type or is out of range.
        UnknownName: if a key is not one of the struct's.
    """
    wanted = _parsed(path)
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise ParseError(f"--set {change}: expected key=value")
        wanted[key.strip()] = _value(text.strip())
    wanted |= {key: _plain(value) for key, value in (values or {}).items()}
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    for key in wanted:
        if key not in known:
            raise UnknownName(f"key of a {kind.__name__} in {path}", key, known)
    try:
        return _converted(kind, wanted)
    except ParseError as error:
        raise ParseError(f"{path}: {error}") from None


def check_config(config: LearnerConfig) -> None:
    """Checks a config, however it was made: its types and ranges, and its names.

    Every agent that it names is made once, so that none is missed when it is needed, hours later.

    Raises:
        ParseError: naming the key, if a value is not what its annotation says, or a name stands for nothing.
    """
    values = msgspec.to_builtins(config)
    _converted(type(config), values)
    for field in inspect.type_info(type(config)).fields:  # type: ignore[attr-defined]
        kind = _named(field.type)
        if kind is None:
            continue
        for key, name in _leaves(field.encode_name, values[field.encode_name]):
            if name is None:
                continue
            try:
                _RESOLVE[kind](name, values.get("game", name))
            except ValueError as error:
                raise ParseError(f"{key} = {name!r}: {error}") from None


_RESOLVE: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "game": lambda name, game: get_game(name),
    "agent": make_agent,
    "start": lambda name, game: start_source(get_game(game), name, "random"),
    "rules": lambda text, game: parse_rules(text, get_game(game)),
    "kind": lambda name, game: require_kinds(get_game(game), (name,)),
    "device": lambda name, game: _require_device(name),
}
"""What finds out, given a name and the game, whether the name stands for something, by kind of name."""


def _require_device(name: str) -> None:
    """Checks that torch computes on a device.

    Raises:
        ValueError: if it does not.
    """
    import torch

    try:
        torch.zeros(1, device=name).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(f"torch has no such device here: {str(error).splitlines()[0]}") from None


def _named(kind: inspect.Type) -> str | None:
    """What the texts of a key are the names of; None: of nothing."""
    if isinstance(kind, inspect.Metadata):
        return (kind.extra or {}).get(NAME) or _named(kind.type)
    if isinstance(kind, inspect.VarTupleType):
        return _named(kind.item_type)
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(_named, kind.types)), None)
    return None


def _converted(kind: type[Config], values: Mapping[str, Any]) -> Config:
    """The config of some values.

    Raises:
        ParseError: naming the key and the value, if one has the wrong type, is out of range, or is not finite.
    """
    # Infinities first: of a range without an end they would be part.
    for name, value in values.items():
        for key, number in _leaves(name, value):
            if isinstance(number, float) and not math.isfinite(number):
                raise ParseError(f"{key} = {number}: expected a finite number")
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$.")
        if not place:
            raise ParseError(reason) from None
        key = place.rstrip("`")
        raise ParseError(f"{key} = {_shown(values, key)}: {reason[0].lower()}{reason[1:]}") from None


def _leaves(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values of a key that hold no others, with their places as `key[0]`."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(f"{key}.{name}", inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _leaves(f"{key}[{number}]", inner)
    else:
        yield key, value


def _shown(values: Any, key: str) -> str:
    """The value at a place, shortened."""
    for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
        try:
            values = values[name] if name and not number else values[int(number)]
        except (KeyError, IndexError, TypeError, ValueError):
            break
    return reprlib.repr(values)


def _parsed(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return parse_toml(path.read_text())
    except UnicodeDecodeError as error:
        raise ParseError(f"{path} is not UTF-8: {error}") from None
    except TooDeep as error:
        raise ParseError(f"{path} is not a config: {error}") from None
    except ValueError as error:
        raise ParseError(f"{path} is not TOML: {error}") from None


def _plain(value: Any) -> Any:
    """A value of Python as a config holds it."""
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _value(text: str) -> Any:
    """The value of a change: TOML, or else the text itself."""
    try:
        return parse_toml(f"value = {text}")["value"]
    except TooDeep as error:
        raise ParseError(f"--set {text[:20]}…: {error}") from None
    except ValueError:
        return text
