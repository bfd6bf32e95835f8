"""What the states and views of every game share: legal actions, history, cards, observation, identity."""

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.deal import Deal

class Position:
    """A game's struct, with the queries that every game answers."""

    action_text: ClassVar[Callable[[int], str]]
    reward_units: ClassVar[tuple[str, ...]]

    def _repr_svg_(self) -> str | None:
        """The picture of the position as SVG, which notebooks show: a view has the cards that its seat sees. None: the
        game has no part `picture`.
        """

    def _repr_html_(self) -> str | None:
        """The same as `_repr_svg_`."""

    @property
    def to_act(self) -> int:
        """The seat to act; -1 when the game is over."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    def places(self) -> tuple[int, ...]:
        """The cards now at each place, as masks: the hands by seat, then any other places (Skat: the skat).

        A view leaves out the cards that its seat does not see.
        """

    @property
    def dealt(self) -> tuple[int, ...]:
        """The cards at each place after the deal, in the same form as `places`."""

    @property
    def declarer(self) -> int:
        """The seat that declared; -1: nobody (yet)."""

    @property
    def contract(self) -> int | None:
        """What was declared, as the game numbers it; None: nothing (yet)."""

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
        """The legal actions of the seat to act, as bits; 0 when the game is over, and in the view of another seat."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions as int8 [actions]."""

    def history(self) -> list[int]:
        """All actions so far; in a view, 255 stands for a card that the seat did not see."""

    def returns(self, unit: str | None = None, claim: bool | None = None) -> tuple[int, ...]:
        """The finished game's result in a reward unit (default: the first), one integer per seat; 0 before the end.

        `claim` settles a game that was not played out: the remaining tricks go to the declaring side (True) or to the
        other (False).

        Raises:
            UnknownName: if the game has no such unit.
            ValueError: if it is claimed before the stage `cardplay`; in a view, if cards that count in the result are
                hidden (Skat: the skat).
        """

    def observe(self, seat: int) -> NDArray[np.int8]:
        """The observation of a seat as int8 [features]; a view has only that of its own seat.

        Raises:
            ValueError: if there is no such seat, or if a view is asked for another seat.
        """

    def key(self) -> int:
        """A 64-bit hash of the position alone, the same in every process."""

    def head(self) -> str:
        """The part of `text` between the deal and the actions: `key=value ...`; empty for a fresh deal."""

    def text(self) -> str:
        """One line that `parse` reads: the deal, the head, a colon, the actions."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The position in a line written by `text`."""

    def refuse(self, action: int) -> NoReturn:
        """Raises an `IllegalAction` that names the action and the legal ones."""

class StateMethods:
    """What a State adds to a `Position`, for every game: the second base of its class, after a `Position`."""

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
        """The View of a seat: what it may know.

        Raises:
            ValueError: if there is no such seat.
        """

class ViewMethods:
    """What a View adds to a `Position`, for every game: the second base of its class, after a `Position`."""

    @property
    def seat(self) -> int:
        """The seat whose view this is."""

    def blank_state(self) -> Any:
        """An empty State of the game, into which belief code writes a world."""
