"""The choice of recorded games to measure inference on: held-out games, up to a number of each game type."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.inference_quality.groups import quality_groups, type_of
from skat_env.agents.learners.experience.held_out import PARTS, first_games, first_of_deal, part_of_game
from skat_env.datasets.dataset import Dataset, is_dataset
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError, UnknownName
from skat_env.options import Seed, Share, check_fields
from skat_env.records import GameRecord, Status
from skat_env.tools.progress import progress_bar

Part = Literal["train", "valid", "test", "all"]


@dataclass(frozen=True, slots=True)
class Split:
    """The part of a dataset whose games may be chosen."""

    part: Part = "test"
    """A part of the learners' split of the dataset, or all games."""
    seed: Seed = 0
    """The seed of the split, as in the learner's config."""
    valid: Share = 0.05
    """The share of the validation part, as in the learner's config."""
    test: Share = 0.05
    """The share of the test part, as in the learner's config."""

    def __post_init__(self) -> None:
        if self.part not in (*PARTS, "all"):
            raise UnknownName("part", self.part, (*PARTS, "all"))
        check_fields(self, "a split")


@dataclass(frozen=True, slots=True)
class MeasuredGame:
    """A game to measure inference on."""

    number: int
    """Its index in the file, from 0."""
    deal: int
    """The index of the first game in the file with its cards."""
    type: str
    """Its game type."""
    declarer: int
    """The declarer's seat."""
    position: str
    """The text of its last position."""


@dataclass(slots=True)
class Chosen:
    """The games to measure on, and why the others were left out."""

    games: list[MeasuredGame] = field(default_factory=list)
    """In the order of the file."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of games left out, by reason."""


def choose_games(path: Path, game: str, split: Split, max_games: int, types: Sequence[str] = ()) -> Chosen:
    """Draws up to `max_games` games of each type from a part of the split.

    Args:
        path: a dataset, or a file of games in any format that can be read.
        game: the name of the game.
        split: which games may be chosen.
        max_games: the maximum number of games of each type.
        types: the game types; none: all.

    Raises:
        ParseError: if the file holds another game, or no game of a requested type.
        UnknownName: if there is no such type or part.
        ValueError: if a number is out of range.
    """
    known = quality_groups(game).types
    for name in types:
        if name not in known:
            raise UnknownName(f"game type of {game}", name, known)
    if max_games < 1 or split.valid + split.test > 1:
        raise ValueError(
            f"{max_games} games, shares valid {split.valid} and test {split.test}: expected at least 1 game and shares "
            "of at most 1 together"
        )
    chosen = Chosen()
    found: dict[str, list[MeasuredGame]] = {name: [] for name in types or known}
    for number, deal, record in _held_out(path, game, split, chosen.left_out):
        if record.status is Status.ABORTED:
            chosen.left_out["aborted"] += 1
        elif (type_ := type_of(game, record.state)) is None:
            chosen.left_out["without cardplay"] += 1
        elif type_ not in found:
            chosen.left_out["of other types"] += 1
        else:
            declarer = record.state.result(record.claim).declarer
            found[type_].append(MeasuredGame(number, deal, type_, declarer, record.state.text()))
    empty = [name for name in types if not found[name]]
    if empty or not any(found.values()):
        where = "in" if split.part == "all" else f"in the part '{split.part}' of"
        raise ParseError(f"there is no game of {' or '.join(empty or found)} {where} {path}")
    rng = np.random.default_rng(split.seed)
    for games in found.values():
        kept = sorted(rng.permutation(len(games))[:max_games].tolist())
        chosen.left_out["more than asked for"] += len(games) - len(kept)
        chosen.games += [games[index] for index in kept]
    chosen.games.sort(key=lambda each: each.number)
    chosen.left_out = +chosen.left_out
    return chosen


def _held_out(
    path: Path, game: str, split: Split, left_out: Counter[str]
) -> Iterator[tuple[int, int, GameRecord]]:
    """Yields of each game of a part its index, that of the first game of its deal, and its record; counts the others in
    `left_out`.
    """
    if is_dataset(path):
        dataset = Dataset(path)
        _require_game(path, dataset.game.name, game)
        first = first_games(dataset)
        in_part = _is_of_part(first, split)
        left_out["not held out"] += len(dataset) - int(in_part.sum())
        with progress_bar("choosing games", len(dataset)) as advance:
            for number in np.flatnonzero(in_part).tolist():
                yield number, int(first[number]), dataset[number]
                advance(number)
        return
    found = [reading for _, reading in readings(path, "reading games")]
    deals = [
        str(number) if isinstance(reading, ParseError) else str(reading.record.state.deal.places)
        for number, reading in enumerate(found)
    ]
    first = first_of_deal(np.array(deals, np.str_))
    in_part = _is_of_part(first, split)
    for number, reading in enumerate(found):
        if isinstance(reading, ParseError):
            left_out["unreadable, or cards hidden"] += 1
        elif not in_part[number]:
            left_out["not held out"] += 1
        else:
            _require_game(path, reading.record.game, game)
            yield number, int(first[number]), reading.record


def _is_of_part(first: NDArray[np.int64], split: Split) -> NDArray[np.bool_]:
    """Whether each game belongs to the part, bool [games]; `first` has the first game with the deal of each."""
    if split.part == "all":
        return np.ones(len(first), np.bool_)
    parts = part_of_game(first, split.seed, (split.valid, split.test))
    return np.asarray(parts == PARTS.index(split.part))


def _require_game(path: Path, found: str, wanted: str) -> None:
    if found != wanted:
        raise ParseError(f"{path} holds games of {found}, inference is to be measured in {wanted}")
