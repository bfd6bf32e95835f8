"""The cards of `rule` in suit games and grand in plain Python: slow, and the same to the last bit."""

from collections.abc import Sequence
from operator import mul
from typing import Any

from skat_env.agents.skat.rule.defender import GRAND as DEFENDING_GRAND
from skat_env.agents.skat.rule.defender import SUIT as DEFENDING_SUIT
from skat_env.agents.skat.rule.defender import DefenderWeights
from skat_env.agents.skat.rule.grand import GRAND, GrandWeights
from skat_env.agents.skat.rule.layout import TRUMPS, Layout, codes_of, layout_of
from skat_env.agents.skat.rule.situation import SOLOIST_TRUMP_SHARE
from skat_env.agents.skat.rule.soloist import SUIT
from skat_env.cards import ALL_CARDS_MASK
from skat_env.skat import SkatView
from skat_env.skat.rules import Contract


def plain_card(view: SkatView) -> int:
    """The card that `rule` plays in a suit game or grand."""
    situation = PlainTable(view)
    grand = view.contract == Contract.GRAND
    if not view.is_soloist:
        code = defender_card(situation, DEFENDING_GRAND if grand else DEFENDING_SUIT)
    else:
        sure = sure_card(situation)
        code = sure if sure is not None else grand_card(situation) if grand else best_card(situation, *SUIT)
    return situation.layout.card[code]


def grand_card(situation: Any) -> int:
    """The soloist's code with the best score in grand."""
    weigh = grand_follows if situation.position else grand_leads
    return max(codes_of(situation.legal), key=lambda code: weigh(situation, code, GRAND))


def defender_card(situation: Any, weights: DefenderWeights) -> int:
    """The defender's code with the best score."""
    codes = codes_of(situation.legal)
    if len(codes) == 1:
        return codes[0]
    if situation.position:
        return max(codes, key=lambda code: defender_follows(situation, code, weights))
    bonus = suit_bonus(situation, weights)
    group = situation.layout.group
    return max(codes, key=lambda code: defender_leads(situation, code, weights) + bonus[group[code]])


