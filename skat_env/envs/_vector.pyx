"""N lanes of one game, stepped at once: the loops behind vector.py, which run without the GIL.

Several threads may share the lanes of a call: each takes the next ones until none are left. What a lane does depends on
the lane alone, so results do not depend on who takes it. The threads are made for the call, in C: that takes some 30
microseconds, and Python's own threads, which wait for the GIL at either end, several times as long.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from skat_env._position cimport Kernel, Position, index_of
from skat_env._random cimport random_below, random_bit

import numpy as np

from skat_env.options import shown
from skat_env.play.starts import MAX_REDEALS, has_no_turn

cdef enum:
    MAX_SEATS = 8

cdef int MAX_DEALS = MAX_REDEALS
cdef int64_t TAKEN = 128            # lanes that a thread takes at once: 25 us of work, rows of 150 KB
LANES_PER_THREAD = 1024               # fewer are stepped before another thread has been made
cdef int64_t WORTH = LANES_PER_THREAD
ARRAYS = ("observation", "action_mask", "current_player", "rewards", "terminations", "seats", "random_mask")
cdef enum:
    MAX_HELPERS = 63

cdef extern from *:
    """
    #include <sched.h>
    static inline long long vector_add(long long* counter, long long more)
    { return __atomic_fetch_add(counter, more, __ATOMIC_ACQ_REL); }
    static inline void vector_wait(long long* counter, long long until)
    { while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < until) sched_yield(); }
    static inline void vector_lower(long long* least, long long value)
    {
        long long found = __atomic_load_n(least, __ATOMIC_RELAXED);
        while (value < found && !__atomic_compare_exchange_n(
            least, &found, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {}
    }
    """
    int64_t add "vector_add"(long long* counter, long long more) noexcept nogil
    void wait_until "vector_wait"(long long* counter, long long until) noexcept nogil
    void lower "vector_lower"(long long* least, long long value) noexcept nogil

cdef extern from "<pthread.h>" nogil:
    ctypedef unsigned long pthread_t
    int pthread_create(pthread_t* thread, void* attributes, void* (*body)(void*) noexcept nogil, void* argument)
    int pthread_join(pthread_t thread, void** result)


cdef struct Taken:
    # How many chunks threads have taken of a pass over the lanes: together, from the front, and from the back.
    long long all, front, back


cdef void* help_with_lanes(Batch batch) noexcept nogil:
    """The body of a thread."""
    batch.play(True)
    return NULL


cdef class Batch:
    """The games in N lanes, and the buffers that every call overwrites.

    Each lane has its own random stream, so its games depend only on its number and the seed.
    """

    cdef const Kernel* kernel
    cdef Position prototype         # keeps the kernel and the rules
    cdef uint8_t* states            # lane after lane, kernel.size bytes each
    cdef uint8_t* pool              # start positions; NULL: fresh deals
    cdef uint64_t[::1] streams
    cdef int lanes
    # Of the call in progress:
    cdef Taken checked, played      # chunks
    cdef long long lanes_checked
    cdef long long illegal          # the first lane with an illegal action; `lanes`: none
    cdef const int64_t* actions     # NULL: the call starts new games
    cdef bint same_step             # whether it replaces finished games at once
    cdef int starts                 # positions in the pool
    cdef int unit                   # reward unit
    cdef float scale                # factor of the rewards
    cdef readonly object observation, action_mask, current_player, rewards, terminations, seats, random_mask
    cdef int8_t[:, ::1] observation_out
    cdef int8_t[:, ::1] mask_out
    cdef int32_t[::1] player_out
    cdef float[:, ::1] rewards_out
    cdef uint8_t[::1] terminations_out
    cdef int32_t[::1] seat_of_lane
    cdef uint8_t[::1] random_of_lane

    def __cinit__(self, Position prototype not None, int lanes, int unit, float scale):
        self.prototype = prototype
        self.kernel = prototype.kernel
        self.lanes = lanes
        self.unit = unit
        self.scale = scale
        self.states = <uint8_t*>calloc(lanes, self.kernel.size)
        if not self.states:
            raise MemoryError()
        self.seed(np.arange(lanes))
        self.renew(np.zeros)
        self.seats = np.full(lanes, -1, np.int32)
        self.seat_of_lane = self.seats
        self.random_mask = np.zeros(lanes, np.uint8)
        self.random_of_lane = self.random_mask

    def __reduce__(self):
        cdef Py_ssize_t size = self.kernel.size
        cdef bytes states = PyBytes_FromStringAndSize(<char*>self.states, self.lanes * size)
        cdef bytes pool = PyBytes_FromStringAndSize(<char*>self.pool, self.starts * size) if self.starts else b""
        arrays = [np.array(getattr(self, name)) for name in ARRAYS]
        made = self.prototype, self.lanes, self.unit, self.scale
        return Batch, made, (states, pool, np.array(self.streams), arrays)

    def __setstate__(self, tuple kept not None):
        cdef bytes states, pool
        cdef Py_ssize_t size = self.kernel.size
        states, pool, streams, arrays = kept
        if len(states) != self.lanes * size or len(pool) % size:
            raise ValueError("a pickle of games in lanes is from another version: its positions have another size")
        memcpy(self.states, <const char*>states, len(states))
        if pool:
            self.pool = <uint8_t*>malloc(len(pool))
            if not self.pool:
                raise MemoryError()
            memcpy(self.pool, <const char*>pool, len(pool))
            self.starts = len(pool) // size
        self.seed(streams)
        for name, array in zip(ARRAYS, arrays, strict=True):
            getattr(self, name)[...] = array

    def __dealloc__(self):
        free(self.states)
        free(self.pool)

    def renew(self, empty):
        """Takes new arrays for what the calls write; `empty(shape, dtype)` makes one. `reset` and `step` fill them."""
        cdef int lanes = self.lanes
        self.observation_out = self.observation = empty((lanes, self.kernel.features), np.int8)
        self.mask_out = self.action_mask = empty((lanes, self.kernel.actions), np.int8)
        self.player_out = self.current_player = empty((lanes,), np.int32)
        self.rewards_out = self.rewards = empty((lanes, self.kernel.seats), np.float32)
        self.terminations = empty((lanes,), np.bool_)
        self.terminations_out = self.terminations.view(np.uint8)

    def seed(self, streams):
        """Sets the lanes' random streams, uint64 [lanes]."""
        self.streams = np.ascontiguousarray(streams, np.uint64).copy()

    def set_starts(self, list states not None):
        """Makes games begin at positions drawn from a list that is not empty."""
        cdef Position state
        for state in states:
            if type(state) is not type(self.prototype):
                raise TypeError(f"a start is a {type(self.prototype).__name__}, not a {type(state).__name__}")
        free(self.pool)
        self.starts = 0
        self.pool = <uint8_t*>malloc(len(states) * self.kernel.size)
        if not self.pool:
            raise MemoryError()
        self.starts = len(states)
        for i, state in enumerate(states):
            memcpy(self.pool + <size_t>i * self.kernel.size, state.data, self.kernel.size)

    cdef inline void* lane(self, int i) noexcept nogil:
        return self.states + <size_t>i * self.kernel.size

    cdef inline void begin(self, int i) noexcept nogil:
        """Starts a new game in a lane."""
        cdef void* state = self.lane(i)
        if self.starts:
            memcpy(state, self.pool + random_below(&self.streams[i], self.starts) * self.kernel.size, self.kernel.size)
        else:
            memcpy(state, self.prototype.data, self.kernel.size)
            self.kernel.deal(state, &self.streams[i])

    cdef inline void write(self, int i) noexcept nogil:
        """Writes a lane's player to act, with the observation and mask of that player."""
        cdef void* state = self.lane(i)
        cdef int seat = self.kernel.to_act(state)
        cdef uint64_t legal = self.kernel.legal(state)
        cdef int8_t* mask = &self.mask_out[i, 0]
        cdef int actions = self.kernel.actions
        cdef int action
        self.player_out[i] = seat
        for action in range(actions):
            mask[action] = legal >> action & 1
        # Nobody acts in a finished game: the observation is that of the caller's seat, or of seat 0.
        if seat < 0:
            seat = self.seat_of_lane[i] if self.seat_of_lane[i] >= 0 else 0
        self.kernel.observe(state, seat, &self.observation_out[i, 0])

    cdef inline void reward(self, int i) noexcept nogil:
        cdef int32_t out[MAX_SEATS]
        cdef int seat
        self.kernel.returns(self.lane(i), self.unit, out)
        for seat in range(self.kernel.seats):
            self.rewards_out[i, seat] = out[seat] * self.scale
        self.terminations_out[i] = 1

    cdef inline void clear(self, int i) noexcept nogil:
        memset(&self.rewards_out[i, 0], 0, self.kernel.seats * sizeof(float))
        self.terminations_out[i] = 0

    cdef inline void others_play(self, int i) noexcept nogil:
        """Plays a lane's random seats until another seat is to act or the game is over."""
        cdef void* state = self.lane(i)
        cdef int seat = self.kernel.to_act(state)
        while seat >= 0 and self.random_of_lane[i] >> seat & 1:
            self.kernel.push(state, random_bit(&self.streams[i], self.kernel.legal(state)))
            seat = self.kernel.to_act(state)

    cdef inline bint begin_seat(self, int i, int seat) noexcept nogil:
        """Starts a game with the caller's seat to act and all others random; a negative seat is drawn.

        False: in many deals the seat had no turn; the lane has the last of them, which is over.
        """
        for _ in range(MAX_DEALS):
            self.begin(i)
            self.seat_of_lane[i] = seat if seat >= 0 else <int>random_below(&self.streams[i], self.kernel.seats)
            self.random_of_lane[i] = <uint8_t>~(1 << self.seat_of_lane[i])
            self.others_play(i)
            if self.kernel.to_act(self.lane(i)) >= 0:
                return True
        return False

    cdef inline bint take(self, Taken* taken, bint from_back, int* first, int* end) noexcept nogil:
        """Takes the next lanes of a pass, `first` to before `end`; False: none are left.

        The caller's thread takes them from the front and the others from the back, so that most lanes stay with the
        core that had them in the last call.
        """
        cdef int64_t chunks = (self.lanes + TAKEN - 1) // TAKEN
        cdef int64_t chunk
        if add(&taken.all, 1) >= chunks:
            return False
        chunk = chunks - 1 - add(&taken.back, 1) if from_back else add(&taken.front, 1)
        first[0] = <int>(chunk * TAKEN)
        end[0] = <int>min((chunk + 1) * TAKEN, <int64_t>self.lanes)
        return True

    cdef void play(self, bint helps) noexcept nogil:
        """Checks and plays the lanes that a thread takes of the call in progress; none is played if one is illegal."""
        cdef int first, end
        if self.actions != NULL:
            while self.take(&self.checked, helps, &first, &end):
                lower(&self.illegal, self.illegal_within(first, end))
                add(&self.lanes_checked, end - first)
            wait_until(&self.lanes_checked, self.lanes)
            if self.illegal < self.lanes:
                return
        while self.take(&self.played, helps, &first, &end):
            if self.actions == NULL:
                self.reset_lanes(first, end)
            else:
                self.step_lanes(first, end)

    cdef void share(self, int threads) noexcept nogil:
        """Plays all lanes on several threads, of which the caller's is one."""
        cdef pthread_t helpers[MAX_HELPERS]
        cdef int wanted = <int>min(<int64_t>min(threads - 1, MAX_HELPERS), self.lanes // WORTH - 1)
        cdef int made = 0
        memset(&self.checked, 0, sizeof(Taken))
        memset(&self.played, 0, sizeof(Taken))
        self.lanes_checked, self.illegal = 0, self.lanes
        # A thread that cannot be made is one less.
        while made < wanted and not pthread_create(
            &helpers[made], NULL, <void* (*)(void*) noexcept nogil>help_with_lanes, <void*>self
        ):
            made += 1
        self.play(False)
        while made:
            made -= 1
            pthread_join(helpers[made], NULL)

    cdef int illegal_within(self, int first, int end) noexcept nogil:
        """The first of some lanes with an illegal action (a finished game accepts any); `lanes`: none."""
        cdef int i
        cdef uint64_t legal
        for i in range(first, end):
            legal = self.kernel.legal(self.lane(i))
            if legal and (
                self.actions[i] < 0 or self.actions[i] >= self.kernel.actions or not legal >> self.actions[i] & 1
            ):
                return i
        return self.lanes

    cdef void reset_lanes(self, int first, int end) noexcept nogil:
        cdef int i
        for i in range(first, end):
            self.clear(i)
            self.begin(i)
            self.write(i)

    cdef void step_lanes(self, int first, int end) noexcept nogil:
        cdef int i
        for i in range(first, end):
            self.clear(i)
            if self.kernel.to_act(self.lane(i)) < 0:
                self.begin(i)
            else:
                self.kernel.push(self.lane(i), <int>self.actions[i])
                if self.kernel.to_act(self.lane(i)) < 0:
                    self.reward(i)
                    if self.same_step:
                        self.begin(i)
            self.write(i)

    def first_illegal(self, const int64_t[::1] actions not None):
        """The first lane with an illegal action (a finished game accepts any action); -1: none."""
        cdef int found
        if actions.shape[0] != self.lanes:
            raise ValueError(f"got {actions.shape[0]} actions for {self.lanes} games")
        self.actions = &actions[0]
        with nogil:
            found = self.illegal_within(0, self.lanes)
        return found if found < self.lanes else -1

    def position(self, i):
        """A copy of a lane's game, as a State."""
        cdef int number = index_of(i, self.lanes)
        if number < 0:
            raise IndexError(f"index {shown(i)} of a game is not one of 0..{self.lanes - 1}")
        cdef Position copy = self.prototype.clone()
        memcpy(copy.data, self.lane(number), self.kernel.size)
        return copy

    def reset(self, int threads=1):
        """Starts a new game in every lane; the caller plays every seat."""
        self.actions = NULL
        with nogil:
            self.share(threads)

    def step(self, const int64_t[::1] actions not None, bint same_step, int threads=1):
        """Plays an action in every lane; the caller plays every seat.

        With `same_step` a finished game is replaced at once, else by the next call, which ignores the lane's action.
        Returns the first lane with an illegal action, and then nothing was played; -1: all are legal.
        """
        if actions.shape[0] != self.lanes:
            raise ValueError(f"got {actions.shape[0]} actions for {self.lanes} games")
        self.actions, self.same_step = &actions[0], same_step
        with nogil:
            self.share(threads)
        return self.illegal if self.illegal < self.lanes else -1

    def step_seat(self, const int64_t[::1] actions not None):
        """Plays a legal action (unchecked) in every lane, then the random seats until another seat is to act.

        Finished games and lanes with a negative action stay as they are.
        """
        cdef int i
        with nogil:
            for i in range(self.lanes):
                self.clear(i)
                if actions[i] >= 0 and self.kernel.to_act(self.lane(i)) >= 0:
                    self.kernel.push(self.lane(i), <int>actions[i])
                    self.others_play(i)
                    if self.kernel.to_act(self.lane(i)) < 0:
                        self.reward(i)
                    self.write(i)

    def restart_seat(self, int seat, const uint8_t[::1] chosen not None):
        """Starts new games in the chosen lanes and plays up to the caller's turn; a negative seat is drawn for each.

        Raises:
            ValueError: if the seat has no turn in many deals in a row.
        """
        cdef int i
        cdef bint begun = True
        with nogil:
            for i in range(self.lanes):
                if chosen[i]:
                    begun &= self.begin_seat(i, seat)
                    self.write(i)
        if not begun:
            raise has_no_turn(seat)

    def restart(self, const uint8_t[::1] chosen not None):
        """Starts new games in the chosen lanes and plays the random seats until another seat is to act.

        `seats` and `random_mask` must be set. A game in which only random seats have a turn is played to its end.
        """
        cdef int i
        with nogil:
            for i in range(self.lanes):
                if chosen[i]:
                    self.begin(i)
                    self.others_play(i)
                    self.write(i)
