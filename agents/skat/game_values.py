"""What games are worth as far as the soloist knows, and which of them reach the bid.

After picking up it knows the twelve cards that count for the matadors. In a hand game it knows ten, which give the most
likely value: the skat rarely has a card that prolongs or breaks the run. A schneider that is not announced may raise a
game later, but nobody can count on it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat._game_levels import game_levels
from skat_env.skat import Declaration, SkatView
from skat_env.skat.rules import (
    ANNOUNCE,
    BASE_VALUES,
    BID_VALUES,
    DECLARE,
    NULL_VALUES,
    Announcement,
    Contract,
    Phase,
)

Masks = NDArray[np.uint32]
Values = NDArray[np.int64]

GAMES: Final = (
    *(Declaration(contract) for contract in Contract),
    Declaration(Contract.NULL, announcement=Announcement.OUVERT),
)
"""The games that can be declared after picking up the skat: D H S C grand, null, null ouvert."""
NULL_OUVERT: Final = 6
"""The index of null ouvert in `GAMES`."""


def game_values(games: Sequence[Declaration | None], cards: Masks, announced: bool = True) -> Values:
    """The values of games with each set of known cards, [n, games], with schneider and schwarz only if announced.

    With `announced=False` announced levels do not count either.

    None stands for picking up the skat. It leaves every game open, so it has the highest value of all.
    """
    levels = game_levels(cards)
    values = np.empty((len(cards), len(games)), np.int64)
    for column, game in enumerate(games):
        if game is None:
            values[:, column] = BID_VALUES[-1]
        elif game.contract == Contract.NULL:
            values[:, column] = NULL_VALUES[game.hand, game.announcement == Announcement.OUVERT]
        else:
            # An announced schneider or schwarz counts two levels: one for reaching it, one for the announcement.
            extra = game.hand + announced * (game.announcement + min(game.announcement, 2))
            values[:, column] = BASE_VALUES[game.contract] * (levels[game.contract] + extra)
    return values


def declarable(games: Sequence[Declaration | None], views: Sequence[SkatView]) -> NDArray[np.bool_]:
    """The games that a soloist may declare: those open to it that reach the bid, or all open ones if none does.

    An announced level in suit and grand has to be played for, so it does not help to reach the bid: at every step the
    same contracts are left.

    Args:
        games: the games, as in `game_values`.
        views: the soloist's views, n of them, from picking up or playing hand to the discards.

    Returns:
        bool [n, games].
    """
    is_open = np.array([[_is_open(game, view) for game in games] for view in views])
    known = np.array([view.hand | view.skat for view in views], np.uint32)
    bids = np.array([view.bid for view in views])
    reach = is_open & (game_values(games, known, announced=False) >= bids[:, None])
    return np.where(reach.any(axis=1, keepdims=True), reach, is_open)


def next_action(view: SkatView, game: Declaration) -> int:
    """The action that declares a game, or then announces it."""
    return DECLARE + game.contract if view.phase == Phase.CONTRACT else ANNOUNCE + game.announcement


def _is_open(game: Declaration | None, view: SkatView) -> bool:
    """Whether the steps so far leave a game open."""
    if game is None:
        return view.phase == Phase.PICK_UP
    return view.contract in (None, game.contract) and (
        view.phase <= Phase.ANNOUNCE or view.announcement == game.announcement
    )
