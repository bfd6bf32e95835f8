"""Log-odds of many hands at once, summed from tables of `hand.py` in single precision, each in the order written."""

from libc.stdint cimport uint32_t

from skat_env.skat._rules cimport points_of


cdef int read_event(Event *event, tables) except -1:
    """Writes where an event's tables are, which the caller keeps: from `plain` to `skat_points`, which may be None.

    Raises:
        ValueError: if one has another shape.
    """
    cdef const float[:, ::1] plain, jacks
    cdef const float[::1] trump, length, constant, skat_points
    plain, trump, jacks, length, constant, skat_points = tables
    if (
        plain is None or plain.shape[0] != 2 or plain.shape[1] != 256 or trump is None or trump.shape[0] != 256
        or jacks is None or jacks.shape[0] != 2 or jacks.shape[1] != 16 or length is None or length.shape[0] != 12
        or constant is None or constant.shape[0] != 2 or (skat_points is not None and skat_points.shape[0] != 2)
    ):
        raise ValueError("tables of other shapes: expected those of trump_logits")
    event.plain, event.trump, event.jacks = &plain[0, 0], &trump[0], &jacks[0, 0]
    event.length, event.constant, event.skat_points = &length[0], &constant[0], NULL
    if skat_points is not None:
        event.skat_points = &skat_points[0]
    return 0


def trump_logits(
    const uint32_t[::1] hands not None, const uint32_t[::1] skats, plain, trump, jacks, length, constant, skat_points,
    float[:, ::1] out not None,
):
    """Writes the log-odds of an event in the games D H S C grand, float32 [5, n]; the .pyi has the arguments."""
    cdef Event event
    cdef float found[TRUMP_GAMES]
    cdef Py_ssize_t i
    cdef int game
    if out.shape[0] != TRUMP_GAMES or out.shape[1] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and log-odds for {out.shape[0]} games of {out.shape[1]}")
    if skats is not None and skats.shape[0] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and {skats.shape[0]} skats: expected equal numbers")
    read_event(&event, (plain, trump, jacks, length, constant, None if skats is None else skat_points))
    with nogil:
        for i in range(hands.shape[0]):
            log_odds(&event, hands[i], 0 if skats is None else <float>points_of(skats[i]), found)
            for game in range(TRUMP_GAMES):
                out[game, i] = found[game]


def null_logits(const uint32_t[::1] hands not None, const float[:, ::1] safety not None, float[:, ::1] out not None):
    """Writes the logarithms of the chances to win null and null ouvert, float32 [2, n]; the .pyi has the arguments."""
    cdef Py_ssize_t i
    cdef int ouvert
    if out.shape[0] != NULL_GAMES or out.shape[1] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and log-odds for {out.shape[0]} games of {out.shape[1]}")
    if safety.shape[0] != NULL_GAMES or safety.shape[1] != 256:
        raise ValueError(f"safeties of {safety.shape[0]} games and {safety.shape[1]} suits: expected 2 and 256")
    with nogil:
        for i in range(hands.shape[0]):
            for ouvert in range(NULL_GAMES):
                out[ouvert, i] = null_log_odds(&safety[ouvert, 0], hands[i])
