"""Counts the tables of `winning_tables.py` in recorded games; the part `winning` of Skat."""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.counted.played_games import played_games
from skat_env.agents.skat.counted.winning_features import Ints, addresses, features, kind_of, leading
from skat_env.agents.skat.counted.winning_tables import (
    OUTCOMES,
    Counts,
    WinningTables,
    table_names,
    variant_of,
)
from skat_env.datasets.dataset import Dataset
from skat_env.skat.rules import FOREHAND, Announcement

BINS: Final = 10
"""The classes of chances in which tables are compared with what happened."""
MIN_GAMES: Final = 500
"""Games from which a class counts for the largest miss."""


@dataclass(frozen=True, slots=True)
class Games:
    """Games with a soloist, a row each."""

    game: NDArray[np.int64]
    """[n]: the index in the dataset."""
    contract: NDArray[np.intp]
    ouvert: NDArray[np.bool_]
    is_hand: NDArray[np.bool_]
    soloist: NDArray[np.intp]
    bid: NDArray[np.int64]
    """[n]: the highest bid of the other two in points; 0: none."""
    hand: NDArray[np.uint32]
    """[n]: the soloist's ten cards after the discards."""
    skat: NDArray[np.uint32]
    outcomes: NDArray[np.bool_]
    """[n, outcomes]: whether each of `OUTCOMES` happened: by the cards taken alone, those claimed among them, whatever
    was bid or announced.
    """

    def __len__(self) -> int:
        return len(self.game)

    def part(self, chosen: NDArray[np.bool_]) -> "Games":
        """The chosen rows, bool [n]."""
        return Games(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def by_variant(self) -> dict[str, tuple[str, Ints, NDArray[np.bool_]]]:
        """The kind of game, the addresses and the outcomes by variant."""
        found: dict[str, list[tuple[str, Ints, NDArray[np.bool_]]]] = {}
        deciding = np.stack([self.contract, self.ouvert, self.is_hand], axis=1)
        for contract, ouvert, is_hand in np.unique(deciding, axis=0).tolist():
            some = self.part((deciding == (contract, ouvert, is_hand)).all(axis=1))
            kind = kind_of(contract)
            rows = features(
                contract,
                some.hand,
                None if is_hand else some.skat,
                some.soloist == FOREHAND,
                some.bid,
                bool(ouvert),
            )
            of = (kind, addresses(kind, rows), some.outcomes)
            found.setdefault(variant_of(contract, bool(ouvert), bool(is_hand)), []).append(of)
        return {
            variant: (
                parts[0][0],
                np.concatenate([address for _, address, _ in parts]),
                np.concatenate([outcomes for _, _, outcomes in parts]),
            )
            for variant, parts in found.items()
        }


def read_starts(dataset: Dataset) -> Games:
    """The games of a dataset that had a soloist and were not aborted; a claim gives the rest of the tricks.

    Games with schwarz or ouvert announced, but for null, are left out: they end with the first trick that is lost, so
    that nobody knows what all cards would have brought.
    """
    rows = []
    claims = dataset.column("claim").tolist()
    for game, state in played_games(dataset):
        null = state.kind == "null"
        if null or state.announcement < Announcement.SCHWARZ:
            claim = claims[game]
            result = state.result(None if claim < 0 else bool(claim))
            hand = (state.dealt[state.soloist] | state.dealt[3]) & ~state.skat
            others = max(bid for seat, bid in enumerate(state.bids) if seat != state.soloist)
            # Who resigns a null game has lost it without a trick.
            won = result.tricks == 0 and claim != 0 if null else result.card_points >= 61
            rows.append((
                game, state.contract, null and state.announcement == Announcement.OUVERT, state.hand_game,
                state.soloist, others, hand, state.skat, won, not null and result.card_points >= 90,
            ))  # fmt: skip
    table = np.array(rows, np.int64).reshape(-1, 8 + len(OUTCOMES))
    return Games(
        table[:, 0],
        table[:, 1].astype(np.intp),
        table[:, 2] > 0,
        table[:, 3] > 0,
        table[:, 4].astype(np.intp),
        table[:, 5],
        table[:, 6].astype(np.uint32),
        table[:, 7].astype(np.uint32),
        table[:, 8:] > 0,
    )


def counted(games: Games, pseudo: float) -> WinningTables:
    """Counts tables; each entry is given some games of the wider one."""
    empty = (np.empty(0, np.int64), np.empty((0, len(OUTCOMES)), np.bool_))
    found = {variant: (address, outcomes) for variant, (_, address, outcomes) in games.by_variant().items()}
    counts = {}
    for name, (kind, depth) in table_names().items():
        address, outcomes = found.get(name.rpartition("_")[0], empty)
        counts[name] = Counts.of(leading(kind, address, depth), outcomes)
    return WinningTables(counts, pseudo)


def figures(tables: WinningTables, learnt: Games, held_out: Games) -> dict[str, dict[str, float]]:
    """By variant and outcome: games counted and held out, Brier scores, and the miss of each class of chances.

    `test_brier` is the score of the tables on the held-out games, `test_brier_mean` that of their mean alone.
    `test_class_05` to `test_class_95` are the mean chance less the share that happened, of classes with enough games;
    `test_largest_miss` is the largest of them without its sign.
    """
    counted_games = {variant: len(address) for variant, (_, address, _) in learnt.by_variant().items()}
    found: dict[str, dict[str, float]] = {}
    for variant, (kind, address, outcomes) in held_out.by_variant().items():
        chances = tables.at(variant, address)
        for at, outcome in enumerate(OUTCOMES):
            if kind == "null" and outcome == "schneider":
                continue
            happened = outcomes[:, at].astype(float)
            row = {
                "train_games": float(counted_games.get(variant, 0)),
                "test_games": float(len(address)),
                "test_brier": float(np.mean((chances[:, at] - happened) ** 2)),
                "test_brier_mean": float(np.var(happened)),
            }
            misses = calibration(chances[:, at], happened)
            row |= {
                f"test_class_{100 * (number + 0.5) / BINS:02.0f}": miss for number, miss in misses.items()
            }
            if misses:
                row["test_largest_miss"] = max(map(abs, misses.values()))
            found[f"{variant}_{outcome}"] = row
    return found


def calibration(chances: NDArray[np.float64], happened: NDArray[np.float64]) -> dict[int, float]:
    """The mean chance less the share that happened, by class of chances, where there are enough games."""
    classes = np.minimum((chances * BINS).astype(np.intp), BINS - 1)
    return {
        number: float(np.mean(chances[chosen]) - np.mean(happened[chosen]))
        for number in range(BINS)
        if np.count_nonzero(chosen := classes == number) >= MIN_GAMES
    }
