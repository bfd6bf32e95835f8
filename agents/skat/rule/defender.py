"""A defender's cardplay in suit games and grand: each legal card gets a score, and the best is played."""

from dataclasses import dataclass

from agents.skat.rule.layout import TRUMPS, codes_of
from agents.skat.rule.table import Table
from skat_env.skat.rules import Contract


@dataclass(frozen=True, slots=True)
class DefenderWeights:
    """Weights in card points; `benchmarks/tune_rule_play.py` describes how they were tuned."""

    low_trump: float
    """The value of a trump kept in hand."""
    jack: float
    full_trump: float
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
    smear: float
    """Points that the partner, if still to play, adds to a trick of his side."""
    feed: float
    """Points that the partner adds to the soloist's trick, and the soloist to any trick."""
    lead_trump: float
    """The cost of leading trumps, which helps the soloist."""
    length_to_soloist: float
    """The bonus for each card held of the suit led, if the soloist plays second ("dem Feinde lang")."""
    length_to_partner: float
    """The bonus for each such card if the partner plays second ("dem Freunde kurz", but positive in grand)."""
    returned: float
    """The bonus for returning the partner's suit."""
    continued: float
    """The bonus for continuing the suit that this seat led before."""
    force: float
    """The bonus for leading a suit that the soloist must ruff."""
    rank: float
    """The value of each step in strength within a group."""
    top_trump: float
    """The value of a trump that no hidden trump beats."""
    goal: float
    """The value of reaching 60 points with this trick, and the cost of giving the soloist his 61."""


SUIT = DefenderWeights(
    low_trump=4.0,
    jack=13.72,
    full_trump=5.88,
    standing=0.2,
    standing_control=7.0,
    guarded=0.3,
    bare=0.1,
    unguard=1.8,
    smear=2.16,
    feed=0.9,
    lead_trump=-2.16,
    length_to_soloist=1.5,
    length_to_partner=-1.0,
    returned=4.2,
    continued=1.5,
    force=2.0,
    rank=0.1,
    top_trump=2.1,
    goal=12.0,
)
GRAND = DefenderWeights(
    low_trump=4.0,
    jack=7.0,
    full_trump=3.0,
    standing=0.4,
    standing_control=5.0,
    guarded=0.1,
    bare=-0.7,
    unguard=3.0,
    smear=6.0,
    feed=0.9,
    lead_trump=-8.4,
    length_to_soloist=0.9,
    length_to_partner=1.0,
    returned=4.2,
    continued=2.1,
    force=2.8,
    rank=0.1,
    top_trump=1.0,
    goal=20.0,
)


def defender_card(table: Table, weights: DefenderWeights | None = None) -> int:
    """The code of the card that a defender plays."""
    weights = weights or (GRAND if table.layout.contract == Contract.GRAND else SUIT)
    legal = table.legal
    if legal & (legal - 1) == 0:
        return legal.bit_length() - 1
    best, best_score = -1, -1e9
    if table.position == 0:
        bonus = _suit_bonus(table, weights)
        for code in codes_of(legal):
            score = _weigh_lead(table, code, weights) + bonus[table.layout.group[code]]
            if score > best_score:
                best, best_score = code, score
        return best
    for code in codes_of(legal):
        score = _weigh_follow(table, code, weights)
        if score > best_score:
            best, best_score = code, score
    return best


def keep_value(table: Table, code: int, weights: DefenderWeights) -> float:
    """The expected card points of keeping a card in hand."""
    layout, hand = table.layout, table.hand
    points = layout.points[code]
    group = layout.group[code]
    if group == TRUMPS:
        value = weights.rank * (layout.groups[TRUMPS] & (1 << code) - 1).bit_count()
        if not layout.above[code] & table.hidden:
            value += weights.top_trump
        if points == 2:
            return value + weights.jack
        return value + (weights.full_trump if points >= 10 else weights.low_trump)
    rest = hand & layout.groups[group] ^ 1 << code
    if not layout.above[code] & table.hidden:
        alive = 1 - table.chance_of_ruff(table.soloist, group)
        return points * (2 * alive - 1) * weights.standing * 2 + weights.standing_control * alive
    value = points * (weights.guarded if rest else weights.bare)
    value += weights.rank * (layout.groups[group] & (1 << code) - 1).bit_count()
    if rest and rest & (rest - 1) == 0:
        other = rest.bit_length() - 1
        if layout.points[other] >= 4 and layout.above[other] & table.hidden:
            value += weights.unguard * layout.points[other] / 10
    return value


def _weigh_follow(table: Table, code: int, weights: DefenderWeights) -> float:
    """The defenders' expected card points of playing a code second or last."""
    layout = table.layout
    points = table.table_points + layout.points[code]
    beats = layout.beaters[table.best] >> code & 1
    best = code if beats else table.best
    ours = bool(beats) or table.best_seat != table.soloist
    keep = keep_value(table, code, weights)
    if table.position == 2:
        return (points if ours else -points) - keep + weights.goal * table.decides(points, float(ours))
    behind = (table.seat + 1) % 3
    if behind == table.soloist:
        win = 1 - table.chance_to_beat(behind, best, table.led)
        keep -= weights.goal * table.decides(points, win)
        return win * (points + weights.feed) - (1 - win) * (points + weights.feed) - keep
    win = 1.0 if ours else table.chance_to_beat(behind, best, table.led)
    keep -= weights.goal * table.decides(points, win)
    return win * (points + weights.smear) - (1 - win) * (points + weights.feed) - keep


def _suit_bonus(table: Table, weights: DefenderWeights) -> list[float]:
    """The bonus for leading a group, whatever the card; a list by group."""
    layout = table.layout
    bonus = [0.0] * 5
    bonus[TRUMPS] = weights.lead_trump
    soloist_next = (table.seat + 1) % 3 == table.soloist
    for group in layout.plain:
        length = (table.hand & layout.groups[group]).bit_count()
        bonus[group] = length * (weights.length_to_soloist if soloist_next else weights.length_to_partner)
    for index, (seat, card) in enumerate(table.view.plays()):
        if index % 3 or seat == table.soloist:
            continue
        group = layout.group[layout.code[card]]
        if group != TRUMPS:
            bonus[group] += weights.continued if seat == table.seat else weights.returned
    return bonus


def _weigh_lead(table: Table, code: int, weights: DefenderWeights) -> float:
    """The defenders' expected card points of leading a code."""
    layout, soloist = table.layout, table.soloist
    partner = 3 - table.seat - soloist
    points = layout.points[code]
    group = layout.group[code]
    keep = keep_value(table, code, weights)
    ruff = table.chance_of_ruff(soloist, group)
    higher = layout.above[code] & table.hidden
    partner_ruff = table.chance_of_ruff(partner, group)
    if higher:
        top = 1 << higher.bit_length() - 1
        win = (1 - ruff) * table.chance(partner, top)
        win += (1 - win) * partner_ruff * (1 - ruff)
    else:
        win = 1 - ruff
    score = win * (points + weights.smear + weights.feed) - (1 - win) * (points + 2 * weights.feed) - keep
    score += weights.goal * table.decides(points, win)
    if group != TRUMPS and ruff > 0.99:
        score += weights.force
    return score
