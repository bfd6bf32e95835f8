"""Information-set Monte Carlo tree search on a game's C interface; `ismcts.py` is the agent.

A node is an information set: a hash of the actions so far (Cowling, Powley and Whitehouse 2012). With many observers
the hash includes the cards of the seat to act, unless it is the seat that searches. `_tree.pyx` stores nodes and edges,
`_selection.pyx` has the selection rules.

With priors (PUCT, as in AlphaZero: Silver et al. 2018) a node gets edges for all legal actions of a world at once, when
the policy has rated them. The policy sees the position as the seat to act, with its cards in the world drawn. So a node
of another seat collects its edges over several worlds, and an edge's prior is the mean over the worlds in which the
action was legal. An action without alternative in the world is played without a node.
"""

from libc.math cimport NAN, exp, isfinite, isnan, sqrt
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from skat_env.agents.search.tree._selection cimport Scale, Select, Selection
from skat_env.agents.search.tree._tree cimport NONE, Edge, InformationSets, Minimax
from skat_env.agents.search.tree._worlds cimport Worlds
from skat_env._encoder cimport Encoder
from skat_env._position cimport Kernel, Position
from skat_env._bits cimport trailing_zeros
from skat_env._random cimport random_bit
from skat_env.solvers._limits cimport Watch, now, watch_begin, watch_ended, watch_raise

import numpy as np

cdef enum:
    MAX_SEATS = 8
    MAX_DEPTH = 64          # maximum number of edges of a path: cards left in the game
    MAX_SECONDS = 1000000   # of a search; not a number is not less either
    SIMULATIONS_PER_LOOK = 16     # simulations between two looks at the clock

cdef uint64_t CARDS = <uint64_t>1 << 32     # separates hands from actions in a key


ctypedef struct Path:
    int32_t nodes[MAX_DEPTH]
    int32_t slots[MAX_DEPTH]        # of the edges chosen at the nodes
    uint8_t declares[MAX_DEPTH]     # whether the declaring side chose the edge
    int length
    int32_t leaf            # the last node
    bint leaf_declares      # whether the declaring side is to act there


cdef inline uint64_t mixed(uint64_t key, uint64_t what) noexcept nogil:
    """The hash of a key and the next item."""
    key = (key ^ (what + 1)) * <uint64_t>0x9E3779B97F4A7C15
    return key ^ key >> 32


