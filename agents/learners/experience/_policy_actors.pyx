"""Games played in step by policies, whose cards are drawn, with a critic that sees all cards; without the GIL.

The critic is the last network: it has a row for every choice of the others, in the order of the choices.
"""

from libc.math cimport expf, logf
from libc.stdint cimport int32_t, uint32_t, uint64_t

from skat_env.agents.learners.experience._actors cimport CARDS, Actors, Rows
from skat_env._bits cimport trailing_zeros
from skat_env._position cimport Position
from skat_env._random cimport random_next

import numpy as np


ctypedef struct Choices:
    # What `Rows` does not have of the choices of one network, [capacity] each.
    float* chance       # logarithm of the probability of the card
    uint32_t* legal     # the legal outputs
    int32_t* world      # the critic's row


cdef class PolicyActors(Actors):
    """The lanes and the rows of every policy and of the critic."""

    cdef Choices[16] choices        # by network
    cdef list kept                  # keeps the memory of `choices`

    def __cinit__(
        self, Position prototype not None, int lanes, list encoders not None, int capacity,
        route, share, int unit, float scale,
    ):
        cdef Choices* choices
        if not 2 <= len(encoders) <= 16:
            raise ValueError(f"got {len(encoders)} encoders: expected 1 to 15 of policies, and the critic's")
        self.values_starts = False
        self.kept = []
        for i in range(len(encoders)):
            choices = &self.choices[i]
            chance, legal = np.empty(capacity, np.float32), np.empty(capacity, np.uint32)
            world = np.empty(capacity, np.int32)
            self.kept.append((chance, legal, world))
            choices.chance = <float*><size_t>chance.ctypes.data
            choices.legal = <uint32_t*><size_t>legal.ctypes.data
            choices.world = <int32_t*><size_t>world.ctypes.data

    def draw(self, list logits not None, float temperature):
        """Plays in every game a card drawn by softmax."""
        cdef int i, network, card, output, row
        cdef int critic = self.networks - 1
        cdef Rows* rows
        cdef Choices* choices
        cdef const float* values
        cdef float[CARDS] odds
        cdef float best, total, point
        cdef uint64_t legal, rest
        cdef uint32_t outputs
        cdef const float[:, ::1] matrix
        cdef int[16] widths
        for network in range(critic):
            rows = &self.rows[network]
            if rows.count > rows.first:
                matrix = logits[network]
                if matrix.shape[0] < rows.count - rows.first or matrix.shape[1] < CARDS:
                    raise ValueError(
                        f"network {network} has logits [{matrix.shape[0]}, {matrix.shape[1]}]: "
                        f"expected [{rows.count - rows.first} or more, {CARDS} or more]"
                    )
                rows.values = &matrix[0, 0]
                widths[network] = matrix.shape[1]
        with nogil:
            for i in range(self.lanes):
                if self.row[i] < 0:
                    continue
                network, row = self.network[i], self.row[i]
                rows, choices = &self.rows[network], &self.choices[network]
                values = rows.values + <size_t>(row - rows.first) * widths[network]
                legal = self.kernel.legal(self.lane(i))
                best = values[self.labels[i, trailing_zeros(legal)]]
                outputs = 0
                rest = legal
                while rest:
                    output = self.labels[i, trailing_zeros(rest)]
                    rest &= rest - 1
                    outputs |= <uint32_t>1 << output
                    if values[output] > best:
                        best = values[output]
                total = 0
                rest = legal
                while rest:
                    card = trailing_zeros(rest)
                    rest &= rest - 1
                    odds[card] = expf((values[self.labels[i, card]] - best) / temperature)
                    total += odds[card]
                point = total * ((random_next(&self.streams[i]) >> 40) / <float>16777216.0)
                rest = legal
                while True:
                    card = trailing_zeros(rest)
                    rest &= rest - 1
                    point -= odds[card]
                    if point < 0 or not rest:
                        break
                rows.output[row] = self.labels[i, card]
                choices.chance[row] = logf(odds[card] / total)
                choices.legal[row] = outputs
                choices.world[row] = self.write_row(i, rows.seat[row], critic)
                self.kernel.push(self.lane(i), card)
            for network in range(self.networks):
                self.rows[network].first = self.rows[network].count

    def worlds(self):
        """The critic's rows, a view float32 [n, width]."""
        return self.arrays[self.networks - 1][0][: self.rows[self.networks - 1].count]

    def finish(self, const float[::1] values not None, float trace, int win):
        """Sets the targets and the advantages from the finished games; whose game was won, bool [lanes].

        Generalized advantage estimation (Schulman et al. 2016, equation 16) over all choices of a game, whoever makes
        them, with a discount of 1. Targets are the TD(lambda) returns of the same trace.
        """
        cdef int critic = self.networks - 1
        cdef int i, lane, network, relative
        cdef int count = self.rows[critic].count
        cdef float delta, sign
        cdef Rows* rows
        if values.shape[0] < count:
            raise ValueError(f"got {values.shape[0]} values of {count} worlds")
        worths, wins = np.empty(self.lanes, np.float32), np.empty(self.lanes, np.float32)
        advantages = np.empty(count, np.float32)
        cdef float[::1] worth = worths
        cdef float[::1] won = wins
        cdef float[::1] advantage = advantages
        cdef float[::1] after = np.empty(self.lanes, np.float32)
        cdef float[::1] ahead = np.zeros(self.lanes, np.float32)
        with nogil:
            for i in range(self.lanes):
                worth[i] = after[i] = self.worth(i, self.unit)
                won[i] = self.worth(i, win)
            rows = &self.rows[critic]
            for i in range(count - 1, -1, -1):
                lane = rows.lane[i]
                delta = after[lane] - values[i]
                ahead[lane] = delta + trace * ahead[lane]
                after[lane] = values[i]
                advantage[i] = ahead[lane]
                rows.target[i] = values[i] + ahead[lane]
            for network in range(critic):
                rows = &self.rows[network]
                for i in range(rows.count):
                    lane = rows.lane[i]
                    relative = (rows.seat[i] - self.kernel.declarer(self.lane(lane)) + self.kernel.seats)
                    sign = 1 if self.share[relative % self.kernel.seats] > 0 else -1
                    rows.target[i] = sign * worth[lane]
                    rows.best[i] = sign * advantage[self.choices[network].world[i]]
        return worths, wins > 0

    def policy_data(self, int network):
        """All rows of a policy: views features, outputs, logarithms of chances, legal outputs, advantages, targets."""
        count = self.rows[network].count
        features, output, target, best = self.arrays[network][:4]
        chance, legal, _ = self.kept[network]
        return features[:count], output[:count], chance[:count], legal[:count], best[:count], target[:count]

    def critic_data(self):
        """All rows of the critic: views features float32 [n, width], targets float32 [n], games int32 [n]."""
        count = self.rows[self.networks - 1].count
        features, _, target, _, _, lane, _ = self.arrays[self.networks - 1]
        return features[:count], target[:count], lane[:count]
