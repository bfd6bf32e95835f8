"""Cardplay in null games: the soloist ducks, the defenders try to stay below it."""

from skat_env.agents.skat.rule.layout import codes_of
from skat_env.agents.skat.rule.situation import Situation


def null_soloist_card(situation: Situation) -> int:
    """The code of the card that the soloist of a null game plays."""
    layout, hand = situation.layout, situation.hand
    codes = codes_of(situation.legal)
    if len(codes) == 1:
        return codes[0]
    if situation.position == 0:
        return min(
            codes,
            key=lambda code: (_stays_up(situation, code), hand_danger(situation, hand ^ 1 << code), -code),
        )
    if layout.follow[situation.led] & situation.legal:
        below = [code for code in codes if code < situation.best]
        if below:
            return max(below)
        if situation.position == 2:
            return max(codes)
        return min(codes)
    return min(codes, key=lambda code: (hand_danger(situation, hand ^ 1 << code), -(code & 7)))


def null_defender_card(situation: Situation) -> int:
    """The code of the card that a defender of a null game plays."""
    layout = situation.layout
    codes = codes_of(situation.legal)
    if len(codes) == 1:
        return codes[0]
    if situation.position == 0:
        return max(codes, key=lambda code: (_pressure(situation, code), -(code & 7)))
    follows = bool(layout.follow[situation.led] & situation.legal)
    if not follows:
        return max(codes, key=lambda code: _discard_value(situation, code))
    below = [code for code in codes if code < situation.best]
    above = [code for code in codes if code > situation.best]
    if situation.best_seat == situation.soloist:
        return max(below) if below else max(above)
    if (situation.seat + 1) % 3 == situation.soloist:
        # The soloist plays last: a high winning card makes it easy for it to duck.
        if below:
            return max(below)
        low = min(above)
        chance = _forced(situation, low)
        return low if chance > 0.05 else max(above)
    # The soloist has ducked already.
    return max(codes)


def _stays_up(situation: Situation, code: int) -> float:
    """The chance that a code led by the soloist takes the trick."""
    group = situation.layout.follow[code]
    stays = 1.0
    for other in ((situation.seat + 1) % 3, (situation.seat + 2) % 3):
        lower = situation.chance(other, group & situation.hidden & ((1 << code) - 1))
        stays *= 1 - (1 - lower) * situation.chance(other, situation.layout.above[code] & situation.hidden)
    return stays


def hand_danger(situation: Situation, hand: int) -> float:
    """The danger of the suits of a null hand: gaps below each card that the defenders can use."""
    danger = 0.0
    for mask in situation.layout.groups:
        own, others = hand & mask, situation.hidden & mask
        if not own or not others:
            continue
        worst = 0.0
        for rank, code in enumerate(codes_of(own)):
            # The card of this rank goes to the (rank + 1)th round of the suit: it is caught if the
            # defenders still have that many lower cards, less those that cover each other.
            lower = (others & ((1 << code) - 1)).bit_count() - rank
            higher = (others >> code).bit_count()
            if lower > 0:
                worst = max(worst, lower * (1.0 if higher else 1.5))
        danger += worst * worst
    return danger


def _forced(situation: Situation, code: int) -> float:
    """The chance that the soloist must beat a code of the led suit."""
    layout = situation.layout
    group = layout.follow[code] & situation.hidden
    lower = situation.chance(situation.soloist, group & ((1 << code) - 1))
    return (1 - lower) * situation.chance(situation.soloist, group & layout.above[code])


def _pressure(situation: Situation, code: int) -> float:
    """The score of a defender's lead of a code."""
    layout, soloist = situation.layout, situation.soloist
    group = layout.follow[code]
    if not situation.could[soloist] & group:
        return -1.0
    partner = 3 - situation.seat - soloist
    partner_void = 1 - situation.chance(partner, group)
    short = 1 / (situation.hand & group).bit_count()
    return _forced(situation, code) + 0.1 * short + 0.1 * partner_void


def _discard_value(situation: Situation, code: int) -> float:
    """The score of a defender's discard of a code: high cards of short suits come first."""
    group = situation.layout.follow[code]
    if not situation.could[situation.soloist] & group:
        return -10.0
    length = (situation.hand & group).bit_count()
    return (code & 7) - 1.5 * length
