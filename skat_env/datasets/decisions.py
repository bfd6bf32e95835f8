"""The decisions of recorded games as rows to train on: found by C loops, replayed and encoded when they are asked for.

    decisions = Decisions(Dataset("games"))
    encoder = get_encoder("skat.suit_soloist")
    found = decisions.find(encoder)
    batch = found[rng.integers(len(found), size=2048)]
    features = decisions.rows(encoder, batch["game"], batch["step"])
    actions = batch["action"]
    values = decisions.outcomes().returns[batch["game"], batch["seat"]]

Data to train on and data to test with are split by games, `find(encoder, games)`, never by decisions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env._encoder import Encoder
from skat_env.datasets._decisions import DECISION, Games
from skat_env.datasets.dataset import Dataset, Shard, Verdict
from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import State
from skat_env.records import Status

__all__ = ["DECISION", "Decisions", "Outcomes"]
_ABORTED: Final = tuple(Status).index(Status.ABORTED)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the games ended."""

    returns: NDArray[np.int32]
    """int32 [games, seats] in a reward unit, claims settled; 0 for a game that was broken off."""
    declarer: NDArray[np.int8]
    """int8 [games]: the seat that chose the game; -1: nobody."""
    contract: NDArray[np.int8]
    """int8 [games]: what it chose, in Skat a `Contract`, in Klaverjas the trump suit; -1: nothing."""


class Decisions:
    """The decisions of a dataset or of one of its files; games have the numbers that they have there.

    All games are replayed and checked once when it is made. The actions stay in the files, mapped into memory.

    Raises:
        ParseError: if a game is not one by the rules.
    """

    def __init__(self, source: Dataset | Shard) -> None:
        self.game = source.game
        shards = list(source.shards()) if isinstance(source, Dataset) else [source]
        starts: list[State] = []
        kinds: list[NDArray[np.uint32]] = []
        for shard in shards:
            _require_legal(shard)
            kinds.append(np.asarray(shard.rows.column("start"), np.uint32) + np.uint32(len(starts)))
            starts += shard.rows.templates
        self._status = _joined((shard.rows.column("status") for shard in shards), np.uint8)
        self._claim = _joined((shard.rows.column("claim") for shard in shards), np.int8)
        self._games = Games(
            starts,
            _joined(kinds, np.uint32),
            _joined((shard.rows.column("low") for shard in shards), np.uint32),
            _joined((shard.rows.column("high") for shard in shards), np.uint32),
            _joined((shard.rows.column("length") for shard in shards), np.uint8),
            [np.asarray(shard.arrays["actions"]) for shard in shards],
        )

    def __len__(self) -> int:
        """The number of games."""
        return len(self._status)

    def find(self, encoder: Encoder | None = None, games: ArrayLike | None = None) -> NDArray[np.void]:
        """The decisions that an encoder reads for the seat to act: `DECISION` [n], in the order of the games.

        Games that were broken off are left out; of claimed ones what was played counts.

        Args:
            encoder: whose decisions; None: all.
            games: bool [games], which games; None: all.

        Raises:
            ValueError: if `games` has not a mark a game.
        """
        chosen = self._status != _ABORTED
        if games is not None:
            marks = np.asarray(games, np.bool_)
            if marks.shape != chosen.shape:
                raise ValueError(f"got marks {list(marks.shape)} for {len(self)} games")
            chosen &= marks
        return self._games.decisions(chosen.view(np.uint8), encoder)

    def rows(
        self,
        encoder: Encoder,
        games: ArrayLike,
        steps: ArrayLike,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Positions of the games, encoded: float32 [n, encoder.width].

        Rows of the same game cost less one after the other, with steps that do not go back.

        Args:
            encoder: of the same game.
            games: int [n], numbers of games.
            steps: int [n], how many actions to replay: 0 .. the game's length, which is its last position.
            seats: int [n], for which seat to encode; None: the one to act.
            out: float32 [n, encoder.width] to write into; None: a new array.

        Raises:
            ValueError: if there is no such game, step or seat, or the encoder does not read the position.
        """
        numbers = np.ascontiguousarray(games, np.int64)
        chosen = np.full(len(numbers), -1) if seats is None else seats
        return self._games.rows(
            encoder,
            numbers,
            np.ascontiguousarray(steps, np.int64),
            np.ascontiguousarray(chosen, np.int64),
            out,
            None,
        )

    def labelled_rows(
        self, encoder: Encoder, games: ArrayLike, steps: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """The same for the seat to act, and the number that the features of each row give every card, uint8 [n, 32]."""
        numbers = np.ascontiguousarray(games, np.int64)
        labels = np.empty((len(numbers), 32), np.uint8)
        labels[:] = np.arange(32, dtype=np.uint8)
        seats = np.full(len(numbers), -1)
        rows = self._games.rows(encoder, numbers, np.ascontiguousarray(steps, np.int64), seats, None, labels)
        return rows, labels

    def places(self, games: ArrayLike, steps: ArrayLike) -> NDArray[np.uint32]:
        """Where the cards of games lie, all of them, at positions: uint32 [n, places], a mask a place.

        Args:
            games: int [n], numbers of games.
            steps: int [n], how many actions to replay.

        Raises:
            ValueError: if there is no such game or step.
        """
        return self._games.places(
            np.ascontiguousarray(games, np.int64), np.ascontiguousarray(steps, np.int64)
        )

    def outcomes(self, unit: str | None = None) -> Outcomes:
        """The results of all games in one of the game's reward units; None: the first.

        Raises:
            UnknownName: if it has no such unit.
        """
        units = self.game.reward_units
        if unit is not None and unit not in units:
            raise UnknownName("reward unit", unit, units)
        return Outcomes(*self._games.outcomes(0 if unit is None else units.index(unit), self._claim))


def _require_legal(shard: Shard) -> None:
    verdicts = shard.check()
    wrong = np.flatnonzero((verdicts == Verdict.BAD_DEAL) | (verdicts == Verdict.ILLEGAL))
    if len(wrong):
        what = "deal" if verdicts[wrong[0]] == Verdict.BAD_DEAL else "actions"
        raise ParseError(f"{shard.path}: the {what} of its game {wrong[0]} cannot be by the rules")


def _joined(columns: Iterable[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(np.asarray(column, dtype) for column in columns)])
