"""Features of many possible declarations at once, for networks that value the start of the cardplay."""

from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from skat_env._encoder cimport Encoder
from skat_env.skat cimport _rules
from skat_env.skat._rules cimport NOBODY, SKAT, START_CARDPLAY, SkatData

from skat_env.skat._state import SkatPosition


def write_declarations(
    Encoder encoder not None, int seat, levels, const uint32_t[::1] hands not None, const uint32_t[::1] skats not None,
    int contract, int announcement, float[:, ::1] out not None,
):
    """Writes the soloist's features at the start of the cardplay, one row for each hand.

    `levels` are the seats' highest bids; `hands` have ten cards each, `skats` the two cards discarded; 0: a hand game.
    """
    cdef int8_t[3] bids = levels
    cdef SkatData s
    cdef Py_ssize_t i
    cdef uint8_t others = 7 ^ (1 << seat)
    if not issubclass(encoder.positions, SkatPosition) or encoder.width != out.shape[1]:
        raise ValueError(f"encoder {encoder.name} of {encoder.width} features does not fill rows of {out.shape[1]}")
    if not hands.shape[0] == skats.shape[0] == out.shape[0]:
        raise ValueError(
            f"{hands.shape[0]} hands, {skats.shape[0]} skats and {out.shape[0]} rows: expected equal numbers"
        )
    with nogil:
        memset(&s, 0, sizeof(SkatData))
        memcpy(s.bids, bids, sizeof(s.bids))
        s.bid = bids[seat]
        s.passed = others
        s.senior = s.soloist = seat
        s.viewer = NOBODY
        s.start = START_CARDPLAY
        s.contract = contract
        s.announcement = announcement
        _rules.begin_play(&s)
        for i in range(hands.shape[0]):
            s.hands[seat] = s.dealt[seat] = hands[i]
            s.hands[SKAT] = s.dealt[SKAT] = skats[i]
            s.hand_game = skats[i] == 0
            s.picked_up = skats[i] != 0
            encoder.write(&s, seat, &out[i, 0])
