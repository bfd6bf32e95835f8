"""The open-card solver of Skat: what the soloist gets if all see all cards and play best."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

cimport cython

from skat_env.skat._rules cimport NULL_CONTRACT, PLAY, SKAT, SkatData, points_of
from skat_env.skat._state cimport SkatState
from skat_env.solvers._answer cimport ACTIONS, LINE, NO_ACTION, Answer, Request, request_of
from skat_env._bits cimport bit, popcount, run_of, single, top, trailing_zeros
from skat_env.solvers._crew cimport Kernel, crew_of
from skat_env.solvers.skat._layout cimport Layout, layout_of, relabel
from skat_env.solvers._limits cimport Limits, Watch, limits_set
from skat_env.solvers._solver cimport OpenCardSolver
from skat_env.solvers.skat._null cimport NullSearch, null_search, null_start
from skat_env.solvers.skat._search cimport Search, search, search_start
from skat_env.solvers._targets cimport Targets, next_target, targets_from
from skat_env.solvers._table cimport Table, table_forget, table_free, table_new

from skat_env.options import shown
from skat_env.skat.rules import Phase
from skat_env.solvers.skat.position import OpenPosition
from skat_env.solvers.skat.question import Question

cdef enum:
    TABLE_BITS = 18         # log2 of the buckets (32 bytes each) that a table may grow to
    KEY_BITS = 34           # cards left, leader
    BOUND_BITS = 7          # card points or tricks
    FIRST_STEP = 7          # card points from one target to the next; with GUESS it was the fastest of those tried
    GUESS = 72              # card points that the search for an exact value asks for first
    TRICKS_GUESS = 5        # the same in tricks

cdef Kernel KERNEL

cdef enum:  # questions
    DECISION = 0        # does the soloist reach the target?
    EXACT = 1           # how much does it get?

cdef enum:  # aims: what is counted; in null games always whether it takes a trick
    POINTS = 0          # card points, the skat's included
    TRICKS = 1          # tricks


ctypedef struct Problem:
    uint32_t hands[3]           # cards held, by seat
    uint8_t contract            # rules.Contract
    uint8_t soloist             # seat
    uint8_t leader              # seat that led the current trick, or is to lead
    uint8_t on_table            # cards of the current trick, 0..2
    uint8_t table[2]            # these cards
    uint8_t won                 # what the soloist has: card points, the skat's included, or tricks; null: 1 if a trick
    uint8_t aim                 # POINTS or TRICKS (null: either)
    uint8_t question            # DECISION or EXACT
    uint8_t target              # of a decision: 0..121 card points or 0..10 tricks; null: 1
    Request request             # what is asked besides


ctypedef struct Node:
    # A position under search, in labels.
    uint32_t hands[3]
    uint8_t cards[2]        # on the table
    int on_table
    int leader              # who led them, or is to lead
    int won                 # what the soloist has
    int rest                # what is still to be won, the cards on the table included


ctypedef struct Engine:
    const Layout* layout
    bint null
    int aim                 # as in Problem
    Limits limits
    Search trumps           # used in suit and grand games
    NullSearch no_trumps    # used in null games


cdef inline int to_act(const Node* node) noexcept nogil:
    return (node.leader + node.on_table) % 3


cdef inline uint32_t legal(const Engine* e, const Node* node) noexcept nogil:
    cdef uint32_t hand = node.hands[to_act(node)]
    cdef uint32_t follow
    if node.on_table:
        follow = hand & e.layout.group[node.cards[0]]
        if follow:
            return follow
    return hand


cdef inline bint beats(const Engine* e, int card, int other) noexcept nogil:
    return card > other and (e.layout.group[other] | e.layout.trumps) >> card & 1


cdef void play(const Engine* e, Node* node, int card) noexcept nogil:
    """Plays a card; the third one of a trick gives it to its winner."""
    cdef int winner = 0
    cdef int value
    node.hands[to_act(node)] ^= bit(card)
    if node.on_table < 2:
        node.cards[node.on_table] = card
        node.on_table += 1
        return
    if beats(e, node.cards[1], node.cards[0]):
        winner = 1
    if beats(e, card, node.cards[winner]):
        winner = 2
    winner = (node.leader + winner) % 3
    if e.null:
        if winner == e.no_trumps.soloist:
            node.won = 1
            node.rest = 0
    else:
        value = (e.trumps.points[node.cards[0]] + e.trumps.points[node.cards[1]] + e.trumps.points[card]
                 + e.trumps.per_trick)
        node.rest -= value
        if winner == e.trumps.soloist:
            node.won += value
    node.leader = winner
    node.on_table = 0
    if e.null and not node.hands[winner]:
        node.rest = 0


cdef inline bint maximises(const Engine* e, const Node* node, const Problem* p) noexcept nogil:
    """Whether the seat to act wants the soloist's number to be large: the soloist does, but not in a null game."""
    return (to_act(node) == p.soloist) != e.null


