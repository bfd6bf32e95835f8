"""Worlds that are followed through a game, each with a table that is kept from question to question."""

from libc.stdint cimport uint64_t

from skat_env._position cimport Kernel as GameKernel
from skat_env.solvers._crew cimport Kernel

cdef class FollowedWorlds:
    cdef const Kernel* kernel           # the solver
    cdef const GameKernel* game         # the game; NULL before `begin`
    cdef readonly int count             # worlds
    cdef int room                       # worlds for which there is memory
    cdef int smaller                    # bits less of their tables' size than of a solver's
    cdef void** memory                  # one per world
    cdef char* followings               # kernel.following_size bytes per world
    cdef char* positions                # game.size bytes per world: where it is

    cdef inline void* position(self, int world) noexcept nogil:
        return self.positions + world * self.game.size

    cdef inline bint holds(self, int world, int target) noexcept nogil:
        """Whether the declaring side reaches a target from where a world is (unchecked)."""
        return self.kernel.reached(self.followings + world * self.kernel.following_size, self.position(world), target)

    cdef int make_room(self, int count) except -1
    cdef void release(self) noexcept


cdef FollowedWorlds followed_by(const Kernel* kernel)
