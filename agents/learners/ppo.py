"""Cardplay policies that improve by playing themselves: proximal policy optimization with a critic that sees all cards.

Schulman et al. 2017 (PPO, equation 7), with generalized advantage estimation (Schulman et al. 2016) over all choices of
a game, whoever makes them: the critic values whole worlds, so that an advantage has little of the luck of the deal and
of the other seats in it. Policies see what their seat sees. Games are played in waves of many games in step, and each
is learnt from once. The critic is worth having by itself: it is the network of `world_values`.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.config import AgentName, Natural, Positive, Rate, Share, Weight
from skat_env.agents.learners.evaluation import by_role
from skat_env.agents.learners.experience._policy_actors import PolicyActors
from skat_env.agents.learners.experience.start_pool import StartPool
from skat_env.agents.learners.networks.averaged_network import AveragedNetwork
from skat_env.agents.learners.networks.network_module import ILLEGAL, NetworkModule
from skat_env.agents.learners.networks.training_steps import TrainingSteps
from skat_env.agents.learners.run import CHECKPOINT, TrainingRun
from skat_env.agents.learners.waves import Columns, WaveConfig, Waves, batches, train_in_waves
from skat_env.agents.networks.card_networks import CARDS, CardNetworks, card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network, Widths
from skat_env.agents.networks.world_values import HIDDEN, WON, WORLD, WORTH, world_layout
from skat_env.call_text import call_text
from skat_env.play.worth import side_weights
from skat_env.registry import get_game, make_agent

SIDES: Final = ("declarers", "opponents")
SURE: Final = 1e-8
"""The temperature at which the most probable card is drawn for sure."""
THINNED: Final = 8
"""Of the choices that were almost certain, one in this many is learnt from."""
CRITIC: Final = "critic"
"""The checkpoint of the critic, beside that of the policies."""


class Config(WaveConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How cardplay policies learn by self-play."""

    checkpoint: str
    """The checkpoint, by name or path, whose cardplay networks training begins with; its others are kept."""
    critic: str = ""
    """The checkpoint whose world values training begins with, of the widths below; empty: a new network."""
    critic_hidden: Widths = HIDDEN
    """Widths of the hidden layers of the critic."""
    learning_rate: Rate = 3e-4
    final_learning_rate: Rate = 3e-5
    critic_learning_rate: Rate = 1e-3
    """Learning rate of the critic at first; it changes as that of the policies."""
    critic_rows: Share = 1.0
    """Share of the choices that the critic learns from, drawn anew for each wave; those of a game are much alike."""
    warm_up: Natural = 200_000
    """Games at first from which the critic alone learns."""
    temperature: Rate = 1.0
    """Temperature of the softmax that cards are drawn from while learning."""
    clip: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.2
    """How far the ratio of the new to the old probability of a card counts beyond 1, and below."""
    entropy: Weight = 0.003
    """Weight of the entropy bonus, where advantages have a standard deviation of 1."""
    learns: Literal["declarers", "opponents"] | None = None
    """The side whose networks learn; default: both. The other side's stay as they begin, so that what is learnt is a
    response to `checkpoint`: a lower bound of how much it can be exploited."""
    frozen_temperature: Rate | None = None
    """Temperature of the softmax that the side which does not learn draws cards from; default: it plays the most
    probable card, as `policy` does. 1 is `policy(cardplay=sample)`."""
    certain: Share = 0.99
    """Choices that had a larger probability are learnt from one time in eight, with eight times the weight: two thirds
    of all are such, and make a hundredth of the gradient. 1: all are learnt from."""
    trace: Share = 0.9
    """Lambda of the advantages: 1 is the game's result less the critic's value, 0 the critic's value of the next choice
    less that of this one."""
    fresh: Natural = 256
    evaluate_every: Positive = 500_000
    opponent: AgentName = "policy"
    deals: Natural = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frozen_temperature is not None and self.learns is None:
            raise ValueError(
                f"frozen_temperature = {self.frozen_temperature:g} where both sides learn: expected learns, the side "
                "that does"
            )


