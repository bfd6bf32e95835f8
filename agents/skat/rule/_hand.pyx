"""Log-odds of many hands at once, summed from tables of `hand.py` in single precision, each in the order written."""

from libc.stdint cimport uint32_t

from skat_env._bits cimport popcount
from skat_env.skat._rules cimport points_of

cdef enum:
    SUITS = 4
    GRAND = 4


def trump_logits(
    const uint32_t[::1] hands not None, const uint32_t[::1] skats, const float[:, ::1] plain not None,
    const float[::1] trump not None, const float[:, ::1] jacks not None, const float[::1] length not None,
    const float[::1] constant not None, const float[::1] skat_points not None, float[:, ::1] out not None,
):
    """Writes the log-odds of an event in the games D H S C grand, float32 [5, n]; the .pyi has the arguments."""
    cdef Py_ssize_t i
    cdef int suit, held, grand, number
    cdef int suits[SUITS]
    cdef float common, of_skat, of_suits
    if out.shape[0] != GRAND + 1 or out.shape[1] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and log-odds for {out.shape[0]} games of {out.shape[1]}")
    if skats is not None and skats.shape[0] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and {skats.shape[0]} skats: expected equal numbers")
    with nogil:
        for i in range(hands.shape[0]):
            for suit in range(SUITS):
                suits[suit] = hands[i] >> 8 * suit & 255
            held = hands[i] >> 4 & 1 | hands[i] >> 11 & 2 | hands[i] >> 18 & 4 | hands[i] >> 25 & 8
            of_skat = 0 if skats is None else <float>points_of(skats[i])
            for grand in range(2):
                common = jacks[grand, held] + constant[grand]
                if skats is not None:
                    common = common + skat_points[grand] * of_skat
                of_suits = plain[grand, suits[0]]
                for suit in range(1, SUITS):
                    of_suits = of_suits + plain[grand, suits[suit]]
                common = common + of_suits
                if grand:
                    out[GRAND, i] = common
                    continue
                number = popcount(held)
                for suit in range(SUITS):
                    out[suit, i] = (
                        common - plain[0, suits[suit]] + trump[suits[suit]]
                        + length[popcount(suits[suit] & 0xEF) + number]
                    )


def null_logits(const uint32_t[::1] hands not None, const float[:, ::1] safety not None, float[:, ::1] out not None):
    """Writes the logarithms of the chances to win null and null ouvert, float32 [2, n]; the .pyi has the arguments."""
    cdef Py_ssize_t i, ouvert
    cdef uint32_t hand
    if out.shape[0] != 2 or out.shape[1] != hands.shape[0]:
        raise ValueError(f"{hands.shape[0]} hands and log-odds for {out.shape[0]} games of {out.shape[1]}")
    with nogil:
        for i in range(hands.shape[0]):
            hand = hands[i]
            for ouvert in range(2):
                out[ouvert, i] = (
                    safety[ouvert, hand & 255] + safety[ouvert, hand >> 8 & 255]
                    + safety[ouvert, hand >> 16 & 255] + safety[ouvert, hand >> 24]
                )
