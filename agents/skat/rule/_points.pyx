"""The expected tournament points of many games at once, in the precision of the chances."""

cimport cython
from libc.stdint cimport int64_t

cdef enum:
    TRUMP_GAMES = 5


def write_points(
    const cython.floating[:, ::1] win not None, const cython.floating[:, ::1] schneider not None,
    const int64_t[:, ::1] levels not None, const int64_t[::1] bases not None, const int64_t[::1] nulls not None,
    int64_t bid, bint hand, double[:, ::1] out not None,
):
    """Writes the expected points, float64 [7, n]; the .pyi has the arguments."""
    cdef Py_ssize_t i, n = win.shape[1]
    cdef int game
    cdef int64_t base, value, schneider_value, loss
    cdef cython.floating chance, if_won, one = 1, floor = <cython.floating>1e-9
    cdef double won
    # `one` keeps differences in the precision of the chances: a literal 1 would be a double.
    if (
        out.shape[0] != win.shape[0] or win.shape[0] != TRUMP_GAMES + nulls.shape[0] or out.shape[1] != n
        or schneider.shape[0] != TRUMP_GAMES or schneider.shape[1] != n
        or levels.shape[0] != TRUMP_GAMES or levels.shape[1] != n or bases.shape[0] != TRUMP_GAMES
    ):
        raise ValueError("chances, levels and points of different games")
    with nogil:
        for game in range(TRUMP_GAMES):
            base = bases[game]
            for i in range(n):
                value = base * (levels[game, i] + hand)
                schneider_value = value + base
                if value >= bid:
                    chance = win[game, i]
                    if_won = schneider[game, i] / (win[game, i] if win[game, i] > floor else floor)
                    won = value + base * <double>(if_won if if_won < one else one)
                else:
                    # Schneider may lift the game to the bid.
                    chance = schneider[game, i] if schneider_value >= bid else 0
                    won = schneider_value
                loss = (bid + base - 1) // base * base
                if value > loss:
                    loss = value
                out[game, i] = chance * (won + 50) - (one - chance) * <double>(2 * loss + 50)
        for game in range(TRUMP_GAMES, TRUMP_GAMES + nulls.shape[0]):
            value = nulls[game - TRUMP_GAMES]
            for i in range(n):
                chance = win[game, i] if value >= bid else 0
                out[game, i] = (
                    chance * <cython.floating>(value + 50) - (one - chance) * <cython.floating>(2 * value + 50)
                )
