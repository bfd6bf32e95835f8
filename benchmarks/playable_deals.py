"""Random deals of Skat with a hand that fits the soloist's game, as uniform deals are too easy for a solver."""

import numpy as np

from skat_env.skat.rules import CARD_POINTS, Contract
from skat_env.solvers.skat.position import OpenPosition

JACK, ACE = 4, 7


def playable_deal(rng: np.random.Generator, kind: str) -> OpenPosition:
    """A deal before the first trick of a `suit`, `grand` or `null` game that suits the soloist's cards."""
    while True:
        cards = [int(card) for card in rng.permutation(32)]
        twelve, rest = cards[:12], cards[12:]
        contract = chosen_contract(twelve, kind)
        skat = None if contract is None else discards(twelve, contract)
        if contract is not None and skat is not None:
            break
    seat = int(rng.integers(3))
    hands = [rest[:10], rest[10:]]
    hands.insert(seat, [card for card in twelve if card not in skat])
    masks = [sum(1 << card for card in hand) for hand in hands]
    points = sum(CARD_POINTS[card & 7] for card in skat)
    return OpenPosition(contract, seat, (masks[0], masks[1], masks[2]), points=points)


def chosen_contract(twelve: list[int], kind: str) -> Contract | None:
    """The game of a kind that twelve cards are good enough for."""
    jacks = sum(card & 7 == JACK for card in twelve)
    aces = [card >> 3 for card in twelve if card & 7 == ACE]
    if kind == "grand":
        guarded_tens = sum(card & 7 == 3 and card >> 3 in aces for card in twelve)
        return Contract.GRAND if jacks >= 2 and 2 * (jacks + len(aces)) + guarded_tens >= 8 else None
    if kind == "null":
        return Contract.NULL
    lengths = [sum(card >> 3 == suit and card & 7 != JACK for card in twelve) for suit in range(4)]
    suit = max(range(4), key=lengths.__getitem__)
    trumps = lengths[suit] + jacks
    side_aces = sum(ace != suit for ace in aces)
    return Contract(suit) if jacks and trumps >= 6 and trumps + side_aces >= 8 else None


def discards(twelve: list[int], contract: Contract) -> list[int] | None:
    """Two cards to discard: from short suits, high points first, but no aces; None if the hand is not good enough."""
    if contract == Contract.NULL:
        # A card is safer the more cards of its suit are held below it.
        danger = {
            card: (card & 7) - 0.5 * sum(low >> 3 == card >> 3 and low < card for low in twelve)
            for card in twelve
        }
        worst = sorted(twelve, key=danger.__getitem__)[-2:]
        return worst if sum(card & 7 for card in twelve if card not in worst) <= 24 else None
    plain = [card for card in twelve if card & 7 != JACK and card >> 3 != contract]
    length = {card: sum(other >> 3 == card >> 3 for other in plain) for card in plain}
    plain.sort(key=lambda card: (card & 7 == ACE, length[card], -CARD_POINTS[card & 7]))
    return plain[:2] if len(plain) >= 2 else None
