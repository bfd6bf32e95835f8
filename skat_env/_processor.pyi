"""The processor that the extensions were compiled for. This module runs on any; importing it checks this one."""

MARCH: str
"""The value of -march; empty for the compiler's default."""
SOURCES: str
"""The SHA-256 of the sources that all extensions were compiled from."""
LEVELS: dict[str, int]
"""Levels of x86-64 by value of -march."""

def require(march: str = ...) -> None:
    """Checks that this processor has the level of x86-64 that `march` needs; other values of -march are not checked.

    Raises:
        ImportError: if it lacks that level.
    """
