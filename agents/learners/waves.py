"""Self-play in waves: many games in step, each learnt from once. What the learners that play so share."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.config import (
    PROCESSOR,
    AgentName,
    DeviceName,
    GameName,
    KindName,
    LearnerConfig,
    Natural,
    Positive,
    Rate,
    Seed,
    Share,
    Threads,
)
from skat_env.agents.learners.experience.held_out import open_dataset
from skat_env.agents.learners.experience.start_pool import StartMaker, StartPool
from skat_env.agents.learners.networks.averaged_network import AveragedNetwork
from skat_env.agents.learners.networks.network_module import one_thread
from skat_env.agents.learners.run import TrainingRun, as_array, generator_state, restored_generator
from skat_env.match.play import MatchConfig
from skat_env.tools.progress import progress_bar

Columns = tuple[NDArray[Any], ...]
"""Rows of some lanes, column by column."""


class WaveConfig(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How games are played and learnt from in waves."""

    game: GameName
    games: Positive
    """Number of games to play and learn from."""
    seed: Seed = 0
    """Seed of new weights, the starts, the games, and the order of rows."""
    lanes: Positive = 4096
    """Games of a wave."""
    batch: Positive = 1024
    """Maximum number of decisions in a training step; the decisions of a wave are split evenly."""
    learning_rate: Rate
    """Learning rate of Adam at first; it changes linearly to the final one."""
    final_learning_rate: Rate
    """Learning rate of Adam in the end."""
    averaging: Share = 0.999
    """Weight that the running average of the weights keeps in a training step. The averages are the checkpoint."""
    starts: Positive = 20_000
    """Starts of the cardplay in the pool."""
    fresh: Natural
    """Starts replaced after each wave. A start is played `lanes / fresh` times; networks learn deals by heart that are
    played dozens of times."""
    makers: Threads = 1
    """Processes that make the fresh starts."""
    bidder: AgentName = "rule"
    """Agent that bids and declares for the starts."""
    dataset: str = ""
    """Folder of a dataset for recorded starts; empty: none."""
    recorded: Share = 0.0
    """Share of the starts that are from recorded games."""
    random_declarations: Share = 0.0
    """Share of the starts in which all that comes before the cardplay is random, for games with the part
    `random_declaration`."""
    kind: KindName | None = None
    """The kind of game, one of the game's `kinds`, that is played; default: all. Networks of other kinds stay as they
    begin, and a critic of whole worlds forgets those of other kinds."""
    threads: Threads = 2
    """Threads that play and learn. With another number a run is repeated only approximately."""
    device: DeviceName = PROCESSOR
    """The device on which networks learn and choose: `cpu`, in C, or another one of torch, as `cuda`, which pays with
    large waves or networks, and is repeated only approximately. Games are played by the threads."""
    report_every: Positive = 100_000
    """Games between two reports: a line of metrics, a saved state and a checkpoint."""
    evaluate_every: Positive = 1_000_000
    """Games between two evaluation matches, which are played with a report."""
    opponent: AgentName
    """Agent to play against in evaluation matches, which are mirrored, from the cardplay on."""
    deals: Natural
    """Deals of an evaluation match; 0: no evaluation. They are of the kind that is played."""

    def evaluation(self, learner: str) -> MatchConfig:
        """The evaluation match of a learner with a name."""
        kinds = None if self.kind is None else (self.kind,)
        agents = (learner, self.opponent)
        return MatchConfig(self.game, agents, self.deals, self.seed, "mirrored", self.bidder, kinds=kinds)

    def __post_init__(self) -> None:
        if self.deals == 1:
            raise ValueError("deals = 1: expected 0, or at least 2, as one deal has no interval")
        if self.starts < self.fresh:
            raise ValueError(f"a pool of {self.starts} starts cannot take {self.fresh} fresh ones")
        if self.dataset and not self.recorded:
            raise ValueError(
                f"dataset = '{self.dataset}' with recorded = 0: expected the share of the starts that are from there"
            )


