"""Zero-window search of what a player is sure of, whatever cards it does not see and whatever the others play.

The worst-case search of Edelkamp 2020, section 7.2: one tree for all worlds. At the viewer's nodes the best card
counts; at the others' nodes the worst one counts, among all cards that the player has in some world that fits all plays
so far. Both other players are opponents here, a partner too: it may play anything. An answer is thus what one strategy
of the viewer, which never sees a hidden card, brings in every world.

Every function answers: is the viewer's side sure of `need` or more of the `rest` that is still to be won? An answer of
`need` or more says that it is sure of that much, less says that it is sure of at most that.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from skat_env._bits cimport above, bit, popcount, run_of, top, trailing_zeros
from skat_env.solvers._candidates cimport candidate, card_of, take_best, twins_of
from skat_env.solvers._limits cimport Limits, limits_reached
from skat_env.solvers._table cimport (
    Table, table_bucket, table_entry, table_find, table_lower, table_place, table_tag, table_upper,
)
from skat_env.solvers.skat._hidden cimport Hidden, settle, unseen, worlds
from skat_env.solvers.skat._layout cimport Layout
from skat_env.solvers.skat._seats cimport left_of


cdef void paranoia_start(
    Paranoia* p, const Layout* layout, Table* table, Limits* limits, const Hidden* h, uint32_t hand, int soloist,
    bint null, bint tricks, double min_share
) noexcept nogil:
    """Sets up a search from the cards that the viewer holds and where the others may lie, in labels."""
    cdef int card, lane
    memset(p, 0, sizeof(Paranoia))
    for card in range(32):
        p.group[card] = layout.group[card]
        p.points[card] = 0 if tricks else layout.points[card]
    for lane in range(4):
        p.groups[lane] = (<uint32_t>255 << 8 * lane if null else <uint32_t>127 << 7 * lane) & ~layout.trumps
    p.groups[4] = layout.trumps
    p.trumps = layout.trumps
    p.per_trick = tricks
    p.soloist = soloist
    p.null = null
    p.min_share = min_share
    p.table = table
    p.limits = limits
    find_twins(p, h, hand)


cdef void find_twins(Paranoia* p, const Hidden* h, uint32_t hand) noexcept nogil:
    """Fills `runs`, `first` and `twins`."""
    cdef uint32_t owners[8]
    cdef int run, kind, cards
    owners[0] = hand
    for kind in range(1, 8):
        owners[kind] = unseen(h)
        for run in range(3):
            owners[kind] &= h.can[run] if kind >> run & 1 else ~h.can[run]
    for run in range(4 if p.null else 5):
        p.first[run] = 8 * run if p.null else 7 * run
        p.runs[run] = <uint32_t>(255 if p.null else 15 if run == 4 else 7) << p.first[run]
        p.runs[run] &= hand | unseen(h)
        for cards in range(256 if p.null else 16):
            if not <uint32_t>cards << p.first[run] & ~p.runs[run]:
                p.twins[run][cards] = twins_of(owners, 8, p.first[run], cards)


cdef inline bint friendly(const Paranoia* p, int seat) noexcept nogil:
    """Whether a seat's tricks count for the viewer's side."""
    return seat == VIEWER or (seat != p.soloist and p.soloist != VIEWER)


cdef inline uint32_t beating(const Paranoia* p, int card) noexcept nogil:
    """The cards that beat one that is winning the trick."""
    return above(card) & (p.group[card] | p.trumps)


cdef uint64_t key_of(const Paranoia* p, const Hidden* h, uint32_t hand, int leader) noexcept nogil:
    """The table's key: the cards left, the groups that the others cannot have, and the leader.

    With the cards that each place could hold at the start, these settle where the cards may lie now. Of cards that
    bring the same points it matters only who may have them.
    """
    cdef uint32_t left = hand | unseen(h)
    cdef uint64_t key = left | <uint64_t>leader << 32
    cdef int group
    for group in range(5):
        key ^= left & p.runs[group] ^ p.twins[group][(left & p.runs[group]) >> p.first[group]]
    for group in range(5):
        if not h.can[0] & p.groups[group]:
            key |= <uint64_t>1 << (34 + group)
        if not h.can[1] & p.groups[group]:
            key |= <uint64_t>1 << (39 + group)
    return key


cdef int start(Paranoia* p, const Hidden* h, uint32_t hand, int leader, int need, int rest) noexcept nogil:
    """The answer when a seat is to lead."""
    cdef uint64_t key, tag
    cdef uint64_t* entry
    cdef int lower = 0
    cdef int upper = rest
    cdef int sure
    if not hand:
        # What is left lies in the skat.
        return rest if p.soloist == VIEWER else 0
    if need <= 0:
        return 0
    if rest < need:
        return rest
    if limits_reached(p.limits):
        return 0
    if not p.null and leader == VIEWER:
        sure = sure_points(p, h, hand, rest)
        if sure >= need:
            return sure
    key = key_of(p, h, hand, leader)
    tag = table_tag(p.table, key)
    entry = table_find(p.table, table_bucket(p.table, key), tag)
    if entry is not NULL:
        lower = table_lower(p.table, entry[0])
        upper = table_upper(p.table, entry[0])
        if lower >= need:
            return lower
        if upper < need:
            return upper
    sure = lead(p, h, hand, leader, need, rest)
    if p.limits.stopped:
        return 0
    if sure >= need:
        lower = sure
    else:
        upper = sure
    # The search below may have moved the entry.
    entry = table_place(p.table, key, tag)
    entry[0] = table_entry(p.table, tag, lower, upper)
    return sure


cdef int sure_points(const Paranoia* p, const Hidden* h, uint32_t hand, int rest) noexcept nogil:
    """What the viewer, to lead, wins at least with cards that nobody can beat."""
    cdef uint32_t others = h.can[0] | h.can[1]
    cdef uint32_t winners = 0
    cdef uint32_t theirs, mine, high
    cdef int group, longest, place, sure
    for group in range(4, -1, -1):
        mine = hand & p.groups[group]
        theirs = others & p.groups[group]
        if not mine:
            if group == 4 and theirs:
                return 0
            continue
        high = mine & above(top(theirs)) if theirs else mine
        longest = 0
        for place in range(2):
            longest = max(longest, min(h.size[place], <int>popcount(h.can[place] & theirs)))
        if popcount(high) >= longest:
            high = mine
        winners |= high
        if group == 4 and popcount(high) < longest:
            break               # a trump of theirs may be left
    if winners == hand and (p.soloist == VIEWER or not h.size[2]):
        return rest
    sure = p.per_trick * popcount(winners)
    while winners:
        sure += p.points[trailing_zeros(winners)]
        winners &= winners - 1
    return sure


cdef inline int end_trick(
    Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int need, int rest
) noexcept nogil:
    """What follows the third card of a trick."""
    cdef int points = t.points + p.per_trick
    if p.null:
        if t.winner == p.soloist:
            return p.soloist != VIEWER
        return start(p, h, hand, t.winner, need, rest)
    if friendly(p, t.winner):
        return points + start(p, h, hand, t.winner, need - points, rest - points)
    return start(p, h, hand, t.winner, need, rest - points)


cdef Trick with_card(const Paranoia* p, const Trick* t, int seat, int card) noexcept nogil:
    """The trick with one more card."""
    cdef Trick after = t[0]
    if not t.cards:
        after.leader = after.winner = seat
        after.led = after.winning = card
    elif beating(p, t.winning) >> card & 1:
        after.winner = seat
        after.winning = card
    after.points += p.points[card]
    after.cards |= bit(card)
    return after


cdef int lead(Paranoia* p, const Hidden* h, uint32_t hand, int leader, int need, int rest) noexcept nogil:
    """The answer over all leads."""
    cdef Trick t
    memset(&t, 0, sizeof(Trick))
    if leader == VIEWER:
        return own(p, h, hand, &t, need, rest)
    return other(p, h, hand, &t, leader, need, rest)


cdef int own(Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int need, int rest) noexcept nogil:
    """The best answer over all cards of the viewer."""
    cdef uint64_t moves[10]
    cdef uint32_t others = h.can[0] | h.can[1] | t.cards
    cdef uint32_t todo = hand
    cdef uint32_t* killer = &p.killer[popcount(hand)]
    cdef uint32_t run
    cdef Trick after
    cdef int best = 0
    cdef int count = 0
    cdef int card, sure
    if t.cards and hand & p.group[t.led]:
        todo = hand & p.group[t.led]
    while todo:
        card = top(todo)
        run = run_of(hand, others, p.group[card], card)
        todo &= ~same_points(p, run, card)
        moves[count] = candidate(score_own(p, t, card, others, bit(card) & killer[0]), card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        after = with_card(p, t, VIEWER, card)
        sure = paranoia(p, h, hand ^ bit(card), &after, VIEWER + 1, need, rest)
        if p.limits.stopped:
            return 0
        if sure >= need:
            if not t.cards:
                killer[0] = bit(card)
            return sure
        best = max(best, sure)
    return best


cdef inline uint32_t same_points(const Paranoia* p, uint32_t run, int card) noexcept nogil:
    """The cards of a run that bring as many points as one of them; it does not matter which of them is played."""
    cdef uint32_t same = 0
    cdef int other
    while run:
        other = trailing_zeros(run)
        run &= run - 1
        if p.points[other] == p.points[card]:
            same |= bit(other)
    return same


cdef int other(
    Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int seat, int need, int rest
) noexcept nogil:
    """The worst answer over all cards that another player may play."""
    cdef Hidden void = h[0]
    cdef int place = seat - 1
    cdef uint32_t follow
    cdef int worst = rest
    if not t.cards:
        return other_from(p, h, hand, t, seat, h.can[place], need, rest, rest)
    follow = h.can[place] & p.group[t.led]
    if follow:
        worst = other_from(p, h, hand, t, seat, follow, need, rest, worst)
        if worst < need or p.limits.stopped:
            return worst
        void.can[place] &= ~p.group[t.led]
        if not settle(&void):
            return worst
        if p.min_share > 0 and worlds(&void) < p.min_share * worlds(h):
            return worst
    return other_from(p, &void, hand, t, seat, void.can[place], need, rest, worst)


cdef int other_from(
    Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int seat, uint32_t todo, int need, int rest, int worst
) noexcept nogil:
    """The worst answer over some cards of another player, and an answer known before."""
    cdef uint64_t moves[32]
    cdef int place = seat - 1
    cdef uint32_t fixed = hand | t.cards
    cdef uint32_t all_cards = unseen(h)
    cdef uint32_t beats = beating(p, t.winning) if t.cards else 0
    cdef bint third_follows = not t.cards or popcount(t.cards) == 1 and t.leader == VIEWER
    cdef uint32_t like
    cdef int i
    cdef Hidden after
    cdef Trick trick
    cdef int count = 0
    cdef int card, sure
    cdef double total = worlds(h) if p.min_share > 0 else 0
    while todo:
        card = top(todo)
        todo ^= bit(card)
        # Of cards with nothing between them that may lie at the same places, one is enough, unless the third player can
        # have another of them and takes the trick with it from this one.
        if not (third_follows and h.can[1 - place] >> card & 1 and (not t.cards or beats >> card & 1)):
            like = all_cards
            for i in range(3):
                like &= h.can[i] if h.can[i] >> card & 1 else ~h.can[i]
            todo &= ~same_points(p, run_of(like, fixed | all_cards & ~like, p.group[card], card), card)
        moves[count] = candidate(score_other(p, hand, t, seat, card), card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        after = h[0]
        after.can[0] &= ~bit(card)
        after.can[1] &= ~bit(card)
        after.can[2] &= ~bit(card)
        after.size[place] -= 1
        settle(&after)
        if total and worlds(&after) < p.min_share * total:
            continue
        trick = with_card(p, t, seat, card)
        sure = paranoia(p, &after, hand, &trick, left_of(seat), need, rest)
        if p.limits.stopped:
            return 0
        if sure < need:
            return sure
        worst = min(worst, sure)
    return worst


cdef inline int score_own(
    const Paranoia* p, const Trick* t, int card, uint32_t others, bint killer
) noexcept nogil:
    """How soon a card of the viewer is tried."""
    cdef uint32_t higher = others & beating(p, card)
    cdef int score
    if not t.cards:
        if bit(card) & p.trumps:
            score = 20 if higher else 140 + p.points[card]
        elif not higher & p.group[card]:
            score = 80 + 4 * p.points[card] + 10 * popcount(others & p.group[card])
        else:
            score = -4 * p.points[card]
        return score + (62 if killer else 0)
    if beating(p, t.winning) >> card & 1:
        return 100 + (2 * p.points[card] if not higher else -p.points[card])
    return 4 * p.points[card] if friendly(p, t.winner) else -4 * p.points[card]


cdef inline int score_other(
    const Paranoia* p, uint32_t hand, const Trick* t, int seat, int card
) noexcept nogil:
    """How soon a card of another player is tried."""
    cdef int winner = seat
    cdef int winning = card
    if t.cards and not beating(p, t.winning) >> card & 1:
        winner = t.winner
        winning = t.winning
    if winner != VIEWER and t.leader != left_of(VIEWER) and hand & beating(p, winning):
        winner = VIEWER
    if friendly(p, winner):
        return -4 * p.points[card] + (50 if winner == seat else 0)
    return 100 + 10 * p.points[card] - (20 if winner == seat else 0)


cdef int paranoia(
    Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int to_act, int need, int rest
) noexcept nogil:
    """The answer at a position with at most two cards on the table; `rest` includes theirs."""
    if not t.cards:
        return start(p, h, hand, to_act, need, rest)
    if to_act == t.leader:
        return end_trick(p, h, hand, t, need, rest)
    if to_act == VIEWER:
        return own(p, h, hand, t, need, rest)
    return other(p, h, hand, t, to_act, need, rest)
