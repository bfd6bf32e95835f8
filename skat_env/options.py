"""Options of agents, beliefs, evaluators and the like, checked by the annotations of whatever takes them.

An annotation says what an option may be: `int`, `float`, `bool`, `str`, `Literal`, None, or a union of these and of
classes; `Annotated[int, Range(ge=1)]` says which numbers. Numbers are finite, whole numbers are integers (numpy's too),
and truth values are no numbers. So no constructor has to check these by hand.
"""

import functools
import inspect
import math
import operator
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from skat_env.errors import OptionError

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that an option may be."""

    ge: float | None = None
    """At least this."""
    gt: float | None = None
    """More than this."""
    le: float | None = None
    """At most this."""
    lt: float | None = None
    """Less than this."""

    def __contains__(self, number: float) -> bool:
        return (
            (self.ge is None or number >= self.ge)
            and (self.gt is None or number > self.gt)
            and (self.le is None or number <= self.le)
            and (self.lt is None or number < self.lt)
        )

    def text(self) -> str:
        """The range in words: `from 0 to 1`, `at least 1`."""
        if self.ge is not None and self.le is not None:
            return f"from {self.ge:,} to {self.le:,}"
        bounds = (("at least", self.ge), ("more than", self.gt), ("at most", self.le), ("less than", self.lt))
        return " and ".join(f"{word} {bound:,}" for word, bound in bounds if bound is not None)


MAX_COUNT: Final = 1_000_000_000
"""The largest count that an option may have; more is a typing error and would not fit into memory."""
MAX_THREADS: Final = 64
MAX_SHOWN: Final = 60
"""The number of characters that a message shows of a wrong value."""
Count = Annotated[int, Range(ge=1, le=MAX_COUNT)]
"""A count of at least one."""
Threads = Annotated[int, Range(ge=1, le=MAX_THREADS)]
"""Threads of a solver."""
Share = Annotated[float, Range(ge=0, le=1)]
"""A part of a whole."""
NonNegative = Annotated[float, Range(ge=0)]
"""A number from 0."""
Floor = Annotated[float, Range(ge=0, lt=1)]
"""The least probability of something."""


def checked_options(owner: str) -> Callable[[F], F]:
    """A decorator of a constructor, or of a function: checks its options by their annotations before it runs.

    Args:
        owner: what messages call it: `pimc`.

    Raises:
        OptionError: from calls, if an option is not what its annotation says.
    """

    def decorator(function: F) -> F:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def check(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            hints = _hints(cast(Hashable, function))
            for name, value in bound.arguments.items():
                if name in hints:
                    bound.arguments[name] = check_option(owner, name, hints[name], value)
            return function(*bound.args, **bound.kwargs)

        return cast(F, check)

    return decorator


def check_fields(options: object, owner: str) -> None:
    """Checks the fields of a dataclass of options, in its `__post_init__`.

    Raises:
        OptionError: if a field is not what its annotation says.
    """
    for name, hint in _hints(cast(Hashable, type(options))).items():
        object.__setattr__(options, name, check_option(owner, name, hint, getattr(options, name)))


def check_options(owner: str, taker: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for a call, each checked by its annotation; those without one pass.

    Raises:
        OptionError: if one is not what its annotation says.
    """
    hints = _hints(vars(taker).get("__init__", taker) if isinstance(taker, type) else taker)
    return {
        name: check_option(owner, name, hints[name], value) if name in hints else value
        for name, value in options.items()
    }


def check_option(owner: str, name: str, hint: Any, value: Any) -> Any:
    """The value of an option, as its annotation has it: numpy's integers as int, integers for a float as float.

    Raises:
        OptionError: if it is something else.
    """
    choices = _choices(hint)
    for kind, allowed in choices:
        fits, found = _converted(kind, value)
        if fits and (allowed is None or found in allowed):
            return found
    expected = " or ".join(dict.fromkeys(_words(kind, allowed) for kind, allowed in choices))
    text = value if isinstance(value, str) else repr(value)
    shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
    raise OptionError(f"{owner} with {name}={shown}: expected {expected}")


@functools.cache
def _hints(taker: Hashable) -> dict[str, Any]:
    """The annotations of what takes options; none where they cannot be found out."""
    try:
        hints = get_type_hints(inspect.unwrap(cast(Any, taker)), include_extras=True)
    except (TypeError, NameError):
        return {}
    hints.pop("return", None)
    return hints


def _choices(hint: Any) -> list[tuple[Any, Range | None]]:
    """The kinds that an annotation allows, each with its range."""
    if get_origin(hint) is Annotated:
        ranges = [extra for extra in get_args(hint)[1:] if isinstance(extra, Range)]
        return [(kind, ranges[0] if ranges else allowed) for kind, allowed in _choices(get_args(hint)[0])]
    if get_origin(hint) in (Union, types.UnionType):
        return [choice for part in get_args(hint) for choice in _choices(part)]
    return [(hint, None)]


def _converted(kind: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value is of a kind, and the value as that kind has it."""
    if kind in (Any, object):
        return True, value
    if kind is None or kind is type(None):
        return value is None, None
    if kind is bool:
        return isinstance(value, bool), value
    if kind is int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            return False, None
        return True, operator.index(value)
    if kind is float:
        if isinstance(value, bool) or not (
            hasattr(value, "__index__") or isinstance(value, float | np.floating)
        ):
            return False, None
        try:
            number = float(value)
        except OverflowError:
            return False, None
        return math.isfinite(number), number
    if get_origin(kind) is Literal:
        return any(type(value) is type(word) and value == word for word in get_args(kind)), value
    if kind is str:
        return isinstance(value, str), value
    # Of classes and protocols an object is taken as it is: whoever uses it says what it lacks.
    return not isinstance(value, str | int | float | bool | None | list | tuple | dict), value


def _words(kind: Any, allowed: Range | None) -> str:
    """What an annotation asks for, in words."""
    plain = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}
    if kind is None or kind is type(None):
        return "nothing"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    word = plain.get(kind, f"an object of the type {getattr(kind, '__name__', kind)}")
    return word if allowed is None else f"{word} {allowed.text()}"
