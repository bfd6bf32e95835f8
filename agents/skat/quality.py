"""The game types of reports on inference in Skat; null ouvert is apart, as the soloist's cards are open."""

from typing import Final, cast

from skat_env.agents.inference_quality.groups import QualityGroups
from skat_env.protocols import State
from skat_env.skat import SkatState
from skat_env.skat.rules import Announcement


def _type_of(state: State) -> str | None:
    ouvert = cast(SkatState, state).announcement == Announcement.OUVERT
    return "null ouvert" if state.kind == "null" and ouvert else state.kind


QUALITY: Final = QualityGroups(("suit", "grand", "null", "null ouvert"), ("soloist", "defender"), _type_of)
