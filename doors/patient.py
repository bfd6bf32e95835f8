"""A player who may err: replies without a legal move are answered, some times; then another agent decides."""

from typing import Annotated

from skat_env.doors.session import Session
from skat_env.options import Range, checked_options
from skat_env.text import ReplyError

Retries = Annotated[int, Range(ge=0, le=100)]


class PatientSession:
    """A session that goes on whatever is replied.

    Args:
        session: the game.
        retries: how often a decision is asked again.
        instead: the agent that decides then.

    Raises:
        ValueError: if there is no such agent.
    """

    @checked_options("a game")
    def __init__(self, session: Session, retries: Retries = 2, instead: str = "rule") -> None:
        self.session = session
        self._retries = retries
        self._instead = instead
        self.refused = 0
        """Replies without a legal move to the present decision."""
        self.errors = 0
        """Replies without a legal move so far."""
        self.forfeits = 0
        """Decisions of the other agent so far."""

    def answer(self, reply: str) -> str:
        """Plays the move of a reply, or the other agent's when it is the last that may err.

        Returns:
            What is wrong with the reply, in one sentence; empty: its move was played.

        Raises:
            Refused: if the game is over.
        """
        try:
            self.session.play(reply)
        except ReplyError as error:
            self.errors += 1
            self.refused += 1
            if self.refused > self._retries:
                self.forfeits += 1
                self.refused = 0
                self.session.let(self._instead)
            return str(error)
        self.refused = 0
        return ""
