"""MaskablePPO of sb3-contrib against named agents and its own frozen past.

python -m agents.sb3.train --game skat --opponents rule --steps 1000000 --out runs/skat

A run is a row of legs. Each begins with fresh games and seeds of its own, and ends with a checkpoint, an evaluation
match, and one more past self in the league. The same command goes on after the last checkpoint, and the networks are
then those of a run that was never stopped. `sb3(runs/skat)` plays by the newest checkpoint; `metrics.jsonl` and the
folder `tensorboard` have the curves.
"""

import dataclasses
import json
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from agents.learners.evaluation import compare
from agents.sb3.agent import Sb3Agent
from agents.sb3.model import (
    CHECKPOINTS,
    ModelCard,
    check_card,
    newest_model,
    policy_options,
    read_card,
    read_parameters,
    save_model,
)
from skat_env.envs.opponents import Pool
from skat_env.envs.sb3 import DEFAULT_SCALE, SeatVecEnv
from skat_env.errors import UnknownName
from skat_env.match.play import MatchConfig
from skat_env.play.starts import draw_starts
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.files import locked, write_text
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import provenance

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.logger import (
        KVWriter,
        Logger,
        TensorBoardOutputFormat,
        filter_excluded_keys,
    )
    from stable_baselines3.common.utils import set_random_seed
except ImportError:
    raise ImportError(
        "training needs stable-baselines3 and sb3-contrib: pip install 'skat_env[learn]'"
    ) from None

METRICS = "metrics.jsonl"
STEPS = "time/total_timesteps"
"""Where a line of the metrics has its environment steps, as SB3 names it."""
EVALUATION = "evaluation/"
"""Begins the names of an evaluation's metrics."""


@dataclass(frozen=True)
class Config:
    """Train MaskablePPO against named agents and its own frozen past."""

    out: Path
    """The run's folder; a run that is there already goes on."""
    game: str = "skat"
    """The game."""
    steps: int = 1_000_000
    """Environment steps (decisions of the learner) of the whole run; it ends with the leg that reaches them."""
    opponents: tuple[str, ...] = ("rule",)
    """Agents for the other seats (in Klaverjas the partner's too), drawn for each game and seat."""
    self_play: float = 0.0
    """The share of the other seats that past selves take; they draw their actions, so that they vary."""
    league: int = 20
    """How many past selves can be drawn: the newest checkpoints."""
    start: str = "cardplay"
    """deal, or the stage at which the learner's games begin. The auction is slow, as `bidder` thinks there."""
    bidder: str = "rule"
    """Plays what comes before `start`, in training and in evaluation."""
    starts: int = 2048
    """Deals that are played to `start` for each leg, where its games begin; fewer are learnt by heart. In Skat each
    takes 10 ms of a second process, while the leg before goes on. Where games begin with the deal, all are fresh."""
    rules: str | None = None
    """Options of the game's rules, as in `skat-env match`."""
    reward: str | None = None
    """One of the game's reward units; None: its default."""
    scale: float = DEFAULT_SCALE
    """Factor of the rewards."""
    seed: int = 0
    """Of everything."""
    leg: int = 196_608
    """Environment steps from checkpoint to checkpoint, rounded up to whole rollouts: long enough for the starts."""
    games: int = 128
    """Games played at once: enough to make a pass of the network cheap, and few enough for many updates."""
    horizon: int = 64
    """Steps of each game between two updates: about six deals, so that most returns are whole."""
    layers: tuple[int, ...] = (128, 128)
    """Hidden layers of the policy and of the value network; the first is where the time goes."""
    batch_size: int = 1024
    """Rows of a gradient step."""
    epochs: int = 4
    """Passes over each rollout."""
    learning_rate: float = 5e-4
    """Of Adam."""
    gamma: float = 1.0
    """Discount; deals pay once, at their end, and all cards count the same."""
    gae_lambda: float = 0.95
    """Of generalized advantage estimation."""
    clip_range: float = 0.2
    """Of the policy's ratio."""
    entropy: float = 0.01
    """Weight of the entropy in the loss."""
    value: float = 0.5
    """Weight of the value error in the loss."""
    evaluate_against: tuple[str, ...] = ("rule",)
    """Agents that checkpoints meet with sides changed: from the cardplay on, or in whole games, as `start` is."""
    evaluation_deals: int = 200
    """Deals of each of these matches, the same every time; 0: no evaluation."""
    threads: int = 1
    """Of torch; more than one is slower for networks of this size."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        if self.start not in ("deal", *game.stages):
            raise UnknownName("start", self.start, ("deal", *game.stages))
        if not 0 <= self.self_play <= 1:
            raise ValueError(f"self-play {self.self_play}: expected a share from 0 to 1")
        if self.self_play < 1 and not self.opponents:
            raise ValueError("without opponents all is self-play: expected --self-play 1")
        for name in (
            "steps",
            "league",
            "starts",
            "leg",
            "games",
            "horizon",
            "batch_size",
            "epochs",
            "threads",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        if not self.layers or min(self.layers) < 1:
            raise ValueError(f"layers {self.layers}: expected widths of at least 1")
        for agent in (*self.opponents, *self.evaluate_against, self.bidder):
            make_agent(agent, self.game)

    @property
    def stage(self) -> str:
        """The stage at which the learner's games begin."""
        return get_game(self.game).stages[0] if self.start == "deal" else self.start

    def determining(self) -> dict[str, Any]:
        """The fields on which the networks of a run depend."""
        free = ("out", "steps", "evaluate_against", "evaluation_deals", "threads")
        fields = {name: value for name, value in dataclasses.asdict(self).items() if name not in free}
        return dict(json.loads(json.dumps(fields)))


