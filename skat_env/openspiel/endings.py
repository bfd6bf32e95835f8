"""Endings of the cardplay as games of OpenSpiel."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyspiel
from open_spiel.python.algorithms import gambit

from skat_env._position import StateMethods, ViewMethods
from skat_env.beliefs.belief import Belief
from skat_env.errors import OptionError
from skat_env.openspiel.game import OpenSpielGame, spiel_name
from skat_env.openspiel.variant import quoted, require_cardplay, text_of_worlds
from skat_env.options import Count, check_list, checked_options, shown
from skat_env.protocols import Game, State, View, World
from skat_env.registry import game_of

MAX_TRICKS: Final = 4
"""The default of `max_tricks`: with five tricks a world of Skat has up to 1.7 million lines of play."""
MAX_WORLDS: Final = 1000
"""The default of `max_worlds`."""


@checked_options("an ending")
def ending_game(
    start: object,
    players: str = "seats",
    unit: str = "",
    max_tricks: Count = MAX_TRICKS,
    max_worlds: Count = MAX_WORLDS,
) -> OpenSpielGame:
    """A position or an information set near the end as a game of OpenSpiel, small enough for its exact algorithms.

    Chance draws a world; the seats then know what their views of it tell them, and play on.

    Args:
        start: a list of `World`, with weights; a `View`: all its worlds, equally likely; or a `State`, alone.
        players: `seats`, or `sides`: two players, whose seats see each other's cards.
        unit: the reward unit; empty: the game's first, for sides the one of matches.
        max_tricks: the most tricks that may be left.
        max_worlds: the most worlds.

    Raises:
        OptionError: if there are too many tricks or worlds, none, or a start is no ending.
        UnknownName: if there is no such kind of player or unit.
    """
    worlds = _worlds(start, max_worlds)
    game = _game_of(worlds[0].state)
    for world in worlds:
        if type(world.state) is not game.state:
            raise OptionError(
                f"the worlds of an ending are of one game, not {shown(world.state)} beside {game.name}"
            )
        _require_ending(game, world.state, max_tricks)
    parameters = {"position": quoted(text_of_worlds(worlds)), "players": players, "unit": unit}
    made: OpenSpielGame = pyspiel.load_game(spiel_name(game.name), parameters)
    return made


def _worlds(start: object, limit: int) -> list[World]:
    """The worlds of a start."""
    if isinstance(start, StateMethods):
        return [World(start, 1.0)]  # type: ignore[arg-type]  # states are Positions
    if isinstance(start, ViewMethods):
        return _worlds_of_view(start, limit)  # type: ignore[arg-type]  # views are Positions
    worlds = check_list("an ending", "start", start)
    if not worlds or not all(isinstance(world, World) for world in worlds):
        raise OptionError(f"an ending with start={shown(start)}: expected a State, a View or a list of World")
    return _checked(worlds, limit)


def _checked(worlds: Sequence[World], limit: int) -> list[World]:
    if len(worlds) > limit:
        raise OptionError(f"the ending has {len(worlds):,} worlds, the limit is {limit:,}")
    for world in worlds:
        if not 0 < world.weight < float("inf"):
            raise OptionError(f"the ending has a world of weight {world.weight!r}: expected a number above 0")
    return list(worlds)


def _worlds_of_view(view: View, limit: int) -> list[World]:
    """All worlds of a view, of weight 1.

    In Skat a world leaves open which two of its twelve cards the soloist found. Every state is completed by a generator
    of its own with the same seed: so the soloist found the same cards wherever it holds the same ones, and cannot tell
    these worlds apart.
    """
    belief = Belief(view)
    if belief.count > limit:
        raise OptionError(f"the view allows {belief.count:,} worlds, the limit is {limit:,}")
    rows = np.concatenate([*belief.enumerate()])
    return [World(belief.state(row, np.random.default_rng(0)), 1.0) for row in rows]


def _game_of(state: State) -> Game:
    """The game of a state."""
    game = game_of(state)
    if game is None or not isinstance(state, game.state):
        raise OptionError(f"an ending begins in states of a game, not in {shown(state)}")
    return game


def _require_ending(game: Game, state: State, limit: int) -> None:
    """Raises an OptionError unless at most so many tricks of the cardplay are left."""
    require_cardplay(game, state)
    left = max(cards.bit_count() for cards in state.places[: len(game.seats)])
    if left > limit:
        raise OptionError(
            f"the position '{state.text()}' is no ending: {left} tricks are left, the limit is {limit}"
        )


def native_game(game: OpenSpielGame) -> Any:
    """The tree of a small game as one of OpenSpiel's own in C++, for long runs of its solvers.

    Values, players and information sets are the same, and an iteration of CFR is a hundred times faster; but actions
    are numbered anew by OpenSpiel, and an information set's name is the number of the player and its text.
    """
    return pyspiel.load_efg_game(gambit.export_gambit(game))
