"""The scores of the cards that the soloist may play in grand; `grand.py` has the weights' words."""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.rule.situation cimport Codes, Situation, next_code
from skat_env._bits cimport below, bit, popcount, single, top
from skat_env.skat._rules cimport TRUMP_GROUP

cdef struct Weights:
    double low_trump, jack, full_trump, standing, standing_control, guarded, bare, unguard, shed, smear, feed, draw
    double force, lead, rank, top_trump, drawn_out, establish, goal

cdef Weights READ           # the weights last used
cdef object GIVEN = None    # the object that they were read from


cdef const Weights* read(object weights) except NULL:
    global GIVEN
    cdef Weights* w = &READ
    if GIVEN is not weights:
        w.low_trump, w.jack, w.full_trump = weights.low_trump, weights.jack, weights.full_trump
        w.standing, w.standing_control = weights.standing, weights.standing_control
        w.guarded, w.bare, w.unguard, w.shed = weights.guarded, weights.bare, weights.unguard, weights.shed
        w.smear, w.feed, w.draw, w.force = weights.smear, weights.feed, weights.draw, weights.force
        w.lead, w.rank, w.top_trump = weights.lead, weights.rank, weights.top_trump
        w.drawn_out, w.establish, w.goal = weights.drawn_out, weights.establish, weights.goal
        GIVEN = weights
    return w


def best_card(Situation situation not None, weights not None):
    cdef const Weights* w = read(weights)
    cdef double score, best_score = -1e9
    cdef uint32_t rest = situation.legal
    cdef int code, best = -1
    while rest:
        code = next_code(&rest)
        score = weigh_follow(situation, code, w) if situation.position else weigh_lead(situation, code, w)
        if score > best_score:
            best, best_score = code, score
    return best


cdef double keep_value(Situation situation, int code, const Weights* w) noexcept:
    """The expected card points of keeping a card in hand."""
    cdef const Codes* codes = situation.codes
    cdef int points = codes.points[code], group = codes.group[code]
    cdef uint32_t hidden = situation.hidden & situation.trump_mask, rest
    cdef double value
    if group == TRUMP_GROUP:
        value = w.rank * popcount(codes.groups[group] & below(code))
        if not hidden:
            value += w.drawn_out
        elif not codes.above[code] & hidden:
            value += w.top_trump
        if points == 2:
            return value + w.jack
        return value + (w.full_trump if points >= 10 else w.low_trump)
    rest = situation.hand & codes.groups[group] ^ bit(code)
    if not codes.above[code] & situation.hidden:
        return w.standing * points + w.standing_control
    value = points * (w.guarded if rest else w.bare)
    value += w.rank * popcount(codes.groups[group] & below(code))
    if not rest:
        return value - (w.shed if situation.hand & situation.trump_mask else 0)
    if single(rest) and codes.points[top(rest)] >= 4 and codes.above[top(rest)] & situation.hidden:
        value += w.unguard * codes.points[top(rest)] / 10
    return value


cdef double weigh_follow(Situation situation, int code, const Weights* w) noexcept:
    """The soloist's expected card points of playing a code second or last."""
    cdef const Codes* codes = situation.codes
    cdef int points = situation.table_points + codes.points[code]
    cdef double score, win = codes.beaters[situation.best] >> code & 1
    if situation.position == 1:
        if win:
            win -= situation.chance_to_beat((situation.seat + 1) % 3, code, situation.led)
        score = win * (points + w.feed) - (1 - win) * (points + w.smear)
    else:
        score = points if win else -points
    score += w.goal * situation.decides(points, win)
    return score + win * w.lead - keep_value(situation, code, w)


cdef double weigh_lead(Situation situation, int code, const Weights* w) noexcept:
    """The soloist's expected card points of leading a code."""
    cdef const Codes* codes = situation.codes
    cdef int points = codes.points[code], group = codes.group[code]
    cdef int left = (situation.seat + 1) % 3, right = (situation.seat + 2) % 3
    cdef uint32_t theirs = situation.can_hold[left] | situation.can_hold[right]
    cdef uint32_t hidden_trumps = theirs & situation.trump_mask, higher = codes.above[code] & theirs
    cdef double drawn, score, ruff, win
    if group == TRUMP_GROUP:
        drawn = situation.chance(left, hidden_trumps) + situation.chance(right, hidden_trumps)
        score = -keep_value(situation, code, w) + w.draw * drawn
        if not higher:
            return score + points + w.feed * 2 + w.lead + w.goal * situation.decides(points, 1)
        if situation.hand & situation.trump_mask & ~codes.above[code] & ~bit(code) and drawn:
            score += w.force
        return score - points - w.smear + w.goal * situation.decides(points, 0)
    ruff = 1 - (1 - situation.chance_of_ruff(left, group)) * (1 - situation.chance_of_ruff(right, group))
    win = 0 if higher else 1 - ruff
    score = win * (points + 2 * w.feed + w.lead) - (1 - win) * (points + w.smear + w.feed)
    score += w.goal * situation.decides(points, win)
    score += w.establish * (popcount(situation.hand & codes.groups[group]) - 1)
    if win and not hidden_trumps:
        return score  # nothing can be gained by waiting
    return score - keep_value(situation, code, w)
