"""The open-card solver of Klaverjas: what the declaring team gets if all see all cards and play best.

The final difference falls in two. Where the game is made it is the difference, with the bonus for all tricks. Where
it is nat it is -(162 + all roem): the declarers want little roem and the defenders much, who must keep them nat.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from typing import get_args

cimport cython

from skat_env.klaverjas._rules cimport PLAY, KlaverjasData, Options
from skat_env.klaverjas._state cimport KlaverjasState
from skat_env.solvers._answer cimport ACTIONS, LINE, NO_ACTION, Answer, Request, request_of
from skat_env._bits cimport bit, single, top, trailing_zeros
from skat_env.solvers._crew cimport Kernel, crew_of
from skat_env.solvers.klaverjas._follow cimport beats, legal_cards
from skat_env.solvers.klaverjas._layout cimport Labels, Layout, labels_of, layout, relabel
from skat_env.solvers.klaverjas._roem cimport max_roem, roem_of
from skat_env.solvers.klaverjas._search cimport DIFFERENCE, EITHER, ROEM, Search, Trick, resume, search_start, start
from skat_env.solvers._limits cimport Limits, Watch, limits_set
from skat_env.solvers._solver cimport OpenCardSolver
from skat_env.solvers._targets cimport Targets, next_target, targets_from
from skat_env.solvers._table cimport Table, table_forget, table_free, table_new

from skat_env.klaverjas import rules
from skat_env.klaverjas.rules import Phase
from skat_env.options import shown
from skat_env.solvers.klaverjas.question import Aim, Question

cdef enum:
    TABLE_BITS = 18         # log2 of the buckets (32 bytes each) that a table may grow to
    NUMBER_KEY = 36         # cards left, leader, whether all tricks can still be had, four of a kind
    NUMBER_BOUND = 11       # half of a difference or of roem
    EITHER_KEY = 55         # the same with what is needed and spare
    EITHER_BOUND = 1
    FIRST_STEP = 24         # from one target to the next
    GUESS = 60              # the difference that the search asks for first
    MIN_ROEM = 10           # roem counts in tens

cdef const Layout* L = layout()
cdef int PIT = rules.PIT
cdef int ALL_POINTS = rules.ALL_POINTS
cdef int LAST_TRICK = rules.LAST_TRICK
cdef Kernel KERNEL

cdef enum:  # aims; in the order of `question.Aim`
    MADE                # does the declaring team make the game?
    POINTS_AND_ROEM     # its card points and roem less the defenders'
    SCORES              # its final score less the defenders'


ctypedef struct Problem:
    uint32_t hands[4]           # cards held, by seat
    Options options             # the rules'
    uint8_t trump               # suit
    uint8_t declarer            # seat
    uint8_t leader              # seat that led the current trick, or is to lead
    uint8_t on_table            # cards of the current trick, 0..3
    uint8_t table[3]            # these cards
    uint8_t aim                 # MADE, POINTS_AND_ROEM or SCORES
    uint8_t tricks[2]           # won by the declaring team and by the defenders
    uint16_t points[2]          # card points, likewise
    uint16_t roem[2]            # roem, likewise
    Request request             # what is asked besides


ctypedef struct Tables:
    Table* by_aim[3]            # one for each aim of the search


ctypedef struct Node:
    # A position under search, in labels; the declarer is seat 0.
    uint32_t hands[4]
    uint8_t cards[3]        # on the table
    int on_table
    int leader              # who led them, or is to lead
    int difference          # card points and roem so far, the declarers' less the defenders'
    int roem                # of both so far
    int rest                # card points still to be won, the cards on the table and the last trick included
    bint all_ours           # the declarers have won all tricks so far
    bint all_theirs         # the defenders have


ctypedef struct Engine:
    int aim                 # as in Problem
    int made_from           # the least difference with which the game is made
    bint pit_for_both
    const Labels* labels
    Limits limits
    Search search


cdef inline int to_act(const Node* node) noexcept nogil:
    return (node.leader + node.on_table) & 3


cdef inline void best_card(const Node* node, int* winner, int* winning) noexcept nogil:
    """Who wins the cards on the table so far, and with which."""
    cdef int i
    winner[0], winning[0] = node.leader, node.cards[0]
    for i in range(1, node.on_table):
        if beats(node.cards[i], winning[0]):
            winner[0], winning[0] = (node.leader + i) & 3, node.cards[i]


cdef uint32_t legal(const Engine* e, const Node* node) noexcept nogil:
    cdef int seat = to_act(node)
    cdef int winner, winning
    if not node.on_table:
        return node.hands[seat]
    best_card(node, &winner, &winning)
    return legal_cards(e.search.amsterdam, node.hands[seat], node.cards[0], winning, winner == seat ^ 2)


cdef void play(const Engine* e, Node* node, int card) noexcept nogil:
    """Plays a card; the fourth one of a trick gives it to its winner."""
    cdef int seat = to_act(node)
    cdef int winner, winning, points, roem, i
    cdef uint32_t trick = bit(card)
    node.hands[seat] ^= bit(card)
    if node.on_table < 3:
        node.cards[node.on_table] = card
        node.on_table += 1
        return
    best_card(node, &winner, &winning)
    if beats(card, winning):
        winner = seat
    points = L.points[card]
    for i in range(3):
        points += L.points[node.cards[i]]
        trick |= bit(node.cards[i])
    if not node.hands[winner]:
        points += LAST_TRICK
    roem = roem_of(L, e.search.four_jacks, trick)
    node.rest -= points
    node.roem += roem
    if winner & 1:
        node.difference -= points + roem
        node.all_ours = False
    else:
        node.difference += points + roem
        node.all_theirs = False
    node.leader = winner
    node.on_table = 0


cdef int roem_left(Engine* e, const Node* node, uint32_t* melding) noexcept nogil:
    """The most roem that can still be laid, and the cards that may be part of it."""
    cdef int seat, i
    for seat in range(4):
        e.search.hands[seat] = node.hands[seat]
    for i in range(node.on_table):
        e.search.hands[(node.leader + i) & 3] |= bit(node.cards[i])
    return max_roem(L, e.search.four_jacks, e.search.hands, melding)


cdef int ask(Engine* e, const Node* node, int aim, int need, int spare, bint alive) noexcept nogil:
    """Searches a position for an aim of the search; `need` and `spare` count from here."""
    cdef Trick t
    cdef int seat
    e.search.aim = aim
    t.leader, t.need, t.spare, t.rest, t.alive = node.leader, need, spare, node.rest, alive
    roem_left(e, node, &t.melding)
    for seat in range(4):
        e.search.hands[seat] = node.hands[seat]
    if node.on_table:
        return resume(&e.search, &t, node.on_table, node.cards)
    return start(&e.search, node.leader, need, spare, node.rest, alive)


cdef inline bint finished(const Node* node) noexcept nogil:
    return not (node.hands[0] | node.hands[1] | node.hands[2] | node.hands[3])


cdef inline bint their_pit(const Engine* e, const Node* node) noexcept nogil:
    """Whether the defenders can still get the bonus for all tricks."""
    return node.all_theirs and e.pit_for_both


cdef int probe(Engine* e, const Node* node, int target) noexcept nogil:
    """The value: at least the answer if that is the target or more, else at most the answer."""
    cdef int need, value
    if e.aim == POINTS_AND_ROEM:
        return node.difference + ask(e, node, DIFFERENCE, target - node.difference, 0, False)
    if e.aim == MADE:
        need = e.made_from - node.difference
        return 1 if ask(e, node, DIFFERENCE, need, 0, False) >= need else 0
    if target > -ALL_POINTS - node.roem:
        need = max(target, e.made_from)
        value = node.difference + ask(e, node, DIFFERENCE, need - node.difference, 0, node.all_ours)
        # A game that is not made has at most this.
        return value if value >= e.made_from else -ALL_POINTS - node.roem
    need = e.made_from - node.difference
    value = (-ALL_POINTS - node.roem - target) // MIN_ROEM * MIN_ROEM
    if ask(e, node, EITHER, need, value, their_pit(e, node)) >= need:
        return target
    return -ALL_POINTS - node.roem - value - MIN_ROEM


cdef bint narrow(Engine* e, const Node* node, int target, int* lower, int* upper) noexcept nogil:
    """Asks for a target between the bounds and moves one of them; False: stopped by a limit."""
    cdef int value = probe(e, node, target)
    if e.limits.stopped:
        return False
    if value >= target:
        lower[0] = max(lower[0], value)
    else:
        upper[0] = min(upper[0], value)
    return True


cdef bint pin_down(Engine* e, const Node* node, int guess, int step, int* lower, int* upper) noexcept nogil:
    """Brings the bounds together, from a guess outwards in steps; False: stopped by a limit."""
    cdef Targets targets = targets_from(guess, step)
    while lower[0] < upper[0]:
        if not narrow(e, node, next_target(&targets, lower[0], upper[0]), lower, upper):
            return False
    return True


cdef bint pin_down_nat(Engine* e, const Node* node, int* lower, int* upper) noexcept nogil:
    """Brings the bounds of a game that is nat together; False: stopped by a limit."""
    cdef int nothing = -ALL_POINTS - node.roem      # the final difference without any more roem
    cdef int ceiling = nothing
    cdef int value
    # What the declarers get if they strive for nothing but little roem is a lower bound.
    while lower[0] < ceiling:
        value = nothing + ask(e, node, ROEM, ceiling - nothing, 0, their_pit(e, node))
        if e.limits.stopped:
            return False
        if value >= ceiling:
            lower[0] = ceiling
        else:
            ceiling = value
    # The threat to make the game may bring them more.
    while lower[0] < upper[0]:
        if not narrow(e, node, lower[0] + MIN_ROEM, lower, upper):
            return False
    return True


cdef bint value_of(Engine* e, const Node* node, int guess, int step, int* lower, int* upper) noexcept nogil:
    """Answers the question at a position; False: stopped by a limit, but the bounds hold."""
    if lower[0] == upper[0]:
        return True
    if e.aim != SCORES:
        return pin_down(e, node, guess, step, lower, upper)
    if not narrow(e, node, e.made_from, lower, upper):
        return False
    if lower[0] >= e.made_from:
        return pin_down(e, node, guess, step, lower, upper)
    return pin_down_nat(e, node, lower, upper)


cdef void widest(Engine* e, const Node* node, int* lower, int* upper) noexcept nogil:
    """The bounds of a position before any search."""
    cdef uint32_t melding
    cdef int roem = roem_left(e, node, &melding)
    if e.aim == MADE:
        lower[0], upper[0] = 0, 1
        if finished(node):
            lower[0] = upper[0] = node.difference >= e.made_from
        return
    lower[0], upper[0] = node.difference - node.rest - roem, node.difference + node.rest + roem
    if e.aim == SCORES:
        if upper[0] < e.made_from:
            upper[0] = -ALL_POINTS - node.roem
        elif node.all_ours:
            upper[0] += PIT
        if lower[0] < e.made_from:
            lower[0] = -ALL_POINTS - node.roem - roem - (PIT if their_pit(e, node) else 0)
        if finished(node):
            if node.difference < e.made_from:
                upper[0] = lower[0]
            else:
                lower[0] = upper[0]


cdef void set_up(const Problem* p, Tables* tables, Watch* watch, Engine* e, Node* node) noexcept nogil:
    cdef int i
    for i in range(3):
        table_forget(tables.by_aim[i])
    limits_set(&e.limits, p.request.node_limit, p.request.time_limit, watch)
    e.aim = p.aim
    e.labels = labels_of(p.trump)
    e.made_from = 0 if p.options.tie_made else 1
    e.pit_for_both = p.options.pit_for_both
    node_of(e, p, node)
    e.search.amsterdam = p.options.amsterdam
    e.search.four_jacks = 100 if p.options.cheap_jacks else 200
    search_start(&e.search, tables.by_aim, &e.limits, node.hands)


cdef void node_of(const Engine* e, const Problem* p, Node* node) noexcept nogil:
    """The position of a problem, in labels."""
    cdef int seat, i
    cdef uint32_t left = 0
    for seat in range(4):
        node.hands[seat] = relabel(e.labels, p.hands[(seat + p.declarer) & 3])
        left |= node.hands[seat]
    for i in range(p.on_table):
        node.cards[i] = e.labels.label[p.table[i]]
        left |= bit(node.cards[i])
    node.rest = LAST_TRICK if left else 0
    while left:
        node.rest += L.points[trailing_zeros(left)]
        left &= left - 1
    node.on_table = p.on_table
    node.leader = (p.leader - p.declarer) & 3
    node.difference = p.points[0] + p.roem[0] - p.points[1] - p.roem[1]
    node.roem = p.roem[0] + p.roem[1]
    node.all_ours = not p.tricks[1]
    node.all_theirs = not p.tricks[0]


cdef inline bint maximises(const Node* node) noexcept nogil:
    return not to_act(node) & 1


cdef void solve_actions(Engine* e, const Node* node, uint32_t cards, Answer* out) noexcept nogil:
    """Answers the question after each of some actions, if legal; from one to the next the tables stay."""
    cdef uint32_t todo = legal(e, node) & relabel(e.labels, cards)
    cdef Node after
    cdef int label, action
    cdef int lower = 0
    cdef int upper = 0
    cdef int guess = GUESS
    cdef int step = FIRST_STEP
    cdef bint first = True
    cdef bint wants_more = maximises(node)
    out.answered = todo != 0
    while todo:
        label = top(todo)
        todo ^= bit(label)
        after = node[0]
        play(e, &after, label)
        widest(e, &after, &lower, &upper)
        if out.answered:
            out.answered = value_of(e, &after, guess, step, &lower, &upper)
        # Most actions have the value of the one before, or nearly.
        guess, step = lower, 2
        if first or (lower > out.lower if wants_more else lower < out.lower):
            out.lower = lower
        if first or (upper > out.upper if wants_more else upper < out.upper):
            out.upper = upper
        first = False
        action = e.labels.card[label]
        out.legal |= bit(action)
        out.action_lower[action] = lower
        out.action_upper[action] = upper


cdef int keep(Engine* e, const Node* node, int value) noexcept nogil:
    """An action that keeps the value; -1: stopped."""
    cdef uint32_t todo = legal(e, node)
    cdef bint maximise = maximises(node)
    cdef int target = value if maximise else value + 1
    cdef int card, reached
    cdef Node after
    card = top(todo)
    while not single(todo):
        card = top(todo)
        todo ^= bit(card)
        after = node[0]
        play(e, &after, card)
        if finished(&after):
            break
        if e.aim == MADE:
            # The team that a decision goes against has no better card.
            target = 1
            if value != maximise:
                break
        reached = probe(e, &after, target)
        if e.limits.stopped:
            return -1
        if (reached >= target) == maximise:
            return card
        card = top(todo)
    return card


cdef void solve(const void* problem, void* memory, Answer* out, Watch* watch) noexcept nogil:
    """Answers a problem (unchecked). The tables are emptied first: the answer depends on the problem alone."""
    cdef const Problem* p = <const Problem*>problem
    cdef Engine e
    cdef Node node
    cdef int card
    set_up(p, <Tables*>memory, watch, &e, &node)
    memset(out, 0, sizeof(Answer))
    out.answered = True
    out.best = NO_ACTION
    widest(&e, &node, &out.lower, &out.upper)
    if p.request.wishes & ACTIONS:
        solve_actions(&e, &node, p.request.cards, out)
    else:
        out.answered = value_of(&e, &node, GUESS, FIRST_STEP, &out.lower, &out.upper)
    while p.request.wishes & LINE and out.answered and not finished(&node):
        card = keep(&e, &node, out.lower)
        if card < 0:
            out.answered = False
            break
        out.line[out.line_length] = e.labels.card[card]
        out.line_length += 1
        play(&e, &node, card)
    if out.line_length:
        out.best = out.line[0]
    out.nodes = e.limits.nodes


cdef void problem_of(const KlaverjasData* d, int aim, Problem* out) noexcept nogil:
    """The position of a deal in cardplay; what else is asked of it is left to the caller (unchecked)."""
    cdef int seat, team, i
    memset(out, 0, sizeof(Problem))
    for seat in range(4):
        out.hands[seat] = d.hands[seat]
    out.options = d.options
    out.trump = d.trump
    out.declarer = d.declarer
    out.leader = d.leaders[d.plays >> 2]
    out.on_table = d.plays & 3
    for i in range(out.on_table):
        out.table[i] = d.history[d.length - out.on_table + i]
    out.aim = aim
    for i in range(2):
        team = (d.declarer + i) & 1
        out.tricks[i] = d.tricks[team]
        out.points[i] = d.points[team]
        out.roem[i] = d.roem[team]


cdef int read(object position, object question, void* problem) except -1:
    """The problem of a question about a position."""
    cdef KlaverjasState state
    if not isinstance(question, Question):
        raise TypeError(f"a solver of Klaverjas takes a Question of skat_env.solvers.klaverjas, not {shown(question)}")
    if not isinstance(position, KlaverjasState):
        raise TypeError(f"a solver takes a KlaverjasState, not {type(position).__name__}")
    state = position
    if state.d.phase != PLAY:
        raise ValueError(f"a solver needs a deal in cardplay, this one is in phase {Phase(state.d.phase).name}")
    problem_of(&state.d, get_args(Aim).index(question.aim), <Problem*>problem)
    (<Problem*>problem).request = request_of(question)
    return 0


cdef void memory_free(void* memory) noexcept nogil:
    cdef Tables* tables = <Tables*>memory
    cdef int i
    if tables is not NULL:
        for i in range(3):
            table_free(tables.by_aim[i])
        free(tables)


cdef void* memory_new(int smaller) noexcept nogil:
    cdef Tables* tables = <Tables*>calloc(1, sizeof(Tables))
    if tables is NULL:
        return NULL
    tables.by_aim[DIFFERENCE] = table_new(TABLE_BITS - smaller, NUMBER_KEY, NUMBER_BOUND)
    tables.by_aim[ROEM] = table_new(TABLE_BITS - smaller, NUMBER_KEY, NUMBER_BOUND)
    tables.by_aim[EITHER] = table_new(TABLE_BITS - smaller, EITHER_KEY, EITHER_BOUND)
    if tables.by_aim[0] is NULL or tables.by_aim[1] is NULL or tables.by_aim[2] is NULL:
        memory_free(tables)
        return NULL
    return tables


cdef void follow(const void* problem, void* memory, void* following) noexcept nogil:
    """Begins to follow a deal from a position on, with empty tables."""
    cdef Node node
    set_up(<const Problem*>problem, <Tables*>memory, NULL, <Engine*>following, &node)


cdef bint reached(void* following, const void* position, int target) noexcept nogil:
    """Whether the declaring team reaches a target from a position of the followed deal on; the tables are kept."""
    cdef Engine* e = <Engine*>following
    cdef Problem p
    cdef Node node
    cdef int lower, upper
    problem_of(<const KlaverjasData*>position, e.aim, &p)
    node_of(e, &p, &node)
    widest(e, &node, &lower, &upper)
    if lower >= target:
        return True
    if upper < target:
        return False
    return probe(e, &node, target) >= target


KERNEL = Kernel(
    problem_size=sizeof(Problem), read=read, memory_new=memory_new, memory_free=memory_free, solve=solve,
    following_size=sizeof(Engine), follow=follow, reached=reached
)


@cython.final
cdef class Solver(OpenCardSolver):
    """Solves open-card positions of Klaverjas; owns the tables it searches with, three per thread."""

    def __cinit__(self):
        self.crew = crew_of(&KERNEL)
        self.question = Question()
