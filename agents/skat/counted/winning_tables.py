"""Winning probabilities of hands, looked up by features: P_w of Edelkamp 2020, section 3.

A table is perfectly addressed: the features of a hand make one number, which is found in a sorted array by binary
search; `_winning_lookup.pyx` looks up the same in arrays in C. Each entry counts games and how many of them were won.
Where it has few, it leans on the entry of the first features alone, and so on: an estimate is (won + pseudo * wider) /
(games + pseudo). That of the first feature leans on a loss by few games; a hand whose first feature was not seen counts
as lost: nobody declares it, even at random.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.counted._winning_lookup import WinningLookup
from skat_env.agents.skat.counted.counts_file import joined_parts, load_counts, save_counts
from skat_env.agents.skat.counted.winning_features import (
    FEATURES,
    GAPS,
    LEAST_ODDS,
    NULL_CLASSES,
    PER_ODDS,
    Ints,
    Masks,
    kind_of,
    leading,
    rest,
)
from skat_env.agents.skat.rule.best_discards import BestDiscards, try_discards
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.errors import ParseError
from skat_env.skat.rules import Contract

VERSION: Final = 2
"""The version of the features; tables of another version are refused."""
PARTS: Final = ("address", "games", "won")
"""The arrays of a table, in the order of `Counts`."""
LEAST_GAMES: Final = 3
"""The games from which an address has an entry: those of fewer are half of all, and say next to nothing."""
OUTCOMES: Final = ("won", "schneider")
"""What is counted: 61 points and more for the soloist (null: no trick), and 90 points and more (not in null games)."""
DEPTHS: Final = {"suit": (1, 2, 3, 5, 7, 8, 9), "grand": (1, 2, 4, 5, 6, 7), "null": (1, 2, 3, 4, 5)}
"""The numbers of leading features of a kind's tables, the widest first; the last but one lacks the bid alone."""
FIRST: Final = {"suit": 5, "grand": 4, "null": 2}
"""The number of leading features that address the arrays of `WinningLookup` first."""

Floats = NDArray[np.float64]


def table_names() -> dict[str, tuple[str, int]]:
    """The kind of game and the depth of each table by its name; `hand` and `ouvert` games have tables of their own."""
    names = {}
    for kind in FEATURES:
        for variant in variants(kind):
            for depth in DEPTHS[kind]:
                names[f"{variant}_{depth}"] = (kind, depth)
    return names


def variants(kind: str) -> tuple[str, ...]:
    """The variants of a kind of game: with the skat and by hand; null also ouvert."""
    plain = (kind, f"{kind}_hand")
    return (*plain, "null_ouvert", "null_ouvert_hand") if kind == "null" else plain


def variant_of(contract: int, ouvert: bool, hand: bool) -> str:
    """The variant of a declared game."""
    ouvert = ouvert and contract == Contract.NULL
    return kind_of(contract) + "_ouvert" * ouvert + "_hand" * hand


@dataclass(frozen=True)
class Counts:
    """The games of one table, an entry for each address that was seen often enough."""

    address: Ints
    """int64 [n], ascending."""
    games: Ints
    """int64 [n]."""
    won: Ints
    """int64 [n, outcomes]."""

    @classmethod
    def of(cls, address: Ints, outcomes: NDArray[np.bool_]) -> Self:
        """Counts games by address, with their outcomes as bool [n, outcomes]; `LEAST_GAMES` make an entry."""
        unique, inverse = np.unique(address, return_inverse=True)
        games = np.bincount(inverse, minlength=len(unique))
        won = np.stack(
            [np.bincount(inverse[outcomes[:, at]], minlength=len(unique)) for at in range(outcomes.shape[1])],
            axis=1,
        )
        kept = games >= LEAST_GAMES
        return cls(unique[kept], games[kept].astype(np.int64), won[kept].astype(np.int64))

    def find(self, address: Ints) -> tuple[Ints, Ints]:
        """The games and the wins at each address, [n] and [n, outcomes]; zeros where none was seen."""
        if not len(self.address):
            return np.zeros(len(address), np.int64), np.zeros((len(address), len(OUTCOMES)), np.int64)
        at = np.minimum(np.searchsorted(self.address, address), len(self.address) - 1)
        seen = self.address[at] == address
        return np.where(seen, self.games[at], 0), np.where(seen[:, None], self.won[at], 0)


