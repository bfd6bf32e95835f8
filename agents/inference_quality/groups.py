"""The game types and roles of reports on the quality of inference."""

from collections.abc import Callable
from dataclasses import dataclass

from skat_env.protocols import State
from skat_env.registry import get_game, get_part, has_part


@dataclass(frozen=True, slots=True)
class QualityGroups:
    """The part `quality` of a game. A game without it is reported by its kinds, and by declarer and opponent."""

    types: tuple[str, ...]
    """The game types."""
    roles: tuple[str, str]
    """The two seats whose views are measured: one of the declaring side, one of the other."""
    type_of: Callable[[State], str | None]
    """Maps a finished game in which cards were played to its type."""


def quality_groups(game: str) -> QualityGroups:
    """The game types and roles of a game."""
    if not has_part(game, "quality"):
        return QualityGroups(get_game(game).kinds, ("declarer", "opponent"), lambda state: state.kind)
    groups: QualityGroups = get_part(game, "quality")
    return groups


def type_of(game: str, state: State) -> str | None:
    """The type of a finished or claimed game; None if no card was played."""
    return quality_groups(game).type_of(state) if state.plays() else None
