"""Where self-play begins: a pool of starts of the cardplay, some of them replaced at every step of a learner."""

from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agents.learners._actors import pack
from skat_env.datasets.dataset import Dataset
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game
from skat_env.tools.progress import progress_bar
from skat_env.tools.workers import map_unordered

Pool = NDArray[np.uint8]
"""uint8 [starts, bytes]: the structs of the states."""
CHUNK = 64
"""Starts that one piece of work makes."""


@dataclass(frozen=True)
class StartMaker:
    """Makes start number 0, 1, 2 …; each depends on its number and the seed alone."""

    game: str
    seed: int
    bidder: str = "rule"
    """Bids and declares on random deals."""
    dataset: str = ""
    """A folder of recorded games."""
    recorded: float = 0.0
    """The share of starts that are theirs."""
    random_declarations: float = 0.0
    """The share of starts in which soloist, game and discards are drawn."""

    def __post_init__(self) -> None:
        if (
            not 0 <= self.recorded + self.random_declarations <= 1
            or min(self.recorded, self.random_declarations) < 0
        ):
            raise ValueError(
                f"shares of starts: {self.recorded} recorded and {self.random_declarations} random declarations, "
                "expected at least 0 each and at most 1 together"
            )
        if self.recorded and not self.dataset:
            raise ValueError(f"a share {self.recorded} of recorded starts needs a dataset")
        if self.random_declarations and self.game != "skat":
            raise ValueError(f"only Skat has random declarations, not {self.game}")

    def __call__(self, numbers: Sequence[int]) -> Pool:
        """The starts of some numbers."""
        return pack([self.start(number) for number in numbers])

    def start(self, number: int) -> Any:
        """The state of one."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        source = rng.random()
        if source < self.recorded:
            return self._recorded(rng)
        if source < self.recorded + self.random_declarations:
            from agents.skat.random_declaration import random_declaration

            return random_declaration(rng)
        return self._played(rng)

    @cached_property
    def _played(self) -> PlayedTo:
        return PlayedTo(self.game, get_game(self.game).stages[-1], self.bidder)

    @cached_property
    def _games(self) -> Dataset:
        return Dataset(self.dataset)

    def _recorded(self, rng: np.random.Generator) -> Any:
        """The start of the cardplay of a recorded game that came so far."""
        while True:
            state: Any = self._games.state(int(rng.integers(len(self._games))))
            while state.plays():
                state.undo()
            if state.stage == get_game(self.game).stages[-1] and not state.is_over:
                return state


class StartPool:
    """A pool that a process beside the learner refreshes; a context manager.

    Args:
        maker: makes the starts.
        size: how many there are.
        fresh: how many are replaced by each call of `refresh`, the oldest first.
        workers: processes that make the first ones.
    """

    def __init__(self, maker: StartMaker, size: int, fresh: int, workers: int) -> None:
        if size < max(1, fresh):
            raise ValueError(f"a pool of {size} starts cannot take {fresh} fresh ones")
        self.starts: Pool = np.empty((0, 0), np.uint8)
        self.made = 0
        """Starts made so far; the next one's number."""
        self._maker, self._size, self._fresh, self._workers = maker, size, fresh, workers
        self._executor: ProcessPoolExecutor | None = None
        self._next: Future[Pool] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def fill(self) -> None:
        """Makes the first starts."""
        chunks = [range(first, min(first + CHUNK, self._size)) for first in range(0, self._size, CHUNK)]
        made: dict[int, Pool] = {}
        with progress_bar("starts", self._size) as progress:
            for first, starts in map_unordered(_Numbered(self._maker), chunks, self._workers):
                made[first] = starts
                progress(sum(map(len, made.values())))
        self.starts, self.made = np.concatenate([made[chunk.start] for chunk in chunks]), self._size
        self._order()

    def restore(self, starts: Pool, made: int) -> None:
        """Goes on with the starts of a saved run."""
        self.starts, self.made = starts, made
        self._order()

    def refresh(self) -> None:
        """Replaces the oldest starts by the next ones."""
        if self._next is None:
            return
        self.starts[np.arange(self.made, self.made + self._fresh) % self._size] = self._next.result()
        self.made += self._fresh
        self._order()

    def _order(self) -> None:
        """Has the next starts made while the learner does other things."""
        if self._fresh:
            if self._executor is None:
                self._executor = ProcessPoolExecutor(1, get_context("spawn"))
            self._next = self._executor.submit(self._maker, range(self.made, self.made + self._fresh))


@dataclass(frozen=True)
class _Numbered:
    """Tells with the starts which ones they are."""

    maker: StartMaker

    def __call__(self, numbers: range) -> tuple[int, Pool]:
        return numbers.start, self.maker(numbers)