cdef class Tree(InformationSets):
    """A search tree; later searches of the same seat in the same game can continue it.

    Args:
        signs: by seat, the weight of its return in the value of a game: positive for the declaring side, negative for
            the other.
        unit: the number of the reward unit.
        options: the options of the search, a `TreeOptions`.
    """

    cdef double signs[MAX_SEATS]
    cdef int seats
    cdef int unit
    cdef Select select
    cdef Scale scale
    cdef bint private
    cdef bint priors
    cdef double rollout_share
    cdef double share           # weight of the implicit minimax values
    cdef uint64_t random        # stream of the rollouts from waiting leaves
    cdef int seat               # the seat that searches
    cdef uint64_t root          # key of the last searched information set
    cdef const Kernel* kernel   # kernel of the searched game; NULL: nothing was searched yet
    cdef Position view          # view that is the root
    cdef uint8_t* states        # states of the leaves that wait for their values
    cdef Path* waiting_paths
    cdef readonly int waiting   # number of waiting leaves
    cdef int waiting_room
    cdef bint halted            # no search begins or goes on
    cdef double lost[2]         # value of a waiting leaf on edges of the other side, and of the declaring side

    def __cinit__(self, signs, int unit, options):
        cdef Selection selection = options.selection
        if not isfinite(options.c) or not isfinite(options.rollout_share):
            raise ValueError(f"c={options.c} and rollout_share={options.rollout_share}: expected finite numbers")
        if not 0 <= options.minimax <= 1:
            raise ValueError(f"minimax={options.minimax}: expected a share from 0 to 1")
        if not 0 < len(signs) <= MAX_SEATS:
            raise ValueError(f"{len(signs)} signs: expected one for each of up to {MAX_SEATS} seats")
        self.seats = len(signs)
        for seat in range(self.seats):
            self.signs[seat] = signs[seat]
        self.unit = unit
        self.select = selection.select
        self.priors = selection.priors
        self.private = options.private
        self.rollout_share = options.rollout_share
        self.share = options.minimax
        if self.share > 0:
            self.keep_minimax()
        self.scale = Scale(c=options.c, relative=options.relative, lowest=1e300, highest=-1e300, simulations=0)

    def __dealloc__(self):
        free(self.states)
        free(self.waiting_paths)

    cdef bint add_priors(
        self, int32_t number, uint64_t legal, const float* logits, const uint8_t* outputs
    ) noexcept nogil:
        """Adds a policy's probabilities to the legal actions' edges; False if out of memory.

        `outputs[action]` is the index of an action's logit.
        """
        cdef double highest = -1e300
        cdef double total = 0
        cdef uint64_t rest = legal
        cdef int action
        cdef int32_t slot
        cdef Edge* edge
        while rest:
            action = trailing_zeros(rest)
            highest = max(highest, logits[outputs[action]])
            rest &= rest - 1
        rest = legal
        while rest:
            total += exp(logits[outputs[trailing_zeros(rest)]] - highest)
            rest &= rest - 1
        while legal:
            action = trailing_zeros(legal)
            if self.nodes[number].tried >> action & 1:
                slot = 0
                while self.edges[self.nodes[number].first + slot].action != action:
                    slot += 1
            else:
                slot = self.expand(number, action)
                if slot == NONE:
                    return False
            edge = &self.edges[self.nodes[number].first + slot]
            edge.weight.prior.total += <float>(exp(logits[outputs[action]] - highest) / total)
            edge.weight.prior.asked += 1
            legal &= legal - 1
        return True

    cdef bint descend(
        self, const Kernel* kernel, void* state, uint64_t key, uint64_t* stream, Path* path
    ) noexcept nogil:
        """Plays a world from the root down to the first action that is new at its node, and adds its edge.

        With priors: down to the first node with a legal action that the policy has not rated. Returns False if out of
        memory.
        """
        cdef const uint32_t* hands = <const uint32_t*>state
        cdef uint64_t legal, untried, own
        cdef int32_t number
        cdef int32_t parent = NONE      # the edge that led here
        cdef int32_t slot
        cdef int actor, action
        cdef bint foreign
        path.length = 0
        while True:
            legal = kernel.legal(state)
            if not legal:
                return True
            if self.priors and not legal & (legal - 1):
                # No prior for a forced card: networks are not trained where there is nothing to decide.
                key = mixed(key, trailing_zeros(legal))
                kernel.push(state, trailing_zeros(legal))
                continue
            actor = kernel.to_act(state)
            foreign = self.private and actor != self.seat
            own = mixed(key, CARDS | hands[actor]) if foreign else key
            number = NONE if parent == NONE else self.edges[parent].child
            # What an edge leads to can depend on the world.
            if number == NONE or self.nodes[number].key != own:
                number = self.node_of(own)
                if number == NONE:
                    return False
                if parent != NONE:
                    self.edges[parent].child = number
            path.leaf = number
            path.leaf_declares = self.signs[actor] > 0
            untried = legal & ~self.nodes[number].tried
            slot = self.select(
                &self.edges[self.nodes[number].first], &self.nodes[number], &self.scale, legal,
                1.0 if self.signs[actor] > 0 else -1.0,
            )
            if untried:
                if self.priors:
                    return True
                slot = self.expand(number, random_bit(stream, untried))
                if slot == NONE:
                    return False
            path.nodes[path.length] = number
            path.slots[path.length] = slot
            path.declares[path.length] = self.signs[actor] > 0
            path.length += 1
            parent = self.nodes[number].first + slot
            action = self.edges[parent].action
            key = mixed(key, action)
            kernel.push(state, action)
            if untried and not foreign:
                return True

    cdef double value_of(self, const Kernel* kernel, const void* state) noexcept nogil:
        """The value of a finished game: the declaring side's returns less the other side's."""
        cdef int32_t returns[MAX_SEATS]
        cdef double value = 0
        cdef int seat
        kernel.returns(state, self.unit, returns)
        for seat in range(self.seats):
            value += self.signs[seat] * returns[seat]
        return value

    cdef inline Edge* edge_of(self, const Path* path, int i) noexcept nogil:
        return &self.edges[self.nodes[path.nodes[i]].first + path.slots[i]]

    cdef void back_up(self, const Path* path, double value) noexcept nogil:
        cdef int i
        cdef Edge* edge
        if value < self.scale.lowest:
            self.scale.lowest = value
        if value > self.scale.highest:
            self.scale.highest = value
        for i in range(path.length - 1, -1, -1):
            edge = self.edge_of(path, i)
            edge.visits += 1
            if self.minimax:
                edge.total = self.mixed_total(path, i, value)
            else:
                edge.total += value
            if not self.priors:
                edge.weight.root = 1.0 / sqrt(edge.visits)
        self.scale.simulations += 1

    cdef double mixed_total(self, const Path* path, int i, double value) noexcept nogil:
        """The total of an edge after a simulation, whose mean is mixed with its implicit minimax value.

        Lanctot, Winands, Pepels and Sturtevant 2014, equation 5; the edges further down the path come first.
        """
        cdef const Edge* edge = self.edge_of(path, i)
        cdef Minimax* minimax = &self.minimax[self.nodes[path.nodes[i]].first + path.slots[i]]
        cdef double best = NAN
        minimax.total += value
        minimax.visits += 1
        if i + 1 < path.length:
            best = self.best_of(path.nodes[i + 1], path.declares[i + 1])
        elif path.leaf != path.nodes[i]:
            best = self.best_of(path.leaf, path.leaf_declares)
        minimax.best = minimax.total / minimax.visits if isnan(best) else best
        return (
            (1.0 - self.share) * minimax.total
            + self.share * minimax.best * minimax.visits
            + (edge.visits - minimax.visits) * self.lost[path.declares[i]]     # virtual losses
        )

    cdef void lose(self, const Path* path, int times) noexcept nogil:
        """Adds a virtual loss to each edge of a path, or takes it back (`times` = -1)."""
        cdef int i
        cdef Edge* edge
        for i in range(path.length):
            edge = self.edge_of(path, i)
            edge.total += times * self.lost[path.declares[i]]
            edge.visits += times
            if not self.priors and edge.visits:
                edge.weight.root = 1.0 / sqrt(edge.visits)

    def begin(self, Worlds worlds not None):
        """Makes the view of the worlds the root of the search.

        Raises:
            ValueError: if leaves wait for their values, or the worlds are of another game than the tree.
        """
        cdef const Kernel* kernel = worlds.kernel
        cdef int length, i
        cdef const uint8_t* history = kernel.history(worlds.view.data, &length)
        cdef uint64_t key = <uint64_t>0x2545F4914F6CDD1D
        self.require_settled()
        if kernel.seats != self.seats or not 0 <= self.unit < kernel.units or self.kernel not in (NULL, kernel):
            raise ValueError(f"the tree is not one of the game of '{worlds.view.text()}'")
        for i in range(length):
            key = mixed(key, history[i])
        self.kernel = kernel
        self.view = worlds.view
        self.seat = worlds.seat
        self.root = key
        self.scale.simulations = 0

    cdef bint require_settled(self) except False:
        """Raises a ValueError if leaves wait for their values."""
        if self.waiting:
            raise ValueError(f"{self.waiting} leaves wait for their values: call settle first")
        return True

    cdef bint require_begun(self, Worlds worlds) except False:
        """Raises a ValueError if worlds are not those with which the search began."""
        if self.view is not worlds.view:
            raise ValueError("the search did not begin with these worlds: call begin first")
        return True

    def search(self, Worlds worlds not None, long simulations, double seconds, int rollouts, stream):
        """Runs simulations with random rollouts and returns their number.

        Runs `simulations` of them; with `seconds` above 0 at most for so long.
        """
        if not seconds < MAX_SECONDS or rollouts < 1:
            raise ValueError(
                f"a search of {seconds} seconds with {rollouts} rollouts: expected few seconds, at least 1 rollout"
            )
        self.begin(worlds)
        cdef const Kernel* kernel = worlds.kernel
        cdef uint64_t random = stream
        cdef uint64_t key = self.root
        cdef double deadline = now() + seconds
        cdef uint8_t* state = <uint8_t*>malloc(2 * kernel.size)
        cdef void* playout = state + kernel.size
        cdef Path path
        cdef Watch watch
        cdef double value
        cdef long done = 0
        cdef bint memory = True
        if not state:
            raise MemoryError()
        watch_begin(&watch)
        with nogil:
            while True:
                if done >= simulations:
                    break
                if done % SIMULATIONS_PER_LOOK == 0:
                    if self.halted or watch_ended(&watch) or (seconds > 0 and done and now() >= deadline):
                        break
                worlds.draw_one(state, &random)
                memory = self.descend(kernel, state, key, &random, &path)
                if not memory:
                    break
                value = 0
                if rollouts == 1:
                    kernel.rollout(state, &random)
                    value = self.value_of(kernel, state)
                else:
                    for _ in range(rollouts):
                        memcpy(playout, state, kernel.size)
                        kernel.rollout(playout, &random)
                        value += self.value_of(kernel, playout)
                    value /= rollouts
                self.back_up(&path, value)
                done += 1
        free(state)
        if not memory:
            raise MemoryError()
        watch_raise(&watch)
        return done

    def halt(self):
        """Ends the search, which another thread runs, and any later one; the tree is of no more use."""
        self.halted = True

    def gather(self, Worlds worlds not None, int simulations, stream):
        """Begins simulations, whose leaves then wait for their values from `settle`; returns how many it began.

        With priors it begins only one at a root that is new. A waiting leaf counts as a visit with the worst value seen
        so far for everyone who chose on its path, so that later descents go elsewhere (virtual loss). A leaf where the
        game is over gets its value at once.
        """
        cdef const Kernel* kernel = worlds.kernel
        cdef uint64_t random = stream
        cdef uint64_t key = self.root
        cdef int32_t root = self.table[self.find(key)]
        cdef Path* path
        cdef void* state
        cdef bint memory = True
        self.require_settled()
        self.require_begun(worlds)
        if self.priors and (root == NONE or not self.nodes[root].count):
            simulations = 1
        self.lost[0] = max(self.scale.highest, 0.0)
        self.lost[1] = min(self.scale.lowest, 0.0)
        if simulations > self.waiting_room:
            self.waiting_room = 0
            self.states = <uint8_t*>realloc(self.states, simulations * kernel.size)
            self.waiting_paths = <Path*>realloc(self.waiting_paths, simulations * sizeof(Path))
            if not self.states or not self.waiting_paths:
                raise MemoryError()
            self.waiting_room = simulations
        with nogil:
            for _ in range(simulations):
                path = &self.waiting_paths[self.waiting]
                state = self.states + self.waiting * kernel.size
                worlds.draw_one(state, &random)
                memory = self.descend(kernel, state, key, &random, path)
                if not memory:
                    break
                if kernel.to_act(state) < 0:
                    self.back_up(path, self.value_of(kernel, state))
                    continue
                self.lose(path, 1)
                self.waiting += 1
        self.random = random
        if not memory:
            raise MemoryError()
        return simulations

    def leaves(self, Worlds worlds not None):
        """The states of the waiting leaves."""
        cdef Position copy
        cdef int i
        self.require_begun(worlds)
        states = []
        for i in range(self.waiting):
            copy = worlds.view.blank_state()
            memcpy(copy.data, self.states + i * self.kernel.size, self.kernel.size)
            states.append(copy)
        return states

    def actors(self):
        """Whether the declaring side is to act at each waiting leaf, bool [leaves]."""
        declares = np.empty(self.waiting, np.bool_)
        cdef uint8_t[::1] out = declares.view(np.uint8)
        cdef int i
        for i in range(self.waiting):
            out[i] = self.signs[self.kernel.to_act(self.states + i * self.kernel.size)] > 0
        return declares

    def encode(self, Encoder encoder not None, bint acting, float[:, ::1] out not None, int side=-1):
        """Writes the features of the waiting leaves, float32 [leaves, encoder.width].

        Args:
            encoder: must be able to read the leaves.
            acting: whether leaves are seen by the seat to act; if not, by the seat that searches.
            out: the rows to fill.
            side: only leaves where this side is to act: 0 the declaring side, 1 the other; -1: all.

        Raises:
            ValueError: if the encoder cannot read a leaf, or `out` has another shape.
        """
        cdef void* state
        cdef Py_ssize_t row = 0
        cdef int i, actor, seat
        if self.waiting and not isinstance(self.view, encoder.positions):
            raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not the leaves")
        if out.shape[1] != encoder.width:
            raise ValueError(f"out has {out.shape[1]} columns: expected {encoder.width}")
        for i in range(self.waiting):
            state = self.states + i * self.kernel.size
            actor = self.kernel.to_act(state)
            if side >= 0 and (self.signs[actor] > 0) != (side == 0):
                continue
            if row == out.shape[0]:
                raise ValueError(f"out has {row} rows: expected more")
            seat = actor if acting else self.seat
            if not encoder.reads(state, seat):
                raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not leaf {i}")
            encoder.write(state, seat, &out[row, 0])
            row += 1
        if row != out.shape[0]:
            raise ValueError(f"out has {out.shape[0]} rows: expected {row}")

    def settle(
        self, const double[::1] values not None, const float[:, ::1] logits=None, const uint8_t[::1] outputs=None
    ):
        """Gives the waiting leaves their values and backs them up.

        Args:
            values: float64 [leaves], for the declaring side.
            logits: with priors, the policy's outputs, float32 [leaves, n].
            outputs: with priors, the output of each action, uint8 [actions]; those that no leaf needs may be left out.

        Raises:
            ValueError: if the arrays do not fit the leaves or each other, or a number is not finite.
        """
        cdef Path* path
        cdef void* state
        cdef double value
        cdef int i
        if values.shape[0] != self.waiting:
            raise ValueError(f"{values.shape[0]} values for {self.waiting} leaves")
        if self.priors and (logits is None or outputs is None or logits.shape[0] != self.waiting):
            raise ValueError(f"this tree needs the logits of all {self.waiting} leaves")
        if self.priors:
            self.require_outputs(outputs, logits.shape[1])
        self.require_finite(values, logits if self.priors else None)
        for i in range(self.waiting):
            path = &self.waiting_paths[i]
            state = self.states + i * self.kernel.size
            self.lose(path, -1)
            if self.priors:
                if not self.add_priors(path.leaf, self.kernel.legal(state), &logits[i, 0], &outputs[0]):
                    raise MemoryError()
            value = values[i]
            if self.rollout_share > 0:
                self.kernel.rollout(state, &self.random)
                value += self.rollout_share * (self.value_of(self.kernel, state) - value)
            self.back_up(path, value)
        self.waiting = 0

    cdef bint require_outputs(self, const uint8_t[::1] outputs, Py_ssize_t logits) except False:
        """Raises a ValueError if a legal action of a leaf has no logit."""
        cdef uint64_t legal = 0
        cdef int i
        for i in range(self.waiting):
            legal |= self.kernel.legal(self.states + i * self.kernel.size)
        while legal:
            i = trailing_zeros(legal)
            if i >= outputs.shape[0] or outputs[i] >= logits:
                raise ValueError(f"outputs do not give action {i} one of {logits} logits")
            legal &= legal - 1
        return True

    cdef bint require_finite(self, const double[::1] values, const float[:, ::1] logits) except False:
        """Raises a ValueError for a value or logit that is infinite or not a number: it would break the selection."""
        cdef Py_ssize_t row, column
        for row in range(values.shape[0]):
            if not isfinite(values[row]):
                raise ValueError(f"the evaluator values leaf {row} at {values[row]}: expected a finite number")
        if logits is not None:
            for row in range(logits.shape[0]):
                for column in range(logits.shape[1]):
                    if not isfinite(logits[row, column]):
                        raise ValueError(
                            f"the policy gives leaf {row} a logit of {logits[row, column]}: expected a finite number"
                        )
        return True

    def root_edges(self):
        """(action, visits, times available, mean value for the declaring side, prior) of each action at the root."""
        cdef int32_t number = self.table[self.find(self.root)]
        cdef Edge* edge
        cdef int slot
        rows = []
        if number == NONE:
            return rows
        for slot in range(self.nodes[number].count):
            edge = &self.edges[self.nodes[number].first + slot]
            mean = edge.total / edge.visits if edge.visits else 0.0
            asked = edge.weight.prior.asked
            prior = edge.weight.prior.total / asked if self.priors and asked else 0.0
            rows.append((edge.action, edge.visits, edge.available, mean, prior))
        return sorted(rows)
