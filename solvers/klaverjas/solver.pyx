"""The open-card solver of Klaverjas: what the declaring team gets if all see all cards and play best.

The final difference falls in two. Where the game is made it is the difference, with the bonus for all tricks. Where
it is nat it is -(162 + all roem): the declarers want little roem and the defenders much, who must keep them nat.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from typing import get_args

cimport cython

from skat_env.klaverjas._rules cimport PLAY, KlaverjasData
from skat_env.klaverjas._state cimport KlaverjasState
from skat_env.solvers._answer cimport ACTIONS, LINE, NO_ACTION, Answer, request_of
from skat_env._bits cimport bit, single, top, trailing_zeros
from skat_env.solvers._crew cimport Kernel, crew_of
from skat_env.solvers._followed cimport followed_by
from skat_env.solvers.klaverjas._follow cimport beats, legal_cards
from skat_env.solvers.klaverjas._layout cimport Labels, Layout, labels_of, layout, relabel
from skat_env.solvers.klaverjas._roem cimport max_roem, roem_of
from skat_env.solvers.klaverjas._search cimport DIFFERENCE, EITHER, ROEM, Search, Trick, resume, search_start, start
from skat_env.solvers._limits cimport Limits, limits_set
from skat_env.solvers._targets cimport Targets, next_target, targets_from
from skat_env.solvers._table cimport table_forget, table_free, table_new

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


ctypedef struct Spot:
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


cdef inline int to_act(const Spot* spot) noexcept nogil:
    return (spot.leader + spot.on_table) & 3


cdef inline void best_card(const Spot* spot, int* winner, int* winning) noexcept nogil:
    """Who wins the cards on the table so far, and with which."""
    cdef int i
    winner[0], winning[0] = spot.leader, spot.cards[0]
    for i in range(1, spot.on_table):
        if beats(spot.cards[i], winning[0]):
            winner[0], winning[0] = (spot.leader + i) & 3, spot.cards[i]


cdef uint32_t legal(const Engine* e, const Spot* spot) noexcept nogil:
    cdef int seat = to_act(spot)
    cdef int winner, winning
    if not spot.on_table:
        return spot.hands[seat]
    best_card(spot, &winner, &winning)
    return legal_cards(e.search.amsterdam, spot.hands[seat], spot.cards[0], winning, winner == seat ^ 2)


cdef void play(const Engine* e, Spot* spot, int card) noexcept nogil:
    """Plays a card; the fourth one of a trick gives it to its winner."""
    cdef int seat = to_act(spot)
    cdef int winner, winning, points, roem, i
    cdef uint32_t trick = bit(card)
    spot.hands[seat] ^= bit(card)
    if spot.on_table < 3:
        spot.cards[spot.on_table] = card
        spot.on_table += 1
        return
    best_card(spot, &winner, &winning)
    if beats(card, winning):
        winner = seat
    points = L.points[card]
    for i in range(3):
        points += L.points[spot.cards[i]]
        trick |= bit(spot.cards[i])
    if not spot.hands[winner]:
        points += LAST_TRICK
    roem = roem_of(L, e.search.four_jacks, trick)
    spot.rest -= points
    spot.roem += roem
    if winner & 1:
        spot.difference -= points + roem
        spot.all_ours = False
    else:
        spot.difference += points + roem
        spot.all_theirs = False
    spot.leader = winner
    spot.on_table = 0


cdef int roem_left(Engine* e, const Spot* spot, uint32_t* melding) noexcept nogil:
    """The most roem that can still be laid, and the cards that may be part of it."""
    cdef int seat, i
    for seat in range(4):
        e.search.hands[seat] = spot.hands[seat]
    for i in range(spot.on_table):
        e.search.hands[(spot.leader + i) & 3] |= bit(spot.cards[i])
    return max_roem(L, e.search.four_jacks, e.search.hands, melding)


cdef int ask(Engine* e, const Spot* spot, int aim, int need, int spare, bint alive) noexcept nogil:
    """Searches a position for an aim of the search; `need` and `spare` count from here."""
    cdef Trick t
    cdef int seat
    e.search.aim = aim
    t.leader, t.need, t.spare, t.rest, t.alive = spot.leader, need, spare, spot.rest, alive
    roem_left(e, spot, &t.melding)
    for seat in range(4):
        e.search.hands[seat] = spot.hands[seat]
    if spot.on_table:
        return resume(&e.search, &t, spot.on_table, spot.cards)
    return start(&e.search, spot.leader, need, spare, spot.rest, alive)


cdef inline bint finished(const Spot* spot) noexcept nogil:
    return not (spot.hands[0] | spot.hands[1] | spot.hands[2] | spot.hands[3])


cdef inline bint their_pit(const Engine* e, const Spot* spot) noexcept nogil:
    """Whether the defenders can still get the bonus for all tricks."""
    return spot.all_theirs and e.pit_for_both


cdef int probe(Engine* e, const Spot* spot, int target) noexcept nogil:
    """The value: at least the answer if that is the target or more, else at most the answer."""
    cdef int need, value
    if e.aim == POINTS_AND_ROEM:
        return spot.difference + ask(e, spot, DIFFERENCE, target - spot.difference, 0, False)
    if e.aim == MADE:
        need = e.made_from - spot.difference
        return 1 if ask(e, spot, DIFFERENCE, need, 0, False) >= need else 0
    if target > -ALL_POINTS - spot.roem:
        need = max(target, e.made_from)
        value = spot.difference + ask(e, spot, DIFFERENCE, need - spot.difference, 0, spot.all_ours)
        # A game that is not made has at most this.
        return value if value >= e.made_from else -ALL_POINTS - spot.roem
    need = e.made_from - spot.difference
    value = (-ALL_POINTS - spot.roem - target) // MIN_ROEM * MIN_ROEM
    if ask(e, spot, EITHER, need, value, their_pit(e, spot)) >= need:
        return target
    return -ALL_POINTS - spot.roem - value - MIN_ROEM


cdef bint narrow(Engine* e, const Spot* spot, int target, int* lower, int* upper) noexcept nogil:
    """Asks for a target between the bounds and moves one of them; False: stopped by a limit."""
    cdef int value = probe(e, spot, target)
    if e.limits.stopped:
        return False
    if value >= target:
        lower[0] = max(lower[0], value)
    else:
        upper[0] = min(upper[0], value)
    return True


cdef bint pin_down(Engine* e, const Spot* spot, int guess, int step, int* lower, int* upper) noexcept nogil:
    """Brings the bounds together, from a guess outwards in steps; False: stopped by a limit."""
    cdef Targets targets = targets_from(guess, step)
    while lower[0] < upper[0]:
        if not narrow(e, spot, next_target(&targets, lower[0], upper[0]), lower, upper):
            return False
    return True


cdef bint pin_down_nat(Engine* e, const Spot* spot, int* lower, int* upper) noexcept nogil:
    """Brings the bounds of a game that is nat together; False: stopped by a limit."""
    cdef int nothing = -ALL_POINTS - spot.roem      # the final difference without any more roem
    cdef int ceiling = nothing
    cdef int value
    # What the declarers get if they strive for nothing but little roem is a lower bound.
    while lower[0] < ceiling:
        value = nothing + ask(e, spot, ROEM, ceiling - nothing, 0, their_pit(e, spot))
        if e.limits.stopped:
            return False
        if value >= ceiling:
            lower[0] = ceiling
        else:
            ceiling = value
    # The threat to make the game may bring them more.
    while lower[0] < upper[0]:
        if not narrow(e, spot, lower[0] + MIN_ROEM, lower, upper):
            return False
    return True


cdef bint value_of(Engine* e, const Spot* spot, int guess, int step, int* lower, int* upper) noexcept nogil:
    """Answers the question at a position; False: stopped by a limit, but the bounds hold."""
    if lower[0] == upper[0]:
        return True
    if e.aim != SCORES:
        return pin_down(e, spot, guess, step, lower, upper)
    if not narrow(e, spot, e.made_from, lower, upper):
        return False
    if lower[0] >= e.made_from:
        return pin_down(e, spot, guess, step, lower, upper)
    return pin_down_nat(e, spot, lower, upper)


cdef void widest(Engine* e, const Spot* spot, int* lower, int* upper) noexcept nogil:
    """The bounds of a position before any search."""
    cdef uint32_t melding
    cdef int roem = roem_left(e, spot, &melding)
    if e.aim == MADE:
        lower[0], upper[0] = 0, 1
        if finished(spot):
            lower[0] = upper[0] = spot.difference >= e.made_from
        return
    lower[0], upper[0] = spot.difference - spot.rest - roem, spot.difference + spot.rest + roem
    if e.aim == SCORES:
        if upper[0] < e.made_from:
            upper[0] = -ALL_POINTS - spot.roem
        elif spot.all_ours:
            upper[0] += PIT
        if lower[0] < e.made_from:
            lower[0] = -ALL_POINTS - spot.roem - roem - (PIT if their_pit(e, spot) else 0)
        if finished(spot):
            if spot.difference < e.made_from:
                upper[0] = lower[0]
            else:
                lower[0] = upper[0]


cdef void set_up(const Problem* p, Tables* tables, Engine* e, Spot* spot) noexcept nogil:
    cdef int i
    for i in range(3):
        table_forget(tables.by_aim[i])
    limits_set(&e.limits, p.request.node_limit, p.request.time_limit)
    e.aim = p.aim
    e.labels = labels_of(p.trump)
    e.made_from = 0 if p.options.tie_made else 1
    e.pit_for_both = p.options.pit_for_both
    spot_of(e, p, spot)
    e.search.amsterdam = p.options.amsterdam
    e.search.four_jacks = 100 if p.options.cheap_jacks else 200
    search_start(&e.search, tables.by_aim, &e.limits, spot.hands)


cdef void spot_of(const Engine* e, const Problem* p, Spot* spot) noexcept nogil:
    """The position of a problem, in labels."""
    cdef int seat, i
    cdef uint32_t left = 0
    for seat in range(4):
        spot.hands[seat] = relabel(e.labels, p.hands[(seat + p.declarer) & 3])
        left |= spot.hands[seat]
    for i in range(p.on_table):
        spot.cards[i] = e.labels.label[p.table[i]]
        left |= bit(spot.cards[i])
    spot.rest = LAST_TRICK if left else 0
    while left:
        spot.rest += L.points[trailing_zeros(left)]
        left &= left - 1
    spot.on_table = p.on_table
    spot.leader = (p.leader - p.declarer) & 3
    spot.difference = p.points[0] + p.roem[0] - p.points[1] - p.roem[1]
    spot.roem = p.roem[0] + p.roem[1]
    spot.all_ours = not p.tricks[1]
    spot.all_theirs = not p.tricks[0]


cdef inline bint maximises(const Spot* spot) noexcept nogil:
    return not to_act(spot) & 1


cdef void solve_actions(Engine* e, const Spot* spot, uint32_t cards, Answer* out) noexcept nogil:
    """Answers the question after each of some actions, if legal; from one to the next the tables stay."""
    cdef uint32_t todo = legal(e, spot) & relabel(e.labels, cards)
    cdef Spot after
    cdef int label, action
    cdef int lower = 0
    cdef int upper = 0
    cdef int guess = GUESS
    cdef int step = FIRST_STEP
    cdef bint first = True
    cdef bint wants_more = maximises(spot)
    while todo:
        label = top(todo)
        todo ^= bit(label)
        after = spot[0]
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


cdef int keep(Engine* e, const Spot* spot, int value) noexcept nogil:
    """An action that keeps the value; -1: stopped."""
    cdef uint32_t todo = legal(e, spot)
    cdef bint maximise = maximises(spot)
    cdef int target = value if maximise else value + 1
    cdef int card, reached
    cdef Spot after
    card = top(todo)
    while not single(todo):
        card = top(todo)
        todo ^= bit(card)
        after = spot[0]
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


cdef void solve(const Problem* p, Tables* tables, Answer* out) noexcept nogil:
    """Answers a problem (unchecked). The tables are emptied first: the answer depends on the problem alone."""
    cdef Engine e
    cdef Spot spot
    cdef int card
    set_up(p, tables, &e, &spot)
    memset(out, 0, sizeof(Answer))
    out.answered = True
    out.best = NO_ACTION
    widest(&e, &spot, &out.lower, &out.upper)
    if p.request.wishes & ACTIONS:
        solve_actions(&e, &spot, p.request.cards, out)
    else:
        out.answered = value_of(&e, &spot, GUESS, FIRST_STEP, &out.lower, &out.upper)
    while p.request.wishes & LINE and out.answered and not finished(&spot):
        card = keep(&e, &spot, out.lower)
        if card < 0:
            out.answered = False
            break
        out.line[out.line_length] = e.labels.card[card]
        out.line_length += 1
        play(&e, &spot, card)
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


cdef void solve_next(const void* problem, void* memory, Answer* answer) noexcept nogil:
    solve(<const Problem*>problem, <Tables*>memory, answer)


cdef void follow(const void* problem, void* memory, void* following) noexcept nogil:
    """Begins to follow a deal from a position on, with empty tables."""
    cdef Spot spot
    set_up(<const Problem*>problem, <Tables*>memory, <Engine*>following, &spot)


cdef bint reached(void* following, const void* position, int target) noexcept nogil:
    """Whether the declaring team reaches a target from a position of the followed deal on; the tables are kept."""
    cdef Engine* e = <Engine*>following
    cdef Problem p
    cdef Spot spot
    cdef int lower, upper
    problem_of(<const KlaverjasData*>position, e.aim, &p)
    spot_of(e, &p, &spot)
    widest(e, &spot, &lower, &upper)
    if lower >= target:
        return True
    if upper < target:
        return False
    return probe(e, &spot, target) >= target


KERNEL = Kernel(
    problem_size=sizeof(Problem), read=read, memory_new=memory_new, memory_free=memory_free, solve=solve_next,
    following_size=sizeof(Engine), follow=follow, reached=reached
)


@cython.final
cdef class Solver:
    """Solves open-card positions of Klaverjas; owns the tables it searches with, three a thread.

    Calls from several Python threads wait for each other: give each its own solver.
    """

    def __cinit__(self):
        self.crew = crew_of(&KERNEL)

    def __reduce__(self):
        return Solver, ()   # tables stay here: a copy begins with its own

    def solve(self, position, question=Question()):
        """Answers a question about a position."""
        return self.crew.solve_many([position], question, 1)[0]

    def solve_many(self, positions, question=Question(), threads=1):
        """Answers a question about each of many positions."""
        return self.crew.solve_many(positions, question, threads)

    def action_values(self, positions, actions, question=Question(), threads=1):
        """The values after some actions in many positions."""
        return self.crew.action_values(positions, question, actions, threads)

    @staticmethod
    def followed():
        """Worlds to be followed through a deal."""
        return followed_by(&KERNEL)
