"""Typed configs from TOML files: unknown keys and wrong types are errors with the place and the nearest known name."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec

from skat_env.errors import ParseError, UnknownName

Positive = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Rate = Annotated[float, msgspec.Meta(gt=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


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
    if name.suffix or name.exists():
        return name
    shipped = {path.stem: path for path in SHIPPED.glob("*.toml")}
    if str(name) not in shipped:
        raise UnknownName("config", str(name), list(shipped))
    return shipped[str(name)]


def read_config(kind: type[Config], path: Path, changes: Sequence[str] = ()) -> Config:
    """The config of a file, with some keys changed.

    Args:
        kind: the struct to fill.
        path: a TOML file.
        changes: `key=value` each, the value as in TOML; text may stand without quotes.

    Raises:
        ParseError: if the file is not TOML, or a value has the wrong type or is out of range.
        UnknownName: if a key is not one of the struct's.
    """
    try:
        values = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"{path} is not TOML: {error}") from None
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise ParseError(f"--set {change}: expected key=value")
        values[key.strip()] = _value(text.strip())
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    for key in values:
        if key not in known:
            raise UnknownName(f"key of a {kind.__name__} in {path}", key, known)
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ParseError(f"{path}: {error}") from None


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
