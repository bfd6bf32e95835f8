"""The objectives of search players by name, game by game."""

from typing import Any

from agents.klaverjas.objectives import KLAVERJAS_OBJECTIVES
from agents.skat.objectives import SKAT_OBJECTIVES
from skat_env.errors import UnknownName

OBJECTIVES: dict[str, dict[str, Any]] = {"skat": SKAT_OBJECTIVES, "klaverjas": KLAVERJAS_OBJECTIVES}
"""By game; the first of a game is its default."""


def make_objective(name: str | None, game: str, threads: int) -> Any:
    """The objective of a name, or the game's default.

    Raises:
        UnknownName: if the game has none of it.
        ValueError: if there is no thread.
    """
    if threads < 1:
        raise ValueError(f"{threads} threads: expected at least 1")
    known = OBJECTIVES[game]
    if name is None:
        name = next(iter(known))
    if name not in known:
        raise UnknownName(f"objective for {game}", name, known)
    return known[name](threads)
