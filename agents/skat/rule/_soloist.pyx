"""Facts about the cards that a soloist may play, and the best by their weights; `soloist.py` has the facts' words."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from skat_env.agents.skat.rule.situation cimport Codes, Situation, next_code
from skat_env._bits cimport below, bit, popcount, single, top
from skat_env.skat._rules cimport GROUPS, TRUMP_GROUP

cdef enum:
    LEADING = 27        # facts about a card to lead
    FOLLOWING = 22      # facts about a card on another's lead


def sure_card(Situation situation not None):
    cdef const Codes* codes = situation.codes
    cdef uint32_t plain
    cdef uint64_t mine, theirs, tops
    cdef int group, length
    if single(situation.legal):
        return top(situation.legal)
    if situation.position:
        return None
    for group in range(GROUPS):
        mine, theirs = situation.hand & codes.groups[group], situation.hidden & codes.groups[group]
        length = top(<uint32_t>theirs) + 1 if theirs else 0
        tops = mine >> length << length
        # The top cards draw the others even if one hand holds them all.
        if (mine != tops or group == TRUMP_GROUP) and popcount(tops) < popcount(theirs):
            return None
    if situation.hidden & situation.trump_mask:
        return top(situation.hand & situation.trump_mask)
    plain = situation.hand & ~situation.trump_mask
    if not plain:
        plain = situation.hand
    for group in range(GROUPS):
        if plain & codes.groups[group]:
            return top(plain & codes.groups[group])


def facts_of(Situation situation not None):
    cdef double facts[LEADING]
    cdef uint32_t rest = situation.legal
    cdef int code, number = FOLLOWING if situation.position else LEADING
    found = []
    while rest:
        code = next_code(&rest)
        write_facts(situation, code, facts)
        found.append((code, [facts[each] for each in range(number)]))
    return found


def best_card(Situation situation not None, lead, follow):
    cdef double weights[LEADING]
    cdef double facts[LEADING]
    cdef double score, best_score = -1e9
    cdef uint32_t rest = situation.legal
    cdef int code, i, best = -1, number = FOLLOWING if situation.position else LEADING
    given = follow if situation.position else lead
    if len(given) != number:
        raise ValueError(f"{len(given)} weights for {number} facts")
    for i in range(number):
        weights[i] = given[i]
    while rest:
        code = next_code(&rest)
        write_facts(situation, code, facts)
        score = 0
        for i in range(number):
            score = score + weights[i] * facts[i]
        if score > best_score:
            best, best_score = code, score
    return best


cdef inline void write_facts(Situation situation, int code, double* facts) noexcept:
    """The facts about a code: those of another's lead, else of the own."""
    cdef uint32_t hidden = situation.can_hold[(situation.seat + 1) % 3] | situation.can_hold[(situation.seat + 2) % 3]
    memset(facts, 0, LEADING * sizeof(double))
    if situation.position:
        follow_facts(situation, code, hidden, facts)
    else:
        lead_facts(situation, code, hidden, facts)


cdef inline int surplus(uint32_t mine, uint32_t theirs) noexcept:
    """Own trumps less theirs, -4 to 4."""
    return max(-4, min(4, popcount(mine) - popcount(theirs)))


cdef inline bint unguards(Situation situation, uint32_t rest, uint32_t hidden) noexcept:
    """Whether the rest of a suit is a single ace or ten that can be beaten."""
    if not rest or not single(rest):
        return False
    return situation.codes.points[top(rest)] >= 10 and situation.codes.above[top(rest)] & hidden != 0


cdef void lead_facts(Situation situation, int code, uint32_t hidden, double* facts) noexcept:
    """Writes `LEAD_FACTS` of a code over zeros; `hidden` is what the defenders may hold."""
    cdef const Codes* codes = situation.codes
    cdef int group = codes.group[code], points = codes.points[code]
    cdef int left = (situation.seat + 1) % 3, right = (situation.seat + 2) % 3
    cdef uint32_t higher = codes.above[code] & hidden
    cdef uint32_t held = situation.hand & codes.groups[group], theirs = hidden & codes.groups[group]
    cdef uint32_t lower = held & below(code), rest = held ^ bit(code)
    cdef int length = top(theirs) + 1 if theirs else 0
    cdef double drawn, ruff
    if group == TRUMP_GROUP:
        drawn = situation.chance(left, theirs) + situation.chance(right, theirs)
        facts[0] = 1
        facts[1] = surplus(held, theirs)
        facts[2] = popcount(held) <= 2
        facts[3] = points == 2
        if higher:
            facts[8] = drawn
            facts[9] = popcount(higher) if points == 2 else 0
            facts[10] = points >= 10
            facts[11] = points == 3 or points == 4
            facts[12] = (<uint64_t>held) >> length > 0
            facts[13] = popcount(lower)
        else:
            facts[4] = 1
            facts[5] = drawn
            facts[6] = points >= 10
            facts[7] = popcount((<uint64_t>lower) >> length)
        facts[26] = situation.decides(points, 0 if higher else 1)
        return
    ruff = 1 - (1 - situation.chance_of_ruff(left, group)) * (1 - situation.chance_of_ruff(right, group))
    if not higher:
        facts[14] = 1
        facts[15] = <double>points / 10
        facts[16] = ruff * points / 10
        facts[17] = popcount(theirs)
        facts[26] = situation.decides(points, 1 - ruff)
        return
    facts[18] = 1
    facts[19] = <double>points / 10
    facts[20] = not rest
    facts[21] = unguards(situation, rest, hidden)
    facts[22] = popcount(lower)
    facts[23] = popcount(held)
    facts[24] = ruff
    facts[25] = rest > higher
    facts[26] = situation.decides(points, 0)


cdef void follow_facts(Situation situation, int code, uint32_t hidden, double* facts) noexcept:
    """Writes `FOLLOW_FACTS` of a code over zeros; `hidden` is what the defenders may hold."""
    cdef const Codes* codes = situation.codes
    cdef int group = codes.group[code], points = codes.points[code]
    cdef int on_table = situation.table_points + points
    cdef uint32_t higher = codes.above[code] & hidden
    cdef uint32_t held = situation.hand & codes.groups[group], theirs = hidden & codes.groups[group]
    cdef uint32_t rest = held ^ bit(code)
    cdef bint follows = group == codes.group[situation.led]
    cdef double win = codes.beaters[situation.best] >> code & 1
    if win and situation.position == 1:
        win -= situation.chance_to_beat((situation.seat + 1) % 3, code, situation.led)
    facts[0] = win
    facts[1] = win * on_table / 10
    facts[2] = (1 - win) * on_table / 10
    facts[3] = situation.decides(on_table, win)
    if group == TRUMP_GROUP:
        facts[4] = 1
        facts[5] = points == 2
        facts[6] = points >= 10
        facts[7] = not higher and theirs > 0
        facts[8] = not theirs
        facts[9] = surplus(held, theirs)
        facts[10] = situation.tricks_left
        if not follows:
            facts[11] = <double>situation.table_points / 10
            facts[12] = points >= 10
        return
    if not follows:
        facts[21] = <double>points / 10
    if not higher:
        facts[13] = 1
        facts[14] = <double>points / 10
        return
    facts[15] = single(higher)
    if rest:
        facts[16] = <double>points / 10
    else:
        facts[17] = <double>points / 10
        facts[18] = 1
    facts[19] = unguards(situation, rest, hidden)
    facts[20] = popcount(codes.groups[group] & below(code))
