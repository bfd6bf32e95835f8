"""Games played in step by value networks, one a lane: all of a learner's loop but the networks, without the GIL.

A wave begins a game in every lane and ends when all are over. `advance` plays every game on to its next choice and
writes what the seat to act knows into the rows of its network; the caller values the rows' actions, `choose` plays.
Rows stay where they were written: at the end they are the network's training data, with the game's worth as targets.
"""

from libc.math cimport expf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._encoder cimport Encoder
from skat_env._position cimport Position
from skat_env._bits cimport trailing_zeros
from skat_env._random cimport random_next

import numpy as np

from skat_env.play.lockstep import require_states

cdef enum:
    OUTPUTS = 33        # what each card adds to what the position is worth, and that


cdef class Actors:
    """The lanes and the rows of every network."""

    def __cinit__(
        self, Position prototype not None, int lanes, list encoders not None, int capacity,
        route, share, int unit, float scale,
    ):
        cdef Encoder encoder
        cdef Rows* rows
        self.prototype = prototype
        self.kernel = prototype.kernel
        self.lanes = lanes
        self.networks = len(encoders)
        self.unit = unit
        self.scale = scale
        self.route = np.ascontiguousarray(route, np.int8)
        self.share = np.ascontiguousarray(share, np.float32)
        self.row = np.full(lanes, -1, np.int32)
        self.values_starts = True
        self.network = np.zeros(lanes, np.int8)
        self.labels = np.zeros((lanes, CARDS), np.uint8)
        self.states = <uint8_t*>malloc(lanes * self.kernel.size)
        self.rows = <Rows*>malloc(self.networks * sizeof(Rows))
        if not self.states or not self.rows:
            raise MemoryError()
        self.arrays = []
        for i in range(self.networks):
            encoder = encoders[i]
            if not isinstance(prototype, encoder.positions):
                raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not a {type(prototype).__name__}")
            rows = &self.rows[i]
            rows.write, rows.label = encoder.write, encoder.label
            rows.width = encoder.width
            rows.first = rows.count = 0
            # Memory that is never written is never taken: room for every game to be of this network costs nothing.
            features = np.empty((capacity, encoder.width), np.float32)
            output, target = np.empty(capacity, np.int64), np.empty(capacity, np.float32)
            best, explored = np.empty(capacity, np.float32), np.empty(capacity, np.int8)
            lane, seat = np.empty(capacity, np.int32), np.empty(capacity, np.int8)
            self.arrays.append((features, output, target, best, explored, lane, seat))
            rows.features = <float*><size_t>features.ctypes.data
            rows.output = <int64_t*><size_t>output.ctypes.data
            rows.target = <float*><size_t>target.ctypes.data
            rows.best = <float*><size_t>best.ctypes.data
            rows.explored = <int8_t*><size_t>explored.ctypes.data
            rows.lane = <int32_t*><size_t>lane.ctypes.data
            rows.seat = <int8_t*><size_t>seat.ctypes.data

    def __dealloc__(self):
        free(self.states)
        free(self.rows)

    cdef void* lane(self, int i) noexcept nogil:
        return self.states + <size_t>i * self.kernel.size

    cdef int network_of(self, const void* state, int seat) noexcept nogil:
        """The network that a seat asks."""
        cdef int seats = self.kernel.seats
        return self.route[self.kernel.contract(state), (seat - self.kernel.declarer(state) + seats) % seats]

    cdef int write_row(self, int i, int seat, int network) noexcept nogil:
        """Writes a seat's row of a lane and returns its number; nothing is chosen yet."""
        cdef Rows* rows = &self.rows[network]
        cdef int row = rows.count
        rows.write(self.lane(i), seat, rows.features + <size_t>row * rows.width)
        rows.lane[row] = i
        rows.seat[row] = seat
        rows.count += 1
        return row

    def begin(
        self, const uint8_t[:, ::1] pool not None, const int64_t[::1] chosen not None,
        const uint64_t[::1] streams not None,
    ):
        """Starts a game in every lane, with a row of what the start is worth to the declarer."""
        cdef int i, declarer, network, row
        if (
            pool.shape[1] != <Py_ssize_t>self.kernel.size or chosen.shape[0] != self.lanes
            or streams.shape[0] != self.lanes
        ):
            raise ValueError(
                f"got starts of {pool.shape[1]} bytes, {chosen.shape[0]} of them chosen, {streams.shape[0]} streams: "
                f"expected {self.kernel.size} bytes, and {self.lanes} of the others"
            )
        if self.lanes and not 0 <= np.min(chosen) <= np.max(chosen) < pool.shape[0]:
            raise IndexError(f"chosen are starts {np.min(chosen)} to {np.max(chosen)} of {pool.shape[0]}")
        self.streams = np.array(streams, np.uint64)
        with nogil:
            for network in range(self.networks):
                self.rows[network].first = self.rows[network].count = 0
            for i in range(self.lanes):
                memcpy(self.lane(i), &pool[chosen[i], 0], self.kernel.size)
                if not self.values_starts:
                    continue
                declarer = self.kernel.declarer(self.lane(i))
                network = self.network_of(self.lane(i), declarer)
                row = self.write_row(i, declarer, network)
                self.rows[network].output[row] = CARDS
                self.rows[network].first = self.rows[network].count

    def advance(self):
        """Plays every game on to the next seat that has a choice and writes its row; how many games are not over."""
        cdef int i, seat, network, card
        cdef int waiting = 0
        cdef uint64_t legal
        cdef void* state
        with nogil:
            for i in range(self.lanes):
                state = self.lane(i)
                seat = self.kernel.to_act(state)
                while seat >= 0:
                    legal = self.kernel.legal(state)
                    if legal & (legal - 1):
                        break
                    self.kernel.push(state, trailing_zeros(legal))
                    seat = self.kernel.to_act(state)
                if seat < 0:
                    self.row[i] = -1
                    continue
                network = self.network_of(state, seat)
                self.network[i] = network
                self.row[i] = self.write_row(i, seat, network)
                if self.rows[network].label != NULL:
                    self.rows[network].label(state, seat, &self.labels[i, 0])
                else:
                    for card in range(CARDS):
                        self.labels[i, card] = card
                waiting += 1
        return waiting

    def waiting(self, int network):
        """The rows that wait for a choice, a view float32 [n, width]."""
        return self.arrays[network][0][self.rows[network].first : self.rows[network].count]

    cdef int drawn(self, int i, uint64_t legal, const float* row, float best, float temperature) noexcept nogil:
        """A legal card drawn with odds exp(value / temperature)."""
        cdef float odds[CARDS]
        cdef float total = 0
        cdef uint64_t rest = legal
        cdef int card
        while rest:
            card = trailing_zeros(rest)
            rest &= rest - 1
            odds[card] = expf((row[self.labels[i, card]] - best) / temperature)
            total += odds[card]
        total *= (random_next(&self.streams[i]) >> 40) / 16777216.0
        while True:
            card = trailing_zeros(legal)
            legal &= legal - 1
            total -= odds[card]
            if total < 0 or not legal:
                return card

    def choose(self, list values not None, float epsilon, float temperature):
        """Plays in every game the card of the highest value, or with chance `epsilon` one drawn by softmax.

        `values` has for each network float32 [n, OUTPUTS] of its waiting rows; where there are none it may be None.
        """
        cdef int i, network, card, best
        cdef Rows* rows
        cdef const float* row
        cdef uint64_t legal, rest
        cdef const float[:, ::1] matrix
        # A 64-bit number is below it with chance epsilon.
        cdef uint64_t limit = <uint64_t>(<double>min(max(epsilon, 0.0), 1.0) * 18446744073709549568.0)
        for network in range(self.networks):
            rows = &self.rows[network]
            if rows.count > rows.first:
                matrix = values[network]
                if matrix.shape[0] < rows.count - rows.first or matrix.shape[1] != OUTPUTS:
                    raise ValueError(
                        f"network {network} has values [{matrix.shape[0]}, {matrix.shape[1]}]: "
                        f"expected [{rows.count - rows.first} or more, {OUTPUTS}]"
                    )
                rows.values = &matrix[0, 0]
        with nogil:
            for i in range(self.lanes):
                if self.row[i] < 0:
                    continue
                rows = &self.rows[self.network[i]]
                legal = self.kernel.legal(self.lane(i))
                row = rows.values + <size_t>(self.row[i] - rows.first) * OUTPUTS
                best = trailing_zeros(legal)
                rest = legal & (legal - 1)
                while rest:
                    card = trailing_zeros(rest)
                    rest &= rest - 1
                    if row[self.labels[i, card]] > row[self.labels[i, best]]:
                        best = card
                rows.best[self.row[i]] = row[CARDS] + row[self.labels[i, best]]
                card = best
                if limit and random_next(&self.streams[i]) < limit:
                    card = self.drawn(i, legal, row, row[self.labels[i, best]], temperature)
                rows.explored[self.row[i]] = card != best
                rows.output[self.row[i]] = self.labels[i, card]
                self.kernel.push(self.lane(i), card)
            for network in range(self.networks):
                self.rows[network].first = self.rows[network].count

    cdef float worth(self, int i, int unit) noexcept nogil:
        """What a finished game was worth to the declaring side, scaled."""
        cdef int32_t out[MAX_SEATS]
        cdef int declarer = self.kernel.declarer(self.lane(i))
        cdef int relative
        cdef float worth = 0
        self.kernel.returns(self.lane(i), unit, out)
        for relative in range(self.kernel.seats):
            worth += self.share[relative] * out[(declarer + relative) % self.kernel.seats]
        return worth * self.scale

    def finish(self, float trace):
        """Sets the targets of all rows from the finished games; their worths to the declarers, float32 [lanes].

        The target of a decision is a share `trace` of the seat's next target, and the rest of the value that it
        expected then; of its last decision, what the game was worth. With 1 that is the game's worth throughout
        (Monte-Carlo), below it TD(lambda), cut where the next card was not the best (Watkins 1989).
        """
        cdef int i, network, relative, seats = self.kernel.seats
        cdef Rows* rows
        cdef float* target
        worths = np.empty(self.lanes, np.float32)
        cdef float[::1] worth = worths
        cdef float[:, ::1] targets = np.empty((self.lanes, seats), np.float32)
        with nogil:
            for i in range(self.lanes):
                worth[i] = self.worth(i, self.unit)
                for relative in range(seats):
                    targets[i, (self.kernel.declarer(self.lane(i)) + relative) % seats] = (
                        worth[i] if self.share[relative] > 0 else -worth[i]
                    )
            for network in range(self.networks):
                rows = &self.rows[network]
                for i in range(rows.count - 1, -1, -1):
                    target = &targets[rows.lane[i], rows.seat[i]]
                    rows.target[i] = target[0]
                    if trace < 1 and rows.output[i] < CARDS:
                        target[0] = rows.best[i] if rows.explored[i] else trace * target[0] + (1 - trace) * rows.best[i]
        return worths

    def data(self, int network):
        """All rows of a wave: views features float32 [n, width], outputs int64 [n], targets float32 [n]."""
        count = self.rows[network].count
        features, output, target = self.arrays[network][:3]
        return features[:count], output[:count], target[:count]


def pack(list states not None):
    """The structs of some States of one game, uint8 [n, bytes]: starts of the games that `Actors` play."""
    cdef Position state
    cdef Py_ssize_t i
    require_states(states, changes=False)
    cdef size_t size = (<Position>states[0]).kernel.size if states else 0
    packed = np.zeros((len(states), size), np.uint8)
    cdef uint8_t[:, ::1] out = packed
    for i in range(len(states)):
        state = states[i]
        memcpy(&out[i, 0], state.data, size)
    return packed


def unpack(Position prototype not None, const uint8_t[::1] packed not None):
    """The State of one of the rows that `pack` made; `prototype` is any of its game."""
    cdef Position state = prototype.clone()
    if packed.shape[0] != <Py_ssize_t>state.kernel.size:
        raise ValueError(f"got a start of {packed.shape[0]} bytes: expected {state.kernel.size}")
    memcpy(state.data, &packed[0], state.kernel.size)
    return state
