"""Texts of names with options: what is written is read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.call_text import call_text, parse_call
from skat_env.errors import OptionError

TEXTS = st.text() | st.text("ab \"'(),=\n7.")


@given(TEXTS, TEXTS)
def test_any_text_is_read_again_or_refused(first: str, second: str) -> None:
    options = {"first": first, "second": second}
    try:
        written = call_text("pimc", options)
    except OptionError:
        assert any({'"', "'"} <= set(text) for text in options.values())
    else:
        assert parse_call(written) == ("pimc", [], options)


def test_a_text_with_both_kinds_of_quotes_is_refused() -> None:
    with pytest.raises(OptionError, match="pimc with belief=a'b\"c has both kinds of quotes: expected one"):
        call_text("pimc", {"belief": "a'b\"c"})
