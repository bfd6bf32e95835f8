"""The encoders written plainly from the papers' tables and the public facts of a view: their slow twins."""

from collections.abc import Callable

import numpy as np

from skat_env.klaverjas import KlaverjasState, KlaverjasView
from skat_env.skat import SkatState, SkatView
from skat_env.skat.rules import BASE_VALUES, BID_LEVEL, CARD_POINTS, NULL_VALUES, Contract
from tests.helpers.plain_observations import bits, one_hot

Row = list[float]


def mask_of(cards) -> int:
    return sum(1 << card for card in set(cards))


def points(mask: int) -> int:
    return sum(CARD_POINTS[card % 8] for card in range(32) if mask >> card & 1)


# Rebstock 2019, Table 3.1


def level(bid: int) -> int:
    return BID_LEVEL.get(bid, 0)


def pass_bid(view: SkatView) -> Row:
    """The level that the first to pass of fore- and middlehand had reached, from the order of the auction."""
    reached, passer, seat, bidder, senior, bid = [0, 0, 0], None, 1, 1, 0, 0
    for action in view.history():
        if passer is not None or action not in (32, 33):
            break
        if action == 32:
            passer = seat
        elif seat == bidder:
            bid += 1
            reached[seat], seat = bid, senior
        else:
            reached[seat], seat = bid, bidder
    if passer is None:  # a given auction: the weaker of the two
        return one_hot(min(level(view.bids[0]), level(view.bids[1])), 64)
    return one_hot(reached[passer], 64)


def bid_answer(view: SkatView) -> Row:
    return bits(view.hand) + one_hot(view.seat, 3)


def continue_answer(view: SkatView) -> Row:
    return bid_answer(view) + pass_bid(view)


def bid(view: SkatView) -> Row:
    asked = level(view.bid) + (view.phase == 0)
    bids = [level(each) for each in view.bids]
    bids[view.seat] = asked
    reached = one_hot(min(bids[:2]), 64) + one_hot(asked, 64)
    return [*bid_answer(view), *reached, *map(float, view.passed)]


def hand_pickup(view: SkatView) -> Row:
    return continue_answer(view) + one_hot(level(view.bid), 64)


def declare(view: SkatView) -> Row:
    twelve = view.dealt[view.seat] | view.dealt[3]
    return bits(twelve) + hand_pickup(view)[32:]


def discard(view: SkatView) -> Row:
    return [*declare(view), view.announcement == 3]


# Rebstock 2019, Table 4.1


def others(view: SkatView) -> list[int]:
    return [(view.seat + 1) % 3, (view.seat + 2) % 3]


def tricks_of(view: SkatView) -> list[list[tuple[int, int]]]:
    plays = view.plays()
    return [plays[i : i + 3] for i in range(0, len(plays), 3)]


