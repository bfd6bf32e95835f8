"""What a player of Skat is sure of, by plain enumeration: every world is written down, and the tree is that of plays."""

from functools import cache
from itertools import combinations

from skat_env.cards import card_text, cards_of
from skat_env.skat.rules import CARD_POINTS, CONTRACT_LETTERS, Contract
from skat_env.solvers.skat.information_set import InformationSet
from tests.helpers.plain_skat import beats, follows

World = tuple[int, int, int]
"""The masks of the unseen cards: the next player's, the one's after him, the skat's."""


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
        winner = (leader + _best(contract, table)) % 3
        if contract == Contract.NULL:
            won = None if winner == soloist else won
        elif won is not None and (winner == 0 or 0 != soloist != winner):
            won += 1 if tricks else _points(sum(1 << card for card in table))
        leader, table = winner, ()
    return _value(contract, soloist, tricks, hand, worlds, table, leader, won)


def _legal(contract: Contract, hand: int, table: tuple[int, ...]) -> tuple[int, ...]:
    return _following(contract, hand, table[0] if table else None)


@cache
def _following(contract: Contract, hand: int, led: int | None) -> tuple[int, ...]:
    cards, game = tuple(cards_of(hand)), CONTRACT_LETTERS[contract]
    return tuple(c for c in cards if led is not None and follows(card_text(c), card_text(led), game)) or cards


@cache
def _best(contract: Contract, table: tuple[int, ...]) -> int:
    """The place of the card that takes a trick."""
    best, game = 0, CONTRACT_LETTERS[contract]
    for place in (1, 2):
        if beats(card_text(table[place]), card_text(table[best]), game):
            best = place
    return best


@cache
def _points(mask: int) -> int:
    return sum(CARD_POINTS[card & 7] for card in cards_of(mask))
