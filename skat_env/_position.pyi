"""What states and views of every game have in common."""

from collections.abc import Callable
from typing import ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

class Position:
    """A game's struct and the questions that every game answers."""

    action_text: ClassVar[Callable[[int], str]]
    reward_units: ClassVar[tuple[str, ...]]

    @property
    def to_act(self) -> int:
        """The seat to act; -1 when the game is over."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    def legal(self) -> int:
        """The legal actions of the seat to act as bits; 0 when over, and in a view of another seat."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions as int8 [actions]."""

    def history(self) -> list[int]:
        """All actions so far; in a view, 255 stands for a card that the seat did not see."""

    def returns(self, unit: str | None = None, claim: bool | None = None) -> tuple[int, ...]:
        """The finished game's result in a reward unit (default: the game's first), one integer a seat; 0 before.

        In a game that was not played out, `claim` gives the open tricks to the declaring side (True) or to the
        other (False).

        Raises:
            UnknownName: if the game has no such unit.
        """

    def observe(self, seat: int) -> NDArray[np.int8]:
        """The observation of a seat as int8 [features]; in a view, of its own seat only."""

    def key(self) -> int:
        """A 64-bit number that depends on nothing but the position."""

    def head(self) -> str:
        """What `text` says between the deal and the actions: `key=value ...`; empty for a fresh deal."""

    def text(self) -> str:
        """One line that `parse` reads: the deal, the head, a colon, the actions."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The position of a line that `text` wrote."""

    def refuse(self, action: int) -> NoReturn:
        """Raises the `IllegalAction` that names an action and what is legal instead."""
