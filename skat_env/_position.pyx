"""What the states and views of every game share: legal actions, history, cards, observation, identity."""

from cpython.long cimport PyLong_AsLongAndOverflow
from cpython.number cimport PyIndex_Check, PyNumber_Index
from cpython.object cimport Py_TPFLAGS_HEAPTYPE
from cpython.type cimport PyType_HasFeature
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np

from skat_env.cards import mask_text
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, UnknownName
from skat_env.options import shown

cdef enum:
    MAX_PLACES = 8      # at most, in any game


cdef int index_of(object value, int count) except -2:
    """The integer that a value is, if it is one of 0 .. count - 1; else -1. Truth values and floats are no integers."""
    cdef int overflow = 0
    cdef long number
    if type(value) is not int:
        if isinstance(value, (bool, np.bool)) or not PyIndex_Check(value):
            return -1
        try:
            value = PyNumber_Index(value)
        except TypeError:  # numpy's arrays
            return -1
    number = PyLong_AsLongAndOverflow(value, &overflow)
    return <int>number if not overflow and 0 <= number < count else -1


cdef int claim_of(object claim) except -2:
    """Who gets the tricks that were not played: 1 the declaring side, 0 the other; -1 without a claim."""
    if claim is None:
        return -1
    if not isinstance(claim, (bool, np.bool_)):
        raise ValueError(f"claim {shown(claim)} is neither True nor False, nor None for no claim")
    return 1 if claim else 0


cdef bint require_rules(object rules, type kind) except False:
    """Raises a ValueError if the rules of a game are something else."""
    if not isinstance(rules, kind):
        raise ValueError(f"rules {shown(rules)} are no {kind.__name__}")
    return True


