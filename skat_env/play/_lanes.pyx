"""Games of players made of networks, one per lane: from the first decision to the last without Python.

Every game is played on until its next decision needs a network. There its row waits, and the networks that most rows
wait for are evaluated next, a block of rows at a time. A row's answer depends on the row alone and every seat has a
generator of its own, so that games do not depend on the lanes beside them.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport NAN
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from skat_env._bits cimport popcount, trailing_zeros
from skat_env._encoder cimport Encoder
from skat_env._position cimport Kernel, Position

import numpy as np

from time import process_time

from skat_env.errors import NotFinite
from skat_env.play.lockstep import IllegalDecision, action_of, apply_action, require_states

cdef enum:
    BLOCK = 256             # rows that are answered together
    MAX_PHASES = 32
    UNKNOWN = -1


cdef double drawn(const Turn* turn) noexcept:
    """A random number from 0 to 1, as the seat's `Generator.random()`."""
    return turn.rng.next_double(turn.rng.state)


cdef class LanePlayer:
    """What the lanes ask of a player; the base class of those that games and agents make."""

    cdef int question(self, const Turn* turn) noexcept:
        return ASKED

    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1:
        return 0

    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1:
        out.action = trailing_zeros(turn.legal)
        return 0


cdef class Queue:
    """The rows that wait for the answers to one question of one player."""

    cdef LanePlayer player
    cdef int number             # of the player
    cdef int question
    cdef Encoder encoder
    cdef int width              # floats of an answer
    cdef int count              # rows in use
    cdef float[:, ::1] rows     # [lanes, floats]
    cdef int32_t[::1] lanes     # [lanes] the game of each row

    def __init__(self, LanePlayer player, int number, int question, int lanes):
        self.player, self.number, self.question = player, number, question
        self.encoder, self.width = player.encoders[question], player.widths[question]
        # Memory that is never written is never taken: room for all games in every queue costs nothing.
        self.rows = np.empty((lanes, self.encoder.width), np.float32)
        self.lanes = np.empty(lanes, np.int32)


