"""The soloist's cardplay: each legal card gets a score, and the best is played. Grand has scores of its own.

A score of suit games is a weighted sum of facts about the card. `benchmarks/learn_rule_soloist.py` learnt the weights.
"""

from collections.abc import Sequence
from operator import mul
from typing import Final

from agents.skat.rule.grand import grand_card
from agents.skat.rule.layout import TRUMPS, codes_of
from agents.skat.rule.table import Table
from skat_env.skat.rules import Contract

LEAD_FACTS: Final = (
    "trump: it is a trump",
    "surplus: own trumps less the hidden ones, -4 to 4, if it is a trump",
    "last trumps: it is one of at most two trumps left",
    "jack: it is a jack",
    "top trump: no hidden trump beats it",
    "top trump draws: how many defenders are expected to follow",
    "top full trump: it is the ace or ten, and no hidden trump beats it",
    "lower tops: further trumps held below it that no hidden trump beats",
    "low trump draws: how many defenders are expected to follow to a trump that can be beaten",
    "weak jack: the higher hidden trumps, if it is a jack",
    "weak full trump: it is the ace or ten, and can be beaten",
    "weak picture trump: it is the king or queen, and can be beaten",
    "tops kept: it can be beaten, while trumps are held that cannot",
    "lower trumps: trumps held below it, if it can be beaten",
    "standing: it is of a plain suit, and only a trump can beat it",
    "standing points: its card points / 10",
    "standing ruffed: the chance that it is ruffed, times its card points / 10",
    "standing followed: the cards of its suit that the defenders may hold",
    "loser: it is of a plain suit, and can be beaten",
    "loser points: its card points / 10",
    "loser bare: it is the only card of its suit",
    "loser unguards: it is the last card beside an ace or ten that can be beaten",
    "loser rank: the cards held below it in its suit",
    "loser length: the cards held in its suit",
    "loser ruffed: the chance that it is ruffed",
    "loser below a standing card: a card of its suit is held that only a trump can beat",
    "goal: the chance that the trick wins the game, less the chance that it loses it",
)
"""What the score of a card to lead adds up, as `name: what it is`."""
FOLLOW_FACTS: Final = (
    "win: the chance to take the trick",
    "points won: its card points / 10, times that chance",
    "points lost: its card points / 10, times the chance to lose it",
    "goal: the chance that the trick wins the game, less the chance that it loses it",
    "trump: it is a trump",
    "jack: it is a jack",
    "full trump: it is the ace or ten of trumps",
    "top trump: no hidden trump beats it, and there are some",
    "drawn out: it is a trump, and the defenders have none",
    "surplus: own trumps less the hidden ones, -4 to 4, if it is a trump",
    "trump early: the tricks left, if it is a trump",
    "ruff: the card points of the trick / 10, if it is a trump on a plain suit",
    "full ruff: it ruffs with the ace or ten",
    "standing: it is of a plain suit, and only a trump can beat it",
    "standing points: its card points / 10",
    "second: only one hidden card of its suit beats it",
    "guarded: its card points / 10, if it can be beaten and is not the only card of its suit",
    "bare: its card points / 10, if it can be beaten and is the only card of its suit",
    "voids: it can be beaten, and is the only card of its suit",
    "unguards: it is the last card beside an ace or ten that can be beaten",
    "rank: its place in its plain suit from below, if it can be beaten",
    "given: its card points / 10, if it is dropped on another suit",
)
"""What the score of a card on another's lead adds up."""

Weights = tuple[float, ...]


def soloist_card(table: Table) -> int:
    """The code of the card that the soloist plays."""
    code = sure_card(table)
    if code is not None:
        return code
    return grand_card(table) if table.layout.contract == Contract.GRAND else best_card(table, *SUIT)


def best_card(table: Table, lead: Sequence[float], follow: Sequence[float]) -> int:
    """The legal code with the best score, by the weights of `LEAD_FACTS` and of `FOLLOW_FACTS`."""
    weights = follow if table.position else lead
    best, best_score = -1, -1e9
    for code, facts in facts_of(table):
        score = sum(map(mul, weights, facts))
        if score > best_score:
            best, best_score = code, score
    return best


def facts_of(table: Table) -> list[tuple[int, list[float]]]:
    """Each legal code with its facts: those of `FOLLOW_FACTS` on another's lead, else of `LEAD_FACTS`."""
    facts = _follow_facts if table.position else _lead_facts
    hidden = table.could[(table.seat + 1) % 3] | table.could[(table.seat + 2) % 3]
    return [(code, facts(table, code, hidden)) for code in codes_of(table.legal)]


def sure_card(table: Table) -> int | None:
    """The only legal code, or one to lead if the hand takes all remaining tricks for sure; otherwise None."""
    if table.legal & (table.legal - 1) == 0:
        return table.legal.bit_length() - 1
    if table.position:
        return None
    layout, hand, hidden = table.layout, table.hand, table.hidden
    for mask in layout.groups:
        mine, theirs = hand & mask, hidden & mask
        top = mine >> theirs.bit_length() << theirs.bit_length()
        # The top cards draw the others even if one hand holds them all.
        if mine != top and top.bit_count() < theirs.bit_count():
            return None
        if mask == layout.trumps and top.bit_count() < theirs.bit_count():
            return None
    if hidden & layout.trumps:
        return (hand & layout.trumps).bit_length() - 1
    plain = hand & ~layout.trumps or hand
    groups = [plain & mask for mask in layout.groups if plain & mask]
    return groups[0].bit_length() - 1


