"""The decisions of recorded games as rows to train on: found by C loops, replayed and encoded on demand.

    decisions = Decisions(Dataset("games"))
    encoder = get_encoder("skat.suit_soloist")
    found = decisions.find(encoder)
    batch = found[rng.integers(len(found), size=2048)]
    features = decisions.rows(encoder, batch["game"], batch["step"])
    actions = batch["action"]
    values = decisions.outcomes().returns[batch["game"], batch["seat"]]

Split training and test data by games, `find(encoder, games)`, never by decisions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env._encoder import Encoder
from skat_env.datasets._decisions import DECISION, Games
from skat_env.datasets.dataset import Dataset, Shard, Verdict
from skat_env.errors import ParseError
from skat_env.options import check_array
from skat_env.protocols import State
from skat_env.records import Status

__all__ = ["DECISION", "Decisions", "Outcomes"]
_ABORTED: Final = tuple(Status).index(Status.ABORTED)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The results of all games."""

    returns: NDArray[np.int32]
    """int32 [games, seats]: the results in a reward unit, claims settled; 0 if a game was broken off."""
    declarer: NDArray[np.int8]
    """int8 [games]: the seat that declared; -1: nobody."""
    contract: NDArray[np.int8]
    """int8 [games]: what it declared, in Skat a `Contract`, in Klaverjas the trump suit; -1: nothing."""


class Decisions:
    """The decisions of a dataset or of one of its files; games keep their numbers there.

    The constructor replays and checks all games once. The actions stay in the files, mapped into memory.

    Raises:
        ParseError: if a game breaks the rules.
    """

    def __init__(self, source: Dataset | Shard) -> None:
        self.game = source.game
        self._source = source
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

    def __reduce__(self) -> Any:
        return Decisions, (self._source,)

    def __len__(self) -> int:
        """The number of games."""
        return len(self._status)

    def find(self, encoder: Encoder | None = None, games: ArrayLike | None = None) -> NDArray[np.void]:
        """The decisions that an encoder can encode for the seat to act: `DECISION` [n], in the order of the games.

        Games that were broken off are left out; claimed games count as far as they were played.

        Args:
            encoder: the encoder; None: all decisions.
            games: bool [games], the games to include; None: all.

        Raises:
            ValueError: if the length of `games` is not the number of games.
        """
        chosen = self._status != _ABORTED
        if games is not None:
            marks = np.asarray(games)
            if marks.shape != chosen.shape or marks.dtype != np.bool_:
                raise ValueError(
                    f"games of shape {list(marks.shape)} and type {marks.dtype}: expected bool [{len(self)}]"
                )
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

        Consecutive rows of the same game with ascending steps are cheapest.

        Args:
            encoder: an encoder of the same game.
            games: int [n], the numbers of the games.
            steps: int [n], the number of actions to replay, 0 to the length of the game.
            seats: int [n], the seats to encode for; None: the seat to act.
            out: float32 [n, encoder.width] to write into; None: a new array.

        Raises:
            ValueError: if there is no such game, step or seat, or the encoder cannot encode the position.
        """
        numbers = _whole("games", games)
        return self._games.rows(
            encoder,
            numbers,
            _whole("steps", steps),
            np.full(len(numbers), -1) if seats is None else _whole("seats", seats),
            out,
            None,
        )

    def labelled_rows(
        self, encoder: Encoder, games: ArrayLike, steps: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """As `rows`, for the seat to act, with the numbers that each row's features give the cards, uint8 [n, 32]."""
        numbers = _whole("games", games)
        labels = np.empty((len(numbers), 32), np.uint8)
        labels[:] = np.arange(32, dtype=np.uint8)
        seats = np.full(len(numbers), -1)
        rows = self._games.rows(encoder, numbers, _whole("steps", steps), seats, None, labels)
        return rows, labels

    def places(self, games: ArrayLike, steps: ArrayLike) -> NDArray[np.uint32]:
        """The cards at each place, hidden ones included, one mask per place: uint32 [n, places].

        Args:
            games: int [n], the numbers of the games.
            steps: int [n], the number of actions to replay.

        Raises:
            ValueError: if there is no such game or step.
        """
        return self._games.places(_whole("games", games), _whole("steps", steps))

    def outcomes(self, unit: str | None = None) -> Outcomes:
        """The results of all games in a reward unit; None: the game's first.

        Raises:
            UnknownName: if the game has no such unit.
        """
        number = self.game.reward_units.index(self.game.reward_unit(unit))
        found = Outcomes(*self._games.outcomes(number, self._claim))
        found.returns[self._status == _ABORTED] = 0
        return found


def _whole(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Numbers from outside as int64 [n]."""
    return check_array("decisions", name, np.int64, values)


def _require_legal(shard: Shard) -> None:
    verdicts = shard.check()
    wrong = np.flatnonzero((verdicts == Verdict.BAD_DEAL) | (verdicts == Verdict.ILLEGAL))
    if len(wrong):
        what = "an impossible deal" if verdicts[wrong[0]] == Verdict.BAD_DEAL else "illegal actions"
        raise ParseError(f"{shard.path}: game {wrong[0]} has {what}")


def _joined(columns: Iterable[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *(np.asarray(column, dtype) for column in columns)])