class PlainTable:
    """A view of the cardplay, prepared for a decision. Cards are codes of the contract's layout."""

    __slots__ = (
        "banked",
        "best",
        "best_seat",
        "chances",
        "could",
        "hand",
        "hidden",
        "known",
        "layout",
        "led",
        "left",
        "legal",
        "position",
        "seat",
        "sides",
        "soloist",
        "table_points",
        "tricks_left",
        "trump_mask",
        "view",
    )  # fmt: skip

    layout: Layout
    view: SkatView
    seat: int
    soloist: int
    hand: int
    legal: int
    position: int
    """The place in the trick: 0 leads, 1 plays second, 2 last."""
    led: int
    """The code led; -1 when leading."""
    best: int
    """The code that wins the trick so far; -1 when leading."""
    best_seat: int
    table_points: int
    banked: tuple[int, int]
    """Card points taken by the soloist, with the skat if this seat knows it, and by the defenders."""
    hidden: int
    """The cards that this seat has not seen: the other hands, and the skat unless it knows it."""
    could: list[int]
    """The hidden cards that each seat may hold."""
    known: list[int]
    """The hidden cards that each seat is known to hold."""
    left: list[int]
    """The number of cards in each seat's hand."""
    chances: list[tuple[float, float]]
    """The chance of each seat to hold a (plain card, trump) that it may hold."""

    def __init__(self, view: SkatView) -> None:
        contract = view.contract
        assert contract is not None
        layout = self.layout = layout_of(contract)
        self.view = view
        seat = self.seat = view.seat
        soloist = self.soloist = view.soloist
        hand_cards = view.hand
        self.hand = layout.arrange(hand_cards)
        self.legal = layout.arrange(view.legal())
        self.trump_mask = layout.trumps
        trick = view.trick()
        self.position = len(trick)
        self.tricks_left = 10 - view.tricks_played
        self.led = self.best = self.best_seat = -1
        self.table_points = 0
        self.left = [self.tricks_left] * 3
        for player, card in trick:
            code = layout.code[card]
            self.left[player] -= 1
            self.table_points += layout.points[code]
            if self.best < 0:
                self.led = self.best = code
                self.best_seat = player
            elif layout.beaters[self.best] >> code & 1:
                self.best, self.best_seat = code, player
        own, theirs = view.points
        self.banked = (own + sum(layout.points[code] for code in codes_of(layout.arrange(view.skat))), theirs)
        seen = view.played_mask() | hand_cards | (view.skat if seat == soloist else 0)
        self.hidden = layout.arrange(ALL_CARDS_MASK & ~seen)
        self._place_cards()

    def _place_cards(self) -> None:
        """Infers who may hold what from failures to follow, open hands, and cards with only one place left."""
        view, layout, hidden = self.view, self.layout, self.hidden
        could, known, left = [0, 0, 0], [0, 0, 0], self.left
        others = ((self.seat + 1) % 3, (self.seat + 2) % 3)
        for other in others:
            void = 0
            for group, mask in enumerate(layout.groups):
                if hidden & mask and view.is_void(other, group):
                    void |= mask
            could[other] = hidden & ~void
        if self.seat != self.soloist and view.hands[self.soloist]:
            opened = layout.arrange(view.hands[self.soloist])
            partner = 3 - self.seat - self.soloist
            could[self.soloist] = known[self.soloist] = opened
            could[partner] &= ~opened
        first, second = others
        # A card that one of them cannot hold lies with the other, unless it lies in the skat. That is excluded if this
        # seat knows the skat, and for trumps, which are assumed never to be discarded.
        if hidden.bit_count() == left[first] + left[second]:
            placed = hidden
        else:
            placed = hidden & self.trump_mask if view.picked_up else 0
        known[first] |= could[first] & ~could[second] & placed
        known[second] |= could[second] & ~could[first] & placed
        self.could, self.known = could, known
        self.chances = [(0.0, 0.0)] * 3
        trumps = self.trump_mask
        for other in others:
            free = could[other] & ~known[other]
            slots = left[other] - known[other].bit_count()
            if free.bit_count() <= slots:
                known[other] |= free
                continue
            if slots <= 0:
                could[other] = known[other]
                continue
            free_trumps = (free & trumps).bit_count()
            free_plain = free.bit_count() - free_trumps
            if self.seat == self.soloist or not free_trumps:
                share = slots / (free_trumps + free_plain)
                self.chances[other] = (share, share)
                continue
            share = SOLOIST_TRUMP_SHARE if other == self.soloist else 1 - SOLOIST_TRUMP_SHARE
            share = _uncertain(min(share, slots / free_trumps))
            rest = (slots - share * free_trumps) / free_plain if free_plain else 0.0
            self.chances[other] = (_uncertain(rest), share)

    def chance(self, seat: int, mask: int) -> float:
        """The chance that a seat holds at least one of the cards; 0 and 1 are certain."""
        if mask & self.known[seat]:
            return 1.0
        mask &= self.could[seat]
        if not mask:
            return 0.0
        plain, trump = self.chances[seat]
        trumps = (mask & self.trump_mask).bit_count()
        missing: float = (1 - plain) ** (mask.bit_count() - trumps) * (1 - trump) ** trumps
        return 1 - missing

    def chance_of_ruff(self, seat: int, group: int) -> float:
        """The chance that a seat is void in a plain group and has a trump."""
        if group == TRUMPS:
            return 0.0
        void = 1 - self.chance(seat, self.layout.groups[group])
        return void and void * self.chance(seat, self.trump_mask)

    def chance_to_beat(self, seat: int, code: int, led: int) -> float:
        """The chance that a seat still to play can beat the winning code of a trick that `led` opened."""
        layout = self.layout
        group = layout.group[led]
        ruff = self.chance_of_ruff(seat, group)
        if layout.group[code] == group:
            return ruff + (1 - ruff) * self.chance(seat, layout.above[code] & self.hidden)
        if not ruff:
            return 0.0
        void = 1 - self.chance(seat, layout.groups[group])
        return void * self.chance(seat, layout.above[code] & self.hidden)

    def decides(self, points: int, win: float) -> float:
        """The chance that this trick wins the game for the own side, less the chance that it loses it.

        Args:
            points: the card points of the trick.
            win: the chance that the own side takes it.
        """
        soloist, defenders = self.banked
        wins_it = soloist < 61 <= soloist + points
        loses_it = defenders < 60 <= defenders + points
        if self.seat != self.soloist:
            wins_it, loses_it = loses_it, wins_it
        return win * wins_it - (1 - win) * loses_it


