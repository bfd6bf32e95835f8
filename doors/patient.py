"""A player who may err: replies without a legal move are answered a few times; then another agent decides."""

from typing import Annotated

from skat_env.agents.language.messages import Message, question, refused
from skat_env.doors.session import Session, agent_of
from skat_env.options import NonNegative, Range, checked_options
from skat_env.text import ReplyError
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form

Retries = Annotated[int, Range(ge=0, le=100)]


class PatientSession:
    """A session that goes on whatever is replied.

    Args:
        session: the game.
        retries: how often a decision is asked again.
        instead: the agent that decides then.
        form: how much of the view is told.
        cards: how cards are written.

    Raises:
        ValueError: if an option is not what it should be.
    """

    @checked_options("a game")
    def __init__(
        self,
        session: Session,
        retries: Retries = 2,
        instead: str = "rule",
        form: Form = "long",
        cards: Cards = "codes",
    ) -> None:
        self.session = session
        self._retries = retries
        self._instead = agent_of(instead, session.game.name)
        self._form: Form = form
        self._cards: Cards = cards
        self._refused: list[Message] = []
        self._errors = dict.fromkeys(session.seats, 0)
        self.forfeits = 0
        """Decisions of the other agent so far."""

    @property
    def errors(self) -> int:
        """Replies without a legal move so far."""
        return sum(self._errors.values())

    @property
    def text(self) -> str:
        """What the seat to act may know, in words."""
        return self.session.text(self._form, self._cards)

    @property
    def messages(self) -> list[Message]:
        """What a model is asked now, as the agent `llm` is: the rules, the view, then its replies without a legal move,
        each with what is wrong.
        """
        return [*question(self.session.game.name, self.text), *self._refused]

    def answer(self, reply: str) -> str:
        """Plays the move of a reply, or the other agent's when it is the last that may err.

        Returns:
            What is wrong with the reply, in one sentence; empty: its move was played.

        Raises:
            Refused: if the game is over.
        """
        seat = self.session.seat
        try:
            self.session.play(reply)
        except ReplyError as error:
            wrong = str(error)
            self._errors[seat] += 1
            if len(self._refused) < 2 * self._retries:
                self._refused += refused(reply, wrong)
                return wrong
            self.forfeits += 1
            self.session.let(self._instead)
        else:
            wrong = ""
        self._refused = []
        return wrong

    @checked_options("the rewards of a game")
    def rewards(self, unit: str, penalty: NonNegative, paired: bool = True) -> dict[int, float]:
        """The reward of each seat that is played from outside; before the end of the game only the penalties.

        Args:
            unit: a reward unit.
            penalty: what each reply without a legal move costs its seat, in that unit.
            paired: whether it is what the seat has more than if `rule` had played instead, or the result alone.

        Raises:
            ValueError: if an argument is not what it should be, or the game has no such unit.
        """
        points = self.session.gains(unit) if paired else self.session.returns(unit)
        return {seat: points[seat] - penalty * errors for seat, errors in self._errors.items()}
