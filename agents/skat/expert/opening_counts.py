"""Counts the tables of `openings.py` in recorded games; the part `openings` of Skat."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.expert._openings import SHAPES, Family, OpeningCounter
from skat_env.agents.skat.expert.openings import FamilyCounts, OpeningTables
from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError
from skat_env.skat.rules import Contract
from skat_env.tools.progress import progress_bar

_UNMARKED: Final = np.zeros(64, np.float32)


@dataclass(frozen=True, slots=True)
class Games:
    """Suit games and grands of a dataset."""

    dataset: Dataset
    game: NDArray[np.int64]
    """int64 [n]: their numbers in the dataset."""

    def __len__(self) -> int:
        return len(self.game)

    def part(self, chosen: NDArray[np.bool_]) -> Self:
        """The chosen games, bool [n]."""
        return type(self)(self.dataset, self.game[chosen])

    def decisions(self) -> Iterator[tuple[Any, int, NDArray[np.float32]]]:
        """Yields (position, card played, marks float32 [64]) for each decision of the cardplay; marks may be all 0.

        Raises:
            ParseError: if a game's searches are not marks by open cards, which give all best cards the same weight.
        """
        with progress_bar("games", len(self)) as advance:
            for done, game in enumerate(self.game.tolist()):
                state: Any = self.dataset.state(game)
                cards = state.history()[-len(state.plays()) :]
                first = len(state.history()) - len(cards)
                searches = self.dataset.searches(game)
                for _ in cards:
                    state.undo()
                for step, card in enumerate(cards, start=first):
                    marks = _UNMARKED
                    weights = None if searches is None else searches.weights(step)
                    if weights is not None:
                        if np.ptp(weights[weights > 0]) > 0:
                            raise ParseError(
                                f"game {game} of {self.dataset.folder} has weights of a player, expected marks by open "
                                'cards: generate it with --mark "pimc(worlds=1, belief=cheating, ties=false)"'
                            )
                        marks = np.zeros(64, np.float32)
                        marks[state.legal_actions()] = weights
                    yield state, card, marks
                    state.apply(card)
                if done % 1000 == 0:
                    advance(done)


def read_starts(dataset: Dataset) -> Games:
    """The suit games and grands of a dataset in which cards were played, claimed and aborted ones among them."""
    chosen = []
    for game in range(len(dataset)):
        state: Any = dataset.state(game)
        if state.contract is not None and state.contract != Contract.NULL and len(state.plays()):
            chosen.append(game)
    return Games(dataset, np.array(chosen, np.int64))


def counted(games: Games, least: float) -> OpeningTables:
    """Counts tables; entries with fewer games than `least` are left out."""
    counter = count(games)
    return OpeningTables(
        {name: _enough(getattr(counter, name), SHAPES[name], least) for name in SHAPES}, least
    )


def count(games: Games) -> OpeningCounter:
    """Counts all decisions of some games."""
    counter = OpeningCounter()
    for state, card, marks in games.decisions():
        counter.add(state, card, marks)
    return counter


def figures(tables: OpeningTables, learnt: Games, held_out: Games) -> dict[str, dict[str, float]]:
    """By family of tables: entries, the games that they cover, and how often their first choice is right.

    `test_covered` is the share of the held-out situations that have an entry. `test_played` is the share of the cards
    played there that are the entry's most played one; `test_marked` is the share of the marked situations in which the
    entry's best card is among the best.
    """
    counter = count(held_out)
    found: dict[str, dict[str, float]] = {}
    for name, shape in SHAPES.items():
        kept, seen = tables.counts[name], getattr(counter, name)
        games = seen.games.reshape(-1)[kept.entry].astype(float)
        marked = seen.marked.reshape(-1)[kept.entry].astype(float)
        played = seen.played.reshape(-1, shape[2])[kept.entry]
        best = seen.best.reshape(-1, shape[2])[kept.entry]
        rows = np.arange(len(kept.entry))
        row = {
            "train_entries": float(len(kept.entry)),
            "train_games": float(kept.games.sum()),
            "test_games": float(games.sum()),
            "test_covered": float(games.sum() / max(seen.games.sum(), 1)),
        }
        if shape[2] > 1:
            row["test_played"] = float(played[rows, kept.played.argmax(axis=1)].sum() / max(played.sum(), 1))
            row["test_marked"] = float(best[rows, kept.best.argmax(axis=1)].sum() / max(marked.sum(), 1))
        found[name] = row
    return found


def _enough(family: Family, shape: tuple[int, int, int], least: float) -> FamilyCounts:
    """The entries with games enough, played or marked."""
    games, marked = family.games.reshape(-1), family.marked.reshape(-1)
    entry = np.flatnonzero(np.maximum(games, marked) >= max(least, 1))
    return FamilyCounts(
        entry,
        games[entry].astype(np.int64),
        family.played.reshape(-1, shape[2])[entry].astype(np.int64),
        marked[entry].astype(np.int64),
        family.best.reshape(-1, shape[2])[entry].astype(np.int64),
    )
