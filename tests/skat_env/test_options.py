"""Options are checked by annotations: numbers by their range, and everything else by its type."""

from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.errors import OptionError
from skat_env.options import Count, Range, Share, Threads, check_option, check_options, checked_options

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)


class Taker:
    """Has an option of every kind."""

    @checked_options("taker")
    def __init__(
        self,
        worlds: Count = 3,
        *,
        c: float | None = None,
        threads: Threads = 1,
        ties: bool = True,
        mode: Literal["a", "b"] = "a",
        belief: "str | Taker" = "x",
        share: Share = 0.5,
        scale: Annotated[float, Range(gt=0)] = 1.0,
    ) -> None:
        self.options = {
            "worlds": worlds,
            "c": c,
            "threads": threads,
            "ties": ties,
            "mode": mode,
            "belief": belief,
            "share": share,
            "scale": scale,
        }


@given(st.sampled_from(["worlds", "c", "threads", "ties", "mode", "belief", "share", "scale"]), ANYTHING)
def test_what_is_accepted_is_of_its_kind(name: str, value: Any) -> None:
    try:
        found = Taker(**{name: value}).options[name]
    except OptionError as error:
        assert f"taker with {name}=" in str(error)
        assert "expected" in str(error)
        return
    assert {
        "worlds": lambda: type(found) is int and 1 <= found <= 10**9,
        "c": lambda: found is None or (type(found) is float and np.isfinite(found)),
        "threads": lambda: type(found) is int and 1 <= found <= 64,
        "ties": lambda: type(found) is bool,
        "mode": lambda: found in ("a", "b"),
        "belief": lambda: type(found) is str,
        "share": lambda: type(found) is float and 0 <= found <= 1,
        "scale": lambda: type(found) is float and 0 < found < np.inf,
    }[name]()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 1.5}, "taker with worlds=1.5: expected a whole number from 1 to 1,000,000,000"),
        ({"worlds": True}, "worlds=True: expected a whole number"),
        ({"worlds": 10**30}, "expected a whole number from 1"),
        ({"c": float("nan")}, "c=nan: expected a finite number or nothing"),
        ({"c": 10**400}, "…: expected a finite number"),
        ({"threads": 100_000}, "from 1 to 64"),
        ({"mode": "c"}, "expected one of a, b"),
        ({"scale": 0}, "expected a finite number more than 0"),
        ({"belief": 3}, "expected a text or an object of the type Taker"),
    ],
)
def test_messages_name_the_option_and_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        Taker(**options)


def test_numpy_numbers_and_objects_are_taken() -> None:
    taker = Taker(np.int64(5), share=np.float32(0.25), belief=Taker())
    assert taker.options["worlds"] == 5
    assert type(taker.options["worlds"]) is int
    assert taker.options["share"] == 0.25


def test_without_annotations_everything_passes() -> None:
    assert check_options("plain", lambda a, b: a, {"a": float("nan"), "b": None})["b"] is None
    with pytest.raises(TypeError, match="unexpected"):
        Taker(colour="red")  # type: ignore[call-arg]


def test_an_array_is_no_number() -> None:
    with pytest.raises(OptionError, match=r"x with y=array\(\[1, 2\]\): expected a whole number"):
        check_option("x", "y", int, np.array([1, 2]))
    assert check_option("x", "y", int | None, "none") is None
    assert check_option("x", "y", str | None, "none") == "none"
