"""Cardplay policies that improve by playing themselves: proximal policy optimization with a critic that sees all cards.

Schulman et al. 2017 (PPO, equation 7), with generalized advantage estimation (Schulman et al. 2016) over all choices of
a game, whoever makes them: the critic values whole worlds, so that an advantage has little of the luck of the deal and
of the other seats in it. Policies see what their seat sees. Games are played in waves of many games in step, and each
is learnt from once. The critic is worth having by itself: it is the network of `world_values`.
"""

import copy
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from agents.learners._policy_actors import PolicyActors
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
    Weight,
)
from agents.learners.evaluation import compare, interval
from agents.learners.held_out import open_dataset
from agents.learners.run import TrainingRun, as_array, generator_state, restored_generator
from agents.learners.start_pool import StartMaker, StartPool
from agents.networks.card_networks import CARDS, card_networks
from agents.networks.checkpoint import load_checkpoint
from agents.networks.network import ILLEGAL, Network, Widths
from agents.networks.world_values import HIDDEN, WON, WORLD, WORTH, world_layout
from skat_env.match.play import MatchConfig
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar

SHAPE: Final = 64
"""Rows come in multiples of this: the matrix library compiles new code for every new shape, which takes long."""
OUTPUTS: Final = np.arange(CARDS, dtype=np.uint32)
CRITIC: Final = "critic"
"""The checkpoint of the critic, beside that of the policies."""