@dataclass(frozen=True)
class WinningTables:
    """Winning probabilities by the names of `table_names`."""

    counts: Mapping[str, Counts]
    pseudo: float
    """How many games of the wider entry are added to an entry."""
    _lookups: dict[str, WinningLookup] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lookups": {}}

    def chances(
        self,
        contract: int,
        hands: Masks,
        skats: Masks | None,
        forehand: bool,
        ouvert: bool = False,
        *,
        outcome: int = 0,
        practical: bool = False,
    ) -> Floats:
        """The chances of an outcome if the bids of the others are not known, float64 [n].

        Args:
            contract: one of `Contract`.
            hands: uint32 [n], the ten cards before the first is played.
            skats: uint32 [n], the two discards; None: hand games.
            forehand: whether the soloist is in forehand.
            ouvert: whether a null game is ouvert.
            outcome: the index of the outcome in `OUTCOMES`.
            practical: whether a discarded trump counts as a lost game where two plain cards could be discarded.
        """
        chances = np.empty(len(hands))
        lookup = self._lookup(variant_of(contract, ouvert, skats is None))
        lookup.look_up(contract, hands, skats, forehand, ouvert, outcome, practical, chances)
        return chances

    def wins(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning the trump games D H S C grand, [5, n]; `skats` is None for hand games.

        They are 0 with impractical discards: a trump where two plain cards could be discarded.
        """
        return np.stack(
            [self.chances(contract, hands, skats, forehand, practical=True) for contract in range(5)]
        )

    def schneiders(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of reaching 90 points, [5, n]; 0 with impractical discards."""
        return np.stack(
            [
                self.chances(contract, hands, skats, forehand, outcome=1, practical=True)
                for contract in range(5)
            ]
        )

    def nulls(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning null and null ouvert, [2, n]."""
        null = int(Contract.NULL)
        return np.stack([self.chances(null, hands, skats, forehand, ouvert) for ouvert in (False, True)])

    def best_discards(self, hand: int, forehand: bool) -> BestDiscards:
        """The best discards of ten cards."""
        return try_discards(self, hand, forehand)

    def at(self, variant: str, address: Ints, bids: bool = True) -> Floats:
        """The chances at full addresses of a variant, float64 [n, outcomes].

        Args:
            variant: one of `variants`.
            address: int64 [n].
            bids: whether the addresses know the bids of the others.
        """
        kind = variant.split("_")[0]
        return self._blended(variant, address, DEPTHS[kind] if bids else DEPTHS[kind][:-1])

    def _blended(self, variant: str, address: Ints, depths: tuple[int, ...]) -> Floats:
        """The chances at full addresses by the tables of some depths, the widest first."""
        kind = variant.split("_")[0]
        chances = np.zeros((len(address), len(OUTCOMES)))
        pseudo = float(LEAST_GAMES)
        for depth in depths:
            games, won = self.counts[f"{variant}_{depth}"].find(leading(kind, address, depth))
            chances = (won + pseudo * chances) / (games + pseudo)[:, None]
            pseudo = self.pseudo
        return chances

    def _lookup(self, variant: str) -> WinningLookup:
        """The chances of a variant without the bids, made on first use."""
        if variant not in self._lookups:
            kind = variant.split("_")[0]
            known = DEPTHS[kind].index(FIRST[kind]) + 1
            inside, by_bid = rest(kind, FIRST[kind]), list(FEATURES[kind].values())[-1]
            first = np.arange(rest(kind, 0) // inside)
            wide = self._blended(variant, first * inside, DEPTHS[kind][:known])
            seen = self.counts[f"{variant}_{FIRST[kind]}"].address
            block = np.full(len(first), -1, np.int32)
            block[seen] = np.arange(len(seen))
            every = (seen[:, None] * inside + np.arange(0, inside, by_bid)).ravel()
            blocks = self._blended(variant, every, DEPTHS[kind][:-1])
            win = EVALUATOR.win
            self._lookups[variant] = WinningLookup(
                np.ascontiguousarray(wide.T),
                block,
                np.ascontiguousarray(blocks.T).reshape(len(OUTCOMES), len(seen), inside // by_bid),
                (win.plain, win.trump, win.jacks, win.length, win.constant, win.skat_points),
                EVALUATOR.null,
                NULL_CLASSES,
                GAPS,
                LEAST_ODDS,
                PER_ODDS,
            )
        return self._lookups[variant]

    def save(self, folder: Path, details: Mapping[str, Any]) -> None:
        """Writes the tables as a checkpoint; `details` are kept for people and tools."""
        arrays = joined_parts(self.counts, PARTS)
        save_counts(folder, "winning", VERSION, self.pseudo, arrays, details)

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Loads the tables of a checkpoint, by name or path.

        Raises:
            UnknownName: if there is no such checkpoint.
            ParseError: if it is damaged, of another version, or holds no winning probabilities.
        """
        file = load_counts(name, "winning", VERSION)
        tables = {}
        for table, (kind, depth) in table_names().items():
            counts = Counts(*file.parts(table, PARTS))
            if (
                counts.games.shape != counts.address.shape
                or counts.won.shape != (len(counts.address), len(OUTCOMES))
                or np.any(np.diff(counts.address) <= 0)
                or counts.address.max(initial=0) >= rest(kind, 0) // rest(kind, depth)
                or np.any(counts.won > counts.games[:, None])
            ):
                raise ParseError(f"{file.path}: table '{table}' has counts that do not fit together")
            tables[table] = counts
        return cls(tables, file.pseudo)
