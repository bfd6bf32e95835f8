"""A seat's knowledge when it plays a card: counted cards, and the chances that a hand holds some."""

from cython cimport final
from libc.math cimport pow
from libc.stdint cimport uint32_t
from libc.string cimport memset

from skat_env.agents.skat.rule.layout import layout_of
from skat_env._bits cimport bit, popcount
from skat_env.skat._rules cimport CONTRACTS, GROUPS, PLAY, SKAT, SkatData, TRICKS, TRUMP_GROUP
from skat_env.skat._state cimport SkatView

SOLOIST_TRUMP_SHARE = 0.72
cdef double SHARE = SOLOIST_TRUMP_SHARE

cdef Codes CODES[CONTRACTS]
cdef list LAYOUTS = [layout_of(contract) for contract in range(CONTRACTS)]


cdef int read_layout(Codes* codes, object layout) except -1:
    """A layout in C."""
    cdef int each, byte, suit
    for each in range(32):
        codes.card[each] = layout.card[each]
        codes.code[layout.card[each]] = each
        codes.group[each] = layout.group[each]
        codes.points[each] = layout.points[each]
        codes.above[each] = layout.above[each]
        codes.beaters[each] = layout.beaters[each]
    for each in range(GROUPS):
        codes.groups[each] = layout.groups[each]
    for suit in range(4):
        for byte in range(256):
            codes.bytes[suit][byte] = layout.arrange(<uint32_t>byte << 8 * suit)
    return 0


cdef int read_layouts() except -1:
    cdef int contract
    for contract in range(CONTRACTS):
        read_layout(&CODES[contract], LAYOUTS[contract])
    return 0


read_layouts()


cdef const Codes* layout_codes(int contract) noexcept nogil:
    """The layout of a contract."""
    return &CODES[contract]


