"""Options, and all else that comes from outside, checked by the annotations of whatever takes them.

An annotation says what an option may be: `int`, `float`, `bool`, `str`, `Literal`, None, a class, a protocol (what has
its attributes), a tuple or `Sequence` of these, or a union; `Annotated[int, Range(ge=1)]` says which numbers. Numbers
are finite, whole numbers are integers (numpy's too), and truth values are no numbers. So no constructor has to check
these by hand.
"""

import functools
import inspect
import math
import operator
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.own_text import construct

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
"""Threads of a solver, or of a vector environment."""
Seed = Annotated[int, Range(ge=0)]
"""The seed of a random generator."""
Milliseconds = Annotated[float, Range(gt=0, le=86_400_000)]
"""Of a decision, up to a day."""
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
        constructs = function.__name__ == "__init__"

        @functools.wraps(function)
        def check(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            hints = _hints(cast(Hashable, function))
            for name, value in bound.arguments.items():
                if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                    checked = [check_option(owner, name, hints[name], each) for each in value]
                    bound.arguments[name] = tuple(checked)
                elif name in hints:
                    bound.arguments[name] = check_option(owner, name, hints[name], value)
            return construct(function, bound) if constructs else function(*bound.args, **bound.kwargs)

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
    fits, found = _fitting(hint, value)
    if fits:
        return found
    raise OptionError(f"{owner} with {name}={_given(value)}: expected {_words(hint)}")


def check_list(owner: str, name: str, values: Any) -> list[Any]:
    """The items of a list, or of whatever else can be iterated over but a text or a mapping.

    Raises:
        OptionError: if it is something else.
    """
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping | type):
        raise OptionError(f"{owner} with {name}={_given(values)}: expected a list")
    try:
        return list(values)
    except TypeError:  # numpy's arrays without dimensions
        raise OptionError(f"{owner} with {name}={_given(values)}: expected a list") from None


def check_array(
    owner: str, name: str, dtype: type[np.generic], values: Any, dimensions: int = 1
) -> NDArray[Any]:
    """A contiguous array of a type, which has to hold all its values: no fraction is cut off.

    Raises:
        OptionError: if a value is no number that the type can hold, or there are more or fewer dimensions.
    """
    if not (isinstance(values, np.ndarray) and values.dtype == dtype and values.ndim == dimensions):
        whole = not issubclass(dtype, np.floating)
        try:
            array = np.asarray(values)
            fits = array.ndim == dimensions and (
                array.size == 0 or array.dtype.kind in ("iu" if whole else "iuf")
            )
            if fits and whole and array.size:
                limits = np.iinfo(np.dtype(dtype))
                fits = int(array.min()) >= limits.min and int(array.max()) <= limits.max
            elif fits:
                fits = bool(np.isfinite(array).all())
        except (ValueError, TypeError, OverflowError):
            fits = False
        if not fits:
            kind = "whole numbers" if whole else "finite numbers"
            raise OptionError(
                f"{owner} with {name}={_given(values)}: expected {kind} ({np.dtype(dtype)}) in {dimensions} dimensions"
            )
        values = array
    return np.ascontiguousarray(values, dtype)


def shown(value: object) -> str:
    """A value as code, on one line of a message."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no integer of more than some thousand digits
        text = "a number of thousands of digits"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _given(value: object) -> str:
    """A value as a text such as `pimc(worlds=8)` gives it: words without quotes."""
    if not isinstance(value, str) or not value or not value.isprintable():
        return shown(value)
    return value if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]}…"


@functools.cache
def _hints(taker: Hashable) -> dict[str, Any]:
    """The annotations of what takes options; none where they cannot be found out."""
    try:
        hints = get_type_hints(inspect.unwrap(cast(Any, taker)), include_extras=True)
    except (TypeError, NameError):
        return {}
    hints.pop("return", None)
    return hints


Converter = Callable[[Any], tuple[bool, Any]]
"""Whether a value is of a kind, and the value as that kind has it."""


@functools.cache
def _choices(hint: Any) -> tuple[tuple[Any, Range | None, Converter], ...]:
    """The kinds that an annotation allows, each with its range and its converter."""
    if get_origin(hint) is Annotated:
        ranges = [extra for extra in get_args(hint)[1:] if isinstance(extra, Range)]
        inner = _choices(get_args(hint)[0])
        return tuple((kind, ranges[0] if ranges else allowed, convert) for kind, allowed, convert in inner)
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(choice for part in get_args(hint) for choice in _choices(part))
    return ((hint, None, _converter(hint)),)


def _fitting(hint: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value is what an annotation says, and the value as the annotation has it."""
    for _, allowed, convert in _choices(hint):
        fits, found = convert(value)
        if fits and (allowed is None or found in allowed):
            return True, found
    # Texts that name agents write nothing as `search_calls(race=none)`; where a text is allowed, it is that text.
    is_nothing = isinstance(value, str) and value == "none"
    return is_nothing and any(kind is type(None) for kind, _, _ in _choices(hint)), None


