"""Cardplay in null games: the soloist ducks, the defenders try to stay below it."""

from skat_env.agents.skat.rule.layout import codes_of
from skat_env.agents.skat.rule.table import Table


def null_soloist_card(table: Table) -> int:
    """The code of the card that the soloist of a null game plays."""
    layout, hand = table.layout, table.hand
    codes = codes_of(table.legal)
    if len(codes) == 1:
        return codes[0]
    if table.position == 0:
        return min(
            codes, key=lambda code: (_stays_up(table, code), hand_danger(table, hand ^ 1 << code), -code)
        )
    if layout.follow[table.led] & table.legal:
        below = [code for code in codes if code < table.best]
        if below:
            return max(below)
        if table.position == 2:
            return max(codes)
        return min(codes)
    return min(codes, key=lambda code: (hand_danger(table, hand ^ 1 << code), -(code & 7)))


def null_defender_card(table: Table) -> int:
    """The code of the card that a defender of a null game plays."""
    layout = table.layout
    codes = codes_of(table.legal)
    if len(codes) == 1:
        return codes[0]
    if table.position == 0:
        return max(codes, key=lambda code: (_pressure(table, code), -(code & 7)))
    follows = bool(layout.follow[table.led] & table.legal)
    if not follows:
        return max(codes, key=lambda code: _discard_value(table, code))
    below = [code for code in codes if code < table.best]
    above = [code for code in codes if code > table.best]
    if table.best_seat == table.soloist:
        return max(below) if below else max(above)
    if (table.seat + 1) % 3 == table.soloist:
        # The soloist plays last: a high winning card makes it easy for it to duck.
        if below:
            return max(below)
        low = min(above)
        chance = _forced(table, low)
        return low if chance > 0.05 else max(above)
    # The soloist has ducked already.
    return max(codes)


def _stays_up(table: Table, code: int) -> float:
    """The chance that a code led by the soloist takes the trick."""
    group = table.layout.follow[code]
    stays = 1.0
    for other in ((table.seat + 1) % 3, (table.seat + 2) % 3):
        lower = table.chance(other, group & table.hidden & ((1 << code) - 1))
        stays *= 1 - (1 - lower) * table.chance(other, table.layout.above[code] & table.hidden)
    return stays


def hand_danger(table: Table, hand: int) -> float:
    """The danger of the suits of a null hand: gaps below each card that the defenders can use."""
    danger = 0.0
    for mask in table.layout.groups:
        mine, theirs = hand & mask, table.hidden & mask
        if not mine or not theirs:
            continue
        worst = 0.0
        for rank, code in enumerate(codes_of(mine)):
            # The card of this rank goes to the (rank + 1)th round of the suit: it is caught if the
            # defenders still have that many lower cards, less those that cover each other.
            lower = (theirs & ((1 << code) - 1)).bit_count() - rank
            higher = (theirs >> code).bit_count()
            if lower > 0:
                worst = max(worst, lower * (1.0 if higher else 1.5))
        danger += worst * worst
    return danger


def _forced(table: Table, code: int) -> float:
    """The chance that the soloist must beat a code of the led suit."""
    layout = table.layout
    group = layout.follow[code] & table.hidden
    lower = table.chance(table.soloist, group & ((1 << code) - 1))
    return (1 - lower) * table.chance(table.soloist, group & layout.above[code])


def _pressure(table: Table, code: int) -> float:
    """The score of a defender's lead of a code."""
    layout, soloist = table.layout, table.soloist
    group = layout.follow[code]
    if not table.could[soloist] & group:
        return -1.0
    partner = 3 - table.seat - soloist
    partner_void = 1 - table.chance(partner, group)
    short = 1 / (table.hand & group).bit_count()
    return _forced(table, code) + 0.1 * short + 0.1 * partner_void


def _discard_value(table: Table, code: int) -> float:
    """The score of a defender's discard of a code: high cards of short suits come first."""
    group = table.layout.follow[code]
    if not table.could[table.soloist] & group:
        return -10.0
    length = (table.hand & group).bit_count()
    return (code & 7) - 1.5 * length
