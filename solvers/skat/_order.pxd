"""The order in which cards are tried: a card of each run, and its score.

The scores say how likely a card decides. Their weights were fitted by hill climbing on the nodes of decisions at 61 in
random playable deals (none of them from the shared file) and rounded where that made no difference; only their
differences within one trick position matter. docs/experiments.md reports their effect.
"""

from libc.stdint cimport uint32_t

from skat_env._bits cimport above, bit, popcount, single, top, trailing_zeros
from skat_env.solvers.skat._layout cimport RICH_MASK
from skat_env.solvers.skat._search cimport Search
from skat_env.solvers.skat._seats cimport left_of, right_of


cdef inline int dearest(uint32_t run) noexcept nogil:
    """The card of most points of a run: queens and above come before jacks, these before 9 8 7."""
    cdef uint32_t rich = run & RICH_MASK
    return top(rich if rich else run)


cdef inline int cheapest(uint32_t run) noexcept nogil:
    """The card of least points of a run."""
    cdef uint32_t poor = run & ~RICH_MASK
    return trailing_zeros(poor if poor else run)


cdef inline int score_lead(
    const Search* s, int leader, uint32_t run, uint32_t others, bint killer, int* score
) noexcept nogil:
    """The card of a run to lead; `others` have the others' cards, `killer`: one of the run decided last."""
    cdef int card
    if leader == s.soloist:
        card = soloist_lead(s, run, others, score)
    else:
        card = defender_lead(s, leader, run, score)
    if killer:
        score[0] += 62
    return card


cdef inline int soloist_lead(const Search* s, uint32_t run, uint32_t others, int* score) noexcept nogil:
    cdef int card = top(run)
    cdef uint32_t group = s.group[card]
    cdef uint32_t first = s.hands[left_of(s.soloist)]
    cdef uint32_t last = s.hands[right_of(s.soloist)]
    cdef uint32_t higher = others & group & above(card)
    if s.trumps & run:
        score[0] = 36 if higher else 140
        return cheapest(run) if higher else dearest(run)
    if not (higher or (not first & group and first & s.trumps) or (not last & group and last & s.trumps)):
        card = dearest(run)
        score[0] = 80 + 10 * s.points[card] + 140 * popcount(others & group)
        return card
    card = cheapest(run)
    score[0] = -4 * s.points[card] - 6 * popcount(higher) - 4 * popcount(s.hands[s.soloist] & group)
    if others & s.trumps:
        score[0] += 16
    if not others & group:
        score[0] -= 64
    return card


cdef inline int defender_lead(const Search* s, int leader, uint32_t run, int* score) noexcept nogil:
    cdef uint32_t group = s.group[top(run)]
    cdef uint32_t mine = s.hands[leader] & group
    cdef uint32_t foe = s.hands[s.soloist] & group
    cdef uint32_t partner = s.hands[3 - s.soloist - leader] & group
    cdef bint partner_last = left_of(leader) == s.soloist     # the soloist plays before it
    cdef bint ours = not foe or top(mine | partner) > top(foe)      # we have the highest card of the group
    cdef int card
    if s.trumps & run:
        score[0] = 42 if ours else 0
        if s.hands[s.soloist] & s.trumps:
            score[0] -= 30
        return dearest(run) if ours else cheapest(run)
    if not foe:
        # It ruffs, or throws a card away.
        score[0] = 20 if partner_last else 0
        if not s.hands[s.soloist] & s.trumps:
            return dearest(run)
        card = cheapest(run)
        score[0] += 4 * s.points[card]
        return card
    if not ours:
        card = cheapest(run)
        score[0] = 10 - 12 * s.points[card] - 4 * popcount(foe)
        if partner_last:
            score[0] += 50
        if not partner:
            score[0] -= 30
        return card
    if top(run) > top(foe):
        card = dearest(run)
        score[0] = 200 + 4 * s.points[card]
    else:
        card = cheapest(run)
        score[0] = 64 + 6 * s.points[card]
        if partner_last:
            score[0] -= 10
        if top(mine) > top(foe):
            score[0] -= 80
    if single(foe):
        score[0] += 32
    return card


cdef inline int score_second(
    const Search* s, int seat, int winner, uint32_t run, uint32_t beat, int* score
) noexcept nogil:
    """The card of a run for the second seat, if `winner` will take the trick; `beat` beats the lead."""
    cdef int card
    if (winner == s.soloist) == (seat == s.soloist):
        card = dearest(run)
        score[0] = 180 + 10 * s.points[card]
        if run & s.trumps:
            score[0] -= 60 if run & beat else 20
        if winner == seat:
            score[0] -= 60
    else:
        card = cheapest(run)
        score[0] = -4 * s.points[card]
        if run & beat:
            score[0] += 50
    return card


cdef inline int score_third(const Search* s, int seat, int winner, uint32_t run, int* score) noexcept nogil:
    """The card of a run for the third seat, with which `winner` takes the trick."""
    cdef int card
    if (winner == s.soloist) == (seat == s.soloist):
        card = dearest(run)
        score[0] = 200 + 10 * s.points[card] - (50 if run & s.trumps else 0)
        if winner == seat:
            score[0] -= 20
    else:
        card = cheapest(run)
        score[0] = -2 * s.points[card] - (10 if run & s.trumps else 0)
    return card
