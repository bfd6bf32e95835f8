"""Where the situations of the opening stand in the tables of `openings.py`, and how they are counted."""

from libc.stdint cimport int32_t, uint32_t

from skat_env.agents.skat.expert._situation cimport (
    NOTHING, SUIT_RANKS, Situation, card_of, code_of, free_to_choose, group_cards, group_of, look, suit_state,
)
from skat_env._bits cimport bit, popcount, top, trailing_zeros
from skat_env.skat._rules cimport GRAND_CONTRACT, PLAY
from skat_env.skat._state cimport SkatPosition

import numpy as np

SHAPES = {
    "trump": (2 * TRUMP_TABLES, TRUMP_PATTERNS, TRUMP_CARDS),
    "suit": (4 * SUIT_SITUATIONS, HOLDINGS, SUIT_CARDS),
    "lead_trump": (4, BALANCES, 1),
    "cut": (4, TRICKS_TO_CUT, 1),
}


cdef int trump_pattern(const Situation* s) noexcept nogil:
    """The perfect address of the trumps in hand: 2^11 patterns of suit games, then 2^4 of grand."""
    return (2048 if s.contract == GRAND_CONTRACT else 0) + <int>(s.hand >> s.first_trump)


cdef int side_table(const Situation* s) noexcept nogil:
    """The number of the kind of game and the role."""
    return 2 * s.kind + (s.seat != s.soloist)


cdef int trump_table(const Situation* s, bint cutting) noexcept nogil:
    """The table of the trumps to lead or to cut with: the first time or later."""
    cdef int table = (CUT_2 if s.cuts else CUT_1) if cutting else (LEAD_2 if s.trump_leads else LEAD_1)
    return table + (TRUMP_TABLES if s.seat != s.soloist else 0)


cdef int suit_table(const Situation* s) noexcept nogil:
    """The table of the plain suits to lead, or to drop a card of."""
    cdef int situation
    if s.led == NOTHING:
        if s.partner == NOTHING:
            situation = LEADING_AGAINST_TRUMPS if s.hidden & s.trumps else LEADING
        else:
            situation = LEADING_TO_PARTNER if (s.seat + 1) % 3 == s.partner else LEADING
    else:
        situation = DROPPING_ON_PARTNER if s.best_seat == s.partner else DROPPING
    return SUIT_SITUATIONS * side_table(s) + situation


cdef int balance(const Situation* s) noexcept nogil:
    """The trumps in hand, those hidden, how many in hand are above all hidden ones, and the plain suits that stand."""
    cdef uint32_t mine = s.hand & s.trumps, others = s.hidden & s.trumps
    cdef int high = 0, standing = 0, suit
    cdef uint32_t held, hidden
    while mine and mine > others:
        mine &= ~bit(top(mine))
        high += 1
    for suit in range(s.plain):
        held, hidden = s.hand & group_cards(s, suit), s.hidden & group_cards(s, suit)
        standing += held > hidden
    mine = s.hand & s.trumps
    return ((popcount(mine) * 12 + popcount(others)) * 5 + min(high, 4)) * 4 + min(standing, 3)


cdef int trick_to_cut(const Situation* s) noexcept nogil:
    """Who has the trick and who is to play, its card points in classes, the trumps in hand, and those hidden."""
    cdef int points = (
        0 if s.table_points == 0 else 1 if s.table_points < 5 else 2 if s.table_points < 10
        else 3 if s.table_points < 12 else 4 if s.table_points < 16 else 5
    )
    cdef int place = 2 * (s.position - 1) + (s.best_seat == s.partner)
    cdef int mine = min(popcount(s.hand & s.trumps), 8) - 1
    return ((place * 6 + points) * 8 + mine) * 12 + popcount(s.hidden & s.trumps)