def _uncertain(chance: float) -> float:
    """Limits an estimate, which must not be as certain as 0 or 1."""
    return min(max(chance, 0.03), 0.97)


def best_card(situation: PlainTable, lead: Sequence[float], follow: Sequence[float]) -> int:
    """The legal code with the best score, by the weights of `LEAD_FACTS` and of `FOLLOW_FACTS`."""
    weights = follow if situation.position else lead
    best, best_score = -1, -1e9
    for code, facts in facts_of(situation):
        score = sum(map(mul, weights, facts))
        if score > best_score:
            best, best_score = code, score
    return best


def facts_of(situation: PlainTable) -> list[tuple[int, list[float]]]:
    """Each legal code with its facts: those of `FOLLOW_FACTS` on another's lead, else of `LEAD_FACTS`."""
    facts = _follow_facts if situation.position else _lead_facts
    hidden = situation.could[(situation.seat + 1) % 3] | situation.could[(situation.seat + 2) % 3]
    return [(code, facts(situation, code, hidden)) for code in codes_of(situation.legal)]


def sure_card(situation: PlainTable) -> int | None:
    """The only legal code, or one to lead if the hand takes all remaining tricks for sure; otherwise None."""
    if situation.legal & (situation.legal - 1) == 0:
        return situation.legal.bit_length() - 1
    if situation.position:
        return None
    layout, hand, hidden = situation.layout, situation.hand, situation.hidden
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


def _unguards(situation: PlainTable, rest: int, hidden: int) -> bool:
    """Whether the rest of a suit is a single ace or ten that can be beaten."""
    if not rest or rest & (rest - 1):
        return False
    other = rest.bit_length() - 1
    return situation.layout.points[other] >= 10 and bool(situation.layout.above[other] & hidden)


def _lead_facts(situation: PlainTable, code: int, hidden: int) -> list[float]:
    """The values of `LEAD_FACTS` for a code; `hidden` is what the defenders may hold."""
    layout, group = situation.layout, situation.layout.group[code]
    left, right = (situation.seat + 1) % 3, (situation.seat + 2) % 3
    points, higher = layout.points[code], layout.above[code] & hidden
    held, theirs = situation.hand & layout.groups[group], hidden & layout.groups[group]
    lower = held & (1 << code) - 1
    if group == TRUMPS:
        drawn = situation.chance(left, theirs) + situation.chance(right, theirs)
        jack, full, picture = points == 2, points >= 10, points in (3, 4)
        common = [1.0, _surplus(held, theirs), held.bit_count() <= 2, jack]
        goal = situation.decides(points, 0.0 if higher else 1.0)
        if higher:
            weak = [drawn, jack * higher.bit_count(), full, picture, held >> theirs.bit_length() > 0]
            return [*common, *[0.0] * 4, *weak, lower.bit_count(), *[0.0] * 12, goal]
        tops = lower >> theirs.bit_length()
        return [*common, 1.0, drawn, full, tops.bit_count(), *[0.0] * 18, goal]
    ruff = 1 - (1 - situation.chance_of_ruff(left, group)) * (1 - situation.chance_of_ruff(right, group))
    if not higher:
        standing = [1.0, points / 10, ruff * points / 10, theirs.bit_count()]
        return [*[0.0] * 14, *standing, *[0.0] * 8, situation.decides(points, 1 - ruff)]
    rest = held ^ 1 << code
    loser = [
        1.0,
        points / 10,
        not rest,
        _unguards(situation, rest, hidden),
        lower.bit_count(),
        held.bit_count(),
    ]
    under = rest > higher
    return [*[0.0] * 18, *loser, ruff, under, situation.decides(points, 0.0)]


