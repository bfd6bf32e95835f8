"""The reactive players in plain Python: sets of codes, a class for what a player sees, a function for each rule.

Chances are computed in single precision where the kernel does so and a comparison depends on it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.rule.layout import TRUMPS, layout_of
from skat_env.skat import SkatView
from skat_env.skat.rules import Contract

Tables = Mapping[str, NDArray[np.float32]]
"""The chances of opening tables, by the names of `SHAPES`; below 0: not known."""
DIAMOND_JACK, HEART_JACK = 28, 29
SAFE = 0.45
SOLOIST_TRUMPS = 0.72


class PlainReactive:
    """A player of a suit or grand game before its card, and the rules that are on."""

    def __init__(self, view: SkatView, tables: Tables, rules: set[str]) -> None:
        assert view.contract is not None
        layout = self.layout = layout_of(view.contract)
        self.tables, self.rules = tables, rules
        self.contract = view.contract
        self.grand = view.contract == Contract.GRAND
        self.seat, self.soloist = view.seat, view.soloist
        self.alone = self.seat == self.soloist
        self.partner = None if self.alone else 3 - self.seat - self.soloist
        self.picked_up = not view.hand_game
        self.plain = [group for group in range(4) if layout.groups[group]]
        self.trumps = self.group(TRUMPS)
        self.hand = self.codes(view.hand)
        self.legal = {layout.code[card] for card in view.legal_actions()}
        plays = [(seat, layout.code[card]) for seat, card in view.plays()]
        knows_skat = self.alone and self.picked_up
        seen = self.hand | {code for _, code in plays} | (self.codes(view.skat) if knows_skat else set())
        self.hidden = set(range(32)) - seen
        self.could = {seat: set(self.hidden) for seat in range(3)}
        self.banked = [self.points(self.codes(view.skat)) if knows_skat else 0, 0]
        self.position = len(plays) % 3
        self.trump_leads = self.cuts_made = self.drops = 0
        self.opened: set[int] = set()
        self.partner_suit: int | None = None
        self.partner_drop: int | None = None
        self.led = self.best = self.best_seat = -1
        trick: list[tuple[int, int]] = []
        for first in range(0, len(plays), 3):
            trick = plays[first : first + 3]
            self.read(trick)
        if self.position == 0:
            trick = []
            self.led = self.best = self.best_seat = -1
        self.table_points = self.points({code for _, code in trick})
        self.left = {seat: 10 - len(plays) // 3 - (seat in {who for who, _ in trick}) for seat in range(3)}

    def read(self, trick: list[tuple[int, int]]) -> None:
        """Remembers what a trick tells."""
        layout = self.layout
        self.best_seat, self.led = trick[0]
        self.best = self.led
        for number, (seat, code) in enumerate(trick):
            group, led = layout.group[code], layout.group[self.led]
            if number == 0:
                self.trump_leads += seat == self.seat and group == TRUMPS
                if seat != self.soloist and group != TRUMPS:
                    self.opened.add(group)
                    if seat == self.partner:
                        self.partner_suit = group
                continue
            if group != led:
                self.could[seat] -= self.group(led)
                self.cuts_made += seat == self.seat and group == TRUMPS
                if group != TRUMPS:
                    self.drops += seat == self.seat
                    if seat == self.partner and self.partner_drop is None:
                        self.partner_drop = group
            if layout.beaters[self.best] >> code & 1:
                self.best, self.best_seat = code, seat
        if len(trick) == 3:
            self.banked[self.best_seat != self.soloist] += self.points({code for _, code in trick})

    # Sets of codes.

    def codes(self, cards: int) -> set[int]:
        mask = self.layout.arrange(cards)
        return {code for code in range(32) if mask >> code & 1}

    def group(self, group: int) -> set[int]:
        return {code for code in range(32) if self.layout.group[code] == group}

    def of(self, cards: set[int], group: int) -> set[int]:
        return {code for code in cards if self.layout.group[code] == group}

    def points(self, cards: set[int]) -> int:
        return sum(self.layout.points[code] for code in cards)

    def above(self, code: int) -> set[int]:
        return {other for other in self.group(self.layout.group[code]) if other > code}

    def standing(self, cards: set[int]) -> set[int]:
        return {code for code in cards if not self.above(code) & self.hidden}

    def full(self, cards: set[int]) -> set[int]:
        return {code for code in cards if self.layout.points[code] >= 10}

    def stands(self, group: int) -> bool:
        """Whether the highest card of a group in hand beats all hidden ones of it."""
        return max(self.of(self.hand, group), default=-1) > max(self.of(self.hidden, group), default=-1)

    def cost(self, code: int) -> np.float32:
        if code >= DIAMOND_JACK:
            return np.float32(6 + 0.3 * (code - DIAMOND_JACK))
        trump = 1.5 if code in self.trumps else 0
        return np.float32(self.layout.points[code] + 0.05 * (code % 7) + trump)

    def cheapest(self, cards: set[int]) -> int:
        return min(sorted(cards), key=self.cost)

    def dearest(self, cards: set[int]) -> int:
        return max(sorted(cards), key=lambda code: self.layout.points[code])

    def follows(self) -> bool:
        return bool(self.of(self.hand, self.layout.group[self.led]))

    def winners(self) -> set[int]:
        if self.led < 0:
            return set()
        return {code for code in self.legal if self.layout.beaters[self.best] >> code & 1}

    # Chances.

    def holds(self, seat: int, cards: set[int]) -> float:
        other = 3 - self.seat - seat
        in_skat = len(self.hidden) - self.left[seat] - self.left[other]
        may = cards & self.could[seat]
        sure = may - self.could[other]
        if not may:
            return 0.0
        if sure and (in_skat == 0 or (self.picked_up and sure & self.trumps)):
            return 1.0
        trumps = len(self.hidden & self.trumps)
        plain = len(self.hidden) - trumps
        if self.alone or trumps == 0:
            of_trumps = of_plain = self.left[seat] / (self.left[seat] + self.left[other] + in_skat)
        else:
            of_trumps = SOLOIST_TRUMPS if seat == self.soloist else 1 - SOLOIST_TRUMPS
            of_trumps = min(of_trumps, self.left[seat] / trumps)
            of_plain = (self.left[seat] - of_trumps * trumps) / plain if plain else 0
            of_plain = min(max(of_plain, 0.03), 0.97)
        return 1 - (1 - of_trumps) ** len(may & self.trumps) * (1 - of_plain) ** len(may - self.trumps)

    def beaten(self, seat: int, code: int) -> float:
        led = self.layout.group[self.led]
        if led == TRUMPS:
            return self.holds(seat, self.above(code))
        void = 1 - self.holds(seat, self.group(led))
        if code in self.trumps:
            return void * self.holds(seat, self.above(code))
        return void * self.holds(seat, self.trumps) + (1 - void) * self.holds(seat, self.above(code))

    def safe(self, cards: set[int], behind: int) -> set[int]:
        return {code for code in cards if self.beaten(behind, code) <= SAFE}

    def falls(self, behind: int) -> bool:
        return self.beaten(behind, self.best) >= 1 - SAFE

    # Opening tables.

    def side(self) -> int:
        return 2 * self.grand + (not self.alone)

    def of_suit(self, group: int) -> NDArray[np.float32] | None:
        """The chances of a plain suit's cards, float32 [7]; None: not known, or not asked."""
        if self.led >= 0:
            turn = 3 if self.best_seat == self.partner else 2
        elif self.alone:
            turn = bool(self.hidden & self.trumps)
        else:
            turn = (self.seat + 1) % 3 == self.partner
        address = 0
        for code in sorted(self.group(group), reverse=True):
            address = 3 * address + (0 if code in self.hidden else 1 if code in self.hand else 2)
        chances: NDArray[np.float32] = self.tables["suit"][4 * self.side() + turn, address]
        return chances if "suit_priorities" in self.rules and chances[0] >= 0 else None

    def trump_of_table(self, cards: set[int], cutting: bool) -> int | None:
        if "trump_tables" not in self.rules:
            return None
        table = (2 + (self.cuts_made > 0) if cutting else self.trump_leads > 0) + 4 * (not self.alone)
        lowest = min(self.trumps)
        pattern = 2048 * self.grand + sum(1 << code - lowest for code in self.hand & self.trumps)
        best, highest = None, np.float32(0)
        for code in sorted(cards):
            chance = self.tables["trump"][table, pattern, code - lowest]
            if chance > highest:
                best, highest = code, chance
        return best

    # The six players.

    def card(self) -> int:
        """The card that is played."""
        return self.layout.card[self.code()]

    def code(self) -> int:
        if len(self.legal) == 1:
            return min(self.legal)
        decisive = self.decisive() if "decisive_trick" in self.rules else None
        if decisive is not None:
            return decisive
        behind = (self.seat + 1) % 3
        if self.alone:
            if self.position == 0:
                return (
                    self.trump_to_lead() if self.leads_trump() else self.suit_to_lead(self.hand - self.trumps)
                )
            if self.position == 1:
                winners = self.winners()
                return self.take_or_drop(self.safe(winners, behind) if self.follows() else winners, behind)
            return self.take_or_drop(self.winners(), None)
        if self.position == 0:
            code = self.opponent_leads()
        elif self.position == 1:
            code = self.opponent_second(behind)
        elif self.best_seat == self.partner:
            code = self.smear()
        else:
            code = self.take_or_drop(self.winners(), None)
        if "red_jack" in self.rules and code == DIAMOND_JACK and HEART_JACK in self.legal:
            return HEART_JACK
        return code

    def opponent_leads(self) -> int:
        plain = self.hand - self.trumps
        if (
            "return_suit" in self.rules
            and self.partner_suit is not None
            and self.of(plain, self.partner_suit)
        ):
            return self.card_of_suit(self.partner_suit)
        if "pairing_discard" in self.rules and self.partner_drop is not None:
            suit = self.partner_drop ^ 1
            if suit in self.plain and self.of(plain, suit):
                return self.card_of_suit(suit)
        if "antisuit" in self.rules and self.grand:
            long = [suit for suit in self.plain if len(self.of(self.hand, suit)) > 2 and self.stands(suit)]
            if long:
                return max(self.of(self.hand, max(long, key=lambda suit: len(self.of(self.hand, suit)))))
        if self.leads_trump():
            return self.trump_to_lead()
        known = {code for code in plain if self.layout.group[code] in self.opened}
        if "no_third_suit" in self.rules and len(self.opened) >= 2 and known:
            plain = known
        return self.suit_to_lead(plain)

    def opponent_second(self, behind: int) -> int:
        winners = self.winners()
        if behind == self.soloist:
            if self.beaten(behind, self.best) <= SAFE:
                return self.smear()
            return self.take_or_drop(self.safe(winners, behind), behind)
        if self.follows():
            if winners:
                return self.taking(winners)
            return self.smear() if self.falls(behind) else self.cheapest(self.legal)
        if self.cuts(winners):
            return self.trump_to_cut(winners, None)
        return self.smear() if self.falls(behind) else self.card_to_drop()

    def take_or_drop(self, winners: set[int], behind: int | None) -> int:
        if self.follows():
            return self.taking(winners) if winners else self.cheapest(self.legal)
        return self.trump_to_cut(winners, behind) if self.cuts(winners) else self.card_to_drop()

    def decisive(self) -> int | None:
        own, other = self.banked if self.alone else self.banked[::-1]
        goal = 61 if self.alone else 60
        winners = self.winners()
        if self.position != 2 or own >= goal:
            return None
        if not self.alone and self.best_seat == self.partner:
            code = self.dearest(self.legal)
            return code if own + self.table_points + self.layout.points[code] >= goal else None
        if not winners:
            return None
        code = self.dearest(winners)
        if own + self.table_points + self.layout.points[code] >= goal:
            return code
        rest = self.legal - winners
        loses = rest and other + self.table_points + self.layout.points[self.cheapest(rest)] >= 121 - goal
        return code if loses else None

    def leads_trump(self) -> bool:
        mine, theirs = self.hand & self.trumps, self.hidden & self.trumps
        if not mine or mine == self.hand:
            return bool(mine)
        few = not self.grand and len(mine) <= 2 and len(mine) <= len(theirs)
        if "few_trumps" in self.rules and self.alone and few:
            return False
        if "draw_trumps" in self.rules and self.alone:
            return bool(theirs) and 2 * len(mine) >= len(theirs)
        if "trump_or_suit" in self.rules:
            high = sum(code > max(theirs, default=-1) for code in mine)
            sure = sum(self.stands(suit) for suit in self.plain)
            address = ((12 * len(mine) + len(theirs)) * 5 + min(high, 4)) * 4 + min(sure, 3)
            chance = self.tables["lead_trump"][self.side(), address]
            return bool(chance >= 0.5)
        return False

    def cuts(self, winners: set[int]) -> bool:
        if not winners or not self.hand - self.trumps:
            return bool(winners)
        if "cut_or_drop" in self.rules:
            points = sum(self.table_points >= least for least in (1, 5, 10, 12, 16))
            place = 2 * (self.position - 1) + (self.best_seat == self.partner)
            mine = min(len(self.hand & self.trumps), 8) - 1
            address = ((6 * place + points) * 8 + mine) * 12 + len(self.hidden & self.trumps)
            chance = self.tables["cut"][self.side(), address]
            if chance >= 0:
                return bool(chance >= 0.5)
        return self.table_points >= 4

    def trump_to_lead(self) -> int:
        mine = self.hand & self.trumps
        code = self.trump_of_table(mine, cutting=False)
        if code is not None:
            return code
        return max(mine) if self.stands(TRUMPS) else self.cheapest(mine)

    def trump_to_cut(self, winners: set[int], behind: int | None) -> int:
        code = self.trump_of_table(winners, cutting=True)
        if code is not None:
            return code
        sure = winners if behind is None else self.safe(winners, behind)
        return self.taking(sure) if sure else self.cheapest(winners)

    def suit_to_lead(self, cards: set[int]) -> int:
        suits = [suit for suit in self.plain if self.of(cards, suit)]
        return self.card_of_suit(max(suits, key=self.priority))

    def priority(self, suit: int) -> np.float32:
        chances = self.of_suit(suit)
        if chances is not None:
            return max(np.float32(0), chances.max())
        return np.float32(0.5 if self.stands(suit) else 0.3 - 0.02 * len(self.of(self.hand, suit)))

    def card_of_suit(self, suit: int) -> int:
        held, ace, chances = self.of(self.hand, suit), max(self.group(suit)), self.of_suit(suit)
        if not self.alone and "under_ace" not in self.rules and ace in held:
            return ace
        if chances is not None:
            return max(sorted(held), key=lambda code: chances[code % 7])
        return max(held) if self.stands(suit) else self.cheapest(held)

    def card_to_drop(self) -> int:
        plain = self.legal - self.trumps
        if not plain:
            return self.cheapest(self.legal)
        if "pairing_discard" in self.rules and not self.alone and not self.drops:
            for suit in self.plain:
                held = self.of(self.hand, suit)
                has_ace = suit ^ 1 in self.plain and max(self.group(suit ^ 1)) in self.hand
                if has_ace and len(held) > 1 and self.layout.points[min(held)] == 0:
                    return min(held)
        return max(sorted(plain), key=self.worth_dropping)

    def worth_dropping(self, code: int) -> np.float32:
        suit = self.layout.group[code]
        chances, last = self.of_suit(suit), len(self.of(self.legal, suit)) == 1 and self.alone
        if chances is not None:
            return chances[code % 7]
        return np.float32(0.3 - 0.025 * self.layout.points[code] + 0.05 * last)

    def smear(self) -> int:
        plain = self.legal - self.trumps
        full = self.full(plain or self.legal)
        weak = full - self.standing(full)
        if "secure_fulls" in self.rules and weak:
            return self.dearest(weak)
        if plain:
            return self.dearest(plain)
        low = set() if self.grand else {code for code in self.legal if code < DIAMOND_JACK}
        return self.dearest(low) if low else min(self.legal)

    def taking(self, winners: set[int]) -> int:
        weak = winners - self.standing(winners)
        if "secure_fulls" in self.rules and self.full(weak):
            return self.dearest(self.full(weak))
        if weak:
            return self.cheapest(weak) if weak & self.trumps else self.dearest(weak)
        return self.cheapest(winners)
