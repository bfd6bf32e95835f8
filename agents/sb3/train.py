"""MaskablePPO of sb3-contrib against named agents and its own frozen past: `skat-env train sb3`.

A run is a row of legs. Each begins with fresh games and seeds of its own, and ends with a model, one more past self in
the league, and an evaluation match. A stopped run goes on after its last leg and ends with the networks of an unbroken
one. `sb3(FOLDER)` plays by the newest model of a run.
"""

import dataclasses
import json
import math
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

import msgspec
import numpy as np

from skat_env.agents.learners.config import (
    AgentName,
    GameName,
    LearnerConfig,
    Natural,
    Positive,
    Rate,
    RulesText,
    Share,
    StartName,
    Threads,
    Weight,
)
from skat_env.agents.learners.evaluation import compare, mode_of
from skat_env.agents.learners.networks.optimizer import optimizer_tensors, restore_optimizer
from skat_env.agents.learners.run import TrainingFailed, TrainingRun
from skat_env.agents.networks.network import Widths
from skat_env.agents.sb3.agent import Sb3Agent
from skat_env.agents.sb3.card import CHECKPOINTS, ModelCard
from skat_env.agents.sb3.model import policy_options, read_sparsely, save_model
from skat_env.envs.opponents import Pool
from skat_env.envs.sb3 import DEFAULT_SCALE, Sb3VecEnv
from skat_env.match.play import MatchConfig
from skat_env.options import MAX_COUNT
from skat_env.play.starts import draw_starts
from skat_env.protocols import Agent, State
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.progress import progress_bar
from skat_env.tools.worker_pool import WorkerPool, result_of

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.logger import KVWriter, Logger, filter_excluded_keys
    from stable_baselines3.common.utils import set_random_seed
except ImportError:
    raise ImportError(
        "training needs stable-baselines3 and sb3-contrib: pip install '.[learn]' in the checkout of skat_env"
    ) from None

POLICY: Final = "policy"
OPTIMIZER: Final = "optimizer"
"""The first parts of the names of tensors in a saved state."""


