"""The soloist's cardplay in grand: each legal card gets a score, and the best is played."""

from dataclasses import dataclass

from agents.skat.rule.layout import TRUMPS, codes_of
from agents.skat.rule.table import Table


@dataclass(frozen=True, slots=True)
class GrandWeights:
    """Weights in card points, tuned as `benchmarks/tune_rule_play.py` describes."""

    low_trump: float
    """The value of a trump kept in hand: about a trick."""
    jack: float
    full_trump: float
    """The value of the ace or ten of trumps kept in hand, its points included."""
    standing: float
    """The share of its points that a standing card (one that cannot be beaten) brings if kept."""
    standing_control: float
    """The further value of a standing card for the other cards of its trick."""
    guarded: float
    """The share of its points that a beatable card brings if other cards of its suit are held with it."""
    bare: float
    """The share of its points that a beatable card brings if it is the only one of its suit."""
    unguard: float
    """The cost of playing the last low card beside a beatable ten or king."""
    shed: float
    """The value of playing the last card of a plain suit, to ruff it later."""
    smear: float
    """Points that a defender, if still to play, adds to a trick of his side."""
    feed: float
    """Points that a defender adds to a trick of the soloist."""
    draw: float
    """The value of each trump drawn from a defender."""
    force: float
    """The value of forcing out a higher trump while lower ones remain."""
    lead: float
    """The value of leading to the next trick."""
    rank: float
    """The value of each step in strength within a group."""
    top_trump: float
    """The value of a trump that no hidden trump beats."""
    drawn_out: float
    """The value of a trump when the defenders have none left."""
    establish: float
    """The bonus for leading a plain suit, for each further card held in it."""
    goal: float
    """The value of reaching 61 points with this trick, and the cost of giving the defenders their 60."""


GRAND = GrandWeights(
    low_trump=4.2,
    jack=12.6,
    full_trump=9.0,
    standing=0.42,
    standing_control=5.0,
    guarded=-0.4,
    bare=-0.66,
    unguard=2.02,
    shed=2.5,
    smear=2.52,
    feed=1.5,
    draw=25.0,
    force=3.92,
    lead=0.5,
    rank=0.1,
    top_trump=2.1,
    drawn_out=0.2,
    establish=2.0,
    goal=28.0,
)


def grand_card(table: Table) -> int:
    """The code of the card that the soloist plays, where nothing is sure."""
    weights, weigh = GRAND, _weigh_follow if table.position else _weigh_lead
    best, best_score = -1, -1e9
    for code in codes_of(table.legal):
        score = weigh(table, code, weights)
        if score > best_score:
            best, best_score = code, score
    return best


def keep_value(table: Table, code: int, weights: GrandWeights) -> float:
    """The expected card points of keeping a card in hand."""
    layout, hand = table.layout, table.hand
    points = layout.points[code]
    group = layout.group[code]
    if group == TRUMPS:
        hidden = table.hidden & table.trump_mask
        value = weights.rank * (layout.groups[TRUMPS] & (1 << code) - 1).bit_count()
        if not hidden:
            value += weights.drawn_out
        elif not layout.above[code] & hidden:
            value += weights.top_trump
        if points == 2:
            return value + weights.jack
        return value + (weights.full_trump if points >= 10 else weights.low_trump)
    mine = hand & layout.groups[group]
    rest = mine ^ 1 << code
    higher = layout.above[code] & table.hidden
    if not higher:
        return weights.standing * points + weights.standing_control
    value = points * (weights.guarded if rest else weights.bare)
    value += weights.rank * (layout.groups[group] & (1 << code) - 1).bit_count()
    if not rest:
        return value - (weights.shed if hand & table.trump_mask else 0.0)
    if rest & (rest - 1) == 0:
        other = rest.bit_length() - 1
        if layout.points[other] >= 4 and layout.above[other] & table.hidden:
            value += weights.unguard * layout.points[other] / 10
    return value


def _weigh_follow(table: Table, code: int, weights: GrandWeights) -> float:
    """The soloist's expected card points of playing a code second or last."""
    layout = table.layout
    points = table.table_points + layout.points[code]
    win = 1.0 if layout.beaters[table.best] >> code & 1 else 0.0
    if table.position == 1:
        if win:
            win -= table.chance_to_beat((table.seat + 1) % 3, code, table.led)
        score = win * (points + weights.feed) - (1 - win) * (points + weights.smear)
    else:
        score = points if win else -points
    score += weights.goal * table.decides(points, win)
    return score + win * weights.lead - keep_value(table, code, weights)


def _weigh_lead(table: Table, code: int, weights: GrandWeights) -> float:
    """The soloist's expected card points of leading a code."""
    layout = table.layout
    points = layout.points[code]
    left, right = (table.seat + 1) % 3, (table.seat + 2) % 3
    hidden_trumps = (table.could[left] | table.could[right]) & table.trump_mask
    higher = layout.above[code] & (table.could[left] | table.could[right])
    if layout.group[code] == TRUMPS:
        drawn = table.chance(left, hidden_trumps) + table.chance(right, hidden_trumps)
        score = -keep_value(table, code, weights) + weights.draw * drawn
        if not higher:
            return (
                score + points + weights.feed * 2 + weights.lead + weights.goal * table.decides(points, 1.0)
            )
        if table.hand & layout.trumps & ~layout.above[code] & ~(1 << code) and drawn:
            score += weights.force
        return score - points - weights.smear + weights.goal * table.decides(points, 0.0)
    ruff = 1 - (1 - table.chance_of_ruff(left, layout.group[code])) * (
        1 - table.chance_of_ruff(right, layout.group[code])
    )
    win = 0.0 if higher else 1 - ruff
    score = win * (points + 2 * weights.feed + weights.lead) - (1 - win) * (
        points + weights.smear + weights.feed
    )
    score += weights.goal * table.decides(points, win)
    score += weights.establish * ((table.hand & layout.follow[code]).bit_count() - 1)
    if win and not hidden_trumps:
        return score  # nothing can be gained by waiting
    return score - keep_value(table, code, weights)
