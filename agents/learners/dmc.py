"""Deep Monte-Carlo self-play: action values regressed on the results of the games that they play.

Zha et al. 2021 (DouZero), in the form of SkatZero (2025): a network for each role, one forward pass for all cards,
epsilon-greedy games, and the deal's result as the target of every decision of every seat. Games are played in waves of
many games in step, and each is learnt from once. The declarer's network also learns the value of the start of a game,
so that bidding and discarding can ask it.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.dmc import Dmc
from skat_env.agents.learners.config import AgentName, Natural, Rate, Share
from skat_env.agents.learners.evaluation import by_role
from skat_env.agents.learners.experience._actors import Actors
from skat_env.agents.learners.experience.start_pool import StartPool
from skat_env.agents.learners.networks.averaged_network import AveragedNetwork
from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.learners.networks.training_steps import TrainingSteps
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.learners.waves import Columns, WaveConfig, Waves, batches, train_in_waves
from skat_env.agents.networks.card_values import CARDS, Role, value_layout
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.agents.networks.network import WIDTHS, Widths
from skat_env.play.worth import side_weights
from skat_env.registry import get_game


class Config(WaveConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How action values are learnt by self-play."""

    checkpoint: str = ""
    """Checkpoint of another run whose networks training begins with; empty: new networks."""
    hidden: Widths = WIDTHS["small"]
    """Widths of the hidden layers."""
    learning_rate: Rate = 3e-3
    final_learning_rate: Rate = 1e-4
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
    fresh: Natural = 16
    opponent: AgentName = "rule"
    deals: Natural = 200


class Learner(AveragedNetwork):
    """One role's network in training; its average plays."""

    def __init__(self, role: Role, config: Config, seed: int) -> None:
        layout = value_layout(config.game)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = NetworkModule(layout.spec(role, config.hidden)).frozen()
        super().__init__(role.name, network, config.averaging, config.device)
        self._config = config

    def learn(self, parts: Sequence[Columns], learning_rate: float, seed: int) -> tuple[float, int]:
        """Regresses the chosen outputs on the targets, once a row.

        Args:
            parts: features float32 [n, width], outputs int64 [n], targets float32 [n] each.
            learning_rate: of Adam.
            seed: of the order of the rows.

        Returns:
            The sum of squared errors, and the number of rows.
        """
        features = [self.load(part[0]) for part in parts]
        chosen, target = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
        columns = (chosen, target, np.ones(len(chosen), np.float32))
        order = batches(len(chosen), self._config.batch, np.random.default_rng(seed))
        sums = self.fit(TrainingSteps(features, np.arange(len(chosen)), columns, order, loss, learning_rate))
        return sums.get("error", 0.0), len(chosen)


