"""`rule`: the rule-based Klaverjas player of Hordijk 2022, in two variants, with a simple choice of trumps.

`figure4` plays by Figure 4 of Aaldering 2023, `thesis` like the published code of that thesis. Neither source describes
the choice of trumps; both variants use the one below.

Points are card points in the trump suit of the game. Among equally good cards the first one is played: `figure4` goes
through the hand in ascending card numbers (`suit * 8 + rank`), `thesis` in the order in which it was dealt. A card is
"left" while it lies in no complete trick.
"""

import functools
import random
from collections.abc import Callable
from typing import Final, Literal, get_args

import numpy as np

from skat_env.cards import ACE, RANKS, cards_of, rank_mask, suit_mask
from skat_env.errors import UnknownName
from skat_env.klaverjas import GAME, KlaverjasView
from skat_env.klaverjas.rules import (
    NAME,
    PASS,
    PLAIN_POINTS,
    PLAIN_RANKS,
    TRUMP_POINTS,
    TRUMP_RANKS,
)
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import require_views
from skat_env.protocols import Decision

Variant = Literal["figure4", "thesis"]

POINTS: Final = tuple(
    tuple((TRUMP_POINTS if card >> 3 == trump else PLAIN_POINTS)[card & 7] for card in range(32))
    for trump in range(4)
)
"""Card points, by trump suit and card."""
POWER: Final = tuple(
    tuple(
        8 + TRUMP_RANKS.index(RANKS[card & 7]) if card >> 3 == trump else PLAIN_RANKS.index(RANKS[card & 7])
        for card in range(32)
    )
    for trump in range(4)
)
"""Strength, by trump suit and card: 0..7 for plain cards, 8..15 for trumps."""


def _top_rank(ranks: int, order: str) -> int:
    """The highest of the ranks given as bits; -1 if there is none."""
    return max(
        (rank for rank in range(8) if ranks >> rank & 1), key=lambda r: order.index(RANKS[r]), default=-1
    )


TOP_RANK: Final = tuple(
    tuple(_top_rank(ranks, order) for ranks in range(256)) for order in (PLAIN_RANKS, TRUMP_RANKS)
)
"""The highest rank left, by plain suit (0) or trumps (1) and the ranks left as bits; -1 if none."""


@functools.lru_cache(maxsize=4096)
def dealt_order(hand: int) -> dict[int, int]:
    """The position of each card in the order in which a hand was dealt.

    A view does not hold this order, so it is drawn, always alike for the same eight cards. Sorted hands would score
    about two points per round more against search.
    """
    cards = cards_of(hand)
    random.Random(hand).shuffle(cards)
    return {card: place for place, card in enumerate(cards)}


class Table:
    """What the rules look at to play a card."""

    __slots__ = ("left", "legal", "points", "power", "trick", "trump", "winner", "winner_is_partner")

    trump: int
    legal: list[int]
    """The legal cards, in the order of the hand."""
    trick: list[int]
    """The cards on the table, in the order played."""
    winner: int
    """The card that wins the trick so far; -1 when leading."""
    winner_is_partner: bool
    left: int
    """The cards that lie in no complete trick, as bits: hands and table."""
    points: tuple[int, ...]
    power: tuple[int, ...]

    def __init__(self, view: KlaverjasView, as_dealt: bool = False) -> None:
        trump = view.trump
        assert trump is not None
        self.trump = trump
        self.legal = view.legal_actions()
        if as_dealt:
            self.legal.sort(key=dealt_order(view.dealt[view.seat]).__getitem__)
        self.points, self.power = POINTS[trump], POWER[trump]
        self.trick, self.winner, self.winner_is_partner = [], -1, False
        left = ~view.played_mask()
        winning = view.winning()
        for seat, card in view.trick() if winning >= 0 else ():
            self.trick.append(card)
            left |= 1 << card
            if seat == winning:
                self.winner = card
        self.winner_is_partner = winning >= 0 and winning ^ view.seat == 2
        self.left = left

    @property
    def follows(self) -> bool:
        """Whether the hand has the suit led."""
        return self.legal[0] >> 3 == self.trick[0] >> 3

    def top(self, suit: int) -> int:
        """The highest card left of a suit; one at least must be left."""
        return suit * 8 + TOP_RANK[suit == self.trump][self.left >> suit * 8 & 0xFF]

    def cheapest(self) -> int:
        """The legal card with the fewest points."""
        return min(self.legal, key=self.points.__getitem__)

    def dearest(self) -> int:
        """The legal card with the most points."""
        return max(self.legal, key=self.points.__getitem__)


