"""KlaverjasState, a whole deal, and KlaverjasView, the information set of a seat."""

from typing import Self, final

import numpy as np

from skat_env._position import Position, StateMethods, ViewMethods
from skat_env.deal import Deal
from skat_env.klaverjas.rules import KlaverjasRules, Phase
from skat_env.klaverjas.scoring import DealResult
from skat_env.protocols import Outcome

class KlaverjasPosition(Position):
    """What a state and a view have in common; in a view, the hands of the other seats are empty."""

    @property
    def phase(self) -> Phase:
        """What the seat to act decides."""

    @property
    def stage(self) -> str:
        """The part of the deal: `choice` (of trumps) or `cardplay`, which lasts to the end."""

    @property
    def kind(self) -> str | None:
        """The kind of game: `deal`; None before trumps are chosen."""

    @property
    def rules(self) -> KlaverjasRules:
        """The options of the rules."""

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards held now, one mask per seat."""

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
        """The number of tricks won by each team: seats 0 and 2, seats 1 and 3."""

    @property
    def points(self) -> tuple[int, int]:
        """The card points won by each team, the 10 for the last trick included."""

    @property
    def roem(self) -> tuple[int, int]:
        """The roem won by each team."""

    @property
    def leader(self) -> int:
        """The seat that leads or led the current trick; -1 outside the cardplay."""

    def side(self, seat: int) -> int:
        """The side of a seat: 0 the declaring team, 1 the other; -1 before there is a declarer."""

    def winning(self) -> int:
        """The seat that is winning the trick on the table; -1 if there is none."""

    def excluded(self, seat: int) -> int:
        """The cards, as a mask, that a seat cannot hold because they would have made one of its plays illegal."""

@final
class KlaverjasState(KlaverjasPosition, StateMethods):
    """A whole deal of Klaverjas with all cards and actions; mutable. Agents see `view(seat)` only."""

    @staticmethod
    def new(
        deal: Deal,
        rules: KlaverjasRules = ...,
        forehand: int = 0,
        declarer: int | None = None,
        trump: int | None = None,
    ) -> KlaverjasState:
        """The state after the deal; `declarer` and `trump` are needed if `rules.choice` is `given`, else not allowed.

        Raises:
            ParseError: if the deal, the declarer or the trump suit is invalid, missing or not allowed.
        """

    @staticmethod
    def random(
        rng: np.random.Generator, rules: KlaverjasRules = ..., deal: Deal | None = None
    ) -> KlaverjasState:
        """A fresh deal: its cards are drawn unless given, and so are declarer and trumps if they come with the deal."""

    def view(self, seat: int) -> KlaverjasView:
        """The View of a seat: what it may know."""

    def result(self, claim: bool | None = None) -> DealResult:
        """The `DealResult` of a finished deal.

        `claim` gives the points of the remaining tricks to the declaring team (True) or to the other (False).

        Raises:
            ValueError: if the deal is not over and no claim is given, or nobody has chosen trumps.
        """

    def outcome(self) -> Outcome | None:
        """The facts that statistics count; None if the deal is not over."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state in a line written by `text`.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal when it is played.
        """

@final
class KlaverjasView(KlaverjasPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall."""

    @property
    def hand(self) -> int:
        """The seat's own cards."""

    def blank_state(self) -> KlaverjasState:
        """An empty State, into which belief code writes a world."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The view in a line written by `text`.

        A seat cannot play a card that would have made an earlier play of its illegal. Whether any deal of all unknown
        cards fits is found out by beliefs.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
