"""The dynamic programme behind belief.py: counts, probabilities, ranks, samples and marginals of a view's worlds."""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from skat_env._position cimport Kernel, Position
from skat_env._bits cimport popcount
from skat_env._random cimport random_below, random_bit

import numpy as np


cdef double MIN_TOTAL = 1e-290   # smaller totals are near the smallest double, without correct digits: they count as 0


cdef uint32_t unknown_cards(const Kernel* kernel, const void* view, int viewer) noexcept nogil:
    """The cards whose place a view does not know: neither seen at a place nor played."""
    cdef const uint32_t* places = <const uint32_t*>view
    cdef const uint8_t* history
    cdef uint32_t known = 0
    cdef int place, i, length
    for place in range(kernel.places):
        known |= places[place]
    history = kernel.history(view, &length)
    for i in range(length - kernel.plays(view), length):
        known |= <uint32_t>1 << history[i]
    return ~known


cdef void exclude_by_plays(
    const Kernel* kernel, void* work, int viewer, uint32_t unknown, uint32_t* excluded
) noexcept nogil:
    """The unknown cards that each seat cannot hold because they would have made one of its plays illegal.

    `work` is a copy of the view; its plays are undone one by one. Each play is tried from a hand of two cards, the one
    played and the one in question: in both games a single other card can make a play illegal.
    """
    cdef uint32_t* hands = <uint32_t*>work
    cdef const uint8_t* history
    cdef uint32_t rest, bit, held
    cdef int length, seat, card
    cdef int plays = kernel.plays(work)
    while plays:
        history = kernel.history(work, &length)
        card = history[length - 1]
        kernel.pop(work)
        plays -= 1
        seat = kernel.to_act(work)
        if seat == viewer:
            continue
        held = hands[seat]
        rest = unknown & ~excluded[seat]
        while rest:
            bit = rest & (~rest + 1)
            rest ^= bit
            hands[seat] = bit | (<uint32_t>1 << card)
            if not kernel.legal(work) >> card & 1:
                excluded[seat] |= bit
        hands[seat] = held


cdef int spread_view(const Kernel* kernel, const void* view, int viewer, Spread* out) noexcept nogil:
    """Sets up the unknown cards of a view with weight 1 wherever they can be, and counts the ways to place them.

    Returns -1 if the view contradicts itself.
    """
    cdef uint32_t excluded[MAX_PLACES]
    cdef int8_t slots[MAX_PLACES]
    cdef uint32_t unknown = unknown_cards(kernel, view, viewer)
    cdef uint32_t rest = unknown
    cdef int place, card, total = 0
    cdef void* work = malloc(kernel.size)
    if not work:
        return -1
    memset(excluded, 0, sizeof(excluded))
    memcpy(work, view, kernel.size)
    exclude_by_plays(kernel, work, viewer, unknown, excluded)
    free(work)
    memset(out, 0, <char*>&out.ways - <char*>out)
    kernel.slots(view, slots)
    for place in range(kernel.places):
        if slots[place] > 0:
            if out.places == HIDDEN_PLACES or slots[place] >= SIDE:
                return -1
            out.place[out.places] = place
            out.slots[out.places] = slots[place]
            out.places += 1
            total += slots[place]
    for card in range(32):
        if rest >> card & 1:
            out.card[out.cards] = card
            for place in range(out.places):
                out.weight[out.cards][place] = not excluded[out.place[place]] >> card & 1
            out.cards += 1
    if total != out.cards:
        return -1
    count_ways(out)
    return 0 if out.ways[0][out.slots[0]][out.slots[1]] > 0 else -1


cdef void count_ways(Spread* s) noexcept nogil:
    """Computes `ways` from the weights, from the last card to the first."""
    cdef int i, a, b, c, left
    cdef double total
    memset(s.ways, 0, sizeof(s.ways))
    s.ways[s.cards][0][0] = 1
    for i in range(s.cards - 1, -1, -1):
        left = s.cards - i
        for a in range(min(s.slots[0], left) + 1):
            for b in range(min(s.slots[1], left - a) + 1):
                c = left - a - b
                if c > s.slots[2]:
                    continue
                total = 0
                if a:
                    total += s.weight[i][0] * s.ways[i + 1][a - 1][b]
                if b:
                    total += s.weight[i][1] * s.ways[i + 1][a][b - 1]
                if c:
                    total += s.weight[i][2] * s.ways[i + 1][a][b]
                s.ways[i][a][b] = total


