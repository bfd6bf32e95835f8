"""Worlds that are followed through a game, each with a table that is kept from question to question.

A solver empties its table before each question, so that its node counts depend on the question alone. A search that
asks about many positions of the same few worlds is many times faster with tables that it keeps.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

cimport cython

from skat_env._position cimport Position, index_of

from skat_env.options import check_list, shown

cdef enum:
    MAX_BITS = 22           # log2 of the buckets of all tables together (128 MiB)
    SOLVER_BITS = 18        # log2 of the buckets of one solver's table
    MOST_SMALLER = 6        # a table cannot be smaller than when it is empty


cdef FollowedWorlds followed_by(const Kernel* kernel):
    """Worlds of a solver; none yet."""
    cdef FollowedWorlds worlds = FollowedWorlds.__new__(FollowedWorlds)
    worlds.kernel = kernel
    return worlds


@cython.final
cdef class FollowedWorlds:
    """Worlds of one game, each with a table that is kept until they begin anew. For one thread at a time."""

    def __dealloc__(self):
        self.release()

    cdef void release(self) noexcept:
        """Frees the memory of all worlds."""
        cdef int i
        if self.memory is not NULL:
            for i in range(self.room):
                self.kernel.memory_free(self.memory[i])
        free(self.memory)
        free(self.followings)
        free(self.positions)
        self.memory, self.followings, self.positions = NULL, NULL, NULL
        self.room = self.count = 0

    cdef int make_room(self, int count) except -1:
        """Memory for so many worlds; the more, the smaller their tables."""
        cdef int i
        if count <= self.room:
            return 0
        self.release()
        self.smaller = 0
        while self.smaller < MOST_SMALLER and count > 1 << (MAX_BITS - SOLVER_BITS + self.smaller):
            self.smaller += 1
        self.memory = <void**>calloc(count, sizeof(void*))
        self.followings = <char*>calloc(count, self.kernel.following_size)
        self.positions = <char*>calloc(count, self.game.size)
        if self.memory is NULL or self.followings is NULL or self.positions is NULL:
            self.release()
            raise MemoryError(f"no memory for {count} worlds")
        self.room = count
        for i in range(count):
            self.memory[i] = self.kernel.memory_new(self.smaller)
            if self.memory[i] is NULL:
                self.release()
                raise MemoryError(f"no memory for the table of world {i}")
        return 0

    def begin(self, positions, questions):
        """Puts worlds at positions, with empty tables."""
        cdef Position position
        cdef char* problem
        cdef int i
        positions = check_list("begin", "positions", positions)
        questions = check_list("begin", "questions", questions)
        if not positions or len(questions) != len(positions):
            raise ValueError(
                f"{len(positions)} positions and {len(questions)} questions: expected as many, at least one"
            )
        problem = <char*>calloc(1, self.kernel.problem_size)
        if problem is NULL:
            raise MemoryError("no memory for a problem")
        try:
            for i in range(len(positions)):
                self.kernel.read(positions[i], questions[i], problem)
                if not isinstance(positions[i], Position):
                    raise TypeError(f"a world that is followed is a state, not {shown(positions[i])}")
                position = positions[i]
                if i == 0:
                    if self.game != position.kernel:
                        self.release()
                        self.game = position.kernel
                    self.make_room(len(positions))
                memcpy(self.position(i), position.data, self.game.size)
                self.kernel.follow(problem, self.memory[i], self.followings + i * self.kernel.following_size)
        finally:
            free(problem)
        self.count = len(positions)

    def reached(self, world, target, actions=()):
        """Whether the declaring side reaches a target after some actions in a world."""
        cdef int number = index_of(world, self.count)
        cdef int aim = target
        cdef int done = 0
        cdef void* position
        if number < 0:
            raise ValueError(f"world {shown(world)} is not one of {self.count}")
        position = self.position(number)
        try:
            for action in actions:
                if (
                    not isinstance(action, int) or not 0 <= action < 64
                    or not self.game.legal(position) >> <int>action & 1
                ):
                    raise ValueError(f"action {shown(action)} is not legal")
                self.game.push(position, action)
                done += 1
            return bool(self.holds(number, aim))
        finally:
            for _ in range(done):
                self.game.pop(position)
