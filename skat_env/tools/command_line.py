"""The words of a command line, before they are read."""

from collections.abc import Sequence

from skat_env.errors import ParseError


def require_once(words: Sequence[str]) -> None:
    """Checks that no option is given twice: the values behind the first would be lost without a word.

    Raises:
        ParseError: naming the option, if one is.
    """
    given = set()
    for word in words:
        name = word.partition("=")[0].replace("_", "-")
        if not name.startswith("--"):
            continue
        if name in given:
            raise ParseError(
                f"option {name} is given twice: expected it once, with all of its values behind it"
            )
        given.add(name)
