"""Expert iteration: a search guided by a network plays, and the network learns what the search found.

Anthony, Tian and Barber 2017; AlphaZero (Silver et al. 2018). The search is ismcts with PUCT. Targets are its visits,
and the game's result mixed with the value that it found. Training can begin by imitating a dataset of games that
another search has played.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from skat_env.agents.compose.exploring import Exploring
from skat_env.agents.learners.ahead import AheadConfig, Piece, PlayedAhead
from skat_env.agents.learners.config import (
    AgentName,
    Deals,
    GameName,
    Natural,
    Part,
    Positive,
    Rate,
    RulesText,
    Seed,
    Share,
    StartName,
    Threads,
    Weight,
)
from skat_env.agents.learners.evaluation import interval, strength
from skat_env.agents.learners.experience.fresh_games import fresh_games
from skat_env.agents.learners.experience.held_out import held_out, open_dataset
from skat_env.agents.learners.experience.memory import Memory
from skat_env.agents.learners.experience.policy_value_rows import (
    RecordedCards,
    SearchedGames,
    drawn_rows,
    play_searched,
    searched_rows,
)
from skat_env.agents.learners.networks.precision import Precision
from skat_env.agents.learners.policy_value_learner import PolicyValueLearner
from skat_env.agents.learners.run import TrainingRun, as_array
from skat_env.agents.networks.card_networks import card_networks
from skat_env.agents.networks.network import Network, Widths
from skat_env.agents.search.evaluators.policy_value import PolicyValueEvaluator
from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError
from skat_env.play.starts import start_source
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules
from skat_env.tools.progress import progress_bar

STEPS_PER_REPORT = 500
"""Steps of the imitation between two lines of metrics, after which it can be resumed."""
ROWS_MEASURED = 8192
"""Held-out rows that a report is measured on."""


class Config(AheadConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How policy-value networks are trained."""

    game: GameName
    data: tuple[str, ...] = ()
    """Folders of datasets, which are imitated first; none: training begins with iterations."""
    data_choices: bool = False
    """Whether the cards that were chosen and the games' results are imitated, which all datasets have, and not what
    searches found."""
    data_steps: Natural = 0
    """Training steps of the imitation."""
    data_value_share: Share = 0.5
    """Weight of the search's value in a value of the imitation; the rest is the game's result."""
    data_sharpness: Rate = 1.0
    """Power that the search's weights are raised to before they are imitated: a search without priors spreads its
    visits more widely than its doubts."""
    held_out: Part = 0.02
    """Share of the imitated games that are not trained on; the figures are measured on them."""
    hidden: Widths = (256, 256, 128)
    """Widths of the hidden layers; small, so that a search affords many simulations."""
    learning_rate: Rate = 1e-3
    """Learning rate of Adam. It falls to a tenth over the imitation, and stays there in the iterations."""
    batch: Positive = 1024
    """Rows of a training step."""
    precision: Precision = "float32"
    """Precision of matrix products, where the processor has it, else float32; weights are float32."""
    value_weight: Weight = 1.0
    """Weight in the loss of the squared error of the value, which is in units of the network's scale."""
    iterations: Natural = 50
    """Number of iterations of play and learning, after the imitation."""
    games: Positive = 256
    """Games of an iteration; those of a piece are played in step."""
    steps: Positive = 50
    """Training steps of an iteration."""
    buffer: Positive = 200_000
    """Maximum number of rows in each network's buffer."""
    simulations: Positive = 64
    """Simulations of a search in self-play."""
    share: Share = 0.25
    """Share of the decisions in self-play that are drawn from the visits."""
    smoothing: Weight = 0.02
    """Added to the share of the visits of every legal card before one is drawn."""
    value_share: Share = 0.25
    """Weight of the search's value in a value of self-play; the rest is the game's result."""
    rules: RulesText = ""
    """Options of the game's rules; empty: its defaults."""
    start: StartName = "cardplay"
    """Stage at which the games of the iterations begin, or deal. Evaluation matches of a learner that begins with the
    last stage begin there too; all others are whole games."""
    bidder: AgentName = "rule"
    """Agent that plays what comes before the start."""
    evaluate_every: Positive = 10
    """Iterations between two evaluation matches, after which a stopped run can go on. The first match is played before
    the first iteration."""
    evaluation_deals: Deals = 200
    """Deals of an evaluation match; each is played twice or more, with sides changed."""
    evaluation_simulations: Positive = 64
    """Simulations of a search in evaluation matches."""
    opponent: AgentName = "rule"
    """Agent to play against in evaluation matches."""
    seed: Seed = 0
    """Seed of the weights, the games, and the rows drawn."""
    threads: Threads = 1
    """Threads of torch; small networks are slower on several."""

    def __post_init__(self) -> None:
        if bool(self.data) != bool(self.data_steps):
            raise ValueError(
                f"data = {list(self.data)} with data_steps = {self.data_steps}: expected both, or neither"
            )