def batches(rows: int, batch: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The numbers of the rows of each training step, int64, in a random order; `batch` or fewer, split evenly."""
    return np.array_split(rng.permutation(rows), -(-rows // batch)) if rows else []


class Waves(ABC):
    """Learners, the games that they play, and where those begin.

    Args:
        config: how they play.
        learners: the networks in training.
        pool: the starts.
        workers: threads, one for each of the config's.
        seed: of the games.
    """

    def __init__(
        self,
        config: WaveConfig,
        learners: Sequence[AveragedNetwork],
        pool: StartPool,
        workers: ThreadPoolExecutor,
        seed: np.random.SeedSequence,
    ) -> None:
        self.config, self.pool = config, pool
        self.games = 0
        self._learners, self._workers = learners, workers
        self._rng = np.random.default_rng(seed)

    @abstractmethod
    def wave(self) -> dict[str, float]:
        """Plays a game in every lane and learns from it; returns the sums that metrics are made of."""

    @abstractmethod
    def means(self, sums: Mapping[str, float]) -> dict[str, float]:
        """The metrics of some waves by their sums."""

    @abstractmethod
    def evaluate(self, run: TrainingRun) -> dict[str, float]:
        """The metrics of an evaluation match."""

    @abstractmethod
    def write(self, run: TrainingRun, metrics: Mapping[str, float]) -> None:
        """Writes the checkpoints of the run."""

    def begin(self) -> None:
        """Makes ready for the first wave of a run that does not go on."""
        self.pool.fill()

    def drawn_starts(self, lanes: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Starts for some lanes, and the lanes' random streams."""
        chosen = self._rng.integers(len(self.pool.starts), size=lanes)
        return chosen, self._rng.integers(2**64, size=lanes, dtype=np.uint64)

    def between(self, first: float, last: float) -> float:
        """A number that changes linearly over the run."""
        return first + min(1.0, self.games / self.config.games) * (last - first)

    def in_threads(self, jobs: Mapping[int, Callable[[], Any]], rows: Sequence[int]) -> dict[int, Any]:
        """The results of jobs by number; the longest begin first, so that the threads finish together."""
        order = sorted(jobs, key=lambda number: -rows[number])
        running = {number: self._workers.submit(jobs[number]) for number in order}
        return {number: running[number].result() for number in sorted(running)}

    def save(self, run: TrainingRun) -> None:
        """Saves all that a stopped run goes on from."""
        numbers = {
            "games": self.games,
            "rng": generator_state(self._rng),
            "steps": [learner.mlp.steps for learner in self._learners],
            "made": self.pool.made,
        }
        tensors: dict[str, Any] = {"starts": self.pool.starts}
        for learner in self._learners:
            tensors |= learner.tensors()
        run.save_state(numbers, tensors)

    def restore(self, numbers: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `save`."""
        self.games = numbers["games"]
        self._rng = restored_generator(numbers["rng"])
        for learner, steps in zip(self._learners, numbers["steps"], strict=True):
            learner.restore(steps, tensors)
        self.pool.restore(as_array(tensors["starts"]).copy(), numbers["made"])

    def passes(self, every: int) -> bool:
        """Whether the last wave went past a multiple of some number of games."""
        return self.games // every > (self.games - self.config.lanes) // every


def train_in_waves(
    config: WaveConfig, run: TrainingRun, make: Callable[[StartPool, ThreadPoolExecutor], Waves]
) -> None:
    """Plays and learns until the config's number of games is reached.

    Raises:
        TrainingFailed: if the errors are no longer finite; the checkpoint saved last is kept.
        ValueError: if a network cannot learn so, or starts cannot be made.
    """
    if config.dataset:
        run.learns_from(open_dataset(config.dataset, config.game))
    maker = StartMaker(
        config.game,
        config.seed,
        config.bidder,
        config.dataset,
        config.recorded,
        config.random_declarations,
        config.kind,
    )
    with (
        StartPool(maker, config.starts, config.fresh, config.threads, config.makers) as pool,
        ThreadPoolExecutor(config.threads, "waves") as workers,
        progress_bar("games", config.games) as progress,
        one_thread(),
    ):
        play = make(pool, workers)
        if not run.resume(play.restore):
            play.begin()
        sums: dict[str, float] = {}
        started = time.perf_counter()
        while play.games < config.games:
            for name, value in play.wave().items():
                sums[name] = sums.get(name, 0.0) + value
            progress(play.games)
            over = play.games >= config.games
            if over or play.passes(config.report_every):
                speed = sums["games"] / (time.perf_counter() - started)
                metrics = play.means(sums) | {"games_per_second": speed}
                if config.deals and (over or play.passes(config.evaluate_every)):
                    metrics |= play.evaluate(run)
                run.report(play.games, **metrics)
                # Before the state: a run that is stopped between the two writes the same checkpoint again.
                play.write(run, metrics)
                play.save(run)
                sums, started = {}, time.perf_counter()
