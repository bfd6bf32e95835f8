"""KlaverjasState, everything about a deal, and KlaverjasView, what one seat may know of it."""

from typing import Self, final

import numpy as np

from skat_env._position import Position, StateMethods, ViewMethods
from skat_env.deal import Deal
from skat_env.klaverjas.rules import KlaverjasRules, Phase
from skat_env.klaverjas.scoring import DealResult
from skat_env.protocols import Outcome

class KlaverjasPosition(Position):
    """What a state and a view can both tell; in a view, the hands of the others are empty."""

    @property
    def phase(self) -> Phase:
        """What the seat to act decides."""

    @property
    def stage(self) -> str:
        """The part of the deal: `choice` (of trumps) or `cardplay` (to the end)."""

    @property
    def kind(self) -> str | None:
        """The kind of game: `deal`; None: trumps are not chosen yet."""

    @property
    def rules(self) -> KlaverjasRules:
        """The options of the rules."""

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards held now, a mask a seat."""

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The cards held now: the same as `hands`."""

    @property
    def dealt(self) -> tuple[int, int, int, int]:
        """The hands as dealt."""

    @property
    def forehand(self) -> int:
        """The seat that chooses first and leads to the first trick."""

    @property
    def trump(self) -> int | None:
        """The trump suit 0..3; None: not chosen yet."""

    @property
    def tricks(self) -> tuple[int, int]:
        """By team (seats 0 and 2, seats 1 and 3), the tricks won."""

    @property
    def points(self) -> tuple[int, int]:
        """By team, the card points won; at the end with the 10 for the last trick."""

    @property
    def roem(self) -> tuple[int, int]:
        """By team, the roem won."""

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the current trick; -1 outside the cardplay."""

    def side(self, seat: int) -> int:
        """0 for the declaring team, 1 for the other; -1 before there is a declarer."""

    def winning(self) -> int:
        """The seat that wins the trick on the table so far; -1 if there is none."""

    def excluded(self, seat: int) -> int:
        """The cards, as a mask, that a seat cannot hold since it played as it did."""

@final
class KlaverjasState(KlaverjasPosition, StateMethods):
    """A whole deal of Klaverjas: all cards, all actions. Mutable; agents get `view(seat)` instead."""

    @staticmethod
    def new(
        deal: Deal,
        rules: KlaverjasRules = ...,
        forehand: int = 0,
        declarer: int | None = None,
        trump: int | None = None,
    ) -> KlaverjasState:
        """The state after the deal. Declarer and trump suit come with it where `rules.choice` is given, and only there.

        Raises:
            ParseError: if the deal or one of them is none, or they are missing.
        """

    @staticmethod
    def random(
        rng: np.random.Generator, rules: KlaverjasRules = ..., deal: Deal | None = None
    ) -> KlaverjasState:
        """A fresh deal: its cards are drawn unless given, and declarer and trumps where they come with it."""

    def view(self, seat: int) -> KlaverjasView:
        """What a seat may know."""

    def result(self, claim: bool | None = None) -> DealResult:
        """The `DealResult` of a finished deal.

        `claim` gives the points of the tricks that were not played to the declaring team (True) or to the other.

        Raises:
            ValueError: if the deal is not over and no claim is given, or nobody has chosen trumps.
        """

    def outcome(self) -> Outcome | None:
        """What statistics count of a finished deal; None if it is not over."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state of a line that `text` wrote.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal where it stands.
        """

@final
class KlaverjasView(KlaverjasPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall."""

    @property
    def hand(self) -> int:
        """The seat's own cards."""

    def blank_state(self) -> KlaverjasState:
        """A state without content, for belief code to write a world into."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The view of a line that `text` wrote.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