def _follow_facts(situation: PlainTable, code: int, hidden: int) -> list[float]:
    """The values of `FOLLOW_FACTS` for a code; `hidden` is what the defenders may hold."""
    layout, group = situation.layout, situation.layout.group[code]
    points, higher = layout.points[code], layout.above[code] & hidden
    on_table = situation.table_points + points
    win = 1.0 if layout.beaters[situation.best] >> code & 1 else 0.0
    if win and situation.position == 1:
        win -= situation.chance_to_beat((situation.seat + 1) % 3, code, situation.led)
    trick = [win, win * on_table / 10, (1 - win) * on_table / 10, situation.decides(on_table, win)]
    held, theirs = situation.hand & layout.groups[group], hidden & layout.groups[group]
    follows = group == layout.group[situation.led]
    if group == TRUMPS:
        full = points >= 10
        trump = [1.0, points == 2, full, not higher and theirs > 0, not theirs]
        ruff = [0.0, 0.0] if follows else [situation.table_points / 10, full]
        return [*trick, *trump, _surplus(held, theirs), situation.tricks_left, *ruff, *[0.0] * 9]
    given = 0.0 if follows else points / 10
    if not higher:
        return [*trick, *[0.0] * 9, 1.0, points / 10, *[0.0] * 6, given]
    rest = held ^ 1 << code
    worth = [points / 10, 0.0, 0.0] if rest else [0.0, points / 10, 1.0]
    rank = (layout.groups[group] & (1 << code) - 1).bit_count()
    second = higher & (higher - 1) == 0
    return [*trick, *[0.0] * 11, second, *worth, _unguards(situation, rest, hidden), rank, given]


def grand_keeps(situation: PlainTable, code: int, weights: GrandWeights) -> float:
    """The expected card points of keeping a card in hand."""
    layout, hand = situation.layout, situation.hand
    points = layout.points[code]
    group = layout.group[code]
    if group == TRUMPS:
        hidden = situation.hidden & situation.trump_mask
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
    higher = layout.above[code] & situation.hidden
    if not higher:
        return weights.standing * points + weights.standing_control
    value = points * (weights.guarded if rest else weights.bare)
    value += weights.rank * (layout.groups[group] & (1 << code) - 1).bit_count()
    if not rest:
        return value - (weights.shed if hand & situation.trump_mask else 0.0)
    if rest & (rest - 1) == 0:
        other = rest.bit_length() - 1
        if layout.points[other] >= 4 and layout.above[other] & situation.hidden:
            value += weights.unguard * layout.points[other] / 10
    return value


def grand_follows(situation: PlainTable, code: int, weights: GrandWeights) -> float:
    """The soloist's expected card points of playing a code second or last."""
    layout = situation.layout
    points = situation.table_points + layout.points[code]
    win = 1.0 if layout.beaters[situation.best] >> code & 1 else 0.0
    if situation.position == 1:
        if win:
            win -= situation.chance_to_beat((situation.seat + 1) % 3, code, situation.led)
        score = win * (points + weights.feed) - (1 - win) * (points + weights.smear)
    else:
        score = points if win else -points
    score += weights.goal * situation.decides(points, win)
    return score + win * weights.lead - grand_keeps(situation, code, weights)


def grand_leads(situation: PlainTable, code: int, weights: GrandWeights) -> float:
    """The soloist's expected card points of leading a code."""
    layout = situation.layout
    points = layout.points[code]
    left, right = (situation.seat + 1) % 3, (situation.seat + 2) % 3
    hidden_trumps = (situation.could[left] | situation.could[right]) & situation.trump_mask
    higher = layout.above[code] & (situation.could[left] | situation.could[right])
    if layout.group[code] == TRUMPS:
        drawn = situation.chance(left, hidden_trumps) + situation.chance(right, hidden_trumps)
        score = -grand_keeps(situation, code, weights) + weights.draw * drawn
        if not higher:
            return (
                score
                + points
                + weights.feed * 2
                + weights.lead
                + weights.goal * situation.decides(points, 1.0)
            )
        if situation.hand & layout.trumps & ~layout.above[code] & ~(1 << code) and drawn:
            score += weights.force
        return score - points - weights.smear + weights.goal * situation.decides(points, 0.0)
    ruff = 1 - (1 - situation.chance_of_ruff(left, layout.group[code])) * (
        1 - situation.chance_of_ruff(right, layout.group[code])
    )
    win = 0.0 if higher else 1 - ruff
    score = win * (points + 2 * weights.feed + weights.lead) - (1 - win) * (
        points + weights.smear + weights.feed
    )
    score += weights.goal * situation.decides(points, win)
    score += weights.establish * ((situation.hand & layout.follow[code]).bit_count() - 1)
    if win and not hidden_trumps:
        return score  # nothing can be gained by waiting
    return score - grand_keeps(situation, code, weights)


