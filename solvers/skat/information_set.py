"""What a player knows of a position of Skat in cardplay: its cards, and where those that it does not see may lie."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skat_env.beliefs.belief import Belief
from skat_env.cards import card_text, cards_of, mask_text
from skat_env.options import check_fields
from skat_env.skat._state import SkatView
from skat_env.skat.rules import CARD_POINTS, Contract, Phase


@dataclass(frozen=True, slots=True)
class InformationSet:
    """The worlds that a player, the viewer, thinks possible. Seats are counted from the viewer, who is 0.

    Raises:
        ValueError: if no game can lead to it, or no world is possible; OptionError, a subclass, if a field is of
            another kind.
    """

    contract: Contract
    soloist: int
    """The soloist, 0 to 2 seats after the viewer."""
    hand: int
    """The viewer's cards, as a mask."""
    can: tuple[int, int, int]
    """The cards that may lie in the hands of the next two players and in the skat, as masks."""
    sizes: tuple[int, int, int]
    """How many unseen cards these places hold; the skat: 2, or 0 if the viewer knows it."""
    leader: int = 0
    """The seat that led the current trick, or is to lead."""
    table: tuple[int, ...] = ()
    """The cards of the current trick, at most two, in the order played."""
    points: int = 0
    """The card points of the viewer's side so far; the soloist's include the skat's if it knows it."""
    tricks: int = 0
    """The tricks of the viewer's side so far."""

    def __post_init__(self) -> None:
        if self.contract not in list(Contract):
            raise ValueError(f"contract {self.contract} is not one of 0..5")
        check_fields(self, "an information set")
        for name, seat in (("soloist", self.soloist), ("leader", self.leader)):
            if seat not in range(3):
                raise ValueError(f"the {name} is {seat} seats after the viewer, not 0, 1 or 2")
        if len(self.table) > 2 or not all(card in range(32) for card in self.table):
            raise ValueError(f"on the table are {self.table}, not at most two cards 0..31")
        if len(self.can) != 3 or not all(0 <= mask < 1 << 32 for mask in (self.hand, *self.can)):
            raise ValueError("the hand and the cards that may lie at the three places are masks of 32 bits")
        unseen = self.can[0] | self.can[1] | self.can[2]
        seen = 0
        for mask in (self.hand, *(1 << card for card in self.table), unseen):
            if seen & mask:
                raise ValueError(f"{mask_text(seen & mask)} is there twice")
            seen |= mask
        if self.sizes[2] not in (0, 2):
            raise ValueError(f"the skat has {self.sizes[2]} unseen cards, not 0 or 2")
        if sum(self.sizes) != unseen.bit_count():
            raise ValueError(f"{unseen.bit_count()} unseen cards cannot fill places for {sum(self.sizes)}")
        held = [self.hand.bit_count(), self.sizes[0], self.sizes[1]]
        for number in range(len(self.table)):
            held[(self.leader + number) % 3] += 1
        if len(set(held)) > 1 or not 1 <= held[0] <= 10:
            raise ValueError(
                f"the players have {self.hand.bit_count()}, {self.sizes[0]} and {self.sizes[1]} cards with "
                f"{len(self.table)} on the table: each must come to the same number, 1 to 10"
            )
        if not 0 <= self.tricks <= self.tricks_played:
            raise ValueError(f"the viewer's side has {self.tricks} tricks of {self.tricks_played} played")
        left = sum(CARD_POINTS[card & 7] for card in cards_of(seen))
        if not 0 <= self.points <= 120 - left:
            raise ValueError(f"the viewer's side has {self.points} card points, with {left} still to be won")

    @classmethod
    def of(cls, view: SkatView, possible: NDArray[np.bool_] | None = None) -> Self:
        """What a view proves.

        Args:
            view: the view of a seat in cardplay.
            possible: bool [32, 4], whether each unknown card can be in the hands of the seats 0 to 2 and in the skat;
                None: what `Belief(view).possible()` says. Less than that makes it an assumption.

        Raises:
            ValueError: if the view is not in cardplay, or no world is possible.
        """
        if view.contract is None or view.phase != Phase.PLAY:
            raise ValueError(
                f"an information set needs a game in cardplay, this one is in phase {view.phase.name}"
            )
        if possible is None:
            possible = Belief(view).possible()
        masks = [sum(1 << int(card) for card in np.flatnonzero(column)) for column in possible.T]
        me = view.seat
        others = [(me + 1) % 3, (me + 2) % 3]
        played = [sum(seat == who for seat, _ in view.plays()) for who in range(3)]
        own = int(me != view.soloist)
        known_skat = view.skat if own == 0 else 0
        return cls(
            view.contract,
            (view.soloist - me) % 3,
            view.hands[me],
            (masks[others[0]] | view.hands[others[0]], masks[others[1]] | view.hands[others[1]], masks[3]),
            (10 - played[others[0]], 10 - played[others[1]], 0 if known_skat else 2),
            (view.leader - me) % 3,
            tuple(card for _, card in view.trick()),
            view.points[own] + sum(CARD_POINTS[card & 7] for card in cards_of(known_skat)),
            view.tricks[own],
        )

    @property
    def to_act(self) -> int:
        """The seat to act, counted from the viewer."""
        return (self.leader + len(self.table)) % 3

    @property
    def tricks_played(self) -> int:
        """The number of complete tricks."""
        return (
            10
            - self.hand.bit_count()
            - any((self.leader + number) % 3 == 0 for number in range(len(self.table)))
        )

    def text(self) -> str:
        """The information set in messages."""
        can = "/".join(mask_text(mask) for mask in self.can)
        table = ".".join(card_text(card) for card in self.table) or "-"
        return (
            f"{self.contract.name.lower()} of the player {self.soloist} seats on: {mask_text(self.hand)}, others "
            f"{can}, table {table} led {self.leader} seats on"
        )
