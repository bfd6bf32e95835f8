"""What the extensions were compiled for. Importing this module, which any processor can, checks that this has it."""

MARCH: str
"""The value of -march; empty for the compiler's own."""
LEVELS: dict[str, int]
"""Levels of x86-64 by such a value."""

def require(march: str = ...) -> None:
    """Checks that this processor has a level of x86-64; other values of -march are not checked.

    Raises:
        ImportError: if it has not.
    """
