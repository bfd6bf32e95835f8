"""Where self-play begins: a pool of starts of the cardplay, some of which are replaced at every step of a learner."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.experience._actors import pack
from skat_env.agents.learners.experience.held_out import open_dataset
from skat_env.datasets.dataset import Dataset
from skat_env.play.starts import (
    MAX_DEALS,
    RANDOM_DECLARATION,
    PlayedTo,
    RandomDeclarations,
    require_kinds,
    require_start,
)
from skat_env.registry import get_game, get_part
from skat_env.tools.progress import progress_bar
from skat_env.tools.worker_pool import WorkerPool, result_of
from skat_env.tools.workers import map_ordered

Pool = NDArray[np.uint8]
"""uint8 [starts, bytes]: the structs of the states."""
CHUNK = 64
"""Starts of one piece of work."""


@dataclass(frozen=True)
class StartMaker:
    """Makes starts by number: 0, 1, 2 …; each depends on its number and the seed alone."""

    game: str
    seed: int
    bidder: str = "rule"
    """Agent that bids and declares on random deals."""
    dataset: str = ""
    """A folder of recorded games."""
    recorded: float = 0.0
    """Share of the starts that are from there."""
    random_declarations: float = 0.0
    """Share of the starts in which all that comes before the cardplay is random."""
    kind: str | None = None
    """The kind of game, one of the game's `kinds`; None: any."""

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
        if self.random_declarations:
            get_part(self.game, RANDOM_DECLARATION)
        if self.kind is not None:
            require_kinds(get_game(self.game), (self.kind,))
            if self.random_declarations:
                raise ValueError(
                    f"starts of {self.kind} games with a share {self.random_declarations} of random declarations, "
                    "which are of every kind: expected 0"
                )

    def __call__(self, numbers: Sequence[int]) -> Pool:
        """The starts of some numbers."""
        return pack(self.starts(numbers))

    def starts(self, numbers: Sequence[int]) -> list[Any]:
        """The starts of some numbers, as states."""
        game = get_game(self.game)
        starts: dict[int, Any] = {}
        dealt: dict[int, np.random.Generator] = {}
        for number in numbers:
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
            source = rng.random()
            if source < self.recorded:
                starts[number] = self._recorded(rng)
            elif source < self.recorded + self.random_declarations:
                starts[number] = RandomDeclarations(self.game)(rng)
            else:
                dealt[number] = rng
        # The bidder is asked for all deals at once, which is many times as fast.
        if dealt:
            starts |= zip(dealt, self._played.many(list(dealt.values())), strict=True)
        return [require_start(game, starts[number]) for number in numbers]

    @cached_property
    def _played(self) -> PlayedTo:
        return PlayedTo(self.game, get_game(self.game).stages[-1], self.bidder, kind=self.kind)

    @cached_property
    def _games(self) -> Dataset:
        return open_dataset(self.dataset, self.game)

    def _recorded(self, rng: np.random.Generator) -> Any:
        """The start of the cardplay of a recorded game that reached it, of the wanted kind.

        Raises:
            ValueError: if hardly any game did.
        """
        for _ in range(MAX_DEALS if len(self._games) else 0):
            state: Any = self._games.state(int(rng.integers(len(self._games))))
            while state.plays():
                state.undo()
            at_cardplay = state.stage == get_game(self.game).stages[-1] and not state.is_over
            if at_cardplay and self.kind in (None, state.kind):
                return state
        wanted = f"{self.kind} game" if self.kind else "game"
        raise ValueError(f"{self.dataset} has no {wanted} that reached the cardplay")


class StartPool:
    """A pool of starts that processes beside the learner refresh; a context manager.

    Args:
        maker: makes the starts.
        size: the number of starts in the pool, at least `fresh` and 1.
        fresh: the number of starts that each call of `refresh` replaces, the oldest first.
        workers: the number of processes that make the first starts.
        makers: the number of processes that make the others.
    """

    def __init__(self, maker: StartMaker, size: int, fresh: int, workers: int, makers: int = 1) -> None:
        self.starts: Pool = np.empty((0, 0), np.uint8)
        self.made = 0
        """Starts made so far, which is the number of the next one."""
        self._maker, self._size, self._fresh, self._workers = maker, size, fresh, workers
        self._beside, self._makers = WorkerPool(maker, makers), makers
        self._next: list[Future[Pool]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._beside.__exit__(*error)

    def fill(self) -> None:
        """Makes the first starts."""
        chunks = [range(first, min(first + CHUNK, self._size)) for first in range(0, self._size, CHUNK)]
        made: list[Pool] = []
        with progress_bar("starts", self._size) as progress:
            for starts in map_ordered(self._maker, chunks, self._workers):
                made.append(starts)
                progress(sum(map(len, made)))
        self.starts, self.made = np.concatenate(made), self._size
        self._order()

    def restore(self, starts: Pool, made: int) -> None:
        """Takes the starts of a saved run."""
        self.starts, self.made = starts, made
        self._order()

    def refresh(self) -> None:
        """Replaces the oldest starts by the next ones."""
        for made in map(result_of, self._next):
            self.starts[np.arange(self.made, self.made + len(made)) % self._size] = made
            self.made += len(made)
        self._order()

    def _order(self) -> None:
        """Has the next starts made beside the learner."""
        bounds = np.linspace(self.made, self.made + self._fresh, self._makers + 1).astype(int)
        self._next = [
            self._beside.submit(range(int(first), int(end))) for first, end in pairwise(bounds) if first < end
        ]