cdef bint place_backtracking(
    const Spread* s, uint64_t* stream, uint32_t rest, int8_t* needed, uint32_t* possible, uint32_t* masks
) noexcept nogil:
    """Places the cards in `rest` (bits are indices into the spread) one by one at random; False if impossible.

    `needed` is the number of cards that each place still takes, `possible` the remaining cards that it can take.
    """
    cdef int order[HIDDEN_PLACES]
    cdef int eligible = 0
    cdef int i, k, place, card
    cdef uint32_t bit
    cdef bint fits
    if not rest:
        return True
    card = random_bit(stream, rest)
    bit = <uint32_t>1 << card
    for place in range(s.places):
        if possible[place] & bit:
            order[eligible] = place
            eligible += 1
    for i in range(eligible - 1, 0, -1):
        k = random_below(stream, i + 1)
        order[i], order[k] = order[k], order[i]
    for i in range(eligible):
        place = order[i]
        if needed[place] == 0:
            continue
        needed[place] -= 1
        fits = True
        for k in range(eligible):
            possible[order[k]] &= ~bit
        for k in range(eligible):
            if popcount(possible[order[k]]) < needed[order[k]]:
                fits = False
        if fits:
            masks[s.place[place]] |= <uint32_t>1 << s.card[card]
            if place_backtracking(s, stream, rest & ~bit, needed, possible, masks):
                return True
            masks[s.place[place]] &= ~(<uint32_t>1 << s.card[card])
        needed[place] += 1
        for k in range(eligible):
            possible[order[k]] |= bit
    return False