class Config(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How MaskablePPO is trained."""

    FREE: ClassVar[tuple[str, ...]] = ("steps", "evaluate_against", "evaluation_deals", "threads")

    game: GameName = "skat"
    steps: Positive = 1_000_000
    """Environment steps (decisions of the learner) of the whole run, rounded up to whole rollouts of `games` times
    `horizon`; the last leg is shorter if need be."""
    opponents: tuple[AgentName, ...] = ("rule",)
    """Agents for the other seats, including a partner's, drawn for each game and seat."""
    self_play: Share = 0.0
    """Share of the other seats that past selves take. They draw their actions, so that they vary."""
    league: Positive = 20
    """Number of past selves that can be drawn: the newest models."""
    start: StartName = "cardplay"
    """Stage at which the learner's games begin, or deal. The auction is slow, as `bidder` thinks there."""
    bidder: AgentName = "rule"
    """Agent that plays what comes before `start`, in training and in evaluation."""
    starts: Positive = 2048
    """Deals that are played to `start` for each leg; the networks overfit to few. In Skat each takes 10 ms of a second
    process, during the leg before. Unused if games begin with the deal, where all deals are fresh."""
    rules: RulesText | None = None
    """Options of the game's rules, as in `skat-env match`."""
    reward: str | None = None
    """One of the game's reward units; default: the game's own."""
    scale: Rate = DEFAULT_SCALE
    """Factor from game units to rewards."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 0
    """Seed of the weights, the starts, the games, and the evaluation."""
    leg: Positive = 196_608
    """Environment steps of a leg, which has starts of its own; rounded up to whole rollouts."""
    games: Positive = 128
    """Games played at once: enough to make a pass of the network cheap, and few enough for many updates."""
    horizon: Positive = 64
    """Steps of each game between two updates: about six deals, so that most returns are whole."""
    layers: Annotated[Widths, msgspec.Meta(min_length=1)] = (128, 128)
    """Widths of the hidden layers of the policy and of the value network; the first takes most of the time."""
    batch_size: Annotated[int, msgspec.Meta(ge=2, le=MAX_COUNT)] = 1024
    """Rows of a gradient step."""
    epochs: Positive = 4
    """Passes over each rollout."""
    learning_rate: Rate = 5e-4
    """Learning rate of Adam."""
    gamma: Share = 1.0
    """Discount; deals pay once, at their end, and all cards count the same."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation."""
    clip_range: Rate = 0.2
    """Clip range of the policy's ratio."""
    entropy: Weight = 0.01
    """Weight of the entropy in the loss."""
    value: Weight = 0.5
    """Weight of the value error in the loss."""
    evaluate_against: tuple[AgentName, ...] = ("rule",)
    """Agents to play against in evaluation matches, with sides changed. A match begins with the cardplay if training
    does, else with the deal."""
    evaluation_deals: Natural = 200
    """Deals of an evaluation match, the same every time; 0: no evaluation."""
    threads: Threads = 1
    """Threads of torch; networks of this size are slower on several."""

    def __post_init__(self) -> None:
        if self.self_play < 1 and not self.opponents:
            raise ValueError("without opponents all seats are past selves: expected self_play = 1")
        rows = self.games * self.horizon
        if rows % self.batch_size == 1:
            raise ValueError(
                f"batch_size = {self.batch_size}: of {rows} rows (games times horizon) a last batch of one is left, "
                "whose advantage cannot be normalised; expected another size"
            )

    @property
    def stage(self) -> str:
        """The stage at which the learner's games begin."""
        return get_game(self.game).stages[0] if self.start == "deal" else self.start

    def determining(self) -> dict[str, Any]:
        """The options that change a run's networks, as JSON holds them."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name not in self.FREE}
        return dict(json.loads(json.dumps(fields)))


class Reporter(KVWriter):
    """Reports the finite metrics of stable-baselines3 to a run; without an episode some are not."""

    def __init__(self, run: TrainingRun) -> None:
        self._run = run

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Writes one line of metrics."""
        shown = filter_excluded_keys(key_values, key_excluded, "json")
        numbers = {key: float(value) for key, value in shown.items() if not isinstance(value, str)}
        self._run.report(step, **{key: value for key, value in numbers.items() if math.isfinite(value)})

    def close(self) -> None:
        """Does nothing; the run is open for longer."""


class Ppo:
    """MaskablePPO in a run, from where that was stopped; a context manager."""

    def __init__(self, config: Config, run: TrainingRun) -> None:
        self.config = config
        self._run = run
        self.game = get_game(config.game)
        self._models = run.folder / CHECKPOINTS
        torch.set_num_threads(config.threads)
        self.named: list[Agent] = [make_agent(name, config.game) for name in config.opponents]
        self.pool = Pool([], [])
        self._evaluated: list[Any] | None = None
        """The opponents and deals of the evaluation of the present model; None: it has had none."""
        self._past: dict[Path, Agent] = {}
        self.env = Sb3VecEnv(
            config.game,
            config.games,
            opponents=self.pool,
            reward=config.reward,
            scale=config.scale,
            start=config.start,
            bidder=config.bidder,
            rules=None if config.rules is None else parse_rules(config.rules, self.game),
            seed=config.seed,
        )
        self._beside: WorkerPool[int, list[State]] | None = None
        """Makes the starts of a leg from its seed."""
        self._next_starts: Future[list[State]] | None = None
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=config.learning_rate,
            n_steps=config.horizon,
            batch_size=config.batch_size,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            ent_coef=config.entropy,
            vf_coef=config.value,
            stats_window_size=1000,
            policy_kwargs=policy_options(config.layers),
            seed=config.seed,
            device="cpu",
        )
        read_sparsely(self.model.policy)
        self.model.set_logger(Logger(None, [Reporter(run)]))
        self._models.mkdir(exist_ok=True)
        if not run.resume(self._restore):
            self.save()
        elif not self._model_path.exists():
            self._save_model()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._beside is not None:
            self._beside.__exit__(*error)

    @property
    def steps(self) -> int:
        """Environment steps so far."""
        return self.model.num_timesteps

    def leg(self, show: Callable[[int], None]) -> None:
        """Trains for a leg; `show` is called with the steps so far.

        Raises:
            TrainingFailed: if the network's outputs are no longer finite; the saved state stays.
        """
        self._draw_league()
        self._draw_starts()
        seed = self._seed(self.steps)
        set_random_seed(seed)
        self.env.seed(seed)
        # Without the reset the first games would be those that the last leg left open, if this process played it.
        self.model.set_env(self.env, force_reset=True)

        def on_step(local: dict[str, Any], common: dict[str, Any]) -> bool:
            show(self.steps)
            return True

        # A run that goes on after a stop has no games of earlier legs in the means of its metrics.
        self.model.ep_info_buffer = self.model.ep_success_buffer = None
        begun = self.steps
        try:
            self.model.learn(self._length, callback=on_step, reset_num_timesteps=False)
        except ValueError:  # torch refuses probabilities that are not finite
            if self._finite():
                raise
        if not self._finite():
            raise TrainingFailed(f"an output of the network after steps {begun} to {self.steps}", math.nan)
        # Before the state, which says how many lines of metrics belong to it.
        self.model.logger.dump(self.steps)
        self._evaluated = None
        self.save()

    def save(self) -> None:
        """Saves the state of the present step, and then its model."""
        self._save_state()
        self._save_model()

    def _save_state(self) -> None:
        policy = {f"{POLICY}/{name}": tensor for name, tensor in self.model.policy.state_dict().items()}
        optimizer = optimizer_tensors(OPTIMIZER, self.model.policy.optimizer)
        numbers = {"step": self.steps, "evaluated": self._evaluated}
        self._run.save_state(numbers, {**policy, **optimizer})

    def _restore(self, numbers: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        """Takes a saved state."""
        policy = {
            name.removeprefix(f"{POLICY}/"): tensor
            for name, tensor in tensors.items()
            if name.startswith(f"{POLICY}/")
        }
        self.model.policy.load_state_dict(policy)
        restore_optimizer(OPTIMIZER, self.model.policy.optimizer, tensors)
        self.model.num_timesteps, self._evaluated = numbers["step"], numbers.get("evaluated")
        rollouts = self.steps // (self.config.games * self.config.horizon)
        self.model._n_updates = rollouts * self.config.epochs

    @property
    def _model_path(self) -> Path:
        """Where the model of the present step is."""
        return self._models / f"{self.steps:012}.zip"

    def _save_model(self) -> None:
        card = ModelCard.of(
            self.game,
            start=self.config.stage,
            layers=self.config.layers,
            scale=self.config.scale,
            steps=self.steps,
            config=self.config.determining(),
        )
        save_model(self.model, self._model_path, card)

    def evaluate(self) -> None:
        """Plays a match of the present model against each agent, on the same deals every time, and reports them; not
        again if that has been done.
        """
        config = self.config
        wanted = [[*config.evaluate_against], config.evaluation_deals]
        if self._evaluated == wanted:
            return
        agent = Sb3Agent(str(self._model_path), bidder=config.bidder, game=config.game)
        for other in config.evaluate_against:
            match = MatchConfig(
                config.game,
                (agent.name, other),
                config.evaluation_deals,
                config.seed,
                mode_of(config.game, config.stage),
                config.bidder,
                rules=config.rules,
            )
            difference = dataclasses.asdict(compare(agent, match, self._run.workers).difference)
            for name, value in difference.items():
                self.model.logger.record(f"evaluation/{other}/{name}", value)
        self.model.logger.dump(self.steps)
        self._evaluated = wanted
        self._save_state()

    def _draw_league(self) -> None:
        """Makes the pool of opponents: the named agents, and the newest models."""
        share = self.config.self_play
        # Later models are of a run that was begun again without its state.
        known = [path for path in sorted(self._models.glob("*.zip")) if path <= self._model_path]
        past = known[-self.config.league :] if share else []
        named = self.named if share < 1 else []
        self._past = {path: self._past.get(path) or self._self(path) for path in past}
        self.pool.agents[:] = [*named, *self._past.values()]
        self.pool.weights[:] = [
            *((1 - share) / len(named) for _ in named),
            *(share / len(past) for _ in past),
        ]

    def _self(self, path: Path) -> Agent:
        """The past self of a model."""
        return Sb3Agent(str(path), sample=True, bidder=self.config.bidder, game=self.config.game)

    def _draw_starts(self) -> None:
        """Gives the games of this leg their starts, and has those of the next leg made meanwhile."""
        source, count = self.env.start_source, self.config.starts
        if source is None:
            return
        made, self._next_starts = self._next_starts, None
        self.env.set_starts(
            draw_starts(self.config.game, source, count, self._seed(self.steps))
            if made is None
            else result_of(made)
        )
        rollout = self.config.games * self.config.horizon
        following = self.steps + -(-self._length // rollout) * rollout
        if following < self.config.steps:
            if self._beside is None:
                self._beside = WorkerPool(partial(draw_starts, self.config.game, source, count))
            self._next_starts = self._beside.submit(self._seed(following))

    @property
    def _length(self) -> int:
        """Environment steps of this leg; the rollouts of a leg are whole."""
        return min(self.config.leg, self.config.steps - self.steps)

    def _seed(self, steps: int) -> int:
        """The seed of the leg that begins with a step."""
        return int(np.random.SeedSequence([self.config.seed, steps]).generate_state(1)[0])

    def _finite(self) -> bool:
        """Whether the network's outputs are finite; weights can be finite and yet too large."""
        policy = self.model.policy
        with torch.no_grad():
            actor, critic = policy.mlp_extractor(torch.from_numpy(self.env.reset()).float())
            outputs = (policy.action_net(actor), policy.value_net(critic))
        return all(bool(output.isfinite().all()) for output in outputs)


def train(config: Config, run: TrainingRun) -> None:
    """Trains to the end of a run.

    Raises:
        ParseError: if a model of the run is damaged.
        TrainingFailed: if training diverges.
    """
    with Ppo(config, run) as ppo, progress_bar("environment steps", config.steps) as show:
        while True:
            if config.evaluation_deals:
                ppo.evaluate()
            if ppo.steps >= config.steps:
                break
            ppo.leg(show)