def _converter(kind: Any) -> Converter:
    """The converter of a kind."""
    origin = get_origin(kind)
    if kind is Any:
        return lambda value: (True, value)
    if kind is None or kind is type(None):
        return lambda value: (value is None, None)
    if kind is int:
        return _whole
    if kind is float:
        return _real
    if origin is Literal:
        words = get_args(kind)
        return lambda value: (any(type(value) is type(word) and value == word for word in words), value)
    if origin in (tuple, Sequence):
        kinds = get_args(kind)
        return functools.partial(_items, kinds, origin is not tuple or kinds[-1] is Ellipsis)
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return functools.partial(_member, kind)
    if _is_protocol(kind):
        return functools.partial(_object, kind)
    # Annotations that are neither classes nor generic, such as type variables, accept everything.
    plain = origin or kind
    return (
        (lambda value: (isinstance(value, plain), value))
        if isinstance(plain, type)
        else lambda value: (True, value)
    )


def _whole(value: Any) -> tuple[bool, int]:
    """Whether a value is a whole number, and that number; truth values and arrays are none."""
    if type(value) is int:
        return True, value
    if isinstance(value, bool | np.bool) or not hasattr(value, "__index__"):
        return False, 0
    try:
        return True, operator.index(value)
    except TypeError:  # of numpy's arrays
        return False, 0


def _real(value: Any) -> tuple[bool, float]:
    """Whether a value is a finite number, and that number."""
    whole, integer = _whole(value)
    if not whole and not isinstance(value, float | np.floating):
        return False, 0.0
    try:
        number = float(integer if whole else value)
    except OverflowError:
        return False, 0.0
    return math.isfinite(number), number


def _items(kinds: tuple[Any, ...], alike: bool, value: Any) -> tuple[bool, Any]:
    """Whether a value is a list or tuple of values of a kind (`alike`), or of one kind each, and these as a tuple."""
    if not isinstance(value, list | tuple) or (not alike and len(kinds) != len(value)):
        return False, None
    found = []
    for hint, item in zip([kinds[0]] * len(value) if alike else kinds, value, strict=True):
        fits, item = _fitting(hint, item)
        if not fits:
            return False, None
        found.append(item)
    return True, tuple(found)


def _member(kind: type[IntEnum], value: Any) -> tuple[bool, Any]:
    """Whether a value is one of an enumeration, and its member."""
    whole, number = _whole(value)
    known = whole and number in list(kind)
    return known, kind(number) if known else None


def _object(protocol: type, value: Any) -> tuple[bool, Any]:
    """Whether an object, not a class, has what a protocol says."""
    # The class is asked first: properties of objects may take long, or fail for now.
    lacks = _lacks(protocol, cast(Hashable, type(value)))
    return not isinstance(value, type) and all(hasattr(value, name) for name in lacks), value


def _is_protocol(kind: Any) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


@functools.cache
def _members(protocol: type) -> tuple[str, ...]:
    """What an object of a protocol has."""
    names = [
        name
        for base in protocol.__mro__
        if _is_protocol(base) and base is not Protocol
        for name in (*vars(base), *vars(base).get("__annotations__", ()))
    ]
    return tuple(name for name in dict.fromkeys(names) if name == "__call__" or not name.startswith("_"))


@functools.cache
def _lacks(protocol: type, kind: Any) -> tuple[str, ...]:
    """What a class lacks of a protocol, though its objects may have it."""
    return tuple(name for name in _members(protocol) if not any(name in vars(base) for base in kind.__mro__))


def _words(hint: Any) -> str:
    """What an annotation asks for, in words."""
    return " or ".join(dict.fromkeys(_kind_words(kind, allowed) for kind, allowed, _ in _choices(hint)))


def _kind_words(kind: Any, allowed: Range | None) -> str:
    plain = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}
    if kind is None or kind is type(None):
        return "nothing"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return "one of " + ", ".join(f"{member.value} ({member.name.lower()})" for member in kind)
    if get_origin(kind) in (tuple, Sequence):
        parts = [_words(each) for each in get_args(kind) if each is not Ellipsis]
        return f"a list, of each {parts[0]}" if len(set(parts)) == 1 else f"a list of {', '.join(parts)}"
    word = plain.get(kind, f"an object of the type {getattr(kind, '__name__', kind)}")
    return word if allowed is None else f"{word} {allowed.text()}"
