"""Games in memory, replayed to any of their decisions at C speed, for every game."""

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._encoder cimport Encoder, float_rows
from skat_env._position cimport Kernel, Position, redeal

import numpy as np

DECISION = np.dtype(
    [
        ("game", np.int64), ("legal", np.uint64), ("step", np.uint8), ("seat", np.uint8), ("action", np.uint8),
        ("phase", np.uint8), ("trick", np.uint8),
    ],
    align=True,
)


cdef struct Decision:
    int64_t game
    uint64_t legal
    uint8_t step
    uint8_t seat
    uint8_t action
    uint8_t phase
    uint8_t trick


@cython.final
cdef class Games:
    """Games for random access; their actions must be legal (unchecked)."""

    cdef const Kernel* kernel
    cdef const void** starts            # for each kind of start, a position without actions
    cdef const uint32_t[::1] start      # [games] indices into `starts`
    cdef const uint32_t[::1] low        # [games] the deal as in packing.py
    cdef const uint32_t[::1] high
    cdef const uint8_t[::1] length      # [games] number of actions
    cdef const uint64_t[::1] actions    # [games] the address of the first action
    cdef object owners                  # keeps the starts' states and the actions alive
    cdef type positions                 # class of the states

    def __cinit__(self, list starts, start, low, high, length, list actions):
        """The arrays in `actions`, joined, are the actions of all games in order; a game may not span two arrays."""
        cdef Py_ssize_t i
        cdef const uint8_t[::1] piece
        cdef Position position
        self.owners = (starts, actions)
        self.start, self.low, self.high, self.length = start, low, high, length
        ends = np.cumsum(length, dtype=np.int64)
        addresses = np.empty(len(length), np.uint64)
        first = game = 0
        for piece in actions:
            stop = np.searchsorted(ends, first + piece.shape[0], side="right")
            base = <size_t>&piece[0] if piece.shape[0] else 0
            addresses[game:stop] = base + (ends[game:stop] - length[game:stop] - first)
            first += piece.shape[0]
            game = stop
        self.actions = addresses
        self.starts = <const void**>malloc(max(1, len(starts)) * sizeof(void*))
        if not self.starts:
            raise MemoryError()
        for i in range(len(starts)):
            position = starts[i]
            self.starts[i] = position.data
            self.kernel = position.kernel
            self.positions = type(position)

    def __dealloc__(self):
        free(self.starts)

    cdef inline void begin(self, int64_t game, void* s) noexcept nogil:
        """Sets a struct to the start of a game."""
        cdef uint32_t low = self.low[game]
        cdef uint32_t high = self.high[game]
        cdef uint32_t[4] places = [~low & ~high, low & ~high, ~low & high, low & high]
        memcpy(s, self.starts[self.start[game]], self.kernel.size)
        redeal(self.kernel, s, places)

    cdef inline const uint8_t* moves(self, int64_t game) noexcept nogil:
        return <const uint8_t*><size_t>self.actions[game]

    cdef check_steps(self, const int64_t[::1] games, const int64_t[::1] steps):
        """Raises a ValueError if there is no such game or step."""
        cdef Py_ssize_t i
        if steps.shape[0] != games.shape[0]:
            raise ValueError(f"got {games.shape[0]} games and {steps.shape[0]} steps")
        for i in range(games.shape[0]):
            if not 0 <= games[i] < self.length.shape[0]:
                raise ValueError(f"game {games[i]} is not one of 0..{self.length.shape[0] - 1}")
            if not 0 <= steps[i] <= self.length[games[i]]:
                raise ValueError(f"game {games[i]} has {self.length[games[i]]} actions: there is no step {steps[i]}")

    def decisions(self, const uint8_t[::1] chosen not None, Encoder encoder):
        """The decisions of the chosen games that an encoder can encode (None: all), in order: `DECISION` [n]."""
        cdef int64_t game, found = 0
        cdef int step, seat
        cdef const uint8_t* moves
        cdef Decision* row
        table = np.zeros(np.dot(np.asarray(chosen, np.int64), np.asarray(self.length)), DECISION)
        cdef uint8_t[::1] bytes_of_table = table.view(np.uint8)
        if not len(table):
            return table
        row = <Decision*>&bytes_of_table[0]
        cdef void* s = malloc(self.kernel.size)
        if not s:
            raise MemoryError()
        with nogil:
            for game in range(chosen.shape[0]):
                if not chosen[game]:
                    continue
                self.begin(game, s)
                moves = self.moves(game)
                for step in range(self.length[game]):
                    seat = self.kernel.to_act(s)
                    if encoder is None or encoder.reads(s, seat):
                        row[found].game = game
                        row[found].legal = self.kernel.legal(s)
                        row[found].step = step
                        row[found].seat = seat
                        row[found].action = moves[step]
                        row[found].phase = self.kernel.phase(s)
                        row[found].trick = self.kernel.plays(s) // self.kernel.seats
                        found += 1
                    self.kernel.push(s, moves[step])
        free(s)
        return table[:found].copy() if found < len(table) else table

    def rows(
        self, Encoder encoder not None, const int64_t[::1] games not None, const int64_t[::1] steps not None,
        const int64_t[::1] seats not None, out, uint8_t[:, ::1] labels,
    ):
        """Positions encoded as float32 [n, width]: row i is game `games[i]` after `steps[i]` actions, for `seats[i]`.

        Seat -1 is the seat to act. `labels`, uint8 [n, 32] or None, receives the numbers that the features give the
        cards, if the encoder renumbers them.
        """
        cdef Py_ssize_t i
        cdef Py_ssize_t n = games.shape[0]
        cdef int64_t current = -1
        cdef int step = 0
        cdef int seat
        cdef const uint8_t* moves = NULL
        cdef bint readable = True
        cdef bint labelled = labels is not None and encoder.label != NULL
        if steps.shape[0] != n or seats.shape[0] != n:
            raise ValueError(f"got {n} games, {steps.shape[0]} steps and {seats.shape[0]} seats")
        if self.positions is not None and not issubclass(self.positions, encoder.positions):
            raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not a {self.positions.__name__}")
        array = float_rows(out, n, encoder.width)
        cdef float[:, ::1] target = array
        self.check_steps(games, steps)
        for i in range(n):
            if not -1 <= seats[i] < self.kernel.seats:
                raise ValueError(f"seat {seats[i]} is not one of 0..{self.kernel.seats - 1}")
        if not n:
            return array
        cdef void* s = malloc(self.kernel.size)
        if not s:
            raise MemoryError()
        with nogil:
            for i in range(n):
                if games[i] != current or steps[i] < step:
                    current = games[i]
                    self.begin(current, s)
                    moves = self.moves(current)
                    step = 0
                while step < steps[i]:
                    self.kernel.push(s, moves[step])
                    step += 1
                seat = <int>seats[i] if seats[i] >= 0 else self.kernel.to_act(s)
                readable = seat >= 0 and encoder.reads(s, seat)
                if not readable:
                    break
                encoder.write(s, seat, &target[i, 0])
                if labelled:
                    encoder.label(s, seat, &labels[i, 0])
        free(s)
        if not readable:
            raise ValueError(
                f"encoder {encoder.name} reads {encoder.scope}, not game {games[i]} at step {steps[i]} for seat {seat}"
            )
        return array

    def places(self, const int64_t[::1] games not None, const int64_t[::1] steps not None):
        """The cards at each place of game `games[i]` after `steps[i]` actions, as masks: uint32 [n, places]."""
        cdef Py_ssize_t i
        cdef Py_ssize_t n = games.shape[0]
        cdef int step, place
        cdef const uint8_t* moves
        self.check_steps(games, steps)
        array = np.empty((n, self.kernel.places if self.length.shape[0] else 0), np.uint32)
        cdef uint32_t[:, ::1] target = array
        if not n:
            return array
        cdef void* s = malloc(self.kernel.size)
        if not s:
            raise MemoryError()
        with nogil:
            for i in range(n):
                self.begin(games[i], s)
                moves = self.moves(games[i])
                for step in range(steps[i]):
                    self.kernel.push(s, moves[step])
                for place in range(self.kernel.places):
                    target[i, place] = (<const uint32_t*>s)[place]
        free(s)
        return array

    def outcomes(self, int unit, const int8_t[::1] claim not None):
        """The results in a reward unit, int32 [games, seats]; declarers and contracts, int8 [games], -1 for none.

        A claim gives the remaining tricks to the declaring side (1) or to the other (0); -1: no claim. The result of an
        unfinished game without a claim is 0.
        """
        cdef int64_t game
        cdef int step
        cdef const uint8_t* moves
        cdef Py_ssize_t games = self.length.shape[0]
        results = np.zeros((games, self.kernel.seats if games else 0), np.int32)
        declarers = np.empty(games, np.int8)
        contracts = np.empty(games, np.int8)
        cdef int32_t[:, ::1] result = results
        cdef int8_t[::1] declarer = declarers
        cdef int8_t[::1] contract = contracts
        if not games:
            return results, declarers, contracts
        cdef void* s = malloc(self.kernel.size)
        if not s:
            raise MemoryError()
        with nogil:
            for game in range(games):
                self.begin(game, s)
                moves = self.moves(game)
                for step in range(self.length[game]):
                    self.kernel.push(s, moves[step])
                if claim[game] < 0:
                    self.kernel.returns(s, unit, &result[game, 0])
                else:
                    self.kernel.settle(s, claim[game], unit, &result[game, 0])
                declarer[game] = self.kernel.declarer(s)
                contract[game] = self.kernel.contract(s)
        free(s)
        return results, declarers, contracts