class JsonLines(KVWriter):
    """Appends the metrics to a file, a JSON object a line; SB3's own begins the file anew."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a")

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """One line."""
        shown = filter_excluded_keys(key_values, key_excluded, "json")
        numbers = {key: float(value) for key, value in shown.items() if not isinstance(value, str)}
        self._file.write(json.dumps({STEPS: step, **numbers}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class Run:
    """A training run in its folder, at its newest checkpoint.

    Raises:
        ValueError: if the folder has a run of another configuration, or a checkpoint that cannot be read.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.game = get_game(config.game)
        self.checkpoints = config.out / CHECKPOINTS
        torch.set_num_threads(config.threads)
        self.named: list[Agent] = [make_agent(name, config.game) for name in config.opponents]
        self.pool = Pool([], [])
        self._past: dict[Path, Agent] = {}
        self.env = SeatVecEnv(
            config.game,
            config.games,
            opponents=self.pool,
            reward=config.reward,
            scale=config.scale,
            start=config.start,
            bidder=config.bidder,
            rules=None if config.rules is None else parse_rules(config.rules, self.game),
            pool_size=1,  # every leg brings its own
            seed=config.seed,
        )
        self._worker: ProcessPoolExecutor | None = None
        self._next_starts: Future[list[Any]] | None = None
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
        self.checkpoints.mkdir(parents=True, exist_ok=True)
        if any(self.checkpoints.glob("*.zip")):
            self._load(newest_model(config.out))
        else:
            self.save()
        self._trim_metrics()
        # SB3 types its loggers' folder as text, and every writer is one of a list.
        writers: list[KVWriter] = [
            JsonLines(config.out / METRICS),
            TensorBoardOutputFormat(str(config.out / "tensorboard")),
        ]
        self.model.set_logger(Logger(str(config.out), writers))

    @property
    def steps(self) -> int:
        """Environment steps so far."""
        return self.model.num_timesteps

    def leg(self, show: Any) -> None:
        """Trains from one checkpoint to the next; `show` is told the steps.

        Raises:
            FloatingPointError: if the network gives NaN; the checkpoints are as they were.
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

        begun = self.steps
        try:
            self.model.learn(self.config.leg, callback=on_step, reset_num_timesteps=False)
        except ValueError:  # torch refuses probabilities that are no numbers
            if self._finite():
                raise
        if not self._finite():
            raise FloatingPointError(
                f"the network came to give NaN between steps {begun} and {self.steps}: the checkpoint of step "
                f"{begun} in {self.checkpoints} is whole; try a lower --learning-rate or --scale"
            )
        self.save()

    def save(self) -> None:
        """Writes the checkpoint of the present step."""
        card = ModelCard.of(
            self.game,
            start=self.config.stage,
            layers=self.config.layers,
            scale=self.config.scale,
            steps=self.steps,
            config=self.config.determining(),
        )
        save_model(self.model, self.checkpoints / f"{self.steps:012}.zip", card)

    def evaluate(self) -> str:
        """Lets the newest checkpoint meet each agent, on the same deals every time; the differences as text."""
        config = self.config
        agent = Sb3Agent(str(newest_model(config.out)), bidder=config.bidder, game=config.game)
        texts = []
        for other in config.evaluate_against:
            match = MatchConfig(
                config.game,
                (agent.name, other),
                config.evaluation_deals,
                config.seed,
                "swapped" if config.stage == self.game.stages[-1] else "all-seats",
                config.bidder,
                rules=config.rules,
            )
            difference = compare(agent, match).difference
            for name, value in dataclasses.asdict(difference).items():
                self.model.logger.record(f"{EVALUATION}{other}/{name}", value)
            texts.append(f"{difference.text()} against {other} in {difference.pairs} deals")
        self.model.logger.dump(self.steps)
        return ", ".join(texts)

    def close(self) -> None:
        """Closes the metrics and ends the process that makes starts."""
        self.model.logger.close()
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)

    def _load(self, path: Path) -> None:
        """Goes on from a checkpoint."""
        card = read_card(path)
        check_card(card, path, self.game)
        wanted = self.config.determining()
        for name, value in card.config.items():
            if wanted.get(name) != value:
                raise ValueError(
                    f"the run in {self.config.out} has {name}={value}, not {wanted.get(name)}: "
                    "give the same options to go on with it, or another --out"
                )
        self.model.set_parameters(read_parameters(path), device="cpu")
        self.model.num_timesteps = card.steps

    def _draw_league(self) -> None:
        """Makes the pool of opponents: the named agents, and the newest checkpoints."""
        share = self.config.self_play
        past = sorted(self.checkpoints.glob("*.zip"))[-self.config.league :] if share else []
        named = self.named if share < 1 else []
        self._past = {path: self._past.get(path) or self._self(path) for path in past}
        self.pool.agents[:] = [*named, *self._past.values()]
        self.pool.weights[:] = [
            *((1 - share) / len(named) for _ in named),
            *(share / len(past) for _ in past),
        ]

    def _self(self, path: Path) -> Agent:
        """The past self of a checkpoint."""
        return Sb3Agent(str(path), sample=True, bidder=self.config.bidder, game=self.config.game)

    def _draw_starts(self) -> None:
        """Gives the games of this leg their starts, and has those of the next one made meanwhile."""
        source, count = self.env.start_source, self.config.starts
        if source is None:
            return
        made, self._next_starts = self._next_starts, None
        self.env.set_starts(
            made.result() if made is not None else draw_starts(source, count, self._seed(self.steps))
        )
        rollout = self.config.games * self.config.horizon
        following = self.steps + -(-self.config.leg // rollout) * rollout
        if following < self.config.steps:
            if self._worker is None:
                # Spawned, not forked: torch has threads. Ctrl-C is for the process that trains.
                self._worker = ProcessPoolExecutor(
                    1, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
                )
            self._next_starts = self._worker.submit(draw_starts, source, count, self._seed(following))

    def _seed(self, steps: int) -> int:
        """The seed of the leg that begins at a step."""
        return int(np.random.SeedSequence([self.config.seed, steps]).generate_state(1)[0])

    def _finite(self) -> bool:
        """Whether the network gives numbers: weights may be finite and too large."""
        policy = self.model.policy
        with torch.no_grad():
            actor, critic = policy.mlp_extractor(torch.from_numpy(self.env.reset()).float())
            outputs = (policy.action_net(actor), policy.value_net(critic))
        return all(bool(output.isfinite().all()) for output in outputs)

    def _trim_metrics(self) -> None:
        """Drops what a stopped run has written after its last checkpoint, and that one's evaluation."""
        path = self.config.out / METRICS
        if path.exists():
            lines = path.read_text().splitlines(keepends=True)
            write_text(path, "".join(line for line in lines if self._keeps(line)))

    def _keeps(self, line: str) -> bool:
        if not line.endswith("\n"):
            return False
        steps = json.loads(line)[STEPS]
        return steps < self.steps or (steps == self.steps and EVALUATION not in line)


def train(config: Config) -> Path:
    """Trains to the end of a run, going on where it was stopped; returns the newest checkpoint.

    Raises:
        ValueError: as `Run`.
        FloatingPointError: if training diverges.
        BlockingIOError: if another process is training in the folder.
    """
    config.out.mkdir(parents=True, exist_ok=True)
    with locked(config.out):
        run = Run(config)
        made_by = {**provenance(), "config": run.config.determining()}
        write_text(config.out / "provenance.json", json.dumps(made_by, indent=2) + "\n")
        try:
            while True:
                if config.evaluation_deals:
                    print(f"step {run.steps}: {run.evaluate()}", file=sys.stderr)
                if run.steps >= config.steps:
                    break
                with progress_bar(f"leg to step {run.steps + config.leg}", config.steps) as show:
                    run.leg(show)
        finally:
            run.close()
        return newest_model(config.out)


def main() -> int:
    """The command; what the caller did wrong is one sentence and status 2."""
    import tyro

    try:
        print(f"sb3({train(tyro.cli(Config, description=__doc__))})")
    except (ValueError, OSError, ImportError, FloatingPointError) as error:
        print(f"train_sb3: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("train_sb3: stopped; the same command goes on after the last checkpoint", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