def lead(table: Table) -> int:
    """The first card that is the highest left of its suit, otherwise the cheapest; the same in both variants."""
    for card in table.legal:
        if card == table.top(card >> 3):
            return card
    return table.cheapest()


def figure4_card(table: Table) -> int:
    """The card by Figure 4 of Aaldering 2023."""
    position = len(table.trick)
    if position == 0:
        return lead(table)
    if position == 3:
        if table.winner_is_partner:
            return table.dearest()
        beats = (table.winner >> 3, table.trump)
        needed = table.power[table.winner]
        for card in table.legal:
            if table.power[card] > needed and card >> 3 in beats:
                return card
        return table.cheapest()
    top = table.top(table.trick[0] >> 3)
    if position == 1:
        return top if top in table.legal else table.cheapest()
    if table.follows and table.trick[0] == top:
        return table.dearest()
    return table.cheapest()


def thesis_card(table: Table) -> int:
    """The card by the published code (github.com/Bart-Aaldering/Klaverjas_thesis, `Lennard/rule_based_agent.py`).

    It differs from Figure 4: ranks are compared regardless of suit, and the third player's test whether it can follow
    suit is inverted.
    """
    position = len(table.trick)
    if position == 0:
        return lead(table)
    if position == 3:
        if table.winner_is_partner:
            return table.dearest()
        needed = table.power[table.winner]
        for card in table.legal:
            if table.power[card] > needed:
                return card
        return table.cheapest()
    top = table.top(table.trick[0] >> 3)
    if position == 2:
        if table.follows:
            return table.cheapest()
        if table.trick[0] == top:
            return table.dearest()
    for card in table.legal:
        if card & 7 == top & 7:
            return card
    return table.cheapest()


CARDS: Final[dict[str, Callable[[Table], int]]] = {"figure4": figure4_card, "thesis": thesis_card}


TRUMP_VALUES: Final = (32, 32, 62, 32, 102, 32, 32, 47)
"""The worth of a trump in the declarer's hand, by rank 7 8 9 T J Q K A."""
SIDE_ACE_VALUE: Final = 40
NO_CARDS_VALUE: Final = -200
"""The three are rounded from a linear fit of the score difference to the hand, over the 160,000 ways to name a suit of
two or more cards on 15,000 random deals, each played out by `rule` at all seats."""
MIN_STRENGTH: Final = -10
"""A player who may pass does so if every suit is weaker than this. Chosen by us: on 20,000 deals, each played twice
with sides changed, each of -30, -20, 0, 10 and 20 lost 1.7 to 3.8 points per round to it."""


def suit_strength(hand: int, trump: int) -> int:
    """The score difference that the declarer's team can expect from a hand with a trump suit."""
    strength = NO_CARDS_VALUE
    ranks = hand >> trump * 8 & 0xFF
    for rank in range(8):
        if ranks >> rank & 1:
            strength += TRUMP_VALUES[rank]
    return strength + SIDE_ACE_VALUE * (hand & rank_mask(ACE) & ~suit_mask(trump)).bit_count()


def choose_trumps(view: KlaverjasView) -> int:
    """The hand's strongest suit, or a pass if it is too weak and passing is allowed."""
    strengths = [suit_strength(view.hand, trump) for trump in range(4)]
    best = max(strengths)
    if best < MIN_STRENGTH and view.legal() >> PASS & 1:
        return PASS
    return NAME + strengths.index(best)


class RuleAgent:
    """Plays by a few fixed rules; deterministic.

    Args:
        variant: `figure4`: by Figure 4 of Aaldering 2023; `thesis`: as the code published with it.

    Raises:
        UnknownName: if there is no such variant.
    """

    @checked_options("rule")
    def __init__(self, variant: str = "figure4") -> None:
        if variant not in CARDS:
            raise UnknownName("variant", str(variant), get_args(Variant))
        self.name = own_text(self, "rule")
        self._card = CARDS[variant]
        self._as_dealt = variant == "thesis"

    def decide(self, view: KlaverjasView, rng: np.random.Generator) -> Decision:
        """A legal action; `rng` is not used.

        Raises:
            ValueError: if the view is of another game, or its seat is not to act.
        """
        require_views(GAME, [view])
        if view.trump is None:
            return Decision(choose_trumps(view))
        return Decision(self._card(Table(view, self._as_dealt)))
