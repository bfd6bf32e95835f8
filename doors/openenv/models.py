"""What goes over the wire: a reply, an observation, the state of an episode."""

from typing import Any

from skat_env.tools.extras import explained

try:
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field
except ImportError as error:
    raise explained(error) from None


class CardAction(Action):
    """A reply: the last move in square brackets counts, or the whole of a short one."""

    reply: str = Field(..., description="the move, such as [CJ], [jack of clubs], [pass] or [20]")


class CardObservation(Observation):
    """What the seat may know."""

    text: str = Field(default="", description="all that the seat may know, in words")
    legal: list[str] = Field(default_factory=list, description="the legal moves")
    view: dict[str, Any] = Field(
        default_factory=dict, description="the same as the text, by the published schema"
    )
    error: str = Field(default="", description="what was wrong with the last reply; empty: nothing")


class CardState(State):
    """How an episode stands; nothing that the seat may not know."""

    game: str = ""
    seat: str = ""
    opponents: list[str] = Field(default_factory=list)
    unit: str = ""
    errors: int = 0
    """Replies without a legal move."""
    forfeits: int = 0
    """Decisions that `rule` made after too many of them."""
