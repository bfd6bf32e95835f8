"""The layouts of the six contracts, built from the rules' tables."""

from libc.string cimport memset

from skat_env.skat._rules cimport CONTRACTS, GRAND_CONTRACT, NULL_CONTRACT, TRUMP_GROUP, CardTables, tables

cdef Layout LAYOUTS[CONTRACTS]


cdef void build(int contract):
    """Sorts the cards of a contract into their lanes."""
    cdef const CardTables* rules = tables()
    cdef Layout* layout = &LAYOUTS[contract]
    cdef int card, label, lane, byte, bits
    memset(layout, 0, sizeof(Layout))
    for card in range(32):
        lane = card >> 3
        if contract == NULL_CONTRACT:
            label = 8 * lane + rules.strength[contract][card]
        elif (card & 7) == 4:
            label = 28 + lane
        else:
            if contract < GRAND_CONTRACT:
                # The trump suit goes to the last lane, those above it one down.
                lane = 3 if lane == contract else lane - (lane > contract)
            label = 7 * lane + rules.strength[contract][card]
        layout.label[card] = label
        layout.card[label] = card
        layout.points[label] = 0 if contract == NULL_CONTRACT else rules.points[card]
    for byte in range(4):
        for bits in range(256):
            for card in range(8):
                if bits >> card & 1:
                    layout.labels[byte][bits] |= <uint32_t>1 << layout.label[8 * byte + card]
    for card in range(32):
        layout.group[layout.label[card]] = relabel(layout, rules.follow[contract][card])
        if rules.group[contract][card] == TRUMP_GROUP:
            layout.trumps |= <uint32_t>1 << layout.label[card]


for number in range(CONTRACTS):
    build(number)


cdef const Layout* layout_of(int contract) noexcept nogil:
    """The layout of a contract 0..5."""
    return &LAYOUTS[contract]