@final
cdef class Situation:
    def __init__(self, SkatView view not None):
        cdef const SkatData* s = &view.d
        cdef const Codes* codes
        cdef uint32_t seen, skat
        cdef int first, player, code, i
        if s.phase != PLAY or s.to_act != s.viewer:
            raise ValueError("the view is not of a cardplay in which its seat is to play")
        codes = self.codes = &CODES[s.contract]
        self.layout = LAYOUTS[s.contract]
        self.view = view
        self.seat = s.viewer
        self.soloist = s.soloist
        self.hand = arrange(codes, s.hands[self.seat])
        self.legal = arrange(codes, <uint32_t>view.legal_now())
        self.trump_mask = codes.groups[TRUMP_GROUP]
        self.position = s.plays % 3
        self.tricks_left = TRICKS - s.plays // 3
        self.led = self.best = self.best_seat = -1
        self.table_points = 0
        for player in range(3):
            self.cards_left[player] = self.tricks_left
        first = s.length - self.position
        for i in range(self.position):
            player = (s.leaders[s.plays // 3] + i) % 3
            code = codes.code[s.history[first + i]]
            self.cards_left[player] -= 1
            self.table_points += codes.points[code]
            if self.best < 0:
                self.led = self.best = code
                self.best_seat = player
            elif codes.beaters[self.best] >> code & 1:
                self.best, self.best_seat = code, player
        skat = s.hands[SKAT]
        self.soloist_points = s.points[0] + points_of(codes, arrange(codes, skat))
        self.defender_points = s.points[1]
        seen = s.hands[self.seat] | (skat if self.seat == self.soloist else 0)
        for i in range(s.length - s.plays, s.length):
            seen |= bit(s.history[i])
        self.hidden = arrange(codes, ~seen)
        self.place_cards()

    cdef int place_cards(self) except -1:
        """Infers who may hold what from failures to follow, open hands, and cards with only one place left."""
        cdef const SkatData* s = &(<SkatView>self.view).d
        cdef const Codes* codes = self.codes
        cdef uint32_t hidden = self.hidden, trumps = self.trump_mask, gone, opened, placed, free
        cdef int first = (self.seat + 1) % 3, second = (self.seat + 2) % 3
        cdef int other, partner, group, slots, free_trumps, free_plain, turn
        cdef double share, rest
        memset(self.can_hold, 0, sizeof(self.can_hold))
        memset(self.holds, 0, sizeof(self.holds))
        memset(self.plain_chance, 0, sizeof(self.plain_chance))
        memset(self.trump_chance, 0, sizeof(self.trump_chance))
        for turn in range(1, 3):
            other = (self.seat + turn) % 3
            gone = 0
            for group in range(GROUPS):
                if s.void_since[other][group]:
                    gone |= codes.groups[group]
            self.can_hold[other] = hidden & ~gone
        if self.seat != self.soloist and s.hands[self.soloist]:
            opened = arrange(codes, s.hands[self.soloist])
            partner = 3 - self.seat - self.soloist
            self.can_hold[self.soloist] = self.holds[self.soloist] = opened
            self.can_hold[partner] &= ~opened
        # A card that one of them cannot hold lies with the other, unless it lies in the skat. That is excluded if this
        # seat knows the skat, and for trumps, which are assumed never to be discarded.
        if popcount(hidden) == self.cards_left[first] + self.cards_left[second]:
            placed = hidden
        else:
            placed = hidden & trumps if s.picked_up else 0
        self.holds[first] |= self.can_hold[first] & ~self.can_hold[second] & placed
        self.holds[second] |= self.can_hold[second] & ~self.can_hold[first] & placed
        for turn in range(1, 3):
            other = (self.seat + turn) % 3
            free = self.can_hold[other] & ~self.holds[other]
            slots = self.cards_left[other] - popcount(self.holds[other])
            if popcount(free) <= slots:
                self.holds[other] |= free
                continue
            if slots <= 0:
                self.can_hold[other] = self.holds[other]
                continue
            free_trumps = popcount(free & trumps)
            free_plain = popcount(free) - free_trumps
            if self.seat == self.soloist or not free_trumps:
                share = <double>slots / (free_trumps + free_plain)
                self.plain_chance[other] = self.trump_chance[other] = share
                continue
            share = SHARE if other == self.soloist else 1 - SHARE
            share = uncertain(min(share, <double>slots / free_trumps))
            rest = (slots - share * free_trumps) / free_plain if free_plain else 0.0
            self.plain_chance[other] = uncertain(rest)
            self.trump_chance[other] = share
        return 0

    @property
    def banked(self):
        return self.soloist_points, self.defender_points

    @property
    def could(self):
        return [self.can_hold[seat] for seat in range(3)]

    @property
    def known(self):
        return [self.holds[seat] for seat in range(3)]

    @property
    def left(self):
        return [self.cards_left[seat] for seat in range(3)]

    @property
    def chances(self):
        return [(self.plain_chance[seat], self.trump_chance[seat]) for seat in range(3)]

    cpdef double chance(self, int seat, uint32_t mask) noexcept:
        cdef int trumps, plain
        cdef double missing
        if mask & self.holds[seat]:
            return 1.0
        mask &= self.can_hold[seat]
        if not mask:
            return 0.0
        trumps = popcount(mask & self.trump_mask)
        plain = popcount(mask) - trumps
        missing = 1.0
        if plain:
            missing = pow(1 - self.plain_chance[seat], plain)
        if trumps:
            missing = missing * pow(1 - self.trump_chance[seat], trumps)
        return 1 - missing

    cpdef double chance_of_ruff(self, int seat, int group) noexcept:
        cdef double without
        if group == TRUMP_GROUP:
            return 0.0
        without = 1 - self.chance(seat, self.codes.groups[group])
        return without * self.chance(seat, self.trump_mask) if without else 0.0

    cdef double chance_to_beat(self, int seat, int code, int led) noexcept:
        """The chance that a seat still to play can beat the winning code of a trick that `led` opened."""
        cdef const Codes* codes = self.codes
        cdef int group = codes.group[led]
        cdef double ruff = self.chance_of_ruff(seat, group)
        if codes.group[code] == group:
            return ruff + (1 - ruff) * self.chance(seat, codes.above[code] & self.hidden)
        if not ruff:
            return 0.0
        return (1 - self.chance(seat, codes.groups[group])) * self.chance(seat, codes.above[code] & self.hidden)

    cdef double decides(self, int points, double win) noexcept:
        """The chance that this trick wins the game for the own side, less the chance that it loses it.

        `points` are the card points of the trick, `win` is the chance that the own side takes it.
        """
        cdef bint wins_it = self.soloist_points < 61 <= self.soloist_points + points
        cdef bint loses_it = self.defender_points < 60 <= self.defender_points + points
        if self.seat != self.soloist:
            wins_it, loses_it = loses_it, wins_it
        return win * wins_it - (1 - win) * loses_it


cdef int points_of(const Codes* codes, uint32_t mask) noexcept nogil:
    """The card points of a set of codes."""
    cdef int total = 0
    while mask:
        total += codes.points[next_code(&mask)]
    return total


cdef inline double uncertain(double chance) noexcept nogil:
    """Limits an estimate, which must not be as certain as 0 or 1."""
    return min(max(chance, 0.03), 0.97)
