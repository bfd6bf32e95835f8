"""Writes the observation laid out in observation.py. Reads only what the seat's view holds."""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from skat_env._feature_bits cimport write_mask, write_one_hot, write_thermometer
from skat_env.skat._rules cimport NOBODY, NULL_CONTRACT, OVER, PLAY, SKAT, START_CARDPLAY


cdef void observe(const SkatData* s, int seat, int8_t* out) noexcept nogil:
    cdef uint32_t played[3]
    cdef uint32_t trick[3]
    cdef uint32_t in_trick[10]
    cdef const unsigned char* cards = &s.history[s.length - s.plays]
    cdef int relative, absolute, i, number, group
    cdef uint32_t bit, opened = 0
    cdef bint picked_up = s.picked_up and s.soloist == seat
    cdef int next_seat = (seat + 1) % 3
    cdef int last_seat = (seat + 2) % 3

    memset(played, 0, sizeof(played))
    memset(trick, 0, sizeof(trick))
    memset(in_trick, 0, sizeof(in_trick))
    for i in range(s.plays):
        number = i // 3
        bit = <uint32_t>1 << cards[i]
        relative = (s.leaders[number] + i % 3 + 3 - seat) % 3
        played[relative] |= bit
        in_trick[number] |= bit
        if number == s.plays // 3:
            trick[relative] |= bit

    out = write_one_hot(out, s.phase, 8)
    out = write_one_hot(out, seat, 3)
    out = write_one_hot(out, (s.to_act + 3 - seat) % 3 if s.to_act != NOBODY else -1, 3)
    out = write_mask(out, s.hands[seat])
    out = write_mask(out, s.dealt[SKAT] if picked_up and s.start != START_CARDPLAY else 0)
    out = write_mask(out, s.hands[SKAT] if picked_up else 0)
    out = write_thermometer(out, s.bids[seat], 63)
    out = write_thermometer(out, s.bids[next_seat], 63)
    out = write_thermometer(out, s.bids[last_seat], 63)
    out[0] = s.passed >> seat & 1
    out[1] = s.passed >> next_seat & 1
    out[2] = s.passed >> last_seat & 1
    out = write_one_hot(out + 3, (s.soloist + 3 - seat) % 3 if s.soloist != NOBODY else -1, 3)
    out[0] = s.picked_up
    out[1] = s.hand_game
    out = write_thermometer(out + 2, s.discards, 2)
    out = write_one_hot(out, s.contract, 6)
    out[0] = s.announcement >= 1 and s.contract != NULL_CONTRACT
    out[1] = s.announcement >= 2 and s.contract != NULL_CONTRACT
    out[2] = s.announcement == 3
    if s.announcement == 3 and (s.phase == PLAY or s.phase == OVER):
        opened = s.hands[s.soloist]
    out = write_mask(out + 3, opened)
    for relative in range(3):
        out = write_mask(out, trick[relative])
    for relative in range(3):
        out = write_mask(out, played[relative])
    for i in range(10):
        out = write_mask(out, in_trick[i])
    number = (s.plays + 2) // 3     # tricks begun
    for i in range(10):
        if i < number or (i == number and s.plays % 3 == 0 and s.phase == PLAY):
            out = write_one_hot(out, (s.leaders[i] + 3 - seat) % 3, 3)
        else:
            out = write_one_hot(out, -1, 3)
    for relative in range(1, 3):
        absolute = (seat + relative) % 3
        for group in range(5):
            out[group] = s.void_since[absolute][group] != 0
        out += 5
    out = write_thermometer(out, s.points[0], 120)
    out = write_thermometer(out, s.points[1], 120)
