"""What a player of Skat is sure of, by plain enumeration: every world is written down, and the tree is that of plays."""

from functools import cache
from itertools import combinations

from skat_env.cards import cards_of
from skat_env.skat.rules import CARD_POINTS, Contract
from skat_env.solvers.skat.information_set import InformationSet

World = tuple[int, int, int]
"""The masks of the unseen cards: the next player's, the one's after him, the skat's."""

_ORDER = {card: order for order, card in enumerate("789QKTA")}
_NULL_ORDER = {card: order for order, card in enumerate("789TJQKA")}
_RANKS = "789TJQKA"


def worlds_of(known: InformationSet) -> list[World]:
    """All ways to place the unseen cards."""
    unseen = cards_of(known.can[0] | known.can[1] | known.can[2])
    found = []
    for first in combinations(unseen, known.sizes[0]):
        rest = [card for card in unseen if card not in first]
        for second in combinations(rest, known.sizes[1]):
            third = [card for card in rest if card not in second]
            world = tuple(sum(1 << card for card in cards) for cards in (first, second, third))
            if not any(mask & ~can for mask, can in zip(world, known.can, strict=True)):
                found.append(world)
    return found


def sure(known: InformationSet, tricks: bool = False) -> int:
    """What the viewer's side is sure to have in the end: card points, tricks, or in null games 1 if it wins."""
    return _value(known.contract, known.soloist, tricks, *_start(known, tricks))


def sure_after(known: InformationSet, tricks: bool = False) -> dict[int, int]:
    """The same after each legal card of the viewer, who is to act."""
    hand, worlds, table, leader, won = _start(known, tricks)
    return {
        card: _after(
            known.contract, known.soloist, tricks, hand & ~(1 << card), worlds, (*table, card), leader, won
        )
        for card in _legal(known.contract, hand, table)
    }


def _start(known: InformationSet, tricks: bool) -> tuple[int, list[World], tuple[int, ...], int, int | None]:
    won: int | None = known.tricks if tricks else known.points
    if known.contract == Contract.NULL:
        soloist = known.tricks if known.soloist == 0 else known.tricks_played - known.tricks
        won = None if soloist else 0
    return known.hand, worlds_of(known), known.table, known.leader, won


def _value(
    contract: Contract,
    soloist: int,
    tricks: bool,
    hand: int,
    worlds: list[World],
    table: tuple[int, ...],
    leader: int,
    won: int | None,
) -> int:
    """`won` is None when the soloist of a null game has a trick."""
    null = contract == Contract.NULL
    if won is None:
        return int(soloist != 0)
    if not table and not hand:
        if null:
            return int(soloist == 0)
        # The skat is the soloist's; what lies there is known by now.
        return won if tricks or soloist else won + _points(worlds[0][2])
    seat = (leader + len(table)) % 3
    values = []
    if seat == 0:
        for card in _legal(contract, hand, table):
            values.append(
                _after(contract, soloist, tricks, hand & ~(1 << card), worlds, (*table, card), leader, won)
            )
        return max(values)
    by_card: dict[int, list[World]] = {}
    for world in worlds:
        for card in _legal(contract, world[seat - 1], table):
            left = list(world)
            left[seat - 1] &= ~(1 << card)
            by_card.setdefault(card, []).append((left[0], left[1], left[2]))
    return min(
        _after(contract, soloist, tricks, hand, left, (*table, card), leader, won)
        for card, left in by_card.items()
    )


def _after(
    contract: Contract,
    soloist: int,
    tricks: bool,
    hand: int,
    worlds: list[World],
    table: tuple[int, ...],
    leader: int,
    won: int | None,
) -> int:
    if len(table) == 3:
        best = max(range(3), key=lambda place: _strength(contract, table[0], table[place]))
        winner = (leader + best) % 3
        if contract == Contract.NULL:
            won = None if winner == soloist else won
        elif won is not None and (winner == 0 or 0 != soloist != winner):
            won += 1 if tricks else _points(sum(1 << card for card in table))
        leader, table = winner, ()
    return _value(contract, soloist, tricks, hand, worlds, table, leader, won)


def _legal(contract: Contract, hand: int, table: tuple[int, ...]) -> tuple[int, ...]:
    return _following(contract, hand, _group(contract, table[0]) if table else None)


@cache
def _following(contract: Contract, hand: int, led: int | None) -> tuple[int, ...]:
    cards = tuple(cards_of(hand))
    return tuple(card for card in cards if _group(contract, card) == led) or cards


@cache
def _group(contract: Contract, card: int) -> int:
    if contract != Contract.NULL and (_RANKS[card & 7] == "J" or card >> 3 == contract):
        return 4
    return card >> 3


@cache
def _strength(contract: Contract, led: int, card: int) -> int:
    group, rank = _group(contract, card), _RANKS[card & 7]
    if contract == Contract.NULL:
        return _NULL_ORDER[rank] if group == _group(contract, led) else -1
    strength = 10 + (card >> 3) if rank == "J" else _ORDER[rank]
    if group == 4:
        return 100 + strength
    return strength if group == _group(contract, led) else -1


@cache
def _points(mask: int) -> int:
    return sum(CARD_POINTS[card & 7] for card in cards_of(mask))
