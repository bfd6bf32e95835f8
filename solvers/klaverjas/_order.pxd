"""The order in which cards of Klaverjas are tried: a card of each run, and its score.

The scores say how likely a card decides. Their weights were fitted by hill climbing on the nodes of both questions,
made and difference, in recorded deals other than those that the benchmark solves; only their differences within one
position matter. docs/experiments.md reports their effect.
"""

from libc.stdint cimport uint32_t

from skat_env._bits cimport bit, popcount, top, trailing_zeros
from skat_env.solvers.klaverjas._follow cimport beating, suit
from skat_env.solvers.klaverjas._layout cimport TRUMPS, Layout
from skat_env.solvers.klaverjas._roem cimport roem_of
from skat_env.solvers.klaverjas._search cimport Search, Trick

cdef enum:
    KILLER = 36             # for the lead that decided last


cdef inline int expected_winner(
    const Search* s, int leader, int position, int led, int winning, int winner
) noexcept nogil:
    """Who takes the trick if from place `position` on each seat takes it from the other side where it can."""
    cdef int seat
    cdef uint32_t cards
    while position < 4:
        seat = (leader + position) & 3
        position += 1
        cards = s.hands[seat] & suit(led)
        if not cards:
            cards = s.hands[seat]
        cards &= beating(winning)
        if cards and (seat ^ winner) & 1:
            winner = seat
            winning = top(cards)
    return winner


cdef inline int score_lead(
    const Layout* l, const Search* s, const Trick* t, int leader, uint32_t run, int* score
) noexcept nogil:
    """The card of a run to lead."""
    cdef int card = top(run)
    cdef int length = popcount(s.hands[leader] & suit(card))
    cdef int winner = expected_winner(s, leader, 1, card, card, leader)
    if (winner ^ leader) & 1:
        card = trailing_zeros(run)
        score[0] = -2 * l.points[card] - 8 * length
        if run & TRUMPS:
            score[0] -= 15 if leader & 1 else 5
        if run & t.melding:
            score[0] += 6
        if not s.hands[leader ^ 2] & suit(card):
            score[0] -= 12
        return card
    score[0] = 11 + l.points[card] - 7 * length
    if run & TRUMPS:
        score[0] -= 16
    if run & t.melding:
        score[0] += 26
    if winner != leader:
        score[0] += 6
    elif not (s.hands[leader ^ 1] | s.hands[leader ^ 3]) & suit(card):
        score[0] -= 8
    return card


cdef inline int score_follow(
    const Layout* l, const Search* s, const Trick* t, int position, int led, int winning, int winner, uint32_t trick,
    int seat, uint32_t run, uint32_t beat, int* score
) noexcept nogil:
    """The card of a run to follow with at place `position`; `beat` beats the card `winning`, of `winner`."""
    cdef int card = top(run)
    cdef int length = popcount(s.hands[seat] & suit(card))
    if beat & run:
        winning = card
        winner = seat
    winner = expected_winner(s, t.leader, position + 1, led, winning, winner)
    if (winner ^ seat) & 1:
        card = trailing_zeros(run)
        score[0] = -4 * l.points[card] - 6 * length
        if run & TRUMPS:
            score[0] -= 4
        if position >= 2:
            score[0] -= (2 if position == 3 else 5) * roem_of(l, s.four_jacks, trick | bit(card))
        elif run & t.melding:
            score[0] += 6
        return card
    score[0] = 66 - length
    if winner == seat:
        score[0] += 2
    if run & TRUMPS:
        score[0] -= 11
    if position >= 2:
        score[0] += (2 if position == 3 else 4) * roem_of(l, s.four_jacks, trick | bit(card))
    return card
