"""What states and views of every game have in common: legal actions, history, observation, identity."""

cimport cython
from libc.string cimport memcmp

import numpy as np

from skat_env.errors import IllegalAction, UnknownName


cdef class Position:
    """A game's struct and the questions that every game answers."""

    action_text = None
    """Action id -> its text; the game's class sets it."""
    reward_units = ()
    """The names of the units of `returns`, the default first; the game's class sets them."""

    cdef uint64_t legal_now(self) noexcept:
        return self.kernel.legal(self.data)

    @property
    def to_act(self):
        return self.kernel.to_act(self.data)

    @property
    def is_over(self):
        return self.kernel.to_act(self.data) < 0

    def legal(self):
        return self.legal_now()

    def legal_actions(self):
        cdef uint64_t rest = self.legal_now()
        cdef list actions = []
        cdef int action
        for action in range(self.kernel.actions):
            if rest >> action & 1:
                actions.append(action)
        return actions

    def action_mask(self):
        """The legal actions of the seat to act as int8 [actions]."""
        mask = np.empty(self.kernel.actions, dtype=np.int8)
        cdef int8_t[::1] out = mask
        cdef uint64_t legal = self.legal_now()
        cdef int action
        for action in range(self.kernel.actions):
            out[action] = legal >> action & 1
        return mask

    def history(self):
        cdef int length, i
        cdef const uint8_t* actions = self.kernel.history(self.data, &length)
        return [actions[i] for i in range(length)]

    def returns(self, unit=None, claim=None):
        cdef int32_t out[8]
        cdef int seat, index = 0
        if unit is not None:
            if unit not in self.reward_units:
                raise UnknownName("reward unit", str(unit), self.reward_units)
            index = self.reward_units.index(unit)
        if claim is None or self.kernel.to_act(self.data) < 0:
            self.kernel.returns(self.data, index, out)
        else:
            self.kernel.settle(self.data, bool(claim), index, out)
        return tuple([out[seat] for seat in range(self.kernel.seats)])

    def observe(self, int seat):
        """The observation of a seat as int8 [features]; the slices are the game's `features`."""
        if not 0 <= seat < self.kernel.seats:
            raise ValueError(f"seat {seat} is not one of 0..{self.kernel.seats - 1}")
        observation = np.empty(self.kernel.features, dtype=np.int8)
        cdef int8_t[::1] out = observation
        self.kernel.observe(self.data, seat, &out[0])
        return observation

    def key(self):
        """A 64-bit number that depends on nothing but the position; equal positions have equal keys."""
        cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15
        cdef const uint64_t* words = <const uint64_t*>self.data
        cdef size_t i
        for i in range(self.kernel.size // 8):
            h = (h ^ words[i]) * <uint64_t>0xBF58476D1CE4E5B9
            h ^= h >> 29
        return h

    def __hash__(self):
        return hash(self.key())

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return memcmp(self.data, (<Position>other).data, self.kernel.size) == 0

    def __reduce__(self):
        return type(self).parse, (self.text(),)

    def __repr__(self):
        return f"{type(self).__name__}.parse({self.text()!r})"

    cdef bint apply_checked(self, int action) except False:
        cdef uint64_t legal = self.kernel.legal(self.data)
        if action < 0 or action >= self.kernel.actions or not legal >> action & 1:
            self.refuse(action)
        self.kernel.push(self.data, action)
        return True

    def refuse(self, action):
        """Raises the `IllegalAction` that names an action and what is legal instead."""
        text = self.action_text
        if not 0 <= action < self.kernel.actions:
            raise IllegalAction(f"action {action} is not one of 0..{self.kernel.actions - 1}")
        if self.is_over:
            raise IllegalAction(f"{text(action)} is not legal: the game is over")
        legal = " ".join(text(a) for a in self.legal_actions())
        raise IllegalAction(f"{text(action)} is not legal for seat {self.to_act}: legal are {legal}")

    cdef bint undo_checked(self) except False:
        cdef int length
        self.kernel.history(self.data, &length)
        if length == 0:
            raise IllegalAction("there is no action to undo")
        self.kernel.pop(self.data)
        return True
