"""SkatState, a whole game, and SkatView, the information set of a seat."""

from typing import Self, final

import numpy as np

from skat_env._position import Position, StateMethods, ViewMethods
from skat_env.deal import Deal
from skat_env.protocols import Outcome
from skat_env.skat.rules import Announcement, Contract, Declaration, Phase, SkatRules, Start
from skat_env.skat.scoring import GameResult

def matadors_of(cards: int, contract: int) -> int:
    """The matadors of a soloist's cards, a mask: positive with, negative without; 0 in null games."""

class SkatPosition(Position):
    """What a state and a view have in common; in a view, places that the seat cannot see are empty."""

    @property
    def phase(self) -> Phase:
        """What the seat to act decides."""

    @property
    def stage(self) -> str:
        """The part of the game: `auction`, `declaration` (picking up to discarding) or `cardplay` (to the end)."""

    @property
    def kind(self) -> str | None:
        """The kind of game: `suit`, `grand` or `null`; None: not declared (yet)."""

    @property
    def start(self) -> Start:
        """The point from which the game is played."""

    @property
    def rules(self) -> SkatRules:
        """The options of the rules."""

    @property
    def hands(self) -> tuple[int, int, int]:
        """The cards held now, one mask per seat."""

    @property
    def skat(self) -> int:
        """The cards now in the skat: as dealt, then none while the soloist holds them, then its discards."""

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The cards now at each place: `hands`, then `skat`."""

    @property
    def dealt(self) -> tuple[int, int, int, int]:
        """The cards as dealt: the hands and the skat."""

    @property
    def bid(self) -> int:
        """The last bid in points; 0: none."""

    @property
    def next_bid(self) -> int:
        """The value that YES would bid; 0 if there is no higher one."""

    @property
    def bids(self) -> tuple[int, int, int]:
        """The highest value that each seat has bid or held; 0: none."""

    @property
    def passed(self) -> tuple[bool, bool, bool]:
        """Whether each seat has passed in the auction."""

    @property
    def soloist(self) -> int:
        """The soloist's seat; -1: none (yet)."""

    @property
    def contract(self) -> Contract | None:
        """The contract; None: not declared (yet)."""

    @property
    def picked_up(self) -> bool:
        """Whether the soloist has taken the skat."""

    @property
    def hand_game(self) -> bool:
        """Whether the soloist plays hand."""

    @property
    def announcement(self) -> Announcement:
        """The soloist's announcement."""

    @property
    def declaration(self) -> Declaration | None:
        """The declared game; None: not declared (yet)."""

    @property
    def tricks(self) -> tuple[int, int]:
        """The number of tricks of the soloist and of the defenders."""

    @property
    def points(self) -> tuple[int, int]:
        """The card points in the tricks of the soloist and of the defenders, without the skat."""

    @property
    def leader(self) -> int:
        """The seat that leads or led the current trick; -1 outside the cardplay."""

    def side(self, seat: int) -> int:
        """The side of a seat: 0 the soloist, 1 the defenders; -1 before there is a soloist."""

    def is_void(self, seat: int, group: int) -> bool:
        """Whether a seat has failed to follow a group of cards: 0..3 the suits D H S C, 4 the trumps."""

    def follow_mask(self, card: int) -> int:
        """The cards that follow a led card under the contract."""

@final
class SkatState(SkatPosition, StateMethods):
    """A whole game of Skat with all cards and actions; mutable. Agents see `view(seat)` only."""

    @staticmethod
    def new(deal: Deal, rules: SkatRules = ...) -> SkatState:
        """The state after the deal: middlehand bids to forehand."""

    @staticmethod
    def random(rng: np.random.Generator, rules: SkatRules = ..., deal: Deal | None = None) -> SkatState:
        """A fresh deal; its cards are drawn unless given."""

    @staticmethod
    def after_auction(
        deal: Deal, declarer: int, bids: tuple[int, int, int], rules: SkatRules = ...
    ) -> SkatState:
        """A state with a given auction: the declarer is to pick up the skat or play hand.

        `bids` has the highest value that each seat bid or held, 0 for none; the declarer's must be the highest.
        """

    @staticmethod
    def cardplay(
        deal: Deal,
        declarer: int,
        declaration: Declaration,
        bids: tuple[int, int, int],
        rules: SkatRules = ...,
    ) -> SkatState:
        """A state at the beginning of the cardplay: forehand is to lead.

        The skat of `deal` is the present one: the discards, or in a hand game the skat as dealt.
        """

    def view(self, seat: int) -> SkatView:
        """The View of a seat: what it may know."""

    def result(self, claim: bool | None = None) -> GameResult:
        """The `GameResult` of a finished game.

        `claim` gives the tricks that were not played to the soloist (True) or to the defenders (False), as when a side
        shows its cards or resigns. In a null game, True means that the soloist takes no more tricks, False that it
        loses.

        Raises:
            ValueError: if the game is not over and no claim is given.
        """

    @property
    def matadors(self) -> int:
        """The matadors of the soloist's twelve cards: positive with, negative without; 0 in null games."""

    def outcome(self) -> Outcome | None:
        """The facts that statistics count; None if the game is not over or had no soloist."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state in a line written by `text`.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal when it is played.
        """

@final
class SkatView(SkatPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall (own discards included)."""

    @property
    def hand(self) -> int:
        """The seat's own cards."""

    def blank_state(self) -> SkatState:
        """An empty State, into which belief code writes a world."""

    @property
    def is_soloist(self) -> bool:
        """Whether the seat is the soloist."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The view in a line written by `text`.

        A seat that failed to follow cannot play that suit later. Whether any deal of all unknown cards fits is found
        out by beliefs.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
