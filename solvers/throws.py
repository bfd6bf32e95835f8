"""Throws and gifts over many games: how often players give won positions away, and are given lost ones.

A position is won for a side if it wins with open cards and perfect play. A throw is a card after which it is lost; to
every player of the other side it is a gift.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from skat_env.match.statistics import Ratio, ratio
from skat_env.solvers.review import Review, reviewed_game
from skat_env.tools.json_file import finite

ALL: Final = "(all)"
"""The name of a group of all agents, roles or tricks."""

Key = tuple[str, str, str]
"""The agent, the role and the trick."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened."""

    chances: int
    """How often it could have happened."""
    times: int
    share: Ratio | None
    """`times` out of `chances`, with its 95% interval, in which games are independent, not cards; None: no chance."""


@dataclass(frozen=True, slots=True)
class ThrowRow:
    """Throws and gifts of a group."""

    agent: str
    role: str
    """The side, as the game names it."""
    trick: str
    """From `1`."""
    thrown: Rate
    """Of won positions in which the agent had a choice of cards, those that it threw away."""
    given: Rate
    """Of lost positions in which an opponent had a choice, those that it gave away."""


class Throws:
    """Counts throws and gifts, review by review; all of one game.

    Raises:
        ValueError: if the reviews are of different games.
    """

    def __init__(self) -> None:
        self.game: str | None = None
        self.games = 0
        # By key: by game, chances and times of throws, then of gifts.
        self._counts: defaultdict[Key, defaultdict[int, list[int]]] = defaultdict(
            lambda: defaultdict(lambda: [0, 0, 0, 0])
        )

    def add(self, review: Review) -> None:
        """Counts a game."""
        game = review.record.game
        if self.game not in (None, game):
            raise ValueError(f"a table of throws is of one game: found {self.game} and {game}")
        self.game = game
        for key, place, happened in _events(review):
            for group in _groups(*key):
                counts = self._counts[group][self.games]
                counts[place] += 1
                counts[place + 1] += happened
        self.games += 1

    def rows(self) -> list[ThrowRow]:
        """All groups: first of all agents, then agent by agent in the order of their cards; all tricks, then each."""
        order = {ALL: 0}
        by_cards = sorted(
            (-sum(counts[0] for counts in games.values()), agent)
            for (agent, role, trick), games in self._counts.items()
            if role == trick == ALL and agent != ALL
        )
        for _, agent in by_cards:
            order[agent] = len(order)
        roles = (ALL, *reviewed_game(self.game).sides) if self.game is not None else ()

        def place(key: Key) -> tuple[int, int, int]:
            agent, role, trick = key
            return order[agent], roles.index(role), 0 if trick == ALL else int(trick)

        return [
            ThrowRow(*key, _rate(self._counts[key], 0), _rate(self._counts[key], 2))
            for key in sorted(self._counts, key=place)
        ]

    def as_json(self) -> dict[str, Any]:
        """The rows as values that JSON can hold."""
        rows = [asdict(row) for row in self.rows()]
        return finite({"game": self.game, "games": self.games, "rows": rows})  # type: ignore[no-any-return]


def _events(review: Review) -> Iterator[tuple[Key, int, bool]]:
    """(agent, role and trick; 0 for a chance to throw, 2 for one to be given; whether it happened), card by card.

    All agents together, and an agent with several seats of the side that is given something, are given it once.
    """
    sides, agents = reviewed_game(review.record.game).sides, review.record.agents
    position = review.state.clone()
    for _ in review.cards:
        position.undo()
    for card in review.cards:
        acting = position.side(card.seat)
        others = {agents[seat] for seat in range(len(agents)) if position.side(seat) != acting}
        has_choice = len(position.legal_actions()) > 1
        position.apply(card.card)
        if has_choice and card.wins_before == (acting == 0):
            for agent in (agents[card.seat], ALL):
                yield (agent, sides[acting], str(card.trick)), 0, card.turns
            for agent in (*others, ALL):
                yield (agent, sides[1 - acting], str(card.trick)), 2, card.turns


def _groups(agent: str, role: str, trick: str) -> Iterator[Key]:
    """The groups of an agent in which something counts."""
    for its_role in (role, ALL):
        for its_trick in (trick, ALL):
            yield agent, its_role, its_trick


def _rate(games: dict[int, list[int]], place: int) -> Rate:
    chances, times = (np.array([counts[place + number] for counts in games.values()]) for number in (0, 1))
    share = ratio(times, chances) if chances.any() else None
    return Rate(int(chances.sum()), int(times.sum()), share)
