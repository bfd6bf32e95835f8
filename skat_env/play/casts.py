"""Casts: which agent sits at which seat. One agent has all seats of a team, which win and lose together."""

import itertools
from collections.abc import Sequence
from typing import Final, Literal

from skat_env.protocols import Game, State
from skat_env.registry import get_game

Mode = Literal["all-seats", "alone", "swapped", "mirrored", "mixed"]
MODES: Final[tuple[Mode, ...]] = ("all-seats", "alone", "swapped", "mirrored", "mixed")
WHOLE_GAMES: Final = ("all-seats", "alone")
"""The modes whose games begin with the deal; the others begin with the cardplay."""
Cast = tuple[str, ...]
"""The agents' names, by seat or by team; teams are counted from the declarer's."""


def pair_casts(game: str, pair: tuple[str, str], mode: Mode) -> list[Cast]:
    """The casts that compare two agents: by seat in whole games, else by team, counted from the declarer's."""
    teams = len(get_game(game).teams)
    if mode == "alone":
        return [team_cast(game, [pair[team != alone] for team in range(teams)]) for alone in range(teams)]
    if mode in ("swapped", "mirrored"):
        sides = itertools.permutations(pair) if mode == "swapped" else itertools.product(pair, repeat=2)
        return [(first, *[others] * (teams - 1)) for first, others in sides]
    shares = itertools.product(pair, repeat=teams)
    if mode == "mixed":
        return list(shares)
    return [team_cast(game, share) for share in shares if len(set(share)) > 1]


def team_cast(game: str, by_team: Sequence[str]) -> Cast:
    """The cast by seat when each team is one agent."""
    names = [(seat, name) for team, name in zip(get_game(game).teams, by_team, strict=True) for seat in team]
    return tuple(name for _, name in sorted(names))


def declaring_team(game: Game, state: State) -> int:
    """The number of the declarer's team."""
    return next(team for team, seats in enumerate(game.teams) if state.side(seats[0]) == 0)


def seat_cast(game: Game, state: State, cast: Cast) -> Cast:
    """The cast by seat, from a cast by team that counts from the declarer's."""
    first = declaring_team(game, state)
    return team_cast(game.name, [cast[(team - first) % len(cast)] for team in range(len(cast))])


def declarer_cast(game: Game, state: State, agents: Cast) -> Cast:
    """The cast by team, counted from the declarer's, from a cast by seat."""
    first, teams = declaring_team(game, state), game.teams
    return tuple(agents[teams[(first + number) % len(teams)][0]] for number in range(len(teams)))