def defender_keeps(situation: PlainTable, code: int, weights: DefenderWeights) -> float:
    """The expected card points of keeping a card in hand."""
    layout, hand = situation.layout, situation.hand
    points = layout.points[code]
    group = layout.group[code]
    if group == TRUMPS:
        value = weights.rank * (layout.groups[TRUMPS] & (1 << code) - 1).bit_count()
        if not layout.above[code] & situation.hidden:
            value += weights.top_trump
        if points == 2:
            return value + weights.jack
        return value + (weights.full_trump if points >= 10 else weights.low_trump)
    rest = hand & layout.groups[group] ^ 1 << code
    if not layout.above[code] & situation.hidden:
        alive = 1 - situation.chance_of_ruff(situation.soloist, group)
        return points * (2 * alive - 1) * weights.standing * 2 + weights.standing_control * alive
    value = points * (weights.guarded if rest else weights.bare)
    value += weights.rank * (layout.groups[group] & (1 << code) - 1).bit_count()
    if rest and rest & (rest - 1) == 0:
        other = rest.bit_length() - 1
        if layout.points[other] >= 4 and layout.above[other] & situation.hidden:
            value += weights.unguard * layout.points[other] / 10
    return value


def defender_follows(situation: PlainTable, code: int, weights: DefenderWeights) -> float:
    """The defenders' expected card points of playing a code second or last."""
    layout = situation.layout
    points = situation.table_points + layout.points[code]
    beats = layout.beaters[situation.best] >> code & 1
    best = code if beats else situation.best
    ours = bool(beats) or situation.best_seat != situation.soloist
    keep = defender_keeps(situation, code, weights)
    if situation.position == 2:
        return (points if ours else -points) - keep + weights.goal * situation.decides(points, float(ours))
    behind = (situation.seat + 1) % 3
    if behind == situation.soloist:
        win = 1 - situation.chance_to_beat(behind, best, situation.led)
        keep -= weights.goal * situation.decides(points, win)
        return win * (points + weights.feed) - (1 - win) * (points + weights.feed) - keep
    win = 1.0 if ours else situation.chance_to_beat(behind, best, situation.led)
    keep -= weights.goal * situation.decides(points, win)
    return win * (points + weights.smear) - (1 - win) * (points + weights.feed) - keep


def suit_bonus(situation: PlainTable, weights: DefenderWeights) -> list[float]:
    """The bonus for leading a group, whatever the card; a list by group."""
    layout = situation.layout
    bonus = [0.0] * 5
    bonus[TRUMPS] = weights.lead_trump
    soloist_next = (situation.seat + 1) % 3 == situation.soloist
    for group in layout.plain:
        length = (situation.hand & layout.groups[group]).bit_count()
        bonus[group] = length * (weights.length_to_soloist if soloist_next else weights.length_to_partner)
    for index, (seat, card) in enumerate(situation.view.plays()):
        if index % 3 or seat == situation.soloist:
            continue
        group = layout.group[layout.code[card]]
        if group != TRUMPS:
            bonus[group] += weights.continued if seat == situation.seat else weights.returned
    return bonus


def defender_leads(situation: PlainTable, code: int, weights: DefenderWeights) -> float:
    """The defenders' expected card points of leading a code."""
    layout, soloist = situation.layout, situation.soloist
    partner = 3 - situation.seat - soloist
    points = layout.points[code]
    group = layout.group[code]
    keep = defender_keeps(situation, code, weights)
    ruff = situation.chance_of_ruff(soloist, group)
    higher = layout.above[code] & situation.hidden
    partner_ruff = situation.chance_of_ruff(partner, group)
    if higher:
        top = 1 << higher.bit_length() - 1
        win = (1 - ruff) * situation.chance(partner, top)
        win += (1 - win) * partner_ruff * (1 - ruff)
    else:
        win = 1 - ruff
    score = win * (points + weights.smear + weights.feed) - (1 - win) * (points + 2 * weights.feed) - keep
    score += weights.goal * situation.decides(points, win)
    if group != TRUMPS and ruff > 0.99:
        score += weights.force
    return score