def train(config: Config, run: TrainingRun) -> None:
    """Trains the networks and writes them as the run's checkpoint after every match and at the end.

    Raises:
        ParseError: if the dataset is of another game, or keeps no searches.
        TrainingFailed: if a loss is not finite.
    """
    torch.set_num_threads(config.threads)
    with PlayedAhead(_Play(config), config, config.games, config.iterations, run.workers) as ahead:
        learner = _Expert(config, run, ahead)
        learner.resume()
        if learner.data_step < config.data_steps:
            learner.imitate()
        learner.iterate()


@dataclass(frozen=True)
class _Play:
    """Plays pieces of iterations."""

    config: Config

    def __call__(self, piece: Piece) -> SearchedGames:
        """The games of a piece."""
        config, game = self.config, get_game(self.config.game)
        agent = Exploring(
            _searching(config, piece.networks.value, config.simulations),
            share=config.share,
            smoothing=config.smoothing,
            game=config.game,
        )
        states, rngs = fresh_games(
            self._source, range(piece.first, piece.stop), len(game.seats), (config.seed, 1, piece.wave)
        )
        return play_searched(game, agent, states, rngs)

    @cached_property
    def _source(self) -> Callable[[np.random.Generator], Any]:
        config, game = self.config, get_game(self.config.game)
        rules = parse_rules(config.rules, game) if config.rules else None
        return start_source(game, config.start, config.bidder, rules)


def _searching(config: Config, networks: Mapping[str, Network], simulations: int) -> Ismcts:
    """A search that networks guide."""
    evaluator = PolicyValueEvaluator(networks, config.game)
    options = IsmctsOptions(simulations=simulations, evaluator=evaluator, bidder=config.bidder)
    return Ismcts(options, game=config.game)