cdef int probe(Engine* e, const Node* node, int target) noexcept nogil:
    """What the soloist has in the end: at least the answer if that is the target or more, else at most the answer."""
    cdef int seat
    if target <= node.won:
        return node.won
    if target > node.won + node.rest:
        return node.won + node.rest
    if e.null:
        for seat in range(3):
            e.no_trumps.hands[seat] = node.hands[seat]
        return null_search(&e.no_trumps, node.leader, node.on_table, node.cards)
    for seat in range(3):
        e.trumps.hands[seat] = node.hands[seat]
    return target + search(&e.trumps, node.leader, node.on_table, node.cards, target - node.won, node.rest)


cdef bint narrow(Engine* e, const Node* node, int target, int* lower, int* upper) noexcept nogil:
    """Asks for a target between the bounds and moves one of them; False: stopped by a limit."""
    cdef int value = probe(e, node, target)
    if e.limits.stopped:
        return False
    if value >= target:
        lower[0] = value
    else:
        upper[0] = value
    return True


cdef bint pin_down(Engine* e, const Node* node, int guess, int step, int* lower, int* upper) noexcept nogil:
    """Brings the bounds together, from a guess outwards in steps; False: stopped by a limit."""
    cdef Targets targets = targets_from(guess, step)
    while lower[0] < upper[0]:
        if not narrow(e, node, next_target(&targets, lower[0], upper[0]), lower, upper):
            return False
    return True


cdef bint value_of(
    Engine* e, const Node* node, const Problem* p, int guess, int step, int* lower, int* upper
) noexcept nogil:
    """Answers the question at a position; False: stopped by a limit, but the bounds hold."""
    if p.question == EXACT:
        return pin_down(e, node, guess, step, lower, upper)
    if lower[0] < p.target <= upper[0]:
        return narrow(e, node, p.target, lower, upper)
    return True


cdef void set_up(const Problem* p, Table* table, Watch* watch, Engine* e, Node* node) noexcept nogil:
    table_forget(table)
    limits_set(&e.limits, p.request.node_limit, p.request.time_limit, watch)
    e.layout = layout_of(p.contract)
    e.null = p.contract == NULL_CONTRACT
    e.aim = p.aim
    node_of(e, p, node)
    if e.null:
        null_start(&e.no_trumps, table, &e.limits, p.soloist, node.hands)
    else:
        search_start(&e.trumps, e.layout, table, &e.limits, p.soloist, node.hands, p.aim == TRICKS)


cdef void node_of(const Engine* e, const Problem* p, Node* node) noexcept nogil:
    """The position of a problem, in labels."""
    cdef int seat, i
    cdef uint32_t left = 0
    for seat in range(3):
        node.hands[seat] = relabel(e.layout, p.hands[seat])
        left |= p.hands[seat]
    for i in range(p.on_table):
        node.cards[i] = e.layout.label[p.table[i]]
        left |= bit(p.table[i])
    node.on_table = p.on_table
    node.leader = p.leader
    node.won = p.won
    if e.null:
        node.rest = 1 - p.won
    else:
        node.rest = popcount(left) // 3 if p.aim == TRICKS else points_of(left)


