"""Opening tables: which cards to lead, to cut with and to drop, looked up by what is held (Edelkamp 2020, section 4).

All tables are perfectly addressed. Of trumps, the pattern of those in hand tells the card: 2^11 patterns in suit
games, 2^4 in grand; D1^I and D2^I for the first lead and later ones, D1^C and D2^C for the first cut and later ones. Of
a plain suit, each rank is hidden, in hand or gone, 3^7 holdings; the chance of the best card is the priority of the
suit (D^O, 1 to 10), that card is the one to play (D^S), and where the ace is held, the chances of the others are those
of under-ace play. Two small tables tell whether a trump is the card at all. The soloist and the opponents have tables
of their own.

An entry counts games: which card was played, and, in games marked by open cards, which cards were among the best. An
entry with too few games is left out of the file; the player falls back on a rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.counted.counts_file import joined_parts, load_counts, save_counts
from skat_env.agents.skat.expert._openings import SHAPES, Openings
from skat_env.errors import ParseError

VERSION: Final = 1
"""The version of the addresses; tables of another version are refused."""
PARTS: Final = ("entry", "games", "played", "marked", "best")
"""The arrays of a family of tables."""
Source = Literal["both", "marked", "played"]
"""What a chance is taken from: marks by open cards, or what the players played."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class FamilyCounts:
    """The entries of a family of tables that have games enough, a row each."""

    entry: Ints
    """int64 [n], ascending: the number of the table times the entries of a table, plus the address."""
    games: Ints
    """int64 [n]: how often the situation was met."""
    played: Ints
    """int64 [n, choices]: how often each choice was played."""
    marked: Ints
    """int64 [n]: how often it was met with marks that tell the choices apart."""
    best: Ints
    """int64 [n, choices]: how often each choice was among the best of them."""

    def chances(self, shape: tuple[int, int, int], source: Source, least: float) -> Floats:
        """The chance of each choice, float32 [tables, entries, choices]; -1 where fewer games than `least` tell it."""
        if source == "both":
            marked, played = (self.chances(shape, one, least) for one in ("marked", "played"))
            return np.where((marked >= 0) & (played >= 0), (marked + played) / 2, np.maximum(marked, played))
        games, chosen = (self.marked, self.best) if source == "marked" else (self.games, self.played)
        known = games >= max(least, 1)
        chances = np.full((shape[0] * shape[1], shape[2]), -1, np.float32)
        chances[self.entry[known]] = chosen[known] / games[known, None]
        return chances.reshape(shape)


@dataclass(frozen=True)
class OpeningTables:
    """Opening tables by the families of `SHAPES`."""

    counts: Mapping[str, FamilyCounts]
    least: float
    """The number of games that an entry needs."""

    def for_play(self, source: Source = "marked") -> Openings:
        """The chances as players read them."""
        chances = {
            name: self.counts[name].chances(shape, source, self.least) for name, shape in SHAPES.items()
        }
        return Openings(
            chances["trump"], chances["suit"], chances["lead_trump"][:, :, 0], chances["cut"][:, :, 0]
        )

    def save(self, folder: Path, details: Mapping[str, Any]) -> None:
        """Writes the tables as a checkpoint; `details` are kept for people and tools."""
        arrays = joined_parts(self.counts, PARTS)
        save_counts(folder, "openings", VERSION, self.least, arrays, details)

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Loads the tables of a checkpoint, by name or path.

        Raises:
            UnknownName: if there is no such checkpoint.
            ParseError: if it is damaged, of another version, or holds no opening tables.
        """
        file = load_counts(name, "openings", VERSION)
        counts = {}
        for family, (tables, entries, choices) in SHAPES.items():
            found = FamilyCounts(*file.parts(family, PARTS))
            n = found.entry.size
            if (
                any(array.shape != (n,) for array in (found.entry, found.games, found.marked))
                or any(array.shape != (n, choices) for array in (found.played, found.best))
                or np.any(np.diff(found.entry) <= 0)
                or (n and found.entry[-1] >= tables * entries)
                or np.any(found.played > found.games[:, None])
                or np.any(found.best > found.marked[:, None])
            ):
                raise ParseError(f"{file.path}: the tables '{family}' have counts that do not fit together")
            counts[family] = found
        return cls(counts, file.pseudo)
