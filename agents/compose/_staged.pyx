"""A player whose stages are played by others, for games played in lanes: the twin of `Player`."""

from libc.stdint cimport int8_t

from skat_env.play._lanes cimport ASKED, Choice, LanePlayer, Turn

cdef enum:
    MAX_STAGES = 8
    MAX_QUESTIONS = 64


cdef class StagedLanes(LanePlayer):
    """Other players in lanes, one for each stage; None: the agent itself is asked, in Python."""

    cdef list parts                     # by stage, LanePlayer or None
    cdef int first[MAX_STAGES]          # by stage, where the questions of its part begin
    cdef int8_t stage[MAX_QUESTIONS]    # by question, a stage of its part

    def __init__(self, list parts not None):
        cdef int stage, question
        cdef LanePlayer part
        encoders, widths, first = [], [], {}
        if len(parts) > MAX_STAGES or sum([len(part.encoders) for part in parts if part is not None]) > MAX_QUESTIONS:
            raise ValueError(f"{len(parts)} stages: expected at most {MAX_STAGES}, and {MAX_QUESTIONS} networks")
        self.parts = parts
        for stage in range(len(parts)):
            part = parts[stage]
            if part is None:
                continue
            if id(part) not in first:
                first[id(part)] = len(encoders)
                for question in range(len(encoders), len(encoders) + len(part.encoders)):
                    self.stage[question] = stage
                encoders += part.encoders
                widths += part.widths
                self.draws |= part.draws
            self.first[stage] = first[id(part)]
        self.encoders, self.widths = tuple(encoders), tuple(widths)

    cdef int question(self, const Turn* turn) noexcept:
        cdef LanePlayer part = self.parts[turn.stage]
        cdef int question
        if part is None:
            return ASKED
        question = part.question(turn)
        return question if question < 0 else self.first[turn.stage] + question

    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1:
        cdef int stage = self.stage[question]
        return (<LanePlayer>self.parts[stage]).answer(question - self.first[stage], rows, count, out)

    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1:
        return (<LanePlayer>self.parts[turn.stage]).choose(question - self.first[turn.stage], turn, answer, out)