cdef class Lanes:
    """Some games, and what was decided in them.

    Args:
        states: the games, of one kind; they are changed.
        seated: int16 [games, seats]: the index of the player at each seat.
        agents, players: the agents, and the players that they are in lanes.
        rng_of: (number of the game, seat) -> the seat's generator, asked for once.
        stages: the game's stages.
        until: the number of stages to play; the games end before the next one.
    """

    cdef const Kernel* kernel
    cdef list states
    cdef list agents
    cdef list players
    cdef const int16_t[:, ::1] seated
    cdef object rng_of
    cdef tuple stages
    cdef int until
    cdef list generators            # [games] a list by seat; None until it is needed
    cdef Generator** drawing        # [games, seats] the same in C; NULL until it is needed
    cdef int8_t stage_of[MAX_PHASES]    # the stage of each phase; UNKNOWN until a game is there
    cdef list queues
    cdef list first_queue           # by player
    # What was decided, a row for each game.
    cdef uint8_t[:, ::1] counts     # [games, max_actions] weights of each step
    cdef double[:, ::1] values      # [games, max_actions]
    cdef float[:, ::1] weights      # [games, 64 * max_actions] joined
    cdef int32_t[::1] used          # [games] weights so far
    cdef int32_t[:, ::1] moves      # [games, seats] decisions
    cdef double[::1] seconds        # [players] of the processor
    cdef double asked               # seconds of agents that decided themselves

    def __cinit__(
        self, list states not None, seated, list agents not None, list players not None, rng_of, tuple stages not None,
        int until,
    ):
        cdef Position first
        cdef LanePlayer player
        cdef int games = len(states)
        if not games or len(agents) != len(players):
            raise ValueError(
                f"{games} games of {len(agents)} agents, {len(players)} in lanes: expected a game, and equal numbers"
            )
        require_states(states)
        first = states[0]
        self.kernel = first.kernel
        self.states, self.seated, self.agents, self.players = states, seated, agents, players
        self.rng_of, self.stages, self.until = rng_of, stages, until
        if self.seated.shape[0] != games or self.seated.shape[1] != self.kernel.seats:
            raise ValueError(f"seats of {games} games expected: [{games}, {self.kernel.seats}]")
        if games and not 0 <= np.min(seated) <= np.max(seated) < len(players):
            raise ValueError(f"a seat has no player: expected 0 to {len(players) - 1}")
        memset(self.stage_of, 0xFF, sizeof(self.stage_of))
        self.generators = [[None] * self.kernel.seats for _ in range(games)]
        self.drawing = <Generator**>malloc(games * self.kernel.seats * sizeof(Generator*))
        if not self.drawing:
            raise MemoryError()
        memset(self.drawing, 0, games * self.kernel.seats * sizeof(Generator*))
        self.queues, self.first_queue = [], []
        for number, player in enumerate(players):
            self.first_queue.append(len(self.queues))
            for question in range(len(player.encoders)):
                if not isinstance(first, player.encoders[question].positions):
                    raise ValueError(f"encoder {player.encoders[question].name} does not read a {type(first).__name__}")
                self.queues.append(Queue(player, number, question, games))
        # As above: most of these pages are never touched.
        self.counts = np.empty((games, self.kernel.max_actions), np.uint8)
        self.values = np.empty((games, self.kernel.max_actions), np.float64)
        self.weights = np.empty((games, 64 * self.kernel.max_actions), np.float32)
        self.used = np.zeros(games, np.int32)
        self.moves = np.zeros((games, self.kernel.seats), np.int32)
        self.seconds = np.zeros(len(players))

    def __dealloc__(self):
        free(self.drawing)

    cdef object generator(self, int lane, int seat):
        """The generator of a seat."""
        found = self.generators[lane][seat]
        if found is None:
            found = self.generators[lane][seat] = self.rng_of(lane, seat)
        return found

    cdef int stage(self, int lane, const void* state) except -2:
        """The index of a game's stage. A phase belongs to one stage, for which one game of it is asked."""
        cdef int phase = self.kernel.phase(state)
        if self.stage_of[phase] == UNKNOWN:
            position = self.states[lane]
            self.stage_of[phase] = len(self.stages) if position.is_over else self.stages.index(position.stage)
        return self.stage_of[phase]

    cdef int turn(self, int lane, Turn* out) except -1:
        """What the seat to act is asked."""
        cdef Position position = self.states[lane]
        cdef LanePlayer player
        cdef Generator** drawing
        cdef int seat = self.kernel.to_act(position.data)
        out.kernel, out.state, out.seat = self.kernel, position.data, seat
        out.stage = self.stage(lane, position.data)
        out.legal = self.kernel.legal(position.data)
        player = self.players[self.seated[lane, seat]]
        out.rng = NULL
        if player.draws:
            drawing = &self.drawing[lane * self.kernel.seats + seat]
            if not drawing[0]:
                capsule = self.generator(lane, seat).bit_generator.capsule
                drawing[0] = <Generator*>PyCapsule_GetPointer(capsule, "BitGenerator")
            out.rng = drawing[0]
        return 0

    cdef int advance(self, int lane) except -1:
        """Plays a game on to the next decision that needs a network, whose row it writes, or to the end."""
        cdef Position position = self.states[lane]
        cdef LanePlayer player
        cdef Queue queue
        cdef Turn turn
        cdef int question, number
        while self.kernel.to_act(position.data) >= 0 and self.stage(lane, position.data) < self.until:
            self.turn(lane, &turn)
            number = self.seated[lane, turn.seat]
            player = self.players[number]
            question = player.question(&turn)
            if question >= 0:
                queue = self.queues[<int>self.first_queue[number] + question]
                queue.encoder.write(position.data, turn.seat, &queue.rows[queue.count, 0])
                queue.lanes[queue.count] = lane
                queue.count += 1
                return 0
            if question == FORCED:
                self.note(lane, &turn, NULL)
                self.kernel.push(position.data, trailing_zeros(turn.legal))
            else:
                try:
                    self.ask(lane, &turn, self.agents[number])
                except IllegalDecision as error:
                    error.game = lane
                    raise
        return 0

    cdef int note(self, int lane, const Turn* turn, const Choice* choice) except -1:
        """Keeps what a decision tells; NULL: nothing."""
        cdef int step
        cdef float* out = &self.weights[lane, 0] + self.used[lane]
        cdef uint64_t rest = turn.legal
        self.moves[lane, turn.seat] += 1
        self.kernel.history(turn.state, &step)
        self.counts[lane, step] = 0
        self.values[lane, step] = choice.value if choice and choice.valued else NAN
        if choice and choice.weighed:
            self.counts[lane, step] = popcount(rest)
            while rest:
                out[0] = choice.weights[trailing_zeros(rest)]
                out += 1
                rest &= rest - 1
            self.used[lane] += self.counts[lane, step]
        return 0

    cdef int ask(self, int lane, const Turn* turn, object agent) except -1:
        """A decision of the agent itself."""
        cdef Choice choice
        cdef int action
        state = self.states[lane]
        rng = self.generator(lane, turn.seat)
        cdef double started = process_time()
        decision = agent.decide(state.view(turn.seat), rng)
        cdef double passed = process_time() - started
        self.seconds[self.seated[lane, turn.seat]] += passed
        self.asked += passed
        played = action_of(agent, state, decision)
        memset(&choice, 0, sizeof(Choice))
        choice.weighed, choice.valued = decision.weights is not None, decision.value is not None
        if choice.weighed:
            for action in range(self.kernel.actions):
                choice.weights[action] = decision.weights[action]
        if choice.valued:
            choice.value = decision.value
        self.note(lane, turn, &choice)
        apply_action(agent, state, played)
        return 0

    cdef int serve(self, Queue queue, float[::1] answers, int32_t[::1] lanes) except -1:
        """Answers the last rows of a queue, and plays what the players make of it."""
        cdef int count = min(queue.count, <int>BLOCK)
        cdef int i
        cdef Turn turn
        cdef Choice choice
        cdef Position position
        cdef double started = process_time()
        cdef double before = self.asked
        queue.count -= count
        try:
            queue.player.answer(queue.question, &queue.rows[queue.count, 0], count, &answers[0])
        except NotFinite as error:
            raise error.at(self.states[queue.lanes[queue.count + error.row]].text()) from None
        # The rows make room for those of the next decisions.
        memcpy(&lanes[0], &queue.lanes[queue.count], count * sizeof(int32_t))
        for i in range(count):
            self.turn(lanes[i], &turn)
            memset(&choice, 0, sizeof(Choice))
            try:
                queue.player.choose(queue.question, &turn, &answers[0] + <Py_ssize_t>i * queue.width, &choice)
            except NotFinite as error:
                raise error.at(self.states[lanes[i]].text()) from None
            self.note(lanes[i], &turn, &choice)
            position = self.states[lanes[i]]
            self.kernel.push(position.data, choice.action)
            self.advance(lanes[i])
        self.seconds[queue.number] += process_time() - started - (self.asked - before)
        return 0

    def play(self):
        """Plays the games; may be called once."""
        cdef int lane, step, length
        cdef Position position
        cdef Queue queue, most
        widest = max([queue.width for queue in self.queues], default=1)
        answers, lanes = np.empty(BLOCK * widest, np.float32), np.empty(BLOCK, np.int32)
        for lane in range(len(self.states)):
            position = self.states[lane]
            self.kernel.history(position.data, &length)
            for step in range(length):
                self.counts[lane, step] = 0
                self.values[lane, step] = NAN
            self.advance(lane)
        while self.queues:
            most = self.queues[0]
            for queue in self.queues:
                if queue.count > most.count:
                    most = queue
            if not most.count:
                break
            self.serve(most, answers, lanes)

    def found(self):
        """What was decided in all games: the number of weights of each step, these, and the values."""
        cdef int lane, length
        cdef Position position
        lengths = np.empty(len(self.states), np.int64)
        for lane in range(len(self.states)):
            position = self.states[lane]
            self.kernel.history(position.data, &length)
            lengths[lane] = length
        steps = np.arange(self.kernel.max_actions) < lengths[:, None]
        weights = np.empty(int(np.sum(self.used)), np.float32)
        cdef float[::1] out = weights
        cdef Py_ssize_t at = 0
        for lane in range(len(self.states)):
            if self.used[lane]:
                memcpy(&out[at], &self.weights[lane, 0], self.used[lane] * sizeof(float))
                at += self.used[lane]
        return np.asarray(self.counts)[steps], weights, np.asarray(self.values)[steps]

    def thinking(self):
        """The decisions by game and seat, and the seconds of each player."""
        return np.asarray(self.moves), np.asarray(self.seconds)
