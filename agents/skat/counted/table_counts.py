"""Counts the tables of `agents/skat/counted/tables.py` in recorded games; the part `tables` of Skat."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.counted.hand_features import Features, features, groups_of
from skat_env.agents.skat.counted.played_games import played_games
from skat_env.agents.skat.counted.tables import (
    KINDS,
    Counts,
    SkatTables,
    context,
    kind_of,
    player_of,
    shape_of,
    table_name,
    table_names,
)
from skat_env.datasets.dataset import Dataset

SEATS: Final = 3


@dataclass(frozen=True, slots=True)
class Starts:
    """The starts of the cardplay of some games, a row each."""

    game: NDArray[np.int64]
    """[n]: the index in the dataset."""
    kind: NDArray[np.intp]
    """[n]: index into `KINDS`."""
    contract: NDArray[np.intp]
    is_hand: NDArray[np.bool_]
    soloist: NDArray[np.intp]
    bids: NDArray[np.int64]
    """[n, 3]: the highest bids by seat, in points; 0: none."""
    hands: NDArray[np.uint32]
    """[n, 3]: the hands by seat, after the discards."""
    skat: NDArray[np.uint32]
    """[n]: the skat during the cardplay."""

    def __len__(self) -> int:
        return len(self.game)

    def part(self, chosen: NDArray[np.bool_]) -> "Starts":
        """The chosen rows, bool [n]."""
        return Starts(*(getattr(self, field.name)[chosen] for field in fields(self)))


def read_starts(dataset: Dataset) -> Starts:
    """The starts of the cardplay in a dataset, without games that did not reach it or were aborted."""
    rows = []
    for game, state in played_games(dataset):
        kind = KINDS.index(kind_of(state.contract, state.announcement))
        # The soloist keeps those of its twelve cards that it did not discard.
        hands = list(state.dealt[:3])
        hands[state.soloist] = (hands[state.soloist] | state.dealt[3]) & ~state.skat
        facts = (game, kind, state.contract, state.hand_game, state.soloist)
        rows.append((*facts, *state.bids, *hands, state.skat))
    table = np.array(rows, np.int64).reshape(-1, 12)
    ints, masks = table.astype(np.intp), table.astype(np.uint32)
    return Starts(
        table[:, 0],
        ints[:, 1],
        ints[:, 2],
        table[:, 3] > 0,
        ints[:, 4],
        table[:, 5:8],
        masks[:, 8:11],
        masks[:, 11],
    )


def counted(starts: Starts, pseudo: float) -> SkatTables:
    """Counts tables, with pseudo-counts in each context."""
    return SkatTables(count(starts), pseudo)


def count(starts: Starts) -> dict[str, Counts]:
    """The number of hands with each feature, by table."""
    tables = {name: np.zeros(shape_of(*of), np.int64) for name, of in table_names().items()}
    for _, _, observed in _players(starts):
        for name, at, feature in observed:
            np.add.at(tables[name], (*at, feature), 1)
    return tables


def figures(tables: SkatTables, learnt: Starts, held_out: Starts) -> dict[str, dict[str, float]]:
    """The number of hands, and how many bits per hand the tables predict better than random hands (the mean log2
    likelihood), by kind of game and player, for the games counted and for those held out.
    """
    found: dict[str, dict[str, float]] = {}
    for part, starts in (("train", learnt), ("test", held_out)):
        for player, hands, observed in _players(starts):
            row = found.setdefault(player, {})
            bits = sum(float(tables.ratios[name][(*at, feature)].sum()) for name, at, feature in observed)
            row[f"{part}_hands"] = row.get(f"{part}_hands", 0) + hands
            row[f"{part}_bits"] = row.get(f"{part}_bits", 0.0) + bits / float(np.log(2))
        for row in found.values():
            if f"{part}_hands" in row:
                row[f"{part}_bits"] /= row[f"{part}_hands"]
    return found


def _players(starts: Starts) -> Iterator[tuple[str, int, list[tuple[str, tuple[Any, ...], Features]]]]:
    """Yields (kind of game and player, number of hands, [(table, context, feature) of each group of cards]).

    Hands of the same contract and player come together, as arrays [hands].
    """
    deciding = np.stack([starts.kind, starts.contract, starts.is_hand], axis=1)
    for kind, contract, is_hand in np.unique(deciding, axis=0).tolist():
        some = starts.part((deciding == (kind, contract, is_hand)).all(axis=1))
        rows = np.arange(len(some))
        winning = some.bids[rows, some.soloist]
        for after in range(SEATS):
            seats = (some.soloist + after) % SEATS
            player = player_of(after == 0, bool(is_hand))
            skats = some.skat if player == "soloist" else None
            observed = []
            for group in groups_of(contract):
                at = context(player, group, winning, some.bids[rows, seats], seats)
                feature = features(group, some.hands[rows, seats], skats)
                observed.append((table_name(KINDS[kind], player, group), at, feature))
            yield f"{KINDS[kind]}_{player}", len(some), observed
