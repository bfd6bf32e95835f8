"""The scores of the cards that a defender may play in suit games and grand; `defender.py` has the weights' words."""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.rule.situation cimport Codes, Situation, next_code
from skat_env._bits cimport below, bit, popcount, single, top
from skat_env.skat._rules cimport GRAND_CONTRACT, GROUPS, SkatData, TRUMP_GROUP
from skat_env.skat._state cimport SkatView

cdef struct Weights:
    double low_trump, jack, full_trump, standing, standing_control, guarded, bare, unguard, smear, feed, lead_trump
    double length_to_soloist, length_to_partner, returned, continued, force, rank, top_trump, goal

cdef Weights READ[2]            # the weights last used in suit games and in grand
cdef list GIVEN = [None, None]  # the objects that they were read from


cdef const Weights* read(object weights, bint grand) except NULL:
    cdef Weights* w = &READ[grand]
    if GIVEN[grand] is not weights:
        w.low_trump, w.jack, w.full_trump = weights.low_trump, weights.jack, weights.full_trump
        w.standing, w.standing_control = weights.standing, weights.standing_control
        w.guarded, w.bare, w.unguard = weights.guarded, weights.bare, weights.unguard
        w.smear, w.feed, w.lead_trump = weights.smear, weights.feed, weights.lead_trump
        w.length_to_soloist, w.length_to_partner = weights.length_to_soloist, weights.length_to_partner
        w.returned, w.continued, w.force = weights.returned, weights.continued, weights.force
        w.rank, w.top_trump, w.goal = weights.rank, weights.top_trump, weights.goal
        GIVEN[grand] = weights
    return w


def best_card(Situation situation not None, weights not None):
    cdef const Weights* w
    cdef double bonus[GROUPS]
    cdef double score, best_score = -1e9
    cdef uint32_t rest = situation.legal
    cdef int code, best = -1
    if single(rest):
        return top(rest)
    w = read(weights, (<SkatView>situation.view).d.contract == GRAND_CONTRACT)
    if situation.position == 0:
        weigh_suits(situation, w, bonus)
    while rest:
        code = next_code(&rest)
        if situation.position == 0:
            score = weigh_lead(situation, code, w) + bonus[situation.codes.group[code]]
        else:
            score = weigh_follow(situation, code, w)
        if score > best_score:
            best, best_score = code, score
    return best


cdef double keep_value(Situation situation, int code, const Weights* w) noexcept:
    """The expected card points of keeping a card in hand."""
    cdef const Codes* codes = situation.codes
    cdef int points = codes.points[code], group = codes.group[code]
    cdef uint32_t rest
    cdef double value, alive
    if group == TRUMP_GROUP:
        value = w.rank * popcount(codes.groups[group] & below(code))
        if not codes.above[code] & situation.hidden:
            value += w.top_trump
        if points == 2:
            return value + w.jack
        return value + (w.full_trump if points >= 10 else w.low_trump)
    rest = situation.hand & codes.groups[group] ^ bit(code)
    if not codes.above[code] & situation.hidden:
        alive = 1 - situation.chance_of_ruff(situation.soloist, group)
        return points * (2 * alive - 1) * w.standing * 2 + w.standing_control * alive
    value = points * (w.guarded if rest else w.bare)
    value += w.rank * popcount(codes.groups[group] & below(code))
    if rest and single(rest) and codes.points[top(rest)] >= 4 and codes.above[top(rest)] & situation.hidden:
        value += w.unguard * codes.points[top(rest)] / 10
    return value


cdef double weigh_follow(Situation situation, int code, const Weights* w) noexcept:
    """The defenders' expected card points of playing a code second or last."""
    cdef const Codes* codes = situation.codes
    cdef int points = situation.table_points + codes.points[code]
    cdef bint beats = codes.beaters[situation.best] >> code & 1
    cdef int best = code if beats else situation.best
    cdef bint ours = beats or situation.best_seat != situation.soloist
    cdef double win, keep = keep_value(situation, code, w)
    cdef int behind = (situation.seat + 1) % 3
    if situation.position == 2:
        return (points if ours else -points) - keep + w.goal * situation.decides(points, ours)
    if behind == situation.soloist:
        win = 1 - situation.chance_to_beat(behind, best, situation.led)
        keep -= w.goal * situation.decides(points, win)
        return win * (points + w.feed) - (1 - win) * (points + w.feed) - keep
    win = 1 if ours else situation.chance_to_beat(behind, best, situation.led)
    keep -= w.goal * situation.decides(points, win)
    return win * (points + w.smear) - (1 - win) * (points + w.feed) - keep


cdef void weigh_suits(Situation situation, const Weights* w, double* bonus) noexcept:
    """Writes the bonus for leading each group, whatever the card."""
    cdef const SkatData* s = &(<SkatView>situation.view).d
    cdef const Codes* codes = situation.codes
    cdef int group, trick, leader
    cdef double each = w.length_to_soloist if (situation.seat + 1) % 3 == situation.soloist else w.length_to_partner
    for group in range(GROUPS):
        bonus[group] = popcount(situation.hand & codes.groups[group]) * each if codes.groups[group] else 0
    bonus[TRUMP_GROUP] = w.lead_trump
    for trick in range(s.plays // 3):
        leader = s.leaders[trick]
        if leader == situation.soloist:
            continue
        group = codes.group[codes.code[s.history[s.length - s.plays + 3 * trick]]]
        if group != TRUMP_GROUP:
            bonus[group] += w.continued if leader == situation.seat else w.returned


cdef double weigh_lead(Situation situation, int code, const Weights* w) noexcept:
    """The defenders' expected card points of leading a code."""
    cdef const Codes* codes = situation.codes
    cdef int soloist = situation.soloist, partner = 3 - situation.seat - soloist
    cdef int points = codes.points[code], group = codes.group[code]
    cdef double keep = keep_value(situation, code, w)
    cdef double ruff = situation.chance_of_ruff(soloist, group)
    cdef uint32_t higher = codes.above[code] & situation.hidden
    cdef double partner_ruff = situation.chance_of_ruff(partner, group)
    cdef double win = 1 - ruff, score
    if higher:
        win = (1 - ruff) * situation.chance(partner, bit(top(higher)))
        win += (1 - win) * partner_ruff * (1 - ruff)
    score = win * (points + w.smear + w.feed) - (1 - win) * (points + 2 * w.feed) - keep
    score += w.goal * situation.decides(points, win)
    if group != TRUMP_GROUP and ruff > 0.99:
        score += w.force
    return score
