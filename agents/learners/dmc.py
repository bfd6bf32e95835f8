"""Deep Monte-Carlo self-play: action values regressed on the results of the games that they play.

Zha et al. 2021 (DouZero), in the form of SkatZero (2025): a network for each role, one forward pass for all cards,
epsilon-greedy games, and the deal's result as the target of every decision of every seat. Games are played in waves of
many games in step, and each is learnt from once. The declarer's network also learns the value of the start of a game,
so that bidding and discarding can ask it.
"""

import copy
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from agents.dmc import Dmc
from agents.learners._actors import Actors
from agents.learners.averaged_network import AveragedNetwork
from agents.learners.config import (
    AgentName,
    GameName,
    LearnerConfig,
    Natural,
    Positive,
    Rate,
    Seed,
    Share,
    Threads,
)
from agents.learners.evaluation import compare, interval
from agents.learners.held_out import open_dataset
from agents.learners.run import TrainingRun, as_array, generator_state, restored_generator
from agents.learners.start_pool import StartMaker, StartPool
from agents.networks.card_values import CARDS, Role, value_layout
from agents.networks.checkpoint import Checkpoint, load_checkpoint
from agents.networks.network import WIDTHS, Network, Widths
from skat_env.match.play import MatchConfig
from skat_env.registry import get_game
from skat_env.tools.progress import progress_bar

SHAPE = 64
"""Rows come in multiples of this: the matrix library compiles new code for every new shape, which takes long."""


