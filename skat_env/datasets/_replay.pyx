"""Games packed in bulk, rebuilt one by one, or checked in bulk at C speed, for every game."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._position cimport Kernel, Position, dealt_places, redeal
from skat_env._bits cimport popcount

import numpy as np

from skat_env.errors import ParseError

cdef enum:  # the same as dataset.Verdict
    AGREES, UNJUDGED, BAD_DEAL, ILLEGAL, BAD_END, DIFFERS

cdef enum:  # the same order as records.Status
    COMPLETE, CLAIMED, PASSED, ABORTED

NO_RESULT = -32768


cdef inline void unpack(uint32_t low, uint32_t high, uint32_t* places) noexcept nogil:
    """Unpacks a deal: bit `c` of `low` and of `high` are the two bits of the place of card `c`."""
    places[0] = ~low & ~high
    places[1] = low & ~high
    places[2] = ~low & high
    places[3] = low & high


def rebuild(start, place_sizes, uint32_t low, uint32_t high, const uint8_t[::1] actions):
    """The state after some actions, each checked; `start` is a position without actions, with any deal."""
    cdef Position state = start.clone()
    cdef uint32_t places[4]
    cdef Py_ssize_t i
    unpack(low, high, places)
    sizes = [popcount(places[i]) for i in range(4)]
    if sizes[: len(place_sizes)] != list(place_sizes):
        raise ParseError(f"the deal has {sizes} cards at its places, expected {list(place_sizes)}")
    redeal(state.kernel, state.data, places)
    for i in range(actions.shape[0]):
        state.apply_checked(actions[i])
    return state


cdef uint8_t check(
    const Kernel* kernel, void* s, const int* sizes, uint32_t low, uint32_t high, const uint8_t* actions, int length,
    int status, int claim, const int16_t* result,
) noexcept nogil:
    """The verdict on one game; `s` holds its start."""
    cdef uint32_t places[4]
    cdef int32_t ours[8]
    cdef int i
    cdef bint over
    unpack(low, high, places)
    for i in range(4):
        if popcount(places[i]) != sizes[i]:
            return BAD_DEAL
    redeal(kernel, s, places)
    for i in range(length):
        if actions[i] >= kernel.actions or not kernel.legal(s) >> actions[i] & 1:
            return ILLEGAL
        kernel.push(s, actions[i])
    over = kernel.to_act(s) < 0
    if (claim >= 0) != (status == CLAIMED) or (status == CLAIMED and kernel.contract(s) < 0):
        return BAD_END
    if status != ABORTED and over == (status == CLAIMED):
        return BAD_END
    if status == ABORTED or result[0] == -32768:
        return UNJUDGED
    if status == CLAIMED:
        kernel.settle(s, claim, 0, ours)
    else:
        kernel.returns(s, 0, ours)
    for i in range(kernel.seats):
        if ours[i] != result[i]:
            return DIFFERS
    return AGREES


def check_games(
    list starts, list place_sizes, const uint32_t[::1] start, const uint32_t[::1] low, const uint32_t[::1] high,
    const uint8_t[::1] length, const uint8_t[::1] status, const int8_t[::1] claim, const int16_t[:, ::1] result,
    const uint8_t[::1] actions,
):
    """The verdict on each game, uint8 [games]. The arrays have one row per game; `actions` joins those of all games.

    Raises:
        ValueError: if the arrays have different lengths, a start is unknown, or the number of actions is not the sum of
            the lengths.
    """
    cdef Py_ssize_t games = low.shape[0]
    cdef Py_ssize_t i
    cdef const uint8_t* moves = &actions[0] if actions.shape[0] else NULL
    cdef const Kernel* kernel = (<Position>starts[0]).kernel if starts else NULL
    cdef const void** heads
    cdef void* s
    cdef int sizes[4]
    cdef Position position
    verdicts = np.empty(games, dtype=np.uint8)
    cdef uint8_t[::1] out = verdicts
    if {start.shape[0], high.shape[0], length.shape[0], status.shape[0], claim.shape[0], result.shape[0]} != {games}:
        raise ValueError("the arrays contradict each other: they have different numbers of games")
    if games == 0:
        return verdicts
    if np.max(start) >= len(starts) or np.sum(length, dtype=np.int64) != actions.shape[0]:
        raise ValueError("the arrays contradict each other: a start is unknown, or actions are missing")
    if result.shape[1] != kernel.seats:
        raise ValueError(f"the results have {result.shape[1]} seats, the game has {kernel.seats}")
    for i in range(4):
        sizes[i] = place_sizes[i] if i < len(place_sizes) else 0
    heads = <const void**>malloc(len(starts) * sizeof(void*))
    s = malloc(kernel.size)
    try:
        if heads == NULL or s == NULL:
            raise MemoryError
        for i in range(len(starts)):
            position = starts[i]
            heads[i] = position.data
        with nogil:
            for i in range(games):
                memcpy(s, heads[start[i]], kernel.size)
                out[i] = check(
                    kernel, s, sizes, low[i], high[i], moves, length[i], status[i], claim[i], &result[i, 0],
                )
                moves += length[i]
    finally:
        free(<void*>heads)
        free(s)
    return verdicts


def pack_finished(list states not None):
    """The columns of some finished games of one kind, and their actions joined.

    Returns:
        low, high: uint32 [games], as `unpack` reads them; length: uint8 [games]; status: uint8 [games]; result: int16
        [games, seats]; actions: uint8 [steps].
    """
    cdef Py_ssize_t games = len(states)
    cdef Py_ssize_t i, at = 0
    cdef Position first = states[0]
    cdef Position state
    cdef const Kernel* kernel = first.kernel
    cdef const uint32_t* places
    cdef const uint8_t* history
    cdef int32_t ours[8]
    cdef int count, seat
    low_places, high_places = np.empty(games, np.uint32), np.empty(games, np.uint32)
    lengths, statuses = np.empty(games, np.uint8), np.empty(games, np.uint8)
    results = np.empty((games, kernel.seats), np.int16)
    joined = np.empty(games * kernel.max_actions, np.uint8)
    cdef uint32_t[::1] low = low_places
    cdef uint32_t[::1] high = high_places
    cdef uint8_t[::1] length = lengths
    cdef uint8_t[::1] status = statuses
    cdef int16_t[:, ::1] result = results
    cdef uint8_t[::1] actions = joined
    for i in range(games):
        state = states[i]
        if type(state) is not type(first) or kernel.to_act(state.data) >= 0:
            raise ValueError(f"game {i} is not over, or of another kind than the first")
        history = kernel.history(state.data, &count)
        if count > 255:
            raise ValueError(f"game {i} has {count} actions: expected at most 255")
        places = dealt_places(kernel, state.data)
        low[i] = places[1] | (places[3] if kernel.places > 3 else 0)
        high[i] = (places[2] if kernel.places > 2 else 0) | (places[3] if kernel.places > 3 else 0)
        length[i] = count
        status[i] = PASSED if kernel.declarer(state.data) < 0 else COMPLETE
        kernel.returns(state.data, 0, ours)
        for seat in range(kernel.seats):
            result[i, seat] = ours[seat]
        memcpy(&actions[at], history, count)
        at += count
    return low_places, high_places, lengths, statuses, results, joined[:at]