cdef void solve_actions(Engine* e, const Node* node, const Problem* p, int guess, Answer* out) noexcept nogil:
    """Answers the question after each action asked for; from one to the next the table stays."""
    cdef uint32_t todo = legal(e, node) & relabel(e.layout, p.request.cards)
    cdef uint32_t hand = node.hands[to_act(node)]
    cdef uint32_t others = (node.hands[0] | node.hands[1] | node.hands[2]) & ~hand
    cdef uint32_t run
    cdef Node after
    cdef int label, action, i
    cdef int lower = 0
    cdef int upper = 0
    cdef int step = FIRST_STEP
    cdef int best_lower = -1
    cdef int best_upper = -1
    cdef bint wants_more = maximises(e, node, p)
    for i in range(node.on_table):
        others |= bit(node.cards[i])
    out.answered = todo != 0
    while todo:
        label = top(todo)
        after = node[0]
        play(e, &after, label)
        lower, upper = after.won, after.won + after.rest
        if out.answered:
            out.answered = value_of(e, &after, p, guess, step, &lower, &upper)
        # Most actions have the value of the one before, or nearly.
        guess, step = lower, 1
        if best_lower < 0 or (lower > best_lower if wants_more else lower < best_lower):
            best_lower = lower
        if best_upper < 0 or (upper > best_upper if wants_more else upper < best_upper):
            best_upper = upper
        # Cards next to it that bring the same points have the same value.
        run = run_of(hand, others, e.layout.group[label], label) & todo
        while run:
            i = top(run)
            run ^= bit(i)
            if i == label or e.null or e.trumps.points[i] == e.trumps.points[label]:
                todo ^= bit(i)
                action = e.layout.card[i]
                out.legal |= bit(action)
                out.action_lower[action] = lower
                out.action_upper[action] = upper
    if best_lower >= 0:
        out.lower, out.upper = best_lower, best_upper


cdef int keep(Engine* e, const Node* node, const Problem* p, int value) noexcept nogil:
    """An action that keeps the side to act what it has: its exact value, or its answer to the decision; -1: stopped.

    The side that a decision goes against plays the card that comes nearest as far as the search knows.
    """
    cdef uint32_t todo = legal(e, node)
    cdef bint maximise = maximises(e, node, p)
    cdef int target = p.target if p.question == DECISION else value if maximise else value + 1
    cdef int best = -1
    cdef int best_value = 0
    cdef int card, reached
    cdef Node after
    if single(todo):
        return trailing_zeros(todo)
    while todo:
        card = top(todo)
        todo ^= bit(card)
        after = node[0]
        play(e, &after, card)
        reached = probe(e, &after, target)
        if e.limits.stopped:
            return -1
        if (reached >= target) == maximise:
            return card
        if best < 0 or (reached > best_value) == maximise and reached != best_value:
            best, best_value = card, reached
    return best


cdef inline bint finished(const Engine* e, const Node* node) noexcept nogil:
    return not (node.hands[0] | node.hands[1] | node.hands[2]) or (e.null and node.won)


cdef void solve(const void* problem, void* memory, Answer* out, Watch* watch) noexcept nogil:
    """Answers a problem (unchecked). The table is emptied first: the answer depends on the problem alone."""
    cdef const Problem* p = <const Problem*>problem
    cdef Engine e
    cdef Node node
    cdef int card, guess
    set_up(p, <Table*>memory, watch, &e, &node)
    memset(out, 0, sizeof(Answer))
    out.answered = True
    out.best = NO_ACTION
    out.lower, out.upper = node.won, node.won + node.rest
    guess = GUESS if p.aim == POINTS else TRICKS_GUESS
    if p.request.wishes & ACTIONS:
        solve_actions(&e, &node, p, guess, out)
    else:
        out.answered = value_of(&e, &node, p, guess, FIRST_STEP, &out.lower, &out.upper)
    while p.request.wishes & LINE and out.answered and not finished(&e, &node):
        card = keep(&e, &node, p, out.lower)
        if card < 0:
            out.answered = False
            break
        out.line[out.line_length] = e.layout.card[card]
        out.line_length += 1
        play(&e, &node, card)
    if out.line_length:
        out.best = out.line[0]
    elif p.request.wishes & LINE and out.answered:
        out.best = e.layout.card[top(legal(&e, &node))]     # a null game lost already
    out.nodes = e.limits.nodes