cdef class Family:
    """The counts of tables of one shape."""

    cdef readonly object games
    """int32 [tables, entries]: how often the situation was met and decided within the table."""
    cdef readonly object played
    """int32 [tables, entries, choices]: how often each choice was played."""
    cdef readonly object marked
    """int32 [tables, entries]: how often it was met with marks that tell the choices apart."""
    cdef readonly object best
    """int32 [tables, entries, choices]: how often each choice was among the best of them."""
    cdef int32_t[:, ::1] _games, _marked
    cdef int32_t[:, :, ::1] _played, _best

    def __init__(self, shape):
        self.games, self.marked = np.zeros(shape[:2], np.int32), np.zeros(shape[:2], np.int32)
        self.played, self.best = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self._games, self._marked, self._played, self._best = self.games, self.marked, self.played, self.best

    cdef void play(self, int table, int at, int choice) noexcept:
        """Counts a decision; NOTHING: none of the choices was played."""
        self._games[table, at] += 1
        if choice != NOTHING:
            self._played[table, at, choice] += 1

    cdef void mark(self, int table, int at, uint32_t best) noexcept:
        """Counts marks: a bit for each of the best choices."""
        self._marked[table, at] += 1
        while best:
            self._best[table, at, trailing_zeros(best)] += 1
            best &= best - 1


cdef class OpeningCounter:
    """Counts decisions of players, and marks by open cards, in the situations of the tables."""

    cdef readonly Family trump, suit, lead_trump, cut

    def __init__(self):
        self.trump, self.suit = Family(SHAPES["trump"]), Family(SHAPES["suit"])
        self.lead_trump, self.cut = Family(SHAPES["lead_trump"]), Family(SHAPES["cut"])

    def add(self, SkatPosition position not None, int card, const float[::1] marks not None):
        """Counts a decision in the cardplay of a suit or grand game.

        Args:
            position: the position before it.
            card: the card that was played.
            marks: float32 [64], the weight of each card by open cards, 0 unless it is among the best; all 0: none.

        Raises:
            ValueError: if the position is of null, or before the cardplay.
        """
        cdef Situation s
        cdef uint32_t best = 0
        cdef int code
        if position.d.phase != PLAY or position.d.contract > GRAND_CONTRACT:
            raise ValueError("opening tables are of the cardplay of suit games and grand: expected such a position")
        if marks.shape[0] != 64:
            raise ValueError(f"marks of {marks.shape[0]} actions: expected 64")
        look(&position.d, &s)
        if not free_to_choose(&s):
            return
        for code in range(32):
            if s.legal >> code & 1 and marks[card_of(&s, code)] > 0:
                best |= bit(code)
        # Where every card is as good as the others, the marks say nothing.
        self.count(&s, code_of(&s, card), 0 if best == s.legal else best)

    cdef void count(self, const Situation* s, int code, uint32_t best) noexcept:
        cdef bint leading = s.led == NOTHING, both = s.hand & s.trumps and s.hand & ~s.trumps
        cdef Family family = self.lead_trump if leading else self.cut
        cdef int at = balance(s) if leading else trick_to_cut(s), suit, rank
        cdef uint32_t held
        if both:
            family.play(side_table(s), at, 0 if code >= s.first_trump else NOTHING)
            # Marks count that want a trump, or none.
            if best and (best & s.trumps == 0 or best & ~s.trumps == 0):
                family.mark(side_table(s), at, best & s.trumps != 0)
        if code >= s.first_trump:
            self.trump.play(trump_table(s, not leading), trump_pattern(s), code - s.first_trump)
        if best & s.trumps:
            self.trump.mark(trump_table(s, not leading), trump_pattern(s), best >> s.first_trump)
        for suit in range(s.plain):
            held = s.hand & group_cards(s, suit)
            if held and code < s.first_trump:
                rank = code % SUIT_RANKS if group_of(s, code) == suit else NOTHING
                self.suit.play(suit_table(s), suit_state(s, suit), rank)
            if held and best & ~s.trumps:
                self.suit.mark(suit_table(s), suit_state(s, suit), (best & held) >> SUIT_RANKS * suit)


cdef class Openings:
    """The tables as the players read them; a chance below 0 is one that too few games tell.

    Args:
        trump: float32 [8, 2064, 11], the chance of each trump; LEAD_1 to CUT_2 of the soloist, then of the opponents.
        suit: float32 [16, 2187, 7], the chance of each card of a plain suit, by kind of game, role and situation.
        lead_trump: float32 [4, 2880], the chance that a trump is the lead, by kind of game and role.
        cut: float32 [4, 4608], the chance that a trump is the card of one who cannot follow.
    """

    def __init__(self, trump, suit, lead_trump, cut):
        self.trump, self.suit, self.lead_trump, self.cut = trump, suit, lead_trump, cut

    def __reduce__(self):
        return Openings, (
            np.asarray(self.trump), np.asarray(self.suit), np.asarray(self.lead_trump), np.asarray(self.cut)
        )