def is_trump(card: int, contract: int) -> bool:
    return contract != Contract.NULL and (card % 8 == 4 or card // 8 == contract)


def open_cards(view: SkatView) -> Row:
    row: Row = []
    for seat in [view.seat, *others(view)]:
        row += bits(mask_of(card for who, card in view.plays() if who == seat))
    for seat in others(view):
        row += bits(mask_of(trick[0][1] for trick in tricks_of(view) if trick[0][0] == seat))
    for seat in others(view):
        sloughed = [
            card
            for trick in tricks_of(view)
            for who, card in trick
            if who == seat
            and not view.follow_mask(trick[0][1]) >> card & 1
            and not is_trump(card, view.contract)
        ]
        row += bits(mask_of(sloughed))
    for seat in others(view):
        row += [view.is_void(seat, group) for group in range(5)]
    return row


def bid_type(view: SkatView) -> Row:
    row: Row = []
    for seat in others(view):
        bid = view.bids[seat]
        row += [bid > 0 and bid % base == 0 for base in BASE_VALUES]
        row += [bid in NULL_VALUES.values()]
    return row


def common(view: SkatView) -> Row:
    on_table = mask_of(card for _, card in view.trick())
    schneider = 0 if view.contract == Contract.NULL else int(view.announcement)
    return [
        *bits(view.hand),
        points(view.hand) / 92,
        *open_cards(view),
        *bits(on_table),
        points(on_table) / 22,
        *bid_type(view),
        view.points[0] / 120,
        view.points[1] / 120,
        view.hand_game,
        view.announcement == 3,
        schneider >= 1,
        schneider >= 2,
    ]


def needs_schneider(view: SkatView) -> bool:
    if view.contract == Contract.NULL:
        return False
    return bool(view.announcement) or plain_value(view) < view.bid


def plain_value(view: SkatView) -> int:
    return value_of(view.dealt[view.seat] | view.dealt[3], view)


def value_of(known: int, view: SkatView) -> int:
    if view.contract == Contract.NULL:
        return 0
    order = [28, 20, 12, 4]
    if view.contract < 4:
        order += [8 * view.contract + rank for rank in (7, 3, 6, 5, 2, 1, 0)]
    run = 1
    while run < len(order) and known >> order[run] & 1 == known >> order[0] & 1:
        run += 1
    return (run + 1 + view.hand_game) * BASE_VALUES[view.contract]


def soloist(view: SkatView) -> Row:
    skat = view.skat if view.picked_up else 0
    return [*common(view), *bits(skat), needs_schneider(view), *trumps(view, skat)]


def trumps(view: SkatView, seen: int) -> Row:
    if view.contract == Contract.NULL:
        return []
    seen |= view.hand | view.played_mask()
    left = mask_of(card for card in range(32) if is_trump(card, view.contract)) & ~seen
    return bits(left) + (one_hot(view.contract, 4) if view.contract < 4 else [])


def partner_wins(view: SkatView) -> bool:
    best = None
    for who, card in view.trick():
        if best is None or beats(card, best[1], view.contract):
            best = (who, card)
    return best is not None and best[0] not in (view.seat, view.soloist)


def beats(card: int, best: int, contract: int) -> bool:
    def rank(card: int) -> int:
        if contract == Contract.NULL:
            return card % 8
        return 100 + card // 8 if card % 8 == 4 else (0, 1, 2, 5, 0, 3, 4, 6)[card % 8]

    if is_trump(card, contract) != is_trump(best, contract):
        return is_trump(card, contract)
    return (is_trump(card, contract) or card // 8 == best // 8) and rank(card) > rank(best)


def defender(view: SkatView) -> Row:
    opened = view.hands[view.soloist] if view.announcement == 3 else 0
    return [
        *common(view),
        partner_wins(view),
        *(view.soloist == seat for seat in others(view)),
        *bits(opened),
        *trumps(view, opened),
    ]


# Solinas 2019, Table 2


def laid_away(view: SkatView) -> Row:
    return bits(view.skat if view.is_soloist and view.picked_up else 0)


def bids(view: SkatView) -> Row:
    row = bid_type(view)
    for seat in others(view):
        bid = view.bids[seat]
        for low, high in ((18, 24), (27, 36), (40, 48), (50, 72), (73, 264)):
            row.append(low <= bid <= high)
    return row


def game(view: SkatView) -> Row:
    return [*one_hot((view.soloist - view.seat) % 3, 3), *one_hot(int(view.contract), 5), view.hand_game]


def locations_before(view: SkatView) -> Row:
    own = mask_of(card for who, card in view.plays() if who == view.seat)
    return bits(view.hand | own) + laid_away(view) + bids(view) + game(view)


def locations(view: SkatView) -> Row:
    row = bits(view.hand) + laid_away(view) + open_cards(view) + bids(view)
    row += bits(mask_of(card for _, card in view.trick())) + game(view)
    cards = [card for _, card in view.plays()]
    for number in range(24):
        row += one_hot(cards[number] if number < len(cards) else -1, 32)
    return row


# Ours for self-play


def relabelled_cards(view: SkatView) -> list[int]:
    """The cards in the order of their new numbers."""
    dealt = view.hand | mask_of(card for who, card in view.plays() if who == view.seat)
    return suits_first(dealt, view.contract, view.skat if view.is_soloist and view.picked_up else 0)


def suits_first(dealt: int, contract: int, laid: int) -> list[int]:
    """The cards in an order of suits: trumps, then by the cards `dealt` in them, then by those `laid` away."""

    def jack_of_trumps(card: int) -> bool:
        return contract != Contract.NULL and card % 8 == 4

    def weight(suit: int) -> tuple:
        ranks = [r for r in range(8) if not jack_of_trumps(r) and dealt >> 8 * suit + r & 1]
        return (suit == contract, len(ranks), ranks[::-1], laid >> 8 * suit & 0xFF, -suit)

    suits = sorted(range(4), key=weight, reverse=True)
    return [
        8 * place + rank if jack_of_trumps(rank) else 8 * suits[place] + rank
        for place in range(4)
        for rank in range(8)
    ]


def relabelled(view: SkatView) -> Row:
    order = relabelled_cards(view)
    suits = [next(order[8 * place + rank] // 8 for rank in (0, 1, 2)) for place in range(4)]
    laid = view.skat if view.is_soloist and view.picked_up else 0
    opened = view.hands[view.soloist] if view.announcement == 3 and not view.is_soloist else 0
    on_table = mask_of(card for _, card in view.trick())
    soloist_points = view.points[0] + points(laid)
    announced = 0 if view.contract == Contract.NULL else int(view.announcement)
    plain = open_cards(view)

    def moved(mask: int) -> Row:
        return [mask >> card & 1 for card in order]

    row = moved(view.hand) + moved(~(view.hand | view.played_mask() | laid | opened))
    for start in range(0, 7 * 32, 32):
        row += [plain[start + card] for card in order]
    for seat in others(view):
        row += moved(mask_of(card for who, card in view.trick() if who == seat))
    for seat in others(view):
        row += [view.is_void(seat, group) for group in (*suits, 4)]
    row += [soloist_points >= 5 * step for step in range(1, 25)]
    row += [view.points[1] >= 5 * step for step in range(1, 25)]
    row += [soloist_points / 100, view.points[1] / 100, points(on_table) / 100]
    types = bid_type(view)
    for start in (0, 6):
        row += [types[start + contract] for contract in (*suits, 4, 5)]
    row += [view.bid / 100, *(view.bids[seat] / 100 for seat in others(view))]
    row += [*one_hot(view.seat, 3), *one_hot(int(view.contract), 4), view.hand_game]
    row += [announced >= 1, announced >= 2, view.announcement == 3]
    if view.is_soloist:
        return [*row, *moved(laid), needs_schneider(view), plain_value(view) / 100]
    return [*row, *(seat == view.soloist for seat in others(view)), partner_wins(view), *moved(opened)]


def tactical(view: SkatView) -> Row:
    order, contract = relabelled_cards(view), view.contract
    suits = [next(order[8 * place + rank] // 8 for rank in (0, 1, 2)) for place in range(4)]
    laid = view.skat if view.is_soloist and view.picked_up else 0
    opened = view.hands[view.soloist] if view.announcement == 3 and not view.is_soloist else 0
    hand = {card for card in range(32) if view.hand >> card & 1}
    unseen = set(range(32)) - {
        card for card in range(32) if (view.hand | view.played_mask() | laid | opened) >> card & 1
    }
    is_null = contract == Contract.NULL

    def group(card: int) -> int:
        return 4 if is_trump(card, contract) else card // 8

    def of(cards: set[int], number: int) -> int:
        return sum(group(card) == number for card in cards)

    def stands(card: int) -> bool:
        rivals = [other for other in unseen if group(other) == group(card)]
        return not any(
            beats(card, other, contract) if is_null else beats(other, card, contract) for other in rivals
        )

    trick = view.trick()
    takes = set()
    if trick:
        follows = {card for card in hand if group(card) == group(trick[0][1])} or hand
        best = dict(trick)[taker(trick, contract)]
        takes = {card for card in follows if beats(card, best, contract)}
    row = [card in hand and stands(card) for card in order]
    row += [card in takes for card in order]
    for seat in others(view):
        row += [card in unseen and view.is_void(seat, group(card)) for card in order]
    for cards in (hand, unseen):
        for number in (*suits, 4):
            row += one_hot(of(cards, number), 12)
    goal = 90 if (needs_schneider(view) if view.is_soloist else view.announcement) else 61
    soloist_lacks, defenders_lack = goal - view.points[0] - points(laid), 121 - goal - view.points[1]
    lacks = (soloist_lacks, defenders_lack) if view.is_soloist else (defenders_lack, soloist_lacks)
    on_table = points(mask_of(card for _, card in trick))
    for side in lacks:
        row += [not is_null and card in hand and points(1 << card) + on_table >= side for card in order]
    return relabelled(view) + row


def declared(view: SkatView) -> Row:
    order = relabelled_cards(view)
    suits = [next(order[8 * place + rank] // 8 for rank in (0, 1, 2)) for place in range(4)]
    own = mask_of(card for who, card in view.plays() if who == view.seat)
    is_null = view.contract == Contract.NULL
    announced = 0 if is_null else int(view.announcement)
    row = [(view.hand | own) >> card & 1 for card in order]
    row += [(view.skat if view.picked_up else 0) >> card & 1 for card in order]
    row += [
        *one_hot(view.seat, 3),
        *one_hot(max(0, int(view.contract) - 3), 3),
        *one_hot(int(view.contract), 4),
    ]
    row += [view.hand_game, announced >= 1, announced >= 2, view.announcement == 3, view.bid / 100]
    row += [0 if is_null else plain_value(view) / 100, needs_schneider(view)]
    types = bid_type(view)
    for start in (0, 6):
        row += [types[start + contract] for contract in (*suits, 4, 5)]
    return row + [view.bids[seat] / 100 for seat in others(view)]


def skat_world(state: SkatState) -> Row:
    view = state.view(state.soloist)
    twelve = state.dealt[state.soloist] | state.dealt[3]
    order = suits_first(twelve, state.contract, state.skat)
    seats = [(state.soloist + i) % 3 for i in range(3)]
    value = value_of(twelve, view)
    won = [(who, card) for who, card in state.plays()[: len(state.plays()) // 3 * 3]]
    takers = {taker(won[i : i + 3], state.contract) for i in range(0, len(won), 3)}
    announced = 0 if state.contract == Contract.NULL else int(state.announcement)
    mine, theirs = state.points[0] + points(state.skat), state.points[1]

    def moved(mask: int) -> Row:
        return [mask >> card & 1 for card in order]

    row: Row = []
    for seat in seats:
        row += moved(state.hands[seat])
    row += moved(state.skat)
    for seat in seats:
        row += moved(mask_of(card for who, card in state.trick() if who == seat))
    row += [state.to_act == seat for seat in seats]
    row += [mine >= 5 * step for step in range(1, 25)] + [theirs >= 5 * step for step in range(1, 25)]
    row += [mine / 100, theirs / 100, state.soloist in takers, bool(takers - {state.soloist})]
    row += one_hot(int(state.contract), 6)
    row += [state.hand_game, announced >= 1, announced >= 2, state.announcement == 3]
    needs = state.contract != Contract.NULL and (announced > 0 or value < state.bid)
    return [*row, value / 100, state.bid / 100, needs]


def taker(trick: list[tuple[int, int]], contract: int) -> int:
    best = trick[0]
    for who, card in trick[1:]:
        if beats(card, best[1], contract):
            best = (who, card)
    return best[0]


# Aaldering 2023, section 3.2


def cards_in_order(trump: int) -> list[int]:
    suits = [trump, *(suit for suit in range(4) if suit != trump)]
    return [8 * suit + rank for suit in suits for rank in range(8)]


def may_hold(view: KlaverjasView, seat: int, card: int) -> bool:
    """Whether a card that is nowhere to be seen may be in another's hand."""
    left = 8 - sum(who == seat for who, _ in view.plays())
    seen = view.hand | view.played_mask()
    return left > 0 and not (seen | view.excluded(seat)) >> card & 1


def perspective(view: KlaverjasView) -> Row:
    seats = [(view.seat + i) % 4 for i in range(4)]
    team = view.seat % 2
    trick = {card: who for who, card in view.trick()}
    before = view.played_mask() & ~mask_of(trick)
    row: Row = []
    for card in cards_in_order(view.trump):
        holders = [seat for seat in seats[1:] if may_hold(view, seat, card)]
        row += [view.hand >> card & 1]
        row += [1 / len(holders) if seat in holders else 0 for seat in seats[1:]]
        row += [trick.get(card) == seat for seat in seats]
        row += [before >> card & 1]
    row += [view.leader == seat for seat in seats]
    row += [view.to_act == seat for seat in seats]
    row += [view.declarer % 2 == team]
    scores = [p + r for p, r in zip(view.points, view.roem, strict=True)]
    if view.is_over:
        mine, theirs = view.returns("score")[team], view.returns("score")[1 - team]
        return [*row, mine / 100, theirs / 100]
    return [*row, scores[team] / 100, scores[1 - team] / 100]


def klaverjas_cardplay(view: KlaverjasView) -> Row:
    seats = [(view.seat + i) % 4 for i in range(4)]
    team = view.seat % 2
    order = cards_in_order(view.trump)

    def encoded(cards) -> Row:
        return [float(card in cards) for card in order]

    row = encoded([card for card in range(32) if view.hand >> card & 1])
    for seat in seats[1:]:
        row += encoded([card for who, card in view.trick() if who == seat])
    for seat in seats:
        row += encoded([card for who, card in view.plays() if who == seat])
    for seat in seats[1:]:
        row += encoded([card for card in range(32) if may_hold(view, seat, card)])
    row += [view.leader == seat for seat in seats]
    row += [view.winning() == seat for seat in seats]
    row += [view.declarer % 2 == team]
    row += [view.points[team] / 162, view.points[1 - team] / 162]
    row += [view.roem[team] / 100, view.roem[1 - team] / 100]
    return [*row, *one_hot(view.tricks_played, 8), *choice(view)]


def choice(view: KlaverjasView) -> Row:
    seats = [(view.seat + i) % 4 for i in range(4)]
    before = view.history()[: len(view.history()) - len(view.plays())]
    passed = [(view.forehand + turn) % 4 for turn, action in enumerate(before) if action == 32]
    row: Row = [view.declarer == seat for seat in seats]
    row += [view.forehand == seat for seat in seats] + [seat in passed for seat in seats]
    return [*row, view.rules.choice == "given", view.rules.legality == "amsterdam"]


def klaverjas_locations_before(view: KlaverjasView) -> Row:
    order = cards_in_order(view.trump)
    return [float(view.dealt[view.seat] >> card & 1) for card in order] + choice(view)


def klaverjas_locations(view: KlaverjasView) -> Row:
    seats = [(view.seat + i) % 4 for i in range(4)]
    order, plays = cards_in_order(view.trump), view.plays()
    row: Row = [view.hand >> card & 1 for card in order]
    for seat in seats:
        row += [(seat, card) in plays for card in order]
    for seat in seats[1:]:
        row += [(seat, card) in plays[::4] for card in order]
    for seat in seats[1:]:
        row += [(seat, card) in view.trick() for card in order]
    for seat in seats[1:]:
        row += [may_hold(view, seat, card) for card in order]
    row += choice(view)
    for number in range(28):
        row += one_hot(order.index(plays[number][1]) if number < len(plays) else -1, 32)
    return row


def klaverjas_world(state: KlaverjasState) -> Row:
    seats = [(state.declarer + i) % 4 for i in range(4)]
    team = state.declarer % 2
    order = cards_in_order(state.trump)
    row: Row = []
    for seat in seats:
        row += [state.hands[seat] >> card & 1 for card in order]
    for seat in seats:
        row += [(seat, card) in state.trick() for card in order]
    row += [state.to_act == seat for seat in seats]
    row += [state.points[team] / 162, state.points[1 - team] / 162]
    row += [state.roem[team] / 100, state.roem[1 - team] / 100]
    # Whoever takes a trick leads to the next one.
    after = [who % 2 for who, _ in [*state.plays(), (state.to_act, None)][4::4]]
    row += [team in after, 1 - team in after]
    return row + one_hot(len(state.plays()) // 4, 8)


PLAIN: dict[str, Callable] = {
    "skat.bid_answer": bid_answer,
    "skat.continue_answer": continue_answer,
    "skat.bid": bid,
    "skat.hand_pickup": hand_pickup,
    "skat.declare": declare,
    "skat.discard": discard,
    "skat.suit_soloist": soloist,
    "skat.suit_defender": defender,
    "skat.grand_soloist": soloist,
    "skat.grand_defender": defender,
    "skat.null_soloist": soloist,
    "skat.null_defender": defender,
    "skat.locations": locations,
    "skat.locations_before": locations_before,
    "skat.relabelled_soloist": relabelled,
    "skat.relabelled_defender": relabelled,
    "skat.tactical_soloist": tactical,
    "skat.tactical_defender": tactical,
    "skat.declared": declared,
    "skat.world": skat_world,
    "klaverjas.perspective": perspective,
    "klaverjas.cardplay": klaverjas_cardplay,
    "klaverjas.locations": klaverjas_locations,
    "klaverjas.locations_before": klaverjas_locations_before,
    "klaverjas.world": klaverjas_world,
}


def plain_row(name: str, position) -> np.ndarray:
    return np.array(PLAIN[name](position), np.float32)
