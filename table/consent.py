"""Whose consent it takes to take back, to give up or to claim: that of the people whom it touches."""

from dataclasses import dataclass, field
from typing import Final, Literal

from skat_env.table.session import Session

SECONDS: Final = 30.0
"""The time to answer; afterwards what is asked for happens if all who are at the table have agreed."""

What = Literal["undo", "give_up", "claim"]


@dataclass(slots=True)
class Request:
    """What a person asks the others for."""

    what: What
    player: int
    """Who asks."""
    deal: int
    since: int
    """The number of the action that would be taken back, or of the scene in which anything else was asked for."""
    claim: bool | None = None
    """What `Session.settle` takes, where it would end the deal."""
    waiting: set[int] = field(default_factory=set)
    """The players who have not answered."""

    @classmethod
    def of(cls, session: Session, what: What, player: int, claim: bool | None = None) -> "Request":
        """The request of a person at a table as it is now."""
        since = _since(session, what, player)
        return cls(what, player, session.deal, since, claim, touched(session, what, player))

    def is_void(self, session: Session) -> bool:
        """Whether the table has changed since, so that the request no longer fits it. A request to take an action back
        stays while others play on.
        """
        return session.is_over or (self.deal, self.since) != (
            session.deal,
            _since(session, self.what, self.player),
        )


def _since(session: Session, what: What, player: int) -> int:
    return session.last_action(session.seat_of(player)) if what == "undo" else session.number


def touched(session: Session, what: What, player: int) -> set[int]:
    """The people, by player, without whom somebody may not do something: all others for what is taken back, those of
    the own side for what is given up, those of the other side for what is claimed.
    """
    others = {
        number for number, each in enumerate(session.players) if each.kind == "human" and number != player
    }
    if what == "undo":
        return others
    side = session.state.side(session.seat_of(player))
    return {
        number
        for number in others
        if (session.state.side(session.seat_of(number)) == side) == (what == "give_up")
    }
