"""SkatState, everything about a game, and SkatView, what one seat may know of it."""

from typing import Self, final

import numpy as np

from skat_env._position import Position, StateMethods, ViewMethods
from skat_env.deal import Deal
from skat_env.protocols import Outcome
from skat_env.skat.rules import Announcement, Contract, Declaration, Phase, SkatRules, Start
from skat_env.skat.scoring import GameResult

class SkatPosition(Position):
    """What a state and a view can both tell; in a view, places that the seat cannot see are empty."""

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
        """From where the game is played."""

    @property
    def rules(self) -> SkatRules:
        """The options of the rules."""

    @property
    def hands(self) -> tuple[int, int, int]:
        """The cards held now, a mask a seat."""

    @property
    def skat(self) -> int:
        """The cards that lie in the skat now: as dealt, none while the soloist holds them, then his discards."""

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The cards held now and the skat's: `hands` and `skat` in one."""

    @property
    def dealt(self) -> tuple[int, int, int, int]:
        """The cards as dealt: the hands and the skat."""

    @property
    def bid(self) -> int:
        """The last bid in points; 0: none."""

    @property
    def next_bid(self) -> int:
        """The value that YES would bid; 0: there is none above the last bid."""

    @property
    def bids(self) -> tuple[int, int, int]:
        """By seat, the highest value that it has bid or held; 0: none."""

    @property
    def passed(self) -> tuple[bool, bool, bool]:
        """By seat, whether it has passed in the auction."""

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
        """What the soloist has announced."""

    @property
    def declaration(self) -> Declaration | None:
        """The declared game; None: not declared (yet)."""

    @property
    def tricks(self) -> tuple[int, int]:
        """The tricks of the soloist and of the defenders."""

    @property
    def points(self) -> tuple[int, int]:
        """The card points in tricks of the soloist and of the defenders; the skat is not in them."""

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the current trick; -1 outside the cardplay."""

    def side(self, seat: int) -> int:
        """0 for the soloist, 1 for a defender; -1 before there is a soloist."""

    def is_void(self, seat: int, group: int) -> bool:
        """Whether a seat has failed to follow a group of cards: 0..3 the suits D H S C, 4 the trumps."""

    def follow_mask(self, card: int) -> int:
        """The cards that follow a led card under the contract."""

@final
class SkatState(SkatPosition, StateMethods):
    """A whole game of Skat: all cards, all actions. Mutable; agents get `view(seat)` instead."""

    @staticmethod
    def new(deal: Deal, rules: SkatRules = ...) -> SkatState:
        """The state after the deal: middlehand bids to forehand."""

    @staticmethod
    def random(rng: np.random.Generator, rules: SkatRules = ..., deal: Deal | None = None) -> SkatState:
        """A fresh deal, its cards drawn unless they are given."""

    @staticmethod
    def after_auction(
        deal: Deal, declarer: int, bids: tuple[int, int, int], rules: SkatRules = ...
    ) -> SkatState:
        """A state with a given auction: the declarer is to pick up the skat or play hand.

        `bids` are the highest values that the seats bid or held, 0 for none; the declarer's is the highest.
        """

    @staticmethod
    def cardplay(
        deal: Deal,
        declarer: int,
        declaration: Declaration,
        bids: tuple[int, int, int],
        rules: SkatRules = ...,
    ) -> SkatState:
        """A state from which only the cards are played: forehand leads.

        The deal's skat is what lies there now: the discards, or in a hand game the skat as dealt.
        """

    def view(self, seat: int) -> SkatView:
        """What a seat may know."""

    def result(self, claim: bool | None = None) -> GameResult:
        """The `GameResult` of a finished game.

        `claim` gives the tricks that were not played to the soloist (True) or the defenders (False), as when a
        side shows its cards or resigns (in a null game: no more tricks for the soloist, or the soloist loses).

        Raises:
            ValueError: if the game is not over and no claim is given.
        """

    @property
    def matadors(self) -> int:
        """The matadors of the soloist's twelve cards: with positive, without negative; 0 in null games."""

    def outcome(self) -> Outcome | None:
        """What statistics count of a finished game; None if it is not over, or had no soloist."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state of a line that `text` wrote.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal where it stands.
        """

@final
class SkatView(SkatPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall (own discards included)."""

    @property
    def hand(self) -> int:
        """The seat's own cards."""

    def blank_state(self) -> SkatState:
        """A state without content, for belief code to write a world into."""

    @property
    def is_soloist(self) -> bool:
        """Whether the seat is the soloist."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The view of a line that `text` wrote.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
