"""What a game knows of its own words."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

CardWriter = Callable[[int], str]


class GameText(Protocol):
    """A game in words, the game's part `text`."""

    rules: str
    """The rules, at most 900 words."""
    result: str
    """The beginning of the question what a finished game gives its declarer, in the unit that matches count."""

    def long(self, view: Any, card: CardWriter) -> list[str]:
        """All that a seat may know, a line each; nothing else."""

    def short(self, view: Any, card: CardWriter) -> list[str]:
        """What a seat needs for its decision: its hand, the game, the trick."""

    def hand(self, view: Any) -> list[int]:
        """The seat's cards in the order in which a player holds them."""

    def question(self, view: Any) -> str:
        """What the seat to act is asked."""

    def move(self, view: Any, action: int, card: CardWriter) -> str:
        """An action as it is best written."""

    def actions(self, view: Any, words: Sequence[str]) -> set[int]:
        """The actions, legal or not, that words without cards may mean now; empty: they mean none.

        Args:
            view: the seat's.
            words: in small letters, without punctuation.

        Raises:
            ValueError: if they say something that cannot be meant now, with a sentence.
        """