class _Expert:
    """The networks of a game in training."""

    def __init__(self, config: Config, run: TrainingRun, ahead: PlayedAhead[SearchedGames]) -> None:
        torch.manual_seed(config.seed)
        self._config, self._run, self._ahead = config, run, ahead
        self._game = get_game(config.game)
        self._learners = {
            name: PolicyValueLearner(config.game, name, config.hidden, config.value_weight, config.precision)
            for name in card_networks(config.game).names
        }
        self._buffers = {name: Memory(f"buffer.{name}", config.buffer) for name in self._learners}
        self.data_step = self._iteration = 0
        self._evaluated = -1

    def imitate(self) -> None:
        """Learns from the datasets."""
        config = self._config
        parts: dict[str, tuple[list[RecordedCards], list[RecordedCards]]] = {}
        for folder in config.data:
            dataset = open_dataset(folder, config.game)
            self._run.learns_from(dataset)
            decisions = Decisions(dataset)
            kept_back = held_out(dataset, config.held_out, config.seed)
            for name in self._learners:
                both = [
                    RecordedCards(
                        dataset,
                        decisions,
                        name,
                        games,
                        config.data_value_share,
                        config.data_sharpness,
                        config.data_choices,
                    )
                    for games in (~kept_back, kept_back)
                ]
                for found, part in zip(parts.setdefault(name, ([], [])), both, strict=True):
                    if len(part):
                        found.append(part)
        if not any(rows for rows, _ in parts.values()):
            what = "decisions" if config.data_choices else "searched decisions"
            raise ParseError(f"{', '.join(config.data)} has no {what} in its cardplay")
        parts = {name: both for name, both in parts.items() if both[0]}
        if unheld := [name for name, (_, others) in parts.items() if not others]:
            raise ParseError(
                f"{', '.join(config.data)} has too few games: of those held out, a share of {config.held_out:g}, none "
                f"has rows of {', '.join(unheld)}"
            )
        with progress_bar("imitation", config.data_steps) as advance:
            while self.data_step < config.data_steps:
                rng = np.random.default_rng([config.seed, 0, self.data_step])
                steps = min(STEPS_PER_REPORT, config.data_steps - self.data_step)
                figures: dict[str, float] = {}
                for name, (rows, others) in parts.items():
                    learner = self._learners[name]
                    for step in range(self.data_step, self.data_step + steps):
                        rate = config.learning_rate * 0.1 ** (step / config.data_steps)
                        learner.step(drawn_rows(rows, config.batch, rng), rng, rate)
                        advance(step)
                    some = drawn_rows(others, ROWS_MEASURED, np.random.default_rng(config.seed))
                    measured = learner.measure(some)
                    figures |= {f"{name}/valid_{key}": value for key, value in measured.items()}
                self.data_step += steps
                self._run.report(self.data_step, **figures)
                self._save()
        self._checkpoint()

    def iterate(self) -> None:
        """Plays and learns in turn."""
        config = self._config
        with progress_bar("expert iteration", config.iterations) as advance:
            if self._evaluated < 0:
                self._evaluate()
                self._save()
            while self._iteration < config.iterations:
                figures = self._play()
                for name, learner in self._learners.items():
                    figures |= self._learn(name, learner)
                self._iteration += 1
                self._run.report(config.data_steps + self._iteration, **figures)
                if self._iteration % config.evaluate_every == 0 or self._iteration == config.iterations:
                    self._evaluate()
                    self._save()
                advance(self._iteration)

    def resume(self) -> None:
        """Continues where the run was stopped."""
        self._run.resume(self._restore)

    def _restore(self, numbers: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        self.data_step, self._iteration = numbers["data_step"], numbers["iteration"]
        self._evaluated = numbers["evaluated"]
        arrays = {key: as_array(tensor) for key, tensor in tensors.items()}
        for name, learner in self._learners.items():
            learner.restore(tensors)
            self._buffers[name].restore(arrays)
        specs = {name: learner.network.spec for name, learner in self._learners.items()}
        self._ahead.restore(self._iteration, tensors, specs)

    def _save(self) -> None:
        tensors: dict[str, Any] = dict(self._ahead.arrays())
        for name, learner in self._learners.items():
            tensors |= learner.tensors() | self._buffers[name].arrays()
        numbers = {
            "data_step": self.data_step,
            "iteration": self._iteration,
            "evaluated": self._evaluated,
        }
        self._run.save_state(numbers, tensors)

    def _checkpoint(self) -> None:
        self._run.save_checkpoint(self._config.game, self._networks(), iteration=self._iteration)

    def _networks(self) -> dict[str, Network]:
        return {name: learner.network.frozen() for name, learner in self._learners.items()}

    def _play(self) -> dict[str, float]:
        """Adds the rows of an iteration's games to the buffers."""
        added = 0
        for played in self._ahead.wave(self._networks()):
            for name, rows in searched_rows(self._game, played, self._config.value_share).items():
                if len(rows["values"]):
                    self._buffers[name].add(rows)
                added += len(rows["values"])
        return {"rows": float(added)}

    def _learn(self, name: str, learner: PolicyValueLearner) -> dict[str, float]:
        """Makes the training steps of an iteration; returns the mean losses."""
        config, buffer = self._config, self._buffers[name]
        if not len(buffer):
            return {}
        rng = np.random.default_rng([config.seed, 2, self._iteration])
        # After an imitation, its last rate stays.
        rate = config.learning_rate * (0.1 if config.data_steps else 1.0)
        losses = [learner.step(buffer.draw(rng, config.batch), rng, rate) for _ in range(config.steps)]
        return {f"{name}/{key}": float(np.mean([each[key] for each in losses])) for key in losses[0]}

    def _evaluate(self) -> None:
        """Plays a match, reports its result, and writes the checkpoint."""
        config = self._config
        estimate = strength(
            _searching(config, self._networks(), config.evaluation_simulations),
            config.opponent,
            config.game,
            config.evaluation_deals,
            config.seed,
            config.start,
            config.bidder,
            config.rules or None,
            self._run.workers,
        )
        self._run.report(config.data_steps + self._iteration, **interval("strength", estimate))
        self._evaluated = self._iteration
        self._checkpoint()
