"""The log-odds of a hand in C."""

from libc.stdint cimport uint32_t

from skat_env._bits cimport popcount

cdef enum:
    SUITS = 4
    GRAND = 4
    TRUMP_GAMES = 5
    NULL_GAMES = 2


cdef struct Event:          # an event's tables; pairs are for suit games and for grand
    const float *plain          # [2][256], by byte of a plain suit
    const float *trump          # [256], by byte of the trump suit
    const float *jacks          # [2][16], by the jacks held
    const float *length         # [12], by the number of trumps
    const float *constant       # [2]
    const float *skat_points    # [2], for each card point in the skat; NULL: it is not known


cdef inline void log_odds(const Event *event, uint32_t hand, float of_skat, float *out) noexcept nogil:
    """Writes the log-odds in the games D H S C grand, each summed in the same order as everywhere."""
    cdef int suit, grand, number
    cdef int suits[SUITS]
    cdef float common, of_suits
    cdef int held = hand >> 4 & 1 | hand >> 11 & 2 | hand >> 18 & 4 | hand >> 25 & 8
    for suit in range(SUITS):
        suits[suit] = hand >> 8 * suit & 255
    for grand in range(2):
        common = event.jacks[16 * grand + held] + event.constant[grand]
        if event.skat_points != NULL:
            common = common + event.skat_points[grand] * of_skat
        of_suits = event.plain[256 * grand + suits[0]]
        for suit in range(1, SUITS):
            of_suits = of_suits + event.plain[256 * grand + suits[suit]]
        common = common + of_suits
        if grand:
            out[GRAND] = common
            continue
        number = popcount(held)
        for suit in range(SUITS):
            out[suit] = (
                common - event.plain[suits[suit]] + event.trump[suits[suit]]
                + event.length[popcount(suits[suit] & 0xEF) + number]
            )


cdef inline float null_log_odds(const float *safety, uint32_t hand) noexcept nogil:
    """The logarithm of the chance to win a null game whose suits have some logarithms of safety, [256] by byte."""
    return safety[hand & 255] + safety[hand >> 8 & 255] + safety[hand >> 16 & 255] + safety[hand >> 24]


cdef int read_event(Event *event, tables) except -1
