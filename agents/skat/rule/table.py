"""A seat's knowledge when it plays a card: counted cards, and the chances that a hand holds some."""

from agents.skat.rule.layout import TRUMPS, Layout, layout_of, points_of
from skat_env.cards import ALL_CARDS_MASK
from skat_env.skat import SkatView

SOLOIST_TRUMP_SHARE = 0.72
"""The share of the hidden trumps that a defender expects in the soloist's hand. The partner has the rest, as trumps
are hardly ever discarded (Edelkamp 2020, section 4). Chosen by us: as a setting of the defenders in 2,000 suit
games, none of 0.60, 0.66, 0.78 and 0.85 did better."""


class Table:
    """A view of the cardplay, prepared for a decision. Cards are codes of the contract's layout."""

    __slots__ = (
        "banked",
        "best",
        "best_seat",
        "chances",
        "could",
        "hand",
        "hidden",
        "known",
        "layout",
        "led",
        "left",
        "legal",
        "position",
        "seat",
        "sides",
        "soloist",
        "table_points",
        "tricks_left",
        "trump_mask",
        "view",
    )  # fmt: skip

    layout: Layout
    view: SkatView
    seat: int
    soloist: int
    hand: int
    legal: int
    position: int
    """The place in the trick: 0 leads, 1 plays second, 2 last."""
    led: int
    """The code led; -1 when leading."""
    best: int
    """The code that wins the trick so far; -1 when leading."""
    best_seat: int
    table_points: int
    banked: tuple[int, int]
    """Card points taken by the soloist, with the skat if this seat knows it, and by the defenders."""
    hidden: int
    """The cards that this seat has not seen: the other hands, and the skat unless it knows it."""
    could: list[int]
    """The hidden cards that each seat may hold."""
    known: list[int]
    """The hidden cards that each seat is known to hold."""
    left: list[int]
    """The number of cards in each seat's hand."""
    chances: list[tuple[float, float]]
    """The chance of each seat to hold a (plain card, trump) that it may hold."""

    def __init__(self, view: SkatView) -> None:
        contract = view.contract
        assert contract is not None
        layout = self.layout = layout_of(contract)
        self.view = view
        seat = self.seat = view.seat
        soloist = self.soloist = view.soloist
        hand_cards = view.hand
        self.hand = layout.arrange(hand_cards)
        self.legal = layout.arrange(view.legal())
        self.trump_mask = layout.trumps
        trick = view.trick()
        self.position = len(trick)
        self.tricks_left = 10 - view.tricks_played
        self.led = self.best = self.best_seat = -1
        self.table_points = 0
        self.left = [self.tricks_left] * 3
        for player, card in trick:
            code = layout.code[card]
            self.left[player] -= 1
            self.table_points += layout.points[code]
            if self.best < 0:
                self.led = self.best = code
                self.best_seat = player
            elif layout.beaters[self.best] >> code & 1:
                self.best, self.best_seat = code, player
        own, theirs = view.points
        self.banked = (own + points_of(layout.arrange(view.skat), layout), theirs)
        seen = view.played_mask() | hand_cards | (view.skat if seat == soloist else 0)
        self.hidden = layout.arrange(ALL_CARDS_MASK & ~seen)
        self._place_cards()

    def _place_cards(self) -> None:
        """Infers who may hold what from failures to follow, open hands, and cards with only one place left."""
        view, layout, hidden = self.view, self.layout, self.hidden
        could, known, left = [0, 0, 0], [0, 0, 0], self.left
        others = ((self.seat + 1) % 3, (self.seat + 2) % 3)
        for other in others:
            void = 0
            for group, mask in enumerate(layout.groups):
                if hidden & mask and view.is_void(other, group):
                    void |= mask
            could[other] = hidden & ~void
        if self.seat != self.soloist and view.hands[self.soloist]:
            opened = layout.arrange(view.hands[self.soloist])
            partner = 3 - self.seat - self.soloist
            could[self.soloist] = known[self.soloist] = opened
            could[partner] &= ~opened
        first, second = others
        # A card that one of them cannot hold lies with the other, unless it lies in the skat. That is excluded if this
        # seat knows the skat, and for trumps, which are assumed never to be discarded.
        if hidden.bit_count() == left[first] + left[second]:
            placed = hidden
        else:
            placed = hidden & self.trump_mask if view.picked_up else 0
        known[first] |= could[first] & ~could[second] & placed
        known[second] |= could[second] & ~could[first] & placed
        self.could, self.known = could, known
        self.chances = [(0.0, 0.0)] * 3
        trumps = self.trump_mask
        for other in others:
            free = could[other] & ~known[other]
            slots = left[other] - known[other].bit_count()
            if free.bit_count() <= slots:
                known[other] |= free
                continue
            if slots <= 0:
                could[other] = known[other]
                continue
            free_trumps = (free & trumps).bit_count()
            free_plain = free.bit_count() - free_trumps
            if self.seat == self.soloist or not free_trumps:
                share = slots / (free_trumps + free_plain)
                self.chances[other] = (share, share)
                continue
            share = SOLOIST_TRUMP_SHARE if other == self.soloist else 1 - SOLOIST_TRUMP_SHARE
            share = _uncertain(min(share, slots / free_trumps))
            rest = (slots - share * free_trumps) / free_plain if free_plain else 0.0
            self.chances[other] = (_uncertain(rest), share)

    def chance(self, seat: int, mask: int) -> float:
        """The chance that a seat holds at least one of the cards; 0 and 1 are certain."""
        if mask & self.known[seat]:
            return 1.0
        mask &= self.could[seat]
        if not mask:
            return 0.0
        plain, trump = self.chances[seat]
        trumps = (mask & self.trump_mask).bit_count()
        missing: float = (1 - plain) ** (mask.bit_count() - trumps) * (1 - trump) ** trumps
        return 1 - missing

    def chance_of_ruff(self, seat: int, group: int) -> float:
        """The chance that a seat is void in a plain group and has a trump."""
        if group == TRUMPS:
            return 0.0
        void = 1 - self.chance(seat, self.layout.groups[group])
        return void and void * self.chance(seat, self.trump_mask)

    def chance_to_beat(self, seat: int, code: int, led: int) -> float:
        """The chance that a seat still to play can beat the winning code of a trick that `led` opened."""
        layout = self.layout
        group = layout.group[led]
        ruff = self.chance_of_ruff(seat, group)
        if layout.group[code] == group:
            return ruff + (1 - ruff) * self.chance(seat, layout.above[code] & self.hidden)
        if not ruff:
            return 0.0
        void = 1 - self.chance(seat, layout.groups[group])
        return void * self.chance(seat, layout.above[code] & self.hidden)

    def decides(self, points: int, win: float) -> float:
        """The chance that this trick wins the game for the own side, less the chance that it loses it.

        Args:
            points: the card points of the trick.
            win: the chance that the own side takes it.
        """
        soloist, defenders = self.banked
        wins_it = soloist < 61 <= soloist + points
        loses_it = defenders < 60 <= defenders + points
        if self.seat != self.soloist:
            wins_it, loses_it = loses_it, wins_it
        return win * wins_it - (1 - win) * loses_it


def _uncertain(chance: float) -> float:
    """Limits an estimate, which must not be as certain as 0 or 1."""
    return min(max(chance, 0.03), 0.97)
