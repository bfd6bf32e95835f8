"""What a player of a suit or grand game sees when it is to play; the fields are explained in the header."""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from skat_env._bits cimport bit
from skat_env.agents.skat.rule.situation cimport arrange, layout_codes
from skat_env.skat cimport _rules
from skat_env.skat._rules cimport GRAND_CONTRACT, SEATS, SKAT, TRUMP_GROUP, SkatData


cdef int card_of(const Situation* s, int code) noexcept nogil:
    """The card of a code."""
    return s.codes.card[code]


cdef int code_of(const Situation* s, int card) noexcept nogil:
    """The code of a card."""
    return s.codes.code[card]


cdef int group_of(const Situation* s, int code) noexcept nogil:
    """The plain suit 0.. of a code; `s.plain` for trumps."""
    return s.plain if code >= s.first_trump else code // SUIT_RANKS


cdef uint32_t group_cards(const Situation* s, int group) noexcept nogil:
    """All codes of a group."""
    return s.trumps if group == s.plain else <uint32_t>127 << SUIT_RANKS * group


cdef int points_of(const Situation* s, int code) noexcept nogil:
    """The card points of a code."""
    return s.codes.points[code]


cdef uint32_t stronger(const Situation* s, int code) noexcept nogil:
    """The stronger codes of its group."""
    return group_cards(s, group_of(s, code)) & (<uint32_t>0xFFFFFFFE << code)


cdef bint beats(const Situation* s, int code, int best) noexcept nogil:
    """Whether a code takes the trick from the one that has it."""
    if code >= s.first_trump:
        return code > best
    return best < s.first_trump and group_of(s, code) == group_of(s, best) and code > best


cdef bint free_to_choose(const Situation* s) noexcept nogil:
    """Whether the player leads, or cannot follow a plain suit, and has more than one card."""
    return s.legal & (s.legal - 1) != 0 and (
        s.led == NOTHING or (s.led < s.first_trump and not s.hand & group_cards(s, group_of(s, s.led)))
    )


cdef int suit_state(const Situation* s, int suit) noexcept nogil:
    """The perfect address of a plain suit, 0..2186: each rank is hidden (0), in hand (1) or gone (2), base 3."""
    cdef int address = 0, rank, code
    for rank in range(SUIT_RANKS - 1, -1, -1):
        code = SUIT_RANKS * suit + rank
        address = 3 * address + (0 if s.hidden >> code & 1 else 1 if s.hand >> code & 1 else 2)
    return address


cdef void look(const SkatData* d, Situation* s) noexcept nogil:
    """Describes the situation of the seat to act, which is in the cardplay of a suit or grand game.

    From a state it describes what the seat to act may know, and nothing else.
    """
    cdef int contract = d.contract, me = d.to_act, i, seat, group, code, begin, leader
    cdef uint32_t seen
    memset(s, 0, sizeof(Situation))
    s.contract = contract
    s.codes = layout_codes(contract)
    s.kind = GRAND_GAME if contract == GRAND_CONTRACT else SUIT_GAME
    s.plain = 4 if contract == GRAND_CONTRACT else 3
    s.first_trump = SUIT_RANKS * s.plain
    s.trumps = <uint32_t>0xFFFFFFFF << s.first_trump
    s.seat, s.soloist = me, d.soloist
    s.partner = NOTHING if me == d.soloist else SEATS - me - d.soloist
    s.position = d.plays % 3
    s.picked_up = d.picked_up
    s.hand = arrange(s.codes, d.hands[me])
    s.legal = arrange(s.codes, <uint32_t>_rules.legal(d))
    seen = d.hands[me]
    if me == d.soloist:
        seen |= d.hands[SKAT] if not d.hand_game else 0
    s.banked[0], s.banked[1] = d.points[0], d.points[1]
    if me == d.soloist and not d.hand_game:
        s.banked[0] += _rules.points_of(d.hands[SKAT])
    s.led = s.best = s.best_seat = s.partner_suit = s.partner_drop = NOTHING
    for seat in range(SEATS):
        s.left[seat] = 10 - d.plays // 3
    begin = d.length - d.plays
    leader = 0
    for i in range(d.plays):
        leader = d.leaders[i // 3]
        seat = (leader + i % 3) % SEATS
        seen |= bit(d.history[begin + i])
        code = s.codes.code[d.history[begin + i]]
        group = group_of(s, code)
        if i % 3 == 0:
            s.led = s.best = code
            s.best_seat = seat
            s.table_points = points_of(s, code)
            if seat == me and group == s.plain:
                s.trump_leads += 1
            if seat != d.soloist and group != s.plain:
                s.opened |= 1 << group
                if seat == s.partner:
                    s.partner_suit = group
        else:
            s.table_points += points_of(s, code)
            if group == s.plain and group_of(s, s.led) != s.plain and seat == me:
                s.cuts += 1
            if group not in (s.plain, group_of(s, s.led)):
                if seat == me:
                    s.own_drops += 1
                elif seat == s.partner and s.partner_drop == NOTHING:
                    s.partner_drop = group
            if beats(s, code, s.best):
                s.best, s.best_seat = code, seat
        if i // 3 == d.plays // 3:
            s.left[seat] -= 1
    if s.position == 0:
        s.led = s.best = s.best_seat = NOTHING
        s.table_points = 0
    s.hidden = arrange(s.codes, ~seen)
    for seat in range(SEATS):
        if seat == me:
            continue
        s.could[seat] = s.hidden
        for i in range(5):
            if d.void_since[seat][i]:
                # The plain suits are numbered without that of the trumps.
                group = s.plain if i == TRUMP_GROUP else i - (contract != GRAND_CONTRACT and i > contract)
                s.could[seat] &= ~group_cards(s, group)
