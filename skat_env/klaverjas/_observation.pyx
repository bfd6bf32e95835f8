"""Writes the observation laid out in observation.py. Reads only what the seat's view holds."""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from skat_env._feature_bits cimport write_mask, write_one_hot, write_thermometer
from skat_env.klaverjas cimport _rules
from skat_env.klaverjas._rules cimport NOBODY, PLAY, SEATS, TRICKS, UNDECIDED


cdef void observe(const KlaverjasData* s, int seat, int8_t* out) noexcept nogil:
    cdef uint32_t played[4]
    cdef uint32_t trick[4]
    cdef uint32_t in_trick[8]
    cdef uint32_t excluded[4]
    cdef const unsigned char* cards = &s.history[s.length - s.plays]
    cdef int relative, i, number, passes
    cdef uint32_t bit
    cdef int team = seat & 1

    memset(played, 0, sizeof(played))
    memset(trick, 0, sizeof(trick))
    memset(in_trick, 0, sizeof(in_trick))
    for i in range(s.plays >> 2):
        relative = s.leaders[i] - seat
        for number in range(4):
            bit = <uint32_t>1 << cards[number]
            played[(relative + number) & 3] |= bit
            in_trick[i] |= bit
        cards += 4
    relative = s.leaders[s.plays >> 2] - seat
    for number in range(s.plays & 3):
        bit = <uint32_t>1 << cards[number]
        trick[(relative + number) & 3] = bit
        played[(relative + number) & 3] |= bit
        in_trick[s.plays >> 2] |= bit
    _rules.excluded(s, excluded)

    out = write_one_hot(out, s.phase, 3)
    out = write_one_hot(out, (s.forehand - seat) & 3, 4)
    out = write_one_hot(out, (s.to_act - seat) & 3 if s.to_act != NOBODY else -1, 4)
    out = write_mask(out, s.hands[seat])
    # The actions before the plays are passes and then, unless trumps were given, the suit that was named.
    passes = s.length - s.plays
    if passes and s.declarer != NOBODY:
        passes -= 1
    for relative in range(SEATS):
        out[relative] = ((seat + relative - s.forehand) & 3) < passes
    out = write_one_hot(out + 4, (s.declarer - seat) & 3 if s.declarer != NOBODY else -1, 4)
    out = write_one_hot(out, s.trump if s.trump != UNDECIDED else -1, 4)
    for relative in range(SEATS):
        out = write_mask(out, trick[relative])
    for relative in range(SEATS):
        out = write_mask(out, played[relative])
    for i in range(TRICKS):
        out = write_mask(out, in_trick[i])
    number = (s.plays + 3) >> 2     # tricks begun
    for i in range(TRICKS):
        if i < number or (i == number and s.plays & 3 == 0 and s.phase == PLAY):
            out = write_one_hot(out, (s.leaders[i] - seat) & 3, 4)
        else:
            out = write_one_hot(out, -1, 4)
    for relative in range(1, SEATS):
        out = write_mask(out, excluded[(seat + relative) & 3])
    out = write_thermometer(out, s.points[team], 162)
    out = write_thermometer(out, s.points[1 - team], 162)
    out = write_thermometer(out, min(s.roem[team] // 10, 50), 50)
    out = write_thermometer(out, min(s.roem[1 - team] // 10, 50), 50)
    out = write_thermometer(out, s.tricks[team], 8)
    write_thermometer(out, s.tricks[1 - team], 8)