cdef bint draw_backtracking(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil:
    """Draws a world by Aaldering 2023, algorithm 2, as one mask per place; of the weights only 0 or not counts.

    Cards, in random order, go to a random seat that can take them unless too few cards would be left for another seat;
    dead ends are undone. The worlds are not equally likely.
    """
    cdef int8_t needed[HIDDEN_PLACES]
    cdef uint32_t possible[HIDDEN_PLACES]
    cdef int i, place
    masks[0] = masks[1] = masks[2] = masks[3] = 0
    for place in range(s.places):
        needed[place] = s.slots[place]
        possible[place] = 0
        for i in range(s.cards):
            if s.weight[i][place] > 0:
                possible[place] |= <uint32_t>1 << i
    return place_backtracking(s, stream, <uint32_t>((<uint64_t>1 << s.cards) - 1), needed, possible, masks)


cdef void prepare_draws(Spread* s) noexcept nogil:
    """Computes from `ways` the thresholds that `draw` compares its random numbers with, where a draw can get to."""
    cdef int i, a, b, c
    cdef double at_first, at_second, total, scale
    for i in range(s.cards):
        for a in range(min(s.slots[0], s.cards - i) + 1):
            for b in range(min(s.slots[1], s.cards - i - a) + 1):
                total = s.ways[i][a][b]
                c = s.cards - i - a - b
                if c > s.slots[2] or total <= 0:
                    continue
                scale = 2147483648.0 / total
                at_first = s.weight[i][0] * s.ways[i + 1][a - 1][b] if a else 0
                at_second = s.weight[i][1] * s.ways[i + 1][a][b - 1] if b else 0
                s.cuts[i][a][b][0] = <uint32_t>(at_first * scale)
                s.cuts[i][a][b][1] = <uint32_t>((at_first + at_second) * scale)
                # Sums are rounded: make sure that a place of weight 0 gets no share.
                if c == 0 or s.weight[i][2] == 0 or s.ways[i + 1][a][b] <= 0:
                    s.cuts[i][a][b][1] = <uint32_t>1 << 31
                    if at_second == 0:
                        s.cuts[i][a][b][0] = <uint32_t>1 << 31


cdef class Sampler:
    """The worlds of a view: every way to place its unknown cards, with a weight.

    A world is a row of masks: for each place of the game, the unknown cards there.
    """

    cdef Spread s
    cdef bint prepared          # whether `prepare_draws` ran: counting and enumerating do not need it
    cdef readonly Position view
    cdef readonly int seat
    cdef int sizes[MAX_PLACES]          # number of unknown cards at each place of the game
    cdef uint32_t allowed[MAX_PLACES]   # the unknown cards that can be there

    def __init__(self, Position view not None, int seat):
        self.view = view
        self.seat = seat
        if spread_view(view.kernel, view.data, seat, &self.s):
            raise ValueError(f"the view contradicts itself: no deal of the unknown cards fits '{view.text()}'")
        cdef int place, card
        for place in range(self.s.places):
            self.sizes[self.s.place[place]] = self.s.slots[place]
            for card in range(self.s.cards):
                if self.s.weight[card][place] > 0:
                    self.allowed[self.s.place[place]] |= <uint32_t>1 << self.s.card[card]

    @property
    def total(self):
        """The total weight of all worlds; if all weights are 1, the number of worlds, exact below 2**53."""
        return self.s.ways[0][self.s.slots[0]][self.s.slots[1]]

    @property
    def cards(self):
        """The unknown cards."""
        return [self.s.card[i] for i in range(self.s.cards)]

    @property
    def slots(self):
        """The number of unknown cards at each place of the game."""
        slots = [0] * self.view.kernel.places
        for i in range(self.s.places):
            slots[self.s.place[i]] = self.s.slots[i]
        return slots

    def weights(self):
        """The weights, float64 [32, places]; 0 if a card is known or cannot be at the place."""
        cdef int i, place
        weights = np.zeros((32, self.view.kernel.places))
        for i in range(self.s.cards):
            for place in range(self.s.places):
                weights[self.s.card[i], self.s.place[place]] = self.s.weight[i][place]
        return weights

    def multiply(self, const double[:, ::1] weights not None):
        """Multiplies the weights by float64 [32, places], scaled per card to a maximum of 1, and recounts."""
        cdef int i, place
        cdef double largest
        if weights.shape[0] != 32 or weights.shape[1] != self.view.kernel.places:
            raise ValueError(
                f"weights are [{weights.shape[0]}, {weights.shape[1]}], not [32, {self.view.kernel.places}]"
            )
        for i in range(self.s.cards):
            largest = 0
            for place in range(self.s.places):
                self.s.weight[i][place] *= weights[self.s.card[i], self.s.place[place]]
                if not 0 <= self.s.weight[i][place] < INFINITY:
                    raise ValueError(f"a weight of card {self.s.card[i]} is negative, infinite or not a number")
                largest = max(largest, self.s.weight[i][place])
            for place in range(self.s.places):
                if largest > 0:
                    self.s.weight[i][place] /= largest
        count_ways(&self.s)
        if not self.total > MIN_TOTAL:
            raise ValueError("all worlds of the view have weight 0")
        self.prepared = False

    def sample(self, int n, stream):
        """Draws worlds independently with their exact probabilities: uint32 [n, places]."""
        cdef uint64_t state = stream
        cdef uint32_t masks[MAX_PLACES]
        cdef int i, place
        cdef int places = self.view.kernel.places
        rows = np.empty((n, places), np.uint32)
        cdef uint32_t[:, ::1] out = rows
        if not self.prepared:
            prepare_draws(&self.s)
            self.prepared = True
        with nogil:
            for i in range(n):
                draw(&self.s, &state, masks)
                for place in range(places):
                    out[i, place] = masks[place]
        return rows

    def sample_backtracking(self, n, stream):
        """Draws worlds by Aaldering 2023, algorithm 2: uint32 [n, places]."""
        cdef uint64_t state = stream
        cdef uint32_t masks[MAX_PLACES]
        cdef int i, place
        cdef int places = self.view.kernel.places
        rows = np.empty((n, places), np.uint32)
        cdef uint32_t[:, ::1] out = rows
        for i in range(n):
            draw_backtracking(&self.s, &state, masks)
            for place in range(places):
                out[i, place] = masks[place]
        return rows

    def unrank(self, const int64_t[::1] ranks not None):
        """The worlds with ranks 0 .. total - 1 in a fixed order: uint32 [n, places]. All weights must be 0 or 1."""
        cdef int i, k, a, b
        cdef double rest, part
        rows = np.zeros((ranks.shape[0], self.view.kernel.places), np.uint32)
        cdef uint32_t[:, ::1] out = rows
        for k in range(ranks.shape[0]):
            a, b = self.s.slots[0], self.s.slots[1]
            rest = ranks[k]
            for i in range(self.s.cards):
                if a:
                    part = self.s.weight[i][0] * self.s.ways[i + 1][a - 1][b]
                    if rest < part:
                        out[k, self.s.place[0]] |= <uint32_t>1 << self.s.card[i]
                        a -= 1
                        continue
                    rest -= part
                if b:
                    part = self.s.weight[i][1] * self.s.ways[i + 1][a][b - 1]
                    if rest < part:
                        out[k, self.s.place[1]] |= <uint32_t>1 << self.s.card[i]
                        b -= 1
                        continue
                    rest -= part
                out[k, self.s.place[2]] |= <uint32_t>1 << self.s.card[i]
        return rows

    def probability(self, const uint32_t[:, ::1] rows not None):
        """The exact probability of each world, float64 [n]; 0 for a row that is not a world."""
        cdef int i, k, place
        cdef double p
        if rows.shape[1] != self.view.kernel.places:
            raise ValueError(f"worlds have {self.view.kernel.places} places, got {rows.shape[1]}")
        probabilities = np.zeros(rows.shape[0])
        cdef double[::1] out = probabilities
        for k in range(rows.shape[0]):
            if not self.fits(&rows[k, 0]):
                continue
            p = 1 / self.total
            for i in range(self.s.cards):
                for place in range(self.s.places):
                    if rows[k, self.s.place[place]] >> self.s.card[i] & 1:
                        p *= self.s.weight[i][place]
            out[k] = p
        return probabilities

    def marginals(self):
        """The probability that each unknown card is at each place, float64 [32, places]; 0 for known cards."""
        cdef double before[SIDE][SIDE]
        cdef double after[SIDE][SIDE]
        cdef double p
        cdef int i, a, b, c
        cdef double total = self.total
        marginals = np.zeros((32, self.view.kernel.places))
        cdef double[:, ::1] out = marginals
        memset(before, 0, sizeof(before))
        before[self.s.slots[0]][self.s.slots[1]] = 1
        for i in range(self.s.cards):
            memset(after, 0, sizeof(after))
            for a in range(self.s.slots[0] + 1):
                for b in range(self.s.slots[1] + 1):
                    c = self.s.cards - i - a - b
                    if before[a][b] == 0 or c < 0 or c > self.s.slots[2]:
                        continue
                    if a:
                        p = before[a][b] * self.s.weight[i][0]
                        after[a - 1][b] += p
                        out[self.s.card[i], self.s.place[0]] += p * self.s.ways[i + 1][a - 1][b] / total
                    if b:
                        p = before[a][b] * self.s.weight[i][1]
                        after[a][b - 1] += p
                        out[self.s.card[i], self.s.place[1]] += p * self.s.ways[i + 1][a][b - 1] / total
                    if c:
                        p = before[a][b] * self.s.weight[i][2]
                        after[a][b] += p
                        out[self.s.card[i], self.s.place[2]] += p * self.s.ways[i + 1][a][b] / total
            memcpy(before, after, sizeof(before))
        return marginals

    def states(self, const uint32_t[:, ::1] rows not None, const uint64_t[::1] streams not None):
        """New states of worlds; what a world leaves open is drawn from its stream (Skat: what the soloist found)."""
        cdef Py_ssize_t i
        cdef uint64_t random
        cdef Position state
        cdef list made = []
        for i in range(rows.shape[0]):
            if rows.shape[1] != self.view.kernel.places or not self.fits(&rows[i, 0]):
                raise ValueError(
                    f"{list(rows[i])} is no world of the view of seat {self.seat}: expected {self.slots} of "
                    "its unknown cards"
                )
            state = (<object>self.view).blank_state()
            memcpy(state.data, self.view.data, self.view.kernel.size)
            random = streams[i]
            self.view.kernel.complete(state.data, &rows[i, 0], &random)
            made.append(state)
        return made

    cdef bint fits(self, const uint32_t* row) noexcept:
        """Whether a row of the right length is a world of the view."""
        cdef int place
        cdef uint32_t seen = 0
        for place in range(self.view.kernel.places):
            if popcount(row[place]) != self.sizes[place] or row[place] & (seen | ~self.allowed[place]):
                return False
            seen |= row[place]
        return True