cdef class Position:
    """A game's struct, with the queries that every game answers.

    Raises:
        TypeError: if it is not made as a state or view of a game: only these have a struct.
    """

    def __cinit__(self, *args, **kwargs):
        # A class made in Python is a heap type; the games' own classes are not, and set the kernel.
        if type(self) is Position or PyType_HasFeature(type(self), Py_TPFLAGS_HEAPTYPE):
            raise TypeError(f"{type(self).__name__} has no game's struct: positions are made as states or views")

    action_text = None
    """Function from an action id to its text; the game's class sets it."""
    reward_units = ()
    """The names of the units of `returns`, the default first; the game's class sets them."""

    def _repr_svg_(self):
        """The picture that notebooks show; None if the game has none."""
        from skat_env.pictures.svg import position_repr
        return position_repr(self)

    def _repr_html_(self):
        """The same as `_repr_svg_`."""
        return self._repr_svg_()

    @property
    def to_act(self):
        return self.kernel.to_act(self.data)

    @property
    def is_over(self):
        return self.kernel.to_act(self.data) < 0

    @property
    def places(self):
        cdef const uint32_t* masks = <const uint32_t*>self.data
        cdef int place
        return tuple([masks[place] for place in range(self.kernel.places)])

    @property
    def dealt(self):
        cdef const uint32_t* masks = dealt_places(self.kernel, self.data)
        cdef int place
        return tuple([masks[place] for place in range(self.kernel.places)])

    @property
    def declarer(self):
        return self.kernel.declarer(self.data)

    @property
    def contract(self):
        cdef int contract = self.kernel.contract(self.data)
        return None if contract < 0 else contract

    @property
    def tricks_played(self):
        return self.kernel.plays(self.data) // self.kernel.seats

    def plays(self):
        """All cards played to tricks as (seat, card), in order."""
        return self.plays_from(0)

    def trick(self):
        """The cards on the table as (seat, card), in the order played."""
        return self.plays_from(self.kernel.plays(self.data) // self.kernel.seats * self.kernel.seats)

    def played_mask(self):
        """All cards played to tricks."""
        cdef int length, i
        cdef const uint8_t* actions = self.kernel.history(self.data, &length)
        cdef uint32_t mask = 0
        for i in range(length - self.kernel.plays(self.data), length):
            mask |= <uint32_t>1 << actions[i]
        return mask

    cdef list plays_from(self, int first):
        """The cards played to tricks from number `first` on, as (seat, card)."""
        cdef int length, i
        cdef int count = self.kernel.plays(self.data)
        cdef int seats = self.kernel.seats
        cdef const uint8_t* actions = self.kernel.history(self.data, &length)
        cdef const uint8_t* leaders = self.kernel.leaders(self.data)
        cdef list plays = []
        for i in range(first, count):
            plays.append(((leaders[i // seats] + i % seats) % seats, actions[length - count + i]))
        return plays

    cdef uint64_t legal_now(self) noexcept:
        """The legal actions as bits; a view has none while another seat is to act."""
        cdef int viewer = self.kernel.viewer(self.data)
        if viewer >= 0 and self.kernel.to_act(self.data) != viewer:
            return 0
        return self.kernel.legal(self.data)

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
        cdef int claimed = claim_of(claim)
        if unit is not None:
            if not isinstance(unit, str) or unit not in self.reward_units:
                raise UnknownName("reward unit", unit, self.reward_units)
            index = self.reward_units.index(unit)
        if claim is not None and self.kernel.to_act(self.data) >= 0 and self.stage != "cardplay":
            raise ValueError(f"a game is claimed in the cardplay, not in the stage '{self.stage}'")
        if claim is not None or self.kernel.to_act(self.data) < 0:
            self.require_result()
        if claim is None or self.kernel.to_act(self.data) < 0:
            self.kernel.returns(self.data, index, out)
        else:
            self.kernel.settle(self.data, claimed, index, out)
        return tuple([out[seat] for seat in range(self.kernel.seats)])

    cdef bint require_result(self) except False:
        """Raises a ValueError if this is a view without cards that count in the result, as those in the skat do."""
        cdef int viewer = self.kernel.viewer(self.data)
        cdef int8_t unknown[MAX_PLACES]
        cdef int place
        if viewer < 0 or self.kernel.declarer(self.data) < 0:
            return True
        self.kernel.slots(self.data, unknown)
        for place in range(self.kernel.seats, self.kernel.places):
            if unknown[place]:
                raise ValueError(
                    f"the view of seat {viewer} does not know the result: some cards that count are hidden"
                )
        return True

    def observe(self, seat):
        """The observation of a seat as int8 [features]; the slices are the game's `features`."""
        cdef int viewer = self.kernel.viewer(self.data)
        cdef int number = self.seat_of(seat)
        if viewer >= 0 and number != viewer:
            raise ValueError(f"the view of seat {viewer} has no observation of seat {number}")
        observation = np.empty(self.kernel.features, dtype=np.int8)
        cdef int8_t[::1] out = observation
        self.kernel.observe(self.data, number, &out[0])
        return observation

    def key(self):
        """A 64-bit hash of the position alone, the same in every process; equal positions have equal keys."""
        cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15
        cdef const uint64_t* words = <const uint64_t*>self.data
        cdef size_t i
        for i in range(self.kernel.size // 8):
            h = (h ^ words[i]) * <uint64_t>0xBF58476D1CE4E5B9
            h ^= h >> 29
        return h

    def text(self):
        """`deal key=value ... : actions`, the line that `parse` reads; `?` is a place that a view does not see."""
        places = [mask_text(mask) if mask else "?" for mask in self.dealt]
        return " ".join(["/".join(places), *self.head().split(), ":", *map(self.action_text, self.history())])

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

    cdef type counterpart(self):
        raise NotImplementedError

    cdef bint apply_checked(self, int action) except False:
        cdef uint64_t legal = self.kernel.legal(self.data)
        if action < 0 or action >= self.kernel.actions or not legal >> action & 1:
            self.refuse(action)
        self.kernel.push(self.data, action)
        return True

    cdef int seat_of(self, object seat) except -1:
        """A seat from outside; raises a ValueError if there is none such."""
        cdef int number = index_of(seat, self.kernel.seats)
        if number < 0:
            raise ValueError(f"seat {shown(seat)} is not one of 0..{self.kernel.seats - 1}")
        return number

    def refuse(self, action):
        """Raises an `IllegalAction` that names the action and the legal ones."""
        text = self.action_text
        if index_of(action, self.kernel.actions) < 0:
            raise IllegalAction(f"action {shown(action)} is not one of 0..{self.kernel.actions - 1}")
        if self.is_over:
            raise IllegalAction(f"{text(action)} is not legal: the game is over")
        legal = " ".join(text(a) for a in self.legal_actions())
        raise IllegalAction(f"{text(action)} is not legal for seat {self.to_act}: legal are {legal}")


class StateMethods:
    """What a State adds to a `Position`, for every game: the second base of its class, after a `Position`."""

    __slots__ = ()

    def apply(self, action):
        """Plays an action of the seat to act.

        Raises:
            IllegalAction: if the rules do not allow it; the state is unchanged.
        """
        cdef Position state = <Position?>self
        cdef int number = index_of(action, state.kernel.actions)
        if number < 0:
            state.refuse(action)
        state.apply_checked(number)

    def undo(self):
        """Takes the last action back.

        Raises:
            IllegalAction: if there is none.
        """
        cdef Position state = <Position?>self
        cdef int length
        state.kernel.history(state.data, &length)
        if length == 0:
            raise IllegalAction("there is no action to undo")
        state.kernel.pop(state.data)

    @property
    def deal(self):
        return Deal(self.dealt)

    def clone(self):
        """An independent copy."""
        return copied(<Position?>self, type(self))

    def __copy__(self):
        return copied(<Position?>self, type(self))

    def __deepcopy__(self, memo):
        return copied(<Position?>self, type(self))

    def view(self, seat):
        """The View of a seat: what it may know."""
        cdef Position state = <Position?>self
        cdef int number = state.seat_of(seat)
        cdef Position view = copied(state, state.counterpart())
        view.kernel.hide(view.data, number)
        return view


class ViewMethods:
    """What a View adds to a `Position`, for every game: the second base of its class, after a `Position`."""

    __slots__ = ()

    @property
    def seat(self):
        cdef Position view = <Position?>self
        return view.kernel.viewer(view.data)

    def blank_state(self):
        """An empty State of the game, into which belief code writes a world."""
        cdef type kind = (<Position?>self).counterpart()
        return kind.__new__(kind)


cdef Position copied(Position position, type kind):
    """A copy of a position as a class with the same struct."""
    cdef Position copy = <Position?>kind.__new__(kind)
    memcpy(copy.data, position.data, position.kernel.size)
    return copy
