"""What the states and views of every game share: legal actions, history, cards, observation, identity."""

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.deal import Deal

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

    @property
    def places(self) -> tuple[int, ...]:
        """The cards that lie at each place now, as masks: the hands by seat, then what the game has besides.

        In a view, cards that the seat does not see are left out.
        """

    @property
    def dealt(self) -> tuple[int, ...]:
        """The cards that lay at each place after the deal, in the same form."""

    @property
    def declarer(self) -> int:
        """The seat that chose the game; -1: nobody (yet)."""

    @property
    def contract(self) -> int | None:
        """The number of the game that was chosen; None: none (yet)."""

    @property
    def tricks_played(self) -> int:
        """The number of complete tricks."""

    def plays(self) -> list[tuple[int, int]]:
        """All cards played to tricks as (seat, card), in order."""

    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table as (seat, card), in the order played."""

    def played_mask(self) -> int:
        """All cards played to tricks."""

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

class StateMethods:
    """What the State of every game can do besides: the second base of its class, whose first is a `Position`."""

    @property
    def deal(self) -> Deal:
        """The cards as dealt."""

    def apply(self, action: int) -> None:
        """Plays an action of the seat to act.

        Raises:
            IllegalAction: if the rules do not allow it; the state is unchanged.
        """

    def undo(self) -> None:
        """Takes the last action back.

        Raises:
            IllegalAction: if there is none.
        """

    def clone(self) -> Self:
        """An independent copy."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any) -> Self: ...
    def view(self, seat: int) -> Any:
        """What a seat may know: the game's View.

        Raises:
            ValueError: if there is no such seat.
        """

class ViewMethods:
    """What the View of every game can do besides: the second base of its class, whose first is a `Position`."""

    @property
    def seat(self) -> int:
        """The seat whose view this is."""

    def blank_state(self) -> Any:
        """A State of the game without content, for belief code to write a world into."""
