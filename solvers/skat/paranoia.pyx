"""Paranoia search: what a player of Skat is sure of, whatever the others hold and play."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

cimport cython

from skat_env.skat._rules cimport NULL_CONTRACT, points_of
from skat_env.skat._state cimport SkatView
from skat_env._bits cimport bit, popcount, run_of, top
from skat_env.solvers._answer cimport ACTIONS, NO_ACTION, Answer, Request, request_of
from skat_env.solvers._crew cimport Crew, Kernel, crew_of
from skat_env.solvers._limits cimport Limits, Watch, limits_set
from skat_env.solvers._table cimport Table, table_forget, table_free, table_new
from skat_env.solvers._targets cimport Targets, next_target, targets_from
from skat_env.solvers.skat._hidden cimport Hidden, settle, unseen
from skat_env.solvers.skat._layout cimport Layout, layout_of, relabel
from skat_env.solvers.skat._paranoia cimport VIEWER, Paranoia, Trick, paranoia, paranoia_start, with_card

from skat_env.options import shown
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.question import SureQuestion

cdef enum:
    TABLE_BITS = 20         # log2 of the buckets (32 bytes each) that a table may grow to
    KEY_BITS = 44           # cards left, leader, groups that two players cannot have
    BOUND_BITS = 7          # card points or tricks
    GUESS = 16              # the share of the points left that the search for an exact value asks for first: one in 16

cdef Kernel KERNEL


ctypedef struct Problem:
    Hidden hidden               # masks of cards
    uint32_t hand               # the viewer's cards
    uint8_t contract            # rules.Contract
    uint8_t soloist             # seat, counted from the viewer
    uint8_t leader              # seat that led the current trick, or is to lead
    uint8_t on_table            # cards of the current trick, 0..2
    uint8_t table[2]            # these cards
    uint8_t won                 # what the viewer's side has; null: 1 if it has won
    bint decided                # a null game whose soloist has a trick
    bint tricks                 # whether tricks are counted
    int target                  # of a decision; -1: the exact value is asked for
    double min_share            # as in Paranoia
    Request request             # what is asked besides


ctypedef struct Spot:
    # A position under search, in labels.
    Hidden hidden
    uint32_t hand
    Trick trick
    int to_act
    int won                     # what the viewer's side has
    int rest                    # what is still to be won


cdef bint narrow(Paranoia* p, const Spot* spot, int target, int* lower, int* upper) noexcept nogil:
    """Asks for a target between the bounds and moves one of them; False: stopped by a limit."""
    cdef int value = spot.won + paranoia(
        p, &spot.hidden, spot.hand, &spot.trick, spot.to_act, target - spot.won, spot.rest)
    if p.limits.stopped:
        return False
    if value >= target:
        lower[0] = value
    else:
        upper[0] = value
    return True


cdef bint value_of(
    Paranoia* p, const Spot* spot, const Problem* problem, int guess, int step, int* lower, int* upper
) noexcept nogil:
    """Answers the question at a position; False: stopped by a limit, but the bounds hold."""
    cdef Targets targets = targets_from(guess, step)
    if problem.target >= 0:
        return not lower[0] < problem.target <= upper[0] or narrow(p, spot, problem.target, lower, upper)
    while lower[0] < upper[0]:
        if not narrow(p, spot, next_target(&targets, lower[0], upper[0]), lower, upper):
            return False
    return True


cdef void set_up(
    const Problem* problem, const Layout* layout, Table* table, Limits* limits, Watch* watch, Paranoia* p, Spot* spot
) noexcept nogil:
    cdef int i
    cdef uint32_t left = problem.hand | unseen(&problem.hidden)
    table_forget(table)
    limits_set(limits, problem.request.node_limit, problem.request.time_limit, watch)
    memset(spot, 0, sizeof(Spot))
    spot.hand = relabel(layout, problem.hand)
    for i in range(3):
        spot.hidden.can[i] = relabel(layout, problem.hidden.can[i])
        spot.hidden.size[i] = problem.hidden.size[i]
    paranoia_start(
        p, layout, table, limits, &spot.hidden, spot.hand, problem.soloist, problem.contract == NULL_CONTRACT,
        problem.tricks, problem.min_share)
    for i in range(problem.on_table):
        left |= bit(problem.table[i])
        spot.trick = with_card(p, &spot.trick, (problem.leader + i) % 3, layout.label[problem.table[i]])
    spot.to_act = (problem.leader + problem.on_table) % 3
    spot.won = problem.won
    if p.null:
        spot.rest = not problem.decided
    elif p.per_trick:
        spot.rest = popcount(problem.hand) + (problem.on_table > (3 - problem.leader) % 3)
    else:
        spot.rest = points_of(left)


cdef void solve_actions(
    Paranoia* p, const Layout* layout, const Spot* spot, const Problem* problem, Answer* out
) noexcept nogil:
    """Answers the question after each legal card of the viewer; from one to the next the table stays."""
    cdef uint32_t others = spot.hidden.can[0] | spot.hidden.can[1] | spot.trick.cards
    cdef uint32_t todo = spot.hand
    cdef uint32_t run
    cdef Spot after
    cdef int label, action, other
    cdef int lower = 0
    cdef int upper = 0
    cdef int guess = spot.won + spot.rest // GUESS
    cdef int step = max(1, spot.rest // GUESS)
    cdef int best_lower = 0
    cdef int best_upper = 0
    if spot.trick.cards and todo & p.group[spot.trick.led]:
        todo &= p.group[spot.trick.led]
    todo &= relabel(layout, problem.request.cards)
    if not todo:
        out.answered = False
        return
    while todo:
        label = top(todo)
        after = spot[0]
        after.hand ^= bit(label)
        after.trick = with_card(p, &spot.trick, VIEWER, label)
        after.to_act = VIEWER + 1
        lower, upper = after.won, after.won + after.rest
        if out.answered:
            out.answered = value_of(p, &after, problem, guess, step, &lower, &upper)
        guess, step = lower, 1
        if lower > best_lower:
            best_lower = lower
        if upper > best_upper:
            best_upper = upper
        run = run_of(spot.hand, others, p.group[label], label) & todo
        while run:
            other = top(run)
            run ^= bit(other)
            if p.points[other] == p.points[label]:
                todo &= ~bit(other)
                action = layout.card[other]
                out.legal |= bit(action)
                out.action_lower[action] = lower
                out.action_upper[action] = upper
                if lower == best_lower:
                    out.best = action
    out.lower, out.upper = best_lower, best_upper


cdef void solve(const void* memory_of_problem, void* memory, Answer* out, Watch* watch) noexcept nogil:
    """Answers a problem (unchecked). The table is emptied first: the answer depends on the problem alone."""
    cdef const Problem* problem = <const Problem*>memory_of_problem
    cdef const Layout* layout = layout_of(problem.contract)
    cdef Limits limits
    cdef Paranoia p
    cdef Spot spot
    set_up(problem, layout, <Table*>memory, &limits, watch, &p, &spot)
    memset(out, 0, sizeof(Answer))
    out.answered = True
    out.best = NO_ACTION
    out.lower, out.upper = spot.won, spot.won + spot.rest
    if problem.request.wishes & ACTIONS:
        solve_actions(&p, layout, &spot, problem, out)
    else:
        out.answered = value_of(
            &p, &spot, problem, spot.won + spot.rest // GUESS, max(1, spot.rest // GUESS), &out.lower, &out.upper)
    out.nodes = limits.nodes


cdef int read(object position, object question, void* memory) except -1:
    """The problem of a question about an information set."""
    cdef Problem* problem = <Problem*>memory
    cdef int i
    if not isinstance(question, SureQuestion):
        raise TypeError(f"a solver of what is sure takes a SureQuestion, not {shown(question)}")
    if isinstance(position, SkatView):
        position = InformationSet.of(position)
    if not isinstance(position, InformationSet):
        raise TypeError(f"paranoia search takes a SkatView or an InformationSet, not {type(position).__name__}")
    memset(problem, 0, sizeof(Problem))
    for i in range(3):
        problem.hidden.can[i] = position.can[i]
        problem.hidden.size[i] = position.sizes[i]
    if not settle(&problem.hidden):
        raise ValueError(f"no world is possible: {position.text()}")
    problem.hand = position.hand
    problem.contract = position.contract
    problem.soloist = position.soloist
    problem.leader = position.leader
    problem.on_table = len(position.table)
    for i in range(problem.on_table):
        problem.table[i] = position.table[i]
    problem.tricks = question.aim == "tricks"
    problem.min_share = question.min_share
    if problem.contract == NULL_CONTRACT:
        soloist_has = position.tricks if problem.soloist == VIEWER else position.tricks_played - position.tricks
        problem.decided = soloist_has > 0
        problem.won = problem.decided and problem.soloist != VIEWER
        problem.tricks = False
        max_target = 1
    else:
        problem.won = position.tricks if problem.tricks else position.points
        max_target = 10 if problem.tricks else 120
    if question.target is not None and not 0 <= question.target <= max_target:
        raise ValueError(f"target {question.target} is out of range: it is 0..{max_target}")
    problem.target = -1
    if problem.contract == NULL_CONTRACT:
        problem.target = 1
    elif question.target is not None:
        problem.target = question.target
    problem.request = request_of(question)
    if problem.request.wishes & ACTIONS and position.to_act != VIEWER:
        raise ValueError("the values of actions are asked for, but another player is to act")
    return 0


cdef void* memory_new(int smaller) noexcept nogil:
    return table_new(TABLE_BITS - smaller, KEY_BITS, BOUND_BITS)


cdef void memory_free(void* memory) noexcept nogil:
    table_free(<Table*>memory)


KERNEL = Kernel(
    problem_size=sizeof(Problem), read=read, memory_new=memory_new, memory_free=memory_free, solve=solve,
    following_size=0, follow=NULL, reached=NULL
)


@cython.final
cdef class ParanoiaSolver:
    """Finds what a player is sure of with one strategy that never sees a hidden card (Edelkamp 2020, section 7.2)."""
    cdef Crew crew                      # its threads and their tables

    def __cinit__(self):
        self.crew = crew_of(&KERNEL)

    def __reduce__(self):
        return ParanoiaSolver, ()   # tables stay here: a copy begins with its own

    def solve(self, position, question=SureQuestion()):
        """Answers a question about a position."""
        return self.crew.solve_many([position], question, 1)[0]

    def solve_many(self, positions, question=SureQuestion(), threads=1):
        """Answers a question about each of many positions."""
        return self.crew.solve_many(positions, question, threads)