class Config(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How cardplay policies learn by self-play."""

    game: GameName
    games: Positive
    """Number of games to play and learn from."""
    checkpoint: str
    """The checkpoint, by name or path, whose cardplay networks training begins with; its others are kept."""
    critic: str = ""
    """The checkpoint whose world values training begins with; empty: a new network."""
    critic_hidden: Widths = HIDDEN
    """Widths of the hidden layers of the critic."""
    seed: Seed = 0
    """Seed of the critic's weights, the starts, the games, and the order of rows."""
    lanes: Positive = 4096
    """Games of a wave."""
    batch: Positive = 1024
    """Maximum number of decisions in a training step; the decisions of a wave are split evenly."""
    learning_rate: Rate = 3e-4
    """Learning rate of Adam at first; it changes linearly to the final one."""
    final_learning_rate: Rate = 3e-5
    """Learning rate of Adam in the end."""
    critic_learning_rate: Rate = 1e-3
    """Learning rate of the critic at first; it changes as that of the policies."""
    warm_up: Natural = 200_000
    """Games at first from which the critic alone learns."""
    temperature: Rate = 1.0
    """Temperature of the softmax that cards are drawn from while learning."""
    clip: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.2
    """How far the ratio of the new to the old probability of a card counts beyond 1, and below."""
    entropy: Weight = 0.003
    """Weight of the entropy bonus, where advantages have a standard deviation of 1."""
    trace: Share = 0.9
    """Lambda of the advantages: 1 is the game's result less the critic's value, 0 the critic's value of the next choice
    less that of this one."""
    averaging: Share = 0.999
    """Weight that the running average of the weights keeps in a training step. The averages are the checkpoint."""
    starts: Positive = 20_000
    """Starts of the cardplay in the pool."""
    fresh: Natural = 256
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
    """Precision of the products of hidden layers; weights are float32."""
    report_every: Positive = 100_000
    """Games between two reports: a line of metrics, a saved state and a checkpoint."""
    evaluate_every: Positive = 500_000
    """Games between two evaluation matches, which are played with a report."""
    opponent: AgentName = "policy"
    """Agent to play against in evaluation matches, which are mirrored, from the cardplay on."""
    deals: Natural = 500
    """Deals of an evaluation match; 0: no evaluation."""

    def __post_init__(self) -> None:
        if self.deals == 1:
            raise ValueError("deals = 1: expected 0, or at least 2, as one deal has no interval")
        if self.starts < self.fresh:
            raise ValueError(f"a pool of {self.starts} starts cannot take {self.fresh} fresh ones")


class Learner(AveragedNetwork):
    """One network in training, and the copy of it that plays or values a wave."""

    def __init__(self, name: str, network: Network, config: Config) -> None:
        super().__init__(name, network.to(config.device), config.averaging)
        self._config = config
        self._dtype = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        self._player = self.average

    def prepare(self) -> None:
        """Makes the network that plays the next wave: the weights of this moment, so that the games are its own."""
        self._player = copy.deepcopy(self.network).eval().requires_grad_(False)

    def outputs(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The outputs of the copy, float32 [n, outputs]."""
        with torch.inference_mode():
            rows = torch.from_numpy(features).to(self._config.device)
            return np.asarray(self._forward(self._player, rows).cpu().numpy())

    def _forward(self, network: Network, rows: torch.Tensor) -> torch.Tensor:
        kind = torch.device(self._config.device).type
        with torch.autocast(kind, torch.bfloat16, enabled=self._dtype == torch.bfloat16):
            hidden = network.layers[:-1](rows)
        # Probabilities are exponentials: the last layer is worth its digits.
        outputs: torch.Tensor = network.layers[-1](hidden.float())
        return outputs

    def learn(
        self, parts: Sequence[tuple[NDArray[Any], ...]], learning_rate: float, seed: int
    ) -> tuple[dict[str, float], int]:
        """Learns once from each row.

        A few rows are left out, so that all steps have the same size, a multiple of `SHAPE`.

        Args:
            parts: the columns of some actors' rows, the features first.
            learning_rate: of Adam.
            seed: of the order of the rows.

        Returns:
            Sums of measures over rows by name, and the number of rows.
        """
        columns = [
            torch.from_numpy(np.concatenate([part[i] for part in parts])) for i in range(len(parts[0]))
        ]
        rows = len(columns[0])
        sums: dict[str, float] = {}
        if not rows:
            return sums, 0
        columns = self.prepared(columns)
        order = torch.from_numpy(np.random.default_rng(seed).permutation(rows))
        size = -(-rows // -(-rows // self._config.batch))
        if size > SHAPE:
            size -= size % SHAPE
        for members in torch.split(order[: rows // size * size], size):
            batch = [column[members].to(self._config.device, non_blocking=True) for column in columns]
            loss, measures = self.loss(self._forward(self.network, batch[0]), batch)
            self.step(loss, learning_rate)
            for name, value in measures.items():
                sums[name] = sums.get(name, 0.0) + value * len(members)
        return sums, rows // size * size

    def prepared(self, columns: list[torch.Tensor]) -> list[torch.Tensor]:
        """The columns of all rows of a wave as `loss` takes them."""
        return columns

    def loss(self, outputs: torch.Tensor, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        """The mean loss of some rows, and measures of them."""
        raise NotImplementedError


class Policy(Learner):
    """One policy. Its columns: features, outputs, log-chances, legal outputs, advantages, results of the own side."""

    def prepared(self, columns: list[torch.Tensor]) -> list[torch.Tensor]:
        """Legal outputs as bool [n, 32], advantages with a standard deviation of 1."""
        features, output, chance, legal, advantage, result = columns
        allowed = torch.from_numpy((legal.numpy()[:, None] >> OUTPUTS & 1).astype(np.bool_))
        scaled = advantage / advantage.std(correction=0).clamp(min=1e-6)
        return [features, output, chance, allowed, scaled, result]

    def loss(self, outputs: torch.Tensor, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        """The clipped surrogate with an entropy bonus; where the network has a value, its squared error too."""
        _, chosen, chance, legal, advantage, result = batch
        logits = outputs[:, :CARDS] / self._config.temperature
        chances = functional.log_softmax(logits.masked_fill(~legal, ILLEGAL), 1)
        now = chances.gather(1, chosen[:, None])[:, 0]
        ratio = (now - chance).exp()
        clipped = ratio.clamp(1 - self._config.clip, 1 + self._config.clip)
        gain = torch.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(chances.exp() * chances.masked_fill(~legal, 0)).sum(1).mean()
        loss = -gain - self._config.entropy * entropy
        if outputs.shape[1] > CARDS:
            loss = loss + 0.5 * functional.mse_loss(outputs[:, CARDS], result)
        with torch.no_grad():
            drift = (chance - now).mean()
        return loss, {"entropy": entropy.item(), "kl": drift.item()}


class Critic(Learner):
    """The critic. Its columns: features, targets, and whether the declaring side won."""

    def values(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """What worlds are worth to the declaring side, float32 [n] in units of the network."""
        return np.ascontiguousarray(self.outputs(features)[:, WORTH])

    def loss(self, outputs: torch.Tensor, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        """The squared error of the worth, and the cross-entropy of the win."""
        _, target, won = batch
        error = functional.mse_loss(outputs[:, WORTH], target)
        return error + functional.binary_cross_entropy_with_logits(outputs[:, WON], won), {
            "error": error.item()
        }


class SelfPlay:
    """The learners, the games that they play, and where those begin."""

    def __init__(self, config: Config, pool: StartPool, workers: ThreadPoolExecutor) -> None:
        self.config, self.pool = config, pool
        self.games = 0
        self._workers = workers
        self._begun = load_checkpoint(config.checkpoint, config.game)
        layout, worlds, game = card_networks(config.game), world_layout(config.game), get_game(config.game)
        self._begun.require_any(layout.names)
        seed, games = np.random.SeedSequence(config.seed, spawn_key=(1,)).spawn(2)
        self.policies = [
            Policy(name, copy.deepcopy(self._begun.network(name)).requires_grad_(True), config)
            for name in layout.names
        ]
        if config.critic:
            critic = copy.deepcopy(load_checkpoint(config.critic, config.game).network(WORLD))
        else:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(int(seed.generate_state(1)[0]))
                critic = Network(worlds.spec(config.critic_hidden))
        self.critic = Critic(WORLD, critic.requires_grad_(True), config)
        self.learners: list[Learner] = [*self.policies, self.critic]
        self.scale = worlds.scale
        self._rng = np.random.default_rng(games)
        self._win = game.reward_units.index(worlds.win)
        route = [[sides[share < 0] for share in worlds.share] for sides in layout.route]
        shares = np.diff(np.linspace(0, config.lanes, config.threads + 1).astype(int))
        self._actors = [
            PolicyActors(
                game.state.random(np.random.default_rng(0)),
                int(lanes),
                [learner.network.encoder for learner in self.learners],
                int(lanes) * sum(game.place_sizes[: len(worlds.share)]) + SHAPE,
                route,
                worlds.share,
                game.reward_units.index(game.match_unit),
                1 / worlds.scale,
            )
            for lanes in shares
        ]

    def wave(self) -> dict[str, float]:
        """Plays a game in every lane and learns from it; returns the sums that metrics are made of."""
        config, progress = self.config, min(1.0, self.games / self.config.games)
        change = 1 + progress * (config.final_learning_rate / config.learning_rate - 1)
        for learner in self.learners:
            learner.prepare()
        jobs = []
        for actors in self._actors:
            chosen = self._rng.integers(len(self.pool.starts), size=actors.lanes)
            streams = self._rng.integers(2**64, size=actors.lanes, dtype=np.uint64)
            jobs.append(self._workers.submit(self._play, actors, chosen, streams))
        played = [job.result() for job in jobs]
        sums = {"games": float(config.lanes)}
        sums["worth"] = sum(float(worth.sum(dtype=np.float64)) for worth, _ in played)
        sums["won"] = float(sum(won.sum() for _, won in played))
        data: list[list[tuple[NDArray[Any], ...]]] = [
            [actors.policy_data(number) for actors in self._actors] for number in range(len(self.policies))
        ]
        data.append([])
        for actors, (_, won) in zip(self._actors, played, strict=True):
            features, target, lane = actors.critic_data()
            data[-1].append((features, target, won[lane].astype(np.float32)))
        seeds = self._rng.integers(2**63, size=len(self.learners))
        # The longest work first, so that the threads finish together.
        order = sorted(range(len(data)), key=lambda number: -sum(len(part[1]) for part in data[number]))
        learning = {
            number: self._workers.submit(
                self.learners[number].learn,
                data[number],
                change
                * (config.learning_rate if number < len(self.policies) else config.critic_learning_rate),
                int(seeds[number]),
            )
            for number in order
            if number == len(self.policies) or self.games >= config.warm_up
        }
        for number, job in learning.items():
            measures, rows = job.result()
            name = self.learners[number].name
            sums[f"{name}_rows"] = rows
            for measure, value in measures.items():
                sums[f"{name}_{measure}"] = value
        self.games += config.lanes
        self.pool.refresh()
        return sums

    def _play(
        self, actors: PolicyActors, chosen: NDArray[np.int64], streams: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Plays a wave in some lanes; the games' values for the declaring sides, and which they won."""
        actors.begin(self.pool.starts, chosen, streams)
        while actors.advance():
            waiting = [actors.waiting(number, SHAPE) for number in range(len(self.policies))]
            actors.draw(
                [
                    policy.outputs(rows) if len(rows) else None
                    for policy, rows in zip(self.policies, waiting, strict=True)
                ],
                self.config.temperature,
            )
        return actors.finish(self.critic.values(actors.worlds(SHAPE)), self.config.trace, self._win)

    def networks(self) -> dict[str, Network]:
        """The averaged policies at present, and the other networks of the checkpoint that training began with."""
        learnt = {policy.name: copy.deepcopy(policy.average).cpu() for policy in self.policies}
        return {**self._begun.networks, **learnt}

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
        ThreadPoolExecutor(config.threads, "ppo", torch.set_num_threads, (1,)) as workers,
        progress_bar("games", config.games) as progress,
    ):
        play = SelfPlay(config, pool, workers)
        if not run.resume(play.restore):
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
                learnt = [policy.name for policy in play.policies]
                folder = run.save_checkpoint(
                    config.game, play.networks(), learnt=learnt, games=play.games, metrics=metrics
                )
                critic = {WORLD: copy.deepcopy(play.critic.average).cpu()}
                run.save_checkpoint(config.game, critic, CRITIC, games=play.games, metrics=metrics)
                if config.deals and (over or _passes(play, config.evaluate_every)):
                    metrics |= evaluate(folder, config)
                run.report(play.games, **metrics)
                play.save(run)
                sums, started = {}, time.perf_counter()


def evaluate(checkpoint: Path, config: Config) -> dict[str, float]:
    """The mean differences of a mirrored match of `policy` against the opponent, and their 95% intervals."""
    agent = make_agent(f"policy(checkpoint={checkpoint})", config.game)
    match = MatchConfig(
        config.game, ("learner", config.opponent), config.deals, config.seed, "mirrored", config.bidder
    )
    comparison = compare(agent, match)
    metrics: dict[str, float] = {}
    for name in ("difference", "declaring", "defence"):
        metrics |= interval(name, getattr(comparison, name))
    return metrics


def _passes(play: SelfPlay, every: int) -> bool:
    """Whether the last wave went past a multiple of some number of games."""
    return play.games // every > (play.games - play.config.lanes) // every


def _means(play: SelfPlay, sums: Mapping[str, float]) -> dict[str, float]:
    """The mean value of a game for the declaring side, in game units, its wins, and the means of the learners."""
    games = sums["games"]
    metrics = {"worth": sums["worth"] / games * play.scale, "won": sums["won"] / games}
    for learner in play.learners:
        rows = sums.get(f"{learner.name}_rows", 0)
        start = f"{learner.name}_"
        metrics |= {
            name: value / rows
            for name, value in sums.items()
            if rows and name.startswith(start) and name != f"{learner.name}_rows"
        }
    return metrics
