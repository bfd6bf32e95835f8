"""The objectives of search players by name, game by game."""

from typing import Any

from agents.skat_objectives import SKAT_OBJECTIVES
from skat_env.errors import UnknownName

OBJECTIVES: dict[str, dict[str, Any]] = {"skat": SKAT_OBJECTIVES}


def make_objective(name: str, game: str, threads: int) -> Any:
    """The objective of a name.

    Raises:
        UnknownName: if the game has none of it.
        ValueError: if there is no thread.
    """
    if threads < 1:
        raise ValueError(f"{threads} threads: expected at least 1")
    known = OBJECTIVES.get(game, {})
    if name not in known:
        raise UnknownName(f"objective for {game}", name, known)
    return known[name](threads)