def _surplus(mine: int, theirs: int) -> int:
    """Own trumps less theirs, -4 to 4."""
    return max(-4, min(4, mine.bit_count() - theirs.bit_count()))


def _unguards(table: Table, rest: int, hidden: int) -> bool:
    """Whether the rest of a suit is a single ace or ten that can be beaten."""
    if not rest or rest & (rest - 1):
        return False
    other = rest.bit_length() - 1
    return table.layout.points[other] >= 10 and bool(table.layout.above[other] & hidden)


def _lead_facts(table: Table, code: int, hidden: int) -> list[float]:
    """The values of `LEAD_FACTS` for a code; `hidden` is what the defenders may hold."""
    layout, group = table.layout, table.layout.group[code]
    left, right = (table.seat + 1) % 3, (table.seat + 2) % 3
    points, higher = layout.points[code], layout.above[code] & hidden
    held, theirs = table.hand & layout.groups[group], hidden & layout.groups[group]
    lower = held & (1 << code) - 1
    if group == TRUMPS:
        drawn = table.chance(left, theirs) + table.chance(right, theirs)
        jack, full, picture = points == 2, points >= 10, points in (3, 4)
        common = [1.0, _surplus(held, theirs), held.bit_count() <= 2, jack]
        goal = table.decides(points, 0.0 if higher else 1.0)
        if higher:
            weak = [drawn, jack * higher.bit_count(), full, picture, held >> theirs.bit_length() > 0]
            return [*common, *[0.0] * 4, *weak, lower.bit_count(), *[0.0] * 12, goal]
        tops = lower >> theirs.bit_length()
        return [*common, 1.0, drawn, full, tops.bit_count(), *[0.0] * 18, goal]
    ruff = 1 - (1 - table.chance_of_ruff(left, group)) * (1 - table.chance_of_ruff(right, group))
    if not higher:
        standing = [1.0, points / 10, ruff * points / 10, theirs.bit_count()]
        return [*[0.0] * 14, *standing, *[0.0] * 8, table.decides(points, 1 - ruff)]
    rest = held ^ 1 << code
    loser = [1.0, points / 10, not rest, _unguards(table, rest, hidden), lower.bit_count(), held.bit_count()]
    under = rest > higher
    return [*[0.0] * 18, *loser, ruff, under, table.decides(points, 0.0)]


def _follow_facts(table: Table, code: int, hidden: int) -> list[float]:
    """The values of `FOLLOW_FACTS` for a code; `hidden` is what the defenders may hold."""
    layout, group = table.layout, table.layout.group[code]
    points, higher = layout.points[code], layout.above[code] & hidden
    on_table = table.table_points + points
    win = 1.0 if layout.beaters[table.best] >> code & 1 else 0.0
    if win and table.position == 1:
        win -= table.chance_to_beat((table.seat + 1) % 3, code, table.led)
    trick = [win, win * on_table / 10, (1 - win) * on_table / 10, table.decides(on_table, win)]
    held, theirs = table.hand & layout.groups[group], hidden & layout.groups[group]
    follows = group == layout.group[table.led]
    if group == TRUMPS:
        full = points >= 10
        trump = [1.0, points == 2, full, not higher and theirs > 0, not theirs]
        ruff = [0.0, 0.0] if follows else [table.table_points / 10, full]
        return [*trick, *trump, _surplus(held, theirs), table.tricks_left, *ruff, *[0.0] * 9]
    given = 0.0 if follows else points / 10
    if not higher:
        return [*trick, *[0.0] * 9, 1.0, points / 10, *[0.0] * 6, given]
    rest = held ^ 1 << code
    worth = [points / 10, 0.0, 0.0] if rest else [0.0, points / 10, 1.0]
    rank = (layout.groups[group] & (1 << code) - 1).bit_count()
    second = higher & (higher - 1) == 0
    return [*trick, *[0.0] * 11, second, *worth, _unguards(table, rest, hidden), rank, given]


SUIT: Final[tuple[Weights, Weights]] = (
    (-0.32, -0.3, -3.61, 4.56, -0.82, 3.09, 0.51, -0.95, 4.33, 3.91, -4.81, -2.0, -2.7, -0.52, 1.3, 0.35, 0.64, -0.68,
     -0.67, -0.57, -1.54, 1.98, -2.04, 0.21, -0.88, -3.22, 2.37),
    (-1.04, 3.51, -5.23, 1.7, -1.15, -2.3, -0.06, -4.67, -1.48, -1.14, -0.43, 2.42, 0.23, -4.68, -0.38, -3.11, -1.21,
     1.15, 4.4, -1.42, 0.92, -2.24),
)  # fmt: skip
"""The weights of the facts to lead and to follow."""