class Config(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How action values are learnt by self-play."""

    game: GameName
    games: Positive
    """Number of games to play and learn from."""
    seed: Seed = 0
    """Seed of the weights, the starts, the games, and the order of rows."""
    checkpoint: str = ""
    """Checkpoint of another run whose networks training begins with; empty: new networks."""
    hidden: Widths = WIDTHS["small"]
    """Widths of the hidden layers."""
    lanes: Positive = 4096
    """Games of a wave."""
    batch: Positive = 1024
    """Maximum number of decisions in a training step; the decisions of a wave are split evenly."""
    learning_rate: Rate = 3e-3
    """Learning rate of Adam at first; it changes linearly to the final one."""
    final_learning_rate: Rate = 1e-4
    """Learning rate of Adam in the end."""
    epsilon: Share = 0.5
    """Probability of a random card at first; it changes linearly to the final one."""
    final_epsilon: Share = 0.2
    """Probability of a random card in the end."""
    temperature: Rate = 10.0
    """Temperature of the softmax that random cards are drawn from, in points: a card worth so much less is e times less
    likely."""
    trace: Share = 1.0
    """Lambda of TD(lambda) at first: the weight of a seat's next target in a target; the rest is the value that it
    expected then. It changes linearly to the final one. 1 is Monte-Carlo; less has targets of less variance."""
    final_trace: Share = 1.0
    """Lambda of TD(lambda) in the end."""
    averaging: Share = 0.999
    """Weight that the running average of the weights keeps in a training step. The averaged networks play the games and
    are the checkpoint."""
    starts: Positive = 20_000
    """Starts of the cardplay in the pool."""
    fresh: Natural = 16
    """Starts replaced after each wave."""
    bidder: AgentName = "rule"
    """Agent that bids and declares for the starts."""
    dataset: str = ""
    """Folder of a dataset for recorded starts; empty: none."""
    recorded: Share = 0.0
    """Share of the starts that are from recorded games."""
    random_declarations: Share = 0.0
    """Share of the starts in which all that comes before the cardplay is random, for games with the part
    `random_declaration`."""
    threads: Threads = 2
    """Threads that play and learn. With another number a run is repeated only approximately."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Device of the networks."""
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    """Precision of matrix products; weights are float32."""
    report_every: Positive = 100_000
    """Games between two reports: a line of metrics, a saved state and a checkpoint."""
    evaluate_every: Positive = 1_000_000
    """Games between two evaluation matches, which are played with a report."""
    opponent: AgentName = "rule"
    """Agent to play against in evaluation matches, which are mirrored, from the cardplay on."""
    deals: Natural = 200
    """Deals of an evaluation match; 0: no evaluation."""

    def __post_init__(self) -> None:
        if self.deals == 1:
            raise ValueError("deals = 1: expected 0, or at least 2, as one deal has no interval")
        if self.starts < self.fresh:
            raise ValueError(f"a pool of {self.starts} starts cannot take {self.fresh} fresh ones")


class Learner(AveragedNetwork):
    """One role's network, the average of its weights, and its optimizer."""

    def __init__(self, role: Role, config: Config, seed: int) -> None:
        layout = value_layout(config.game)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = Network(layout.spec(role, config.hidden)).to(config.device)
        super().__init__(role.name, network, config.averaging)
        self._config = config
        self._dtype = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        self._player = self.average

    def prepare(self) -> None:
        """Makes the network that plays the next wave."""
        self._player = copy.deepcopy(self.average).to(self._dtype)

    def values(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The outputs that games are played by, float32 [n, outputs]."""
        with torch.inference_mode():
            rows = torch.from_numpy(features).to(self._config.device, self._dtype)
            return np.asarray(self._player(rows).float().cpu().numpy())

    def learn(
        self, parts: Sequence[tuple[NDArray[Any], ...]], learning_rate: float, seed: int
    ) -> tuple[float, int]:
        """Regresses the chosen outputs on the targets, once a row.

        A few rows are left out, so that all steps have the same size, a multiple of `SHAPE`.

        Args:
            parts: features float32 [n, width], outputs int64 [n], targets float32 [n] each.
            learning_rate: of Adam.
            seed: of the order of the rows.

        Returns:
            The sum of squared errors, and the number of rows.
        """
        features, outputs, targets = (
            torch.cat([torch.from_numpy(part[i]) for part in parts]) for i in range(3)
        )
        rows = len(targets)
        if not rows:
            return 0.0, 0
        order = torch.from_numpy(np.random.default_rng(seed).permutation(rows))
        error = torch.zeros((), device=self._config.device)
        size = -(-rows // -(-rows // self._config.batch))
        if size > SHAPE:
            size -= size % SHAPE
        for members in torch.split(order[: rows // size * size], size):
            batch = [
                tensor[members].to(self._config.device, non_blocking=True)
                for tensor in (features, outputs, targets)
            ]
            with torch.autocast(
                torch.device(self._config.device).type, torch.bfloat16, enabled=self._dtype == torch.bfloat16
            ):
                values = self.network(batch[0])
            chosen = values_of(values.float(), batch[1])
            loss = torch.nn.functional.mse_loss(chosen, batch[2])
            self.step(loss, learning_rate)
            error += loss.detach() * len(members)
        return float(error), rows // size * size


def values_of(outputs: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """The values [n] of the chosen cards in networks' outputs [n, 33]; where 32 is chosen, those of the positions."""
    worth = outputs[:, CARDS]
    return torch.where(chosen < CARDS, worth + outputs.gather(1, chosen[:, None])[:, 0], worth)


class SelfPlay:
    """The learners of all roles, the games that they play, and where those begin."""

    def __init__(self, config: Config, pool: StartPool, workers: ThreadPoolExecutor) -> None:
        self.config, self.pool = config, pool
        self.games = 0
        self._workers = workers
        seeds, games = np.random.SeedSequence(config.seed, spawn_key=(1,)).spawn(2)
        layout, game = value_layout(config.game), get_game(config.game)
        self.learners = [
            Learner(role, config, int(seed))
            for role, seed in zip(layout.roles, seeds.generate_state(len(layout.roles)), strict=True)
        ]
        self._rng = np.random.default_rng(games)
        shares = np.diff(np.linspace(0, config.lanes, config.threads + 1).astype(int))
        # A seat chooses at most as often as it has cards; one row more is the start's.
        seats_of_role = max(route.count(role) for route in layout.route for role in route)
        self._actors = [
            Actors(
                game.state.random(np.random.default_rng(0)),
                int(lanes),
                [learner.network.encoder for learner in self.learners],
                int(lanes) * (1 + seats_of_role * game.place_sizes[0]) + SHAPE,
                layout.route,
                layout.share,
                game.reward_units.index(game.match_unit),
                1 / layout.scale,
            )
            for lanes in shares
        ]

    def wave(self) -> dict[str, float]:
        """Plays a game in every lane and learns from it; returns the sums that metrics are made of."""
        config, progress = self.config, min(1.0, self.games / self.config.games)
        epsilon = config.epsilon + progress * (config.final_epsilon - config.epsilon)
        trace = config.trace + progress * (config.final_trace - config.trace)
        learning_rate = config.learning_rate + progress * (config.final_learning_rate - config.learning_rate)
        for learner in self.learners:
            learner.prepare()
        jobs = []
        for actors in self._actors:
            chosen = self._rng.integers(len(self.pool.starts), size=actors.lanes)
            streams = self._rng.integers(2**64, size=actors.lanes, dtype=np.uint64)
            jobs.append(self._workers.submit(self._play, actors, chosen, streams, epsilon, trace))
        worth = sum(job.result() for job in jobs)
        sums = {"games": float(config.lanes), "worth": worth}
        seeds = self._rng.integers(2**63, size=len(self.learners))
        data = [[actors.data(number) for actors in self._actors] for number in range(len(self.learners))]
        # The longest work first, so that the threads finish together.
        order = sorted(range(len(data)), key=lambda number: -sum(len(part[2]) for part in data[number]))
        learning = {
            number: self._workers.submit(
                self.learners[number].learn, data[number], learning_rate, int(seeds[number])
            )
            for number in order
        }
        for number, learner in enumerate(self.learners):
            sums[f"{learner.name}_error"], rows = learning[number].result()
            sums[f"{learner.name}_rows"] = rows
        self.games += config.lanes
        self.pool.refresh()
        return sums

    def _play(
        self,
        actors: Actors,
        chosen: NDArray[np.int64],
        streams: NDArray[np.uint64],
        epsilon: float,
        trace: float,
    ) -> float:
        """Plays a wave in some lanes; returns the sum of the games' values for the declarers, in network units."""
        actors.begin(self.pool.starts, chosen, streams)
        while actors.advance():
            waiting = [actors.waiting(number, SHAPE) for number in range(len(self.learners))]
            actors.choose(
                [
                    learner.values(rows) if len(rows) else None
                    for learner, rows in zip(self.learners, waiting, strict=True)
                ],
                epsilon,
                self.config.temperature / value_layout(self.config.game).scale,
            )
        return float(actors.finish(trace).sum(dtype=np.float64))

    def begin_with(self, checkpoint: Checkpoint) -> None:
        """Takes the weights of other networks.

        Raises:
            ParseError: if there is none for a role, or it is of another kind.
        """
        for learner in self.learners:
            learner.begin_with(checkpoint.network(learner.name))

    def checkpoint(self) -> Checkpoint:
        """The averaged networks at present."""
        networks = {learner.name: copy.deepcopy(learner.average).cpu() for learner in self.learners}
        return Checkpoint(self.config.game, networks, name="now")

    def save(self, run: TrainingRun) -> None:
        """Saves all that a stopped run goes on from."""
        numbers = {
            "games": self.games,
            "rng": generator_state(self._rng),
            "steps": [learner.steps for learner in self.learners],
            "made": self.pool.made,
        }
        tensors: dict[str, Any] = {"starts": self.pool.starts}
        for learner in self.learners:
            tensors |= learner.tensors()
        run.save_state(numbers, tensors)

    def restore(self, numbers: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `save`."""
        self.games = numbers["games"]
        self._rng = restored_generator(numbers["rng"])
        for learner, steps in zip(self.learners, numbers["steps"], strict=True):
            learner.restore(steps, tensors)
        self.pool.restore(as_array(tensors["starts"]).copy(), numbers["made"])


def train(config: Config, run: TrainingRun) -> None:
    """Plays and learns until the config's number of games is reached.

    Raises:
        TrainingFailed: if the errors are no longer finite; the checkpoint saved last is kept.
        ValueError: if there is no such device, or starts cannot be made.
    """
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device is cuda, but torch finds no such device: set device=cpu")
    if config.dataset:
        open_dataset(config.dataset, config.game)
    maker = StartMaker(
        config.game,
        config.seed,
        config.bidder,
        config.dataset,
        config.recorded,
        config.random_declarations,
    )
    with (
        StartPool(maker, config.starts, config.fresh, config.threads) as pool,
        # Networks this small are slower on several threads each, so every worker has one.
        ThreadPoolExecutor(config.threads, "dmc", torch.set_num_threads, (1,)) as workers,
        progress_bar("games", config.games) as progress,
    ):
        play = SelfPlay(config, pool, workers)
        if not run.resume(play.restore):
            if config.checkpoint:
                play.begin_with(load_checkpoint(config.checkpoint, config.game))
            pool.fill()
        sums: dict[str, float] = {}
        started = time.perf_counter()
        while play.games < config.games:
            for name, value in play.wave().items():
                sums[name] = sums.get(name, 0.0) + value
            progress(play.games)
            over = play.games >= config.games
            if over or _passes(play, config.report_every):
                metrics = _means(play, sums) | {
                    "games_per_second": sums["games"] / (time.perf_counter() - started)
                }
                if config.deals and (over or _passes(play, config.evaluate_every)):
                    metrics |= evaluate(play.checkpoint(), config)
                run.report(play.games, **metrics)
                # Before the state: a run that is stopped between the two writes the same checkpoint again.
                run.save_checkpoint(
                    config.game, play.checkpoint().networks, games=play.games, metrics=metrics
                )
                play.save(run)
                sums, started = {}, time.perf_counter()


def evaluate(checkpoint: Checkpoint, config: Config) -> dict[str, float]:
    """The mean differences of a mirrored match against the opponent, and their 95% intervals."""
    agent = Dmc(checkpoint, game=config.game)
    match = MatchConfig(config.game, (agent.name, config.opponent), config.deals, config.seed, "mirrored")
    comparison = compare(agent, match)
    metrics: dict[str, float] = {}
    for name in ("difference", "declaring", "defence"):
        metrics |= interval(name, getattr(comparison, name))
    return metrics


def _passes(play: SelfPlay, every: int) -> bool:
    """Whether the last wave went past a multiple of some number of games."""
    return play.games // every > (play.games - play.config.lanes) // every


def _means(play: SelfPlay, sums: Mapping[str, float]) -> dict[str, float]:
    """The mean value of a game for the declarer, in game units, and each network's mean squared error."""
    metrics = {"worth": sums["worth"] / sums["games"] * value_layout(play.config.game).scale}
    for learner in play.learners:
        if sums[f"{learner.name}_rows"]:
            metrics[f"{learner.name}_loss"] = sums[f"{learner.name}_error"] / sums[f"{learner.name}_rows"]
    return metrics