cdef void problem_of(const SkatData* d, int aim, Problem* out) noexcept nogil:
    """The position of a game in cardplay; what is asked of it is left to the caller (unchecked)."""
    cdef int seat, i
    memset(out, 0, sizeof(Problem))
    for seat in range(3):
        out.hands[seat] = d.hands[seat]
    out.contract = d.contract
    out.soloist = d.soloist
    out.leader = d.leaders[d.plays // 3]
    out.on_table = d.plays % 3
    for i in range(out.on_table):
        out.table[i] = d.history[d.length - out.on_table + i]
    out.aim = aim
    if d.contract == NULL_CONTRACT:
        out.won = d.tricks[0] > 0
    elif aim == TRICKS:
        out.won = d.tricks[0]
    else:
        out.won = d.points[0] + points_of(d.hands[SKAT])


cdef int read(object position, object question, void* problem) except -1:
    """The problem of a question about a position."""
    cdef Problem* p = <Problem*>problem
    if not isinstance(question, Question):
        raise TypeError(f"a solver of Skat takes a Question of skat_env.solvers.skat, not {shown(question)}")
    read_position(position, TRICKS if question.aim == "tricks" else POINTS, p)
    read_target(question, p)
    p.request = request_of(question)
    return 0


cdef int read_position(object position, int aim, Problem* p) except -1:
    """The problem of a position, without what is asked of it."""
    cdef SkatState state
    cdef int i
    if isinstance(position, SkatState):
        state = position
        if state.d.phase != PLAY:
            raise ValueError(f"a solver needs a game in cardplay, this one is in phase {Phase(state.d.phase).name}")
        problem_of(&state.d, aim, p)
        return 0
    if not isinstance(position, OpenPosition):
        raise TypeError(f"a solver takes a SkatState or an OpenPosition, not {type(position).__name__}")
    memset(p, 0, sizeof(Problem))
    for i in range(3):
        p.hands[i] = position.hands[i]
    p.contract = position.contract
    p.soloist = position.soloist
    p.leader = position.leader
    p.on_table = len(position.table)
    for i in range(p.on_table):
        p.table[i] = position.table[i]
    p.aim = aim
    if p.contract == NULL_CONTRACT:
        p.won = position.tricks > 0
    else:
        p.won = position.tricks if aim == TRICKS else position.points
    return 0


cdef int read_target(object question, Problem* p) except -1:
    """Whether a decision or the exact value is asked, and the target."""
    cdef bint null = p.contract == NULL_CONTRACT
    max_target = 1 if null else 10 if p.aim == TRICKS else 120
    target = 1 if null and question.target is None else question.target
    if target is not None and not 0 <= target <= max_target:
        what = "a null game" if null else "tricks" if p.aim == TRICKS else "card points"
        raise ValueError(f"target {target} is out of range: of {what} it is 0..{max_target}")
    p.question = EXACT if target is None else DECISION
    p.target = 0 if target is None else target
    return 0


cdef void* memory_new(int smaller) noexcept nogil:
    return table_new(TABLE_BITS - smaller, KEY_BITS, BOUND_BITS)


cdef void memory_free(void* memory) noexcept nogil:
    table_free(<Table*>memory)


cdef void follow(const void* problem, void* memory, void* following) noexcept nogil:
    """Begins to follow a game from a position on, with an empty table."""
    cdef Node node
    set_up(<const Problem*>problem, <Table*>memory, NULL, <Engine*>following, &node)


cdef bint reached(void* following, const void* position, int target) noexcept nogil:
    """Whether the soloist reaches a target from a position of the followed game on; the table is kept."""
    cdef Engine* e = <Engine*>following
    cdef Problem p
    cdef Node node
    problem_of(<const SkatData*>position, e.aim, &p)
    node_of(e, &p, &node)
    return probe(e, &node, target) >= target


KERNEL = Kernel(
    problem_size=sizeof(Problem), read=read, memory_new=memory_new, memory_free=memory_free, solve=solve,
    following_size=sizeof(Engine), follow=follow, reached=reached
)


@cython.final
cdef class Solver(OpenCardSolver):
    """Solves open-card positions of Skat; owns the tables it searches with, one per thread."""

    def __cinit__(self):
        self.crew = crew_of(&KERNEL)
        self.question = Question()
