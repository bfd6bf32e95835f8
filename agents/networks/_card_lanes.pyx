"""Cards by the networks of `card_networks` in C, for games played in lanes: the twin of `CardPolicy`."""

from libc.stdint cimport int8_t

from skat_env.agents.networks._choice cimport choose_card
from skat_env.agents.networks._evaluated cimport EvaluatedNetwork
from skat_env.play._lanes cimport ASKED, FORCED, Choice, LanePlayer, Turn

import numpy as np

from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.registry import get_game

cdef int LOGITS = CARDS         # outputs before the value


cdef class CardLanes(LanePlayer):
    """Networks that play cards in lanes; before the cardplay the agent is asked in Python."""

    cdef readonly list networks     # EvaluatedNetwork by question
    cdef int8_t[:, ::1] route       # [contract, side] the question
    cdef int8_t[::1] team           # [seats]
    cdef int cardplay               # the stage
    cdef bint samples

    def __init__(self, game, networks, bint samples):
        """Takes `Network`s by name."""
        layout, about = card_networks(game), get_game(game)
        self.networks = [networks[name].evaluated for name in layout.names]
        self.encoders = tuple([networks[name].encoder for name in layout.names])
        self.widths = tuple([networks[name].spec.outputs for name in layout.names])
        self.route = np.array(layout.route, np.int8)
        self.team = np.array(
            [next(i for i, team in enumerate(about.teams) if seat in team) for seat in range(len(about.seats))], np.int8
        )
        self.cardplay = len(about.stages) - 1
        self.samples = self.draws = samples

    cdef int question(self, const Turn* turn) noexcept:
        cdef int declarer
        if turn.stage != self.cardplay:
            return ASKED
        if not turn.legal & (turn.legal - 1):
            return FORCED
        declarer = turn.kernel.declarer(turn.state)
        return self.route[turn.kernel.contract(turn.state), self.team[turn.seat] != self.team[declarer]]

    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1:
        cdef EvaluatedNetwork network = self.networks[question]
        return network.evaluate(rows, count, out, network.outputs)

    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1:
        cdef EvaluatedNetwork network = self.networks[question]
        choose_card(self.encoders[question], answer, self.samples, turn, out)
        if network.outputs > LOGITS:
            out.valued = True
            out.value = <float>(answer[LOGITS] * network.scale)
        return 0
