"""`exploring` in C, for games played in lanes."""

from libc.math cimport pow
from libc.stdint cimport uint64_t

from skat_env._bits cimport trailing_zeros
from skat_env.play._lanes cimport Choice, LanePlayer, Turn, drawn

cdef enum:
    MAX_ACTIONS = 64
    MAX_STAGES = 8


cdef class ExploringLanes(LanePlayer):
    """Another player in lanes, some of whose actions are drawn."""

    cdef LanePlayer inner
    cdef double share
    cdef double smoothing
    cdef double temperature
    cdef double random[MAX_STAGES]

    def __init__(self, LanePlayer inner not None, double share, double smoothing, double temperature, random):
        if len(random) > MAX_STAGES:
            raise ValueError(f"{len(random)} stages: expected at most {MAX_STAGES}")
        self.inner, self.share, self.smoothing, self.temperature = inner, share, smoothing, temperature
        for stage, part in enumerate(random):
            self.random[<int>stage] = part
        self.encoders, self.widths, self.draws = inner.encoders, inner.widths, True

    cdef int question(self, const Turn* turn) noexcept:
        return self.inner.question(turn)

    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1:
        return self.inner.answer(question, rows, count, out)

    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1:
        cdef double random = self.random[turn.stage]
        cdef int actions[MAX_ACTIONS]
        cdef double chances[MAX_ACTIONS]
        cdef double point
        cdef double best = 0
        cdef double total = 0
        cdef int i, count = 0
        cdef uint64_t rest = turn.legal
        self.inner.choose(question, turn, answer, out)
        while rest:
            actions[count] = trailing_zeros(rest)
            rest &= rest - 1
            count += 1
        # Random numbers are drawn in the order of `Exploring`.
        if random and drawn(turn) < random:
            out.action = actions[<int>(drawn(turn) * count)]
            return 0
        if not out.weighed or drawn(turn) >= self.share:
            return 0
        for i in range(count):
            chances[i] = out.weights[actions[i]]
            best = max(best, chances[i])
        if self.temperature != 1:
            for i in range(count):
                chances[i] = pow(chances[i] / best, 1 / self.temperature)
                total += chances[i]
            for i in range(count):
                chances[i] /= total
        total = 0
        for i in range(count):
            total += chances[i] + self.smoothing
        point = drawn(turn) * total
        total = 0
        for i in range(count):
            if chances[i] + self.smoothing > 0:
                out.action = actions[i]
                total += chances[i] + self.smoothing
                if total > point:
                    return 0
        return 0
