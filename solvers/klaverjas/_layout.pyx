"""The layout of Klaverjas' cards, built from the rules' tables."""

from skat_env.klaverjas._rules cimport CardTables, tables

from skat_env.klaverjas.rules import FOUR_OF_A_KIND, RUN_OF_FOUR, RUN_OF_THREE, STUK

cdef Layout LAYOUT
cdef Labels LABELS[4]


cdef int max_runs(int threes, int fours) except -1:
    """The most roem of runs that share no card, given the lowest ranks that they may begin with."""
    best = 0
    for length, starts, roem in ((3, threes, RUN_OF_THREE), (4, fours, RUN_OF_FOUR)):
        for low in range(6):
            if starts >> low & 1:
                # What is left of it begins at a higher rank.
                rest = ~((1 << (low + length)) - 1)
                best = max(best, roem + max_runs(threes & rest, fours & rest))
    return best


cdef build():
    """Fills the tables."""
    cdef const CardTables* rules = tables()
    cdef int trump, card, lane, label, cards, bit
    for trump in range(4):
        for card in range(32):
            lane = card >> 3
            # The trump suit goes to the last lane, those above it one down.
            lane = 3 if lane == trump else lane - (lane > trump)
            label = 8 * lane + (rules.power[trump][card] & 7)
            LABELS[trump].label[card] = label
            LABELS[trump].card[label] = card
            LAYOUT.points[label] = rules.points[trump][card]
            LAYOUT.rank[label] = card & 7
    for cards in range(256):
        trump_ranks = plain_ranks = points = 0
        for bit in range(8):
            if cards >> bit & 1:
                trump_ranks |= 1 << LAYOUT.rank[24 + bit]
                plain_ranks |= 1 << LAYOUT.rank[bit]
                points += LAYOUT.points[24 + bit]
        LAYOUT.trump_points[cards] = points
        LAYOUT.natural[cards] = trump_ranks
        LAYOUT.strength[trump_ranks] = cards
        LAYOUT.plain_runs[cards] = rules.runs[plain_ranks]
        LAYOUT.trump_runs[cards] = rules.runs[trump_ranks] + (STUK if (trump_ranks >> 5 & 3) == 3 else 0)
    LAYOUT.stuk = STUK
    LAYOUT.four_of_a_kind = FOUR_OF_A_KIND
    for cards in range(2048):
        LAYOUT.runs_left[cards] = max_runs(cards & 63, cards >> 6)


build()


cdef const Layout* layout() noexcept nogil:
    return &LAYOUT


cdef const Labels* labels_of(int trump) noexcept nogil:
    """The labels of a trump suit 0..3."""
    return &LABELS[trump]