def loss(
    outputs: torch.Tensor, chosen: torch.Tensor, target: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The gradient of the mean squared error by weight with respect to outputs [n, 33], and that error.

    The value of a chosen card is what its output adds to that of the position, the last; where 32 is chosen, the
    position's.
    """
    at = chosen[:, None]
    adds = torch.where(chosen < CARDS, outputs.gather(1, at)[:, 0], 0)
    errors, share = outputs[:, CARDS] + adds - target, weight / weight.sum()
    slope = (2 * share * errors)[:, None]
    gradient = torch.zeros_like(outputs).scatter_(1, at, slope)
    gradient[:, CARDS:] = slope
    return gradient, {"error": share @ errors.square()}


class SelfPlay(Waves):
    """The learners of all roles, the games that they play, and where those begin."""

    config: Config

    def __init__(self, config: Config, pool: StartPool, workers: ThreadPoolExecutor) -> None:
        seeds, games = np.random.SeedSequence(config.seed, spawn_key=(1,)).spawn(2)
        layout, game = value_layout(config.game), get_game(config.game)
        self.learners = [
            Learner(role, config, int(seed))
            for role, seed in zip(layout.roles, seeds.generate_state(len(layout.roles)), strict=True)
        ]
        super().__init__(config, self.learners, pool, workers, games)
        shares = np.diff(np.linspace(0, config.lanes, config.threads + 1).astype(int))
        # A seat chooses at most as often as it has cards; one row more is the start's.
        seats_of_role = max(route.count(role) for route in layout.route for role in route)
        self._actors = [
            Actors(
                game.state.random(np.random.default_rng(0)),
                int(lanes),
                [learner.encoder for learner in self.learners],
                int(lanes) * (1 + seats_of_role * game.place_sizes[0]),
                layout.route,
                side_weights(game),
                game.reward_units.index(game.match_unit),
                1 / layout.scale,
            )
            for lanes in shares
        ]

    def begin(self) -> None:
        """Takes the weights of the config's checkpoint, if it names one, and makes the starts."""
        if self.config.checkpoint:
            self.begin_with(load_checkpoint(self.config.checkpoint, self.config.game))
        super().begin()

    def wave(self) -> dict[str, float]:
        """Plays a game in every lane and learns from it; returns the sums that metrics are made of."""
        config = self.config
        epsilon = self.between(config.epsilon, config.final_epsilon)
        trace = self.between(config.trace, config.final_trace)
        learning_rate = self.between(config.learning_rate, config.final_learning_rate)
        jobs = []
        for actors in self._actors:
            chosen, streams = self.drawn_starts(actors.lanes)
            jobs.append(self._workers.submit(self._play, actors, chosen, streams, epsilon, trace))
        sums = {"games": float(config.lanes), "worth": sum(job.result() for job in jobs)}
        seeds = self._rng.integers(2**63, size=len(self.learners))
        data = [[actors.data(number) for actors in self._actors] for number in range(len(self.learners))]
        learning = {
            number: partial(learner.learn, data[number], learning_rate, int(seeds[number]))
            for number, learner in enumerate(self.learners)
        }
        rows = [sum(len(part[2]) for part in parts) for parts in data]
        for number, (error, learnt) in self.in_threads(learning, rows).items():
            name = self.learners[number].name
            sums[f"{name}_error"], sums[f"{name}_rows"] = error, learnt
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
            waiting = [actors.waiting(number) for number in range(len(self.learners))]
            actors.choose(
                [
                    learner.mlp.outputs(learner.load(rows), average=True) if len(rows) else None
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
            learner.begin_with(checkpoint.network_like(learner.name, learner.spec))

    def checkpoint(self) -> Checkpoint:
        """The averaged networks at present."""
        networks = {learner.name: learner.average() for learner in self.learners}
        return Checkpoint(self.config.game, networks, name="now")

    def means(self, sums: Mapping[str, float]) -> dict[str, float]:
        """The mean value of a game for the declarer, in game units, and each network's mean squared error."""
        metrics = {"worth": sums["worth"] / sums["games"] * value_layout(self.config.game).scale}
        for learner in self.learners:
            if sums[f"{learner.name}_rows"]:
                metrics[f"{learner.name}_loss"] = sums[f"{learner.name}_error"] / sums[f"{learner.name}_rows"]
        return metrics

    def evaluate(self, run: TrainingRun) -> dict[str, float]:
        """The mean differences of a mirrored match against the opponent, and their 95% intervals."""
        agent = Dmc(self.checkpoint(), game=self.config.game)
        return by_role(agent, self.config.evaluation(agent.name), run.workers)

    def write(self, run: TrainingRun, metrics: Mapping[str, float]) -> None:
        """Writes the averaged networks."""
        run.save_checkpoint(
            self.config.game, self.checkpoint().networks, games=self.games, metrics=dict(metrics)
        )


def train(config: Config, run: TrainingRun) -> None:
    """Plays and learns until the config's number of games is reached.

    Raises:
        TrainingFailed: if the errors are no longer finite; the checkpoint saved last is kept.
        ValueError: if starts cannot be made.
    """
    train_in_waves(config, run, partial(SelfPlay, config))
