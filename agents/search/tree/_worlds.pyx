"""The worlds of a tree search."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._random cimport random_below
from skat_env.beliefs._sampler cimport draw, draw_backtracking, prepare_draws, spread_view


cdef Spread* SPARE = NULL       # kept for the next search: fresh memory of this size costs as much as filling it


cdef Spread* new_spread() noexcept:
    global SPARE
    cdef Spread* spread = SPARE
    SPARE = NULL
    return spread if spread else <Spread*>malloc(sizeof(Spread))


cdef void drop_spread(Spread* spread) noexcept:
    global SPARE
    if SPARE:
        free(spread)
    else:
        SPARE = spread


cdef class Worlds:
    """Draws worlds for a search: uniformly from a view, by the thesis's sampler, or from a list.

    Args:
        view: the View of the seat that searches.
        seat: the number of that seat.
        backtracking: whether to draw by Aaldering 2023, algorithm 2, which is not uniform.
        states: worlds to draw from uniformly, in place of all worlds of the view; empty: all.

    Raises:
        ValueError: if the view contradicts itself, is not that seat's, or a state is of another game.
    """

    def __cinit__(self, Position view not None, int seat, bint backtracking, list states not None):
        cdef Position state
        cdef int i
        if seat != view.kernel.viewer(view.data):
            raise ValueError(f"not the view of seat {seat}: '{view.text()}'")
        self.view = view
        self.kernel = view.kernel
        self.seat = seat
        self.backtracking = backtracking
        self.pool_size = len(states)
        if states:
            self.pool = <uint8_t*>malloc(self.pool_size * self.kernel.size)
            if not self.pool:
                raise MemoryError()
            for i, state in enumerate(states):
                if state.kernel != self.kernel or self.kernel.viewer(state.data) >= 0:
                    raise ValueError(f"world {i} is no state of the view's game")
                memcpy(self.pool + i * self.kernel.size, state.data, self.kernel.size)
            return
        self.spread = new_spread()
        if not self.spread:
            raise MemoryError()
        if spread_view(self.kernel, view.data, seat, self.spread):
            raise ValueError(f"the view contradicts itself: no deal of the unknown cards fits '{view.text()}'")
        if not backtracking:
            prepare_draws(self.spread)

    def __dealloc__(self):
        free(self.pool)
        drop_spread(self.spread)

    cdef void draw_one(self, void* state, uint64_t* stream) noexcept nogil:
        """Writes a random world into `state`."""
        cdef uint32_t masks[4]
        if self.pool_size:
            memcpy(state, self.pool + random_below(stream, self.pool_size) * self.kernel.size, self.kernel.size)
            return
        if self.backtracking:
            draw_backtracking(self.spread, stream, masks)
        else:
            draw(self.spread, stream, masks)
        memcpy(state, self.view.data, self.kernel.size)
        self.kernel.complete(state, masks, stream)