class Learner(AveragedNetwork):
    """One network in training."""

    def __init__(self, name: str, network: Network, config: Config) -> None:
        super().__init__(name, network, config.averaging, config.device)
        self._config = config

    def learn(
        self, parts: list[Any], columns: Sequence[Columns], learning_rate: float, seed: int
    ) -> tuple[dict[str, float], int]:
        """Learns once from each row, or from some of them.

        Args:
            parts: the features of rows, as `load` returned them.
            columns: what else is known of some actors' rows.
            learning_rate: of Adam.
            seed: of the choice of rows, and of their order.

        Returns:
            Sums of measures over rows by name, and the number of rows.
        """
        rng = np.random.default_rng(seed)
        rows, learnt = self.chosen([np.concatenate(column) for column in zip(*columns, strict=True)], rng)
        order = batches(len(rows), self._config.batch, rng)
        return self.fit(TrainingSteps(parts, rows, learnt, order, self.loss, learning_rate)), len(rows)

    def chosen(
        self, columns: Sequence[NDArray[Any]], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
        """The numbers of the rows of a wave that are learnt from, and the columns of these as `loss` takes them.

        The last of those is the weight of a row.
        """
        raise NotImplementedError

    def loss(
        self, outputs: torch.Tensor, *columns: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The gradient of the mean loss of some rows by weight with respect to their outputs, and measures of them."""
        raise NotImplementedError


class Policy(Learner):
    """One policy. Its columns: outputs, log-chances, legal outputs, advantages, results of the own side.

    Args:
        name: the network's name.
        network: what it begins with.
        config: how it learns.
        scale: game units of a result of 1.
    """

    def __init__(self, name: str, network: Network, config: Config, scale: float) -> None:
        super().__init__(name, network, config)
        self._unit = np.float32(scale / network.spec.scale)

    def chosen(
        self, columns: Sequence[NDArray[Any]], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
        """All choices that were in doubt, and a few of those that were almost certain.

        Advantages get a standard deviation of 1.
        """
        output, chance, legal, advantage, result = columns
        certain = np.exp(chance) > self._config.certain
        rows = np.flatnonzero(~certain | (rng.random(len(chance)) * THINNED < 1))
        weight = np.where(certain[rows], np.float32(THINNED), np.float32(1))
        scaled = advantage / max(float(advantage.std()), 1e-6) if len(advantage) else advantage
        learnt = (output, chance, legal.astype(np.int64), scaled, result * self._unit)
        return rows, [*(column[rows] for column in learnt), weight]

    def loss(
        self, outputs: torch.Tensor, *columns: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The clipped surrogate with an entropy bonus; where the network has a value, its squared error too.

        With r the ratio of the new to the old probability of a card, A its advantage and H the entropy, the loss is
        -min(r A, clip(r) A) - entropy H + (value - result)^2 / 2, in the mean by weight.
        """
        chosen, chance, legal, advantage, result, weight = columns
        config, at = self._config, chosen[:, None]
        share = weight / weight.sum()
        allowed = (legal[:, None] >> torch.arange(CARDS, device=legal.device) & 1).bool()
        logits = torch.where(allowed, outputs[:, :CARDS] / config.temperature, ILLEGAL)
        logs = torch.log_softmax(logits, 1)
        chances, logs = logs.exp(), torch.where(allowed, logs, 0)
        now = logs.gather(1, at)[:, 0]
        ratio = (now - chance).exp()
        gain, clipped = ratio * advantage, ratio.clip(1 - config.clip, 1 + config.clip) * advantage
        entropy = -(chances * logs).sum(1)
        # By logits, the logarithm of a card's probability has the gradient (1 at the card) - chances, the entropy
        # -chances * (logs + entropy). Where the ratio is clipped the surrogate has none.
        slope = torch.where(gain <= clipped, gain, 0)
        by_logit = chances * (slope[:, None] + config.entropy * (logs + entropy[:, None]))
        by_logit.scatter_add_(1, at, -slope[:, None])
        gradient = torch.zeros_like(outputs)
        gradient[:, :CARDS] = by_logit * (share / config.temperature)[:, None]
        if outputs.shape[1] > CARDS:
            gradient[:, CARDS] = share * (outputs[:, CARDS] - result)
        return gradient, {"entropy": share @ entropy, "kl": share @ (chance - now)}


class Critic(Learner):
    """The critic. Its columns: targets, and whether the declaring side won."""

    def values(self, rows: Any) -> NDArray[np.float32]:
        """What loaded worlds are worth to the declaring side, float32 [n] in units of the network."""
        return np.ascontiguousarray(self.mlp.outputs(rows)[:, WORTH])

    def chosen(
        self, columns: Sequence[NDArray[Any]], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
        """A share of the rows."""
        rows = np.flatnonzero(rng.random(len(columns[0])) < self._config.critic_rows)
        return rows, [*(column[rows] for column in columns), np.ones(len(rows), np.float32)]

    def loss(
        self, outputs: torch.Tensor, *columns: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The squared error of the worth, and the cross-entropy of the win."""
        target, won, weight = columns
        share, error = weight / weight.sum(), outputs[:, WORTH] - target
        gradient = torch.zeros_like(outputs)
        gradient[:, WORTH] = 2 * share * error
        gradient[:, WON] = share * (outputs[:, WON].sigmoid() - won)
        return gradient, {"error": share @ error.square()}


def _learning(layout: CardNetworks, side: str | None) -> list[bool]:
    """Whether each policy learns if only one side does; None: all do.

    Raises:
        ValueError: if both sides share a network.
    """
    if side is None:
        return [True] * len(layout.names)
    own = SIDES.index(side)
    learn, others = ({each[number] for each in layout.route} for number in (own, 1 - own))
    if shared := learn & others:
        raise ValueError(
            f"learns = {side}: in {layout.game} both sides play by the network {layout.names[min(shared)]}; "
            "expected none, as both learn"
        )
    return [number in learn for number in range(len(layout.names))]


class Played(NamedTuple):
    """A wave that was played in some lanes."""

    worth: NDArray[np.float32]
    """float32 [games]: what they were worth to the declaring sides."""
    won: NDArray[np.bool_]
    """bool [games]: which they won."""
    read: list[list[Any]]
    """What each network read, in the order of its rows."""


class SelfPlay(Waves):
    """The learners, the games that they play, and where those begin."""

    config: Config

    def __init__(self, config: Config, pool: StartPool, workers: ThreadPoolExecutor) -> None:
        self._begun = load_checkpoint(config.checkpoint, config.game)
        layout, worlds, game = card_networks(config.game), world_layout(config.game), get_game(config.game)
        self._begun.require_any(dict.fromkeys(layout.names, CARDS), layout.names)
        seed, games = np.random.SeedSequence(config.seed, spawn_key=(1,)).spawn(2)
        self.policies = [
            Policy(name, self._begun.network(name), config, worlds.scale) for name in layout.names
        ]
        spec = worlds.spec(config.critic_hidden)
        if config.critic:
            critic = load_checkpoint(config.critic, config.game).network_like(WORLD, spec)
        else:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(int(seed.generate_state(1)[0]))
                critic = NetworkModule(spec).frozen()
        self.critic = Critic(WORLD, critic, config)
        self.learners: list[Learner] = [*self.policies, self.critic]
        self._learns = _learning(layout, config.learns)
        super().__init__(config, self.learners, pool, workers, games)
        self._scale = worlds.scale
        self._win = game.reward_units.index(worlds.win)
        weights = side_weights(game)
        route = [[sides[weight < 0] for weight in weights] for sides in layout.route]
        shares = np.diff(np.linspace(0, config.lanes, config.threads + 1).astype(int))
        self._actors = [
            PolicyActors(
                game.state.random(np.random.default_rng(0)),
                int(lanes),
                [learner.encoder for learner in self.learners],
                int(lanes) * sum(game.place_sizes[: len(weights)]),
                route,
                weights,
                game.reward_units.index(game.match_unit),
                1 / worlds.scale,
            )
            for lanes in shares
        ]

    def wave(self) -> dict[str, float]:
        """Plays a game in every lane and learns from it; returns the sums that metrics are made of."""
        config, critic = self.config, len(self.policies)
        change = self.between(1.0, config.final_learning_rate / config.learning_rate)
        jobs = []
        for actors in self._actors:
            chosen, streams = self.drawn_starts(actors.lanes)
            jobs.append(self._workers.submit(self._play, actors, chosen, streams))
        played = [job.result() for job in jobs]
        sums = {
            "games": float(config.lanes),
            "worth": sum(float(each.worth.sum(dtype=np.float64)) for each in played),
            "won": float(sum(each.won.sum() for each in played)),
        }
        parts = [[part for each in played for part in each.read[number]] for number in range(critic + 1)]
        data: list[list[Columns]] = [
            [actors.policy_data(number)[1:] for actors in self._actors] for number in range(critic)
        ]
        data.append([])
        for actors, each in zip(self._actors, played, strict=True):
            _, target, lane = actors.critic_data()
            data[critic].append((target, each.won[lane].astype(np.float32)))
        seeds = self._rng.integers(2**63, size=len(self.learners))
        learning = {
            number: partial(
                learner.learn,
                parts[number],
                data[number],
                change * (config.critic_learning_rate if number == critic else config.learning_rate),
                int(seeds[number]),
            )
            for number, learner in enumerate(self.learners)
            if number == critic or (self.games >= config.warm_up and self._learns[number])
        }
        rows = [sum(len(columns[0]) for columns in each) for each in data]
        for number, (measures, learnt) in self.in_threads(learning, rows).items():
            name = self.learners[number].name
            sums[f"{name}_rows"] = learnt
            sums |= {f"{name}_{measure}": value for measure, value in measures.items()}
        self.games += config.lanes
        self.pool.refresh()
        return sums

    def _play(self, actors: PolicyActors, chosen: NDArray[np.int64], streams: NDArray[np.uint64]) -> "Played":
        """Plays a wave in some lanes."""
        config = self.config
        read: list[list[Any]] = [[] for _ in self.learners]
        actors.begin(self.pool.starts, chosen, streams)
        # Cards are drawn with one temperature; the logits of the side that does not learn are brought to it.
        frozen = np.float32(config.temperature / (config.frozen_temperature or SURE))
        while actors.advance():
            logits: list[NDArray[np.float32] | None] = [None] * len(self.policies)
            for number, (policy, learns) in enumerate(zip(self.policies, self._learns, strict=True)):
                waiting = actors.waiting(number)
                if len(waiting):
                    read[number].append(policy.load(waiting))
                    logits[number] = policy.mlp.outputs(read[number][-1]) * (
                        np.float32(1) if learns else frozen
                    )
            actors.draw(logits, config.temperature)
        read[-1].append(self.critic.load(actors.worlds()))
        return Played(*actors.finish(self.critic.values(read[-1][0]), config.trace, self._win), read)

    def networks(self) -> dict[str, Network]:
        """The averaged policies at present, and the other networks of the checkpoint that training began with."""
        return {**self._begun.networks, **{policy.name: policy.average() for policy in self.policies}}

    def means(self, sums: Mapping[str, float]) -> dict[str, float]:
        """The mean value of a game for the declaring side, in game units, its wins, and the means of the learners."""
        games = sums["games"]
        metrics = {"worth": sums["worth"] / games * self._scale, "won": sums["won"] / games}
        for learner in self.learners:
            count = f"{learner.name}_rows"
            if sums.get(count):
                metrics |= {
                    name: value / sums[count]
                    for name, value in sums.items()
                    if name.startswith(f"{learner.name}_") and name != count
                }
        return metrics

    def evaluate(self, run: TrainingRun) -> dict[str, float]:
        """The mean differences of a mirrored match of `policy` against the opponent, and their 95% intervals."""
        self.write(run, {})
        text = call_text("policy", {"checkpoint": str(run.folder / CHECKPOINT)})
        agent = make_agent(text, self.config.game)
        return by_role(agent, self.config.evaluation("learner"), run.workers)

    def write(self, run: TrainingRun, metrics: Mapping[str, float]) -> None:
        """Writes the averaged networks: the policies with those that they began beside, and the critic."""
        details: dict[str, Any] = {"games": self.games, "metrics": dict(metrics)}
        # Where one kind is played alone, or one side learns, the others stay as they began.
        learnt = [policy.name for policy in self.policies if policy.mlp.steps]
        run.save_checkpoint(self.config.game, self.networks(), learnt=learnt, **details)
        run.save_checkpoint(self.config.game, {WORLD: self.critic.average()}, CRITIC, **details)


def train(config: Config, run: TrainingRun) -> None:
    """Plays and learns until the config's number of games is reached.

    Raises:
        TrainingFailed: if the errors are no longer finite; the checkpoint saved last is kept.
        ValueError: if a network cannot learn so, or starts cannot be made.
    """
    train_in_waves(config, run, partial(SelfPlay, config))
