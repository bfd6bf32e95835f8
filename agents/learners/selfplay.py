"""A value network of Klaverjas from its own games: the loop of Aaldering 2023, section 3.4.

A cycle plays rounds by tree search with the network at its leaves, adds what the players saw to a buffer, and takes a
training step on rows drawn from it. Where the thesis is silent, the author's program (Klaverjas_thesis,
`train_alphazero.py`) is followed.
"""

from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from agents.compose.exploring import Exploring
from agents.learners.evaluation import interval, strength
from agents.learners.fresh_games import fresh_games
from agents.learners.replay_buffer import ReplayBuffer, Rows
from agents.learners.run import TrainingRun, as_array
from agents.learners.value_learner import PAPER_HIDDEN, ValueLearner
from agents.search.ismcts import Ismcts, IsmctsOptions
from agents.search.value_evaluator import VALUE, ValueEvaluator
from skat_env.klaverjas import KlaverjasState
from skat_env.play.lockstep import play_games
from skat_env.protocols import Decision
from skat_env.tools.progress import progress_bar

SEATS = 4


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a value network is trained by self-play."""

    cycles: int
    rounds: int = 60
    """A cycle; section 3.4. Cards, forehand, trumps and declarer are random."""
    simulations: int = 50
    """Of a search; the program's."""
    c: float = 200.0
    """The exploration constant in points; the program's."""
    smoothing: float = 0.1
    """Of all simulations are added to the visits of every card, of which one is drawn in proportion; the program's."""
    positions: int = 36
    """Rows of a round: 36, as the seat to act saw it before each card, and as all four did at the end (the program's);
    or 132, all four at every position, as the thesis takes them from records."""
    buffer: int = 43_200
    """Rows; the oldest go. Section 3.4: 20 cycles of 60 rounds."""
    updates: int = 1
    """Training steps of a cycle, each on as many rows as the cycle has made; the paper's."""
    learning_rate: float = 0.01
    """Of Adam; section 3.4."""
    late_learning_rate: float = 0.001
    """After `late_cycle`; section 3.4."""
    late_cycle: int = 50
    batch: int = 2048
    """Section 3.4."""
    train_share: float = 0.8
    """Of the rows drawn, the others tell the validation error; the program's."""
    hidden: tuple[int, ...] = PAPER_HIDDEN
    """Section 3.3."""
    scale: float = 1.0
    """Points of one unit of output; the paper's."""
    evaluate_every: int = 20
    """Cycles between two matches, from which a stopped run goes on; section 3.4."""
    evaluation_deals: int = 500
    """Each is played twice, sides changed."""
    evaluation_simulations: int = 10
    """Of a search in these matches; the program's."""
    evaluation_c: float = 50.0
    """The program's."""
    opponent: str = "rule(variant=thesis)"
    """Section 3.4."""
    seed: int = 0
    threads: int = 1
    """Of torch."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains the network and writes it as the run's checkpoint after every match and at the end.

    Raises:
        ValueError: if a round has neither 36 nor 132 rows.
        TrainingFailed: if the loss is not finite.
    """
    if config.positions not in (36, 132):
        raise ValueError(f"positions {config.positions}: expected 36 or 132")
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    learner = ValueLearner(config.hidden, config.scale)
    buffer = ReplayBuffer(
        config.buffer,
        {"features": ((learner.network.encoder.width,), np.float16), "values": ((), np.float32)},
    )
    cycle = 0
    if (resumed := run.load_state()) is not None:
        numbers, tensors = resumed
        cycle = numbers["cycle"]
        learner.restore(tensors)
        arrays = {key: as_array(tensor) for key, tensor in tensors.items()}
        buffer.restore("buffer", arrays, numbers["added"])
    else:
        report_strength(learner, config, run, 0)
    with progress_bar("self-play", config.cycles) as advance:
        while cycle < config.cycles:
            advance(cycle)
            rows = play_cycle(learner, config, cycle)
            buffer.add(rows)
            cycle += 1
            figures = learn(learner, buffer, config, cycle, len(rows["values"]))
            run.report(cycle, rows=buffer.added, **figures)
            if cycle % config.evaluate_every == 0 or cycle == config.cycles:
                report_strength(learner, config, run, cycle)
                run.save_checkpoint("klaverjas", {VALUE: learner.network}, cycle=cycle)
                numbers = {"cycle": cycle, "added": buffer.added}
                run.save_state(numbers, {**learner.tensors(), **buffer.arrays("buffer")})


def play_cycle(learner: ValueLearner, config: Config, cycle: int) -> Rows:
    """The rows of a cycle's rounds."""
    agent = Exploring(player(learner, config.simulations, config.c), "klaverjas", 1.0, config.smoothing)
    states, rngs = fresh_games(KlaverjasState.random, config.rounds, SEATS, (config.seed, 0, cycle))
    encoder = learner.network.encoder
    seen: list[tuple[int, int, NDArray[np.float32]]] = []

    def see(number: int, state: Any, seats: Any) -> None:
        rows = encoder.encode([state] * len(seats), seats)
        seen.extend((number, seat, row) for seat, row in zip(seats, rows, strict=True))

    def observe(number: int, state: Any, decision: Decision) -> None:
        see(number, state, [state.to_act] if config.positions == 36 else range(SEATS))

    play_games(states, [[agent] * SEATS] * config.rounds, rngs, observe)
    for number, state in enumerate(states):
        see(number, state, range(SEATS))
    differences = [state.returns("difference") for state in states]
    return {
        "features": np.array([row for _, _, row in seen], np.float16),
        "values": np.array([differences[number][seat] for number, seat, _ in seen], np.float32),
    }


def learn(
    learner: ValueLearner, buffer: ReplayBuffer, config: Config, cycle: int, made: int
) -> dict[str, float]:
    """The training steps of a cycle that has made so many rows; the mean squared errors in points."""
    rate = config.learning_rate if cycle <= config.late_cycle else config.late_learning_rate
    rng = np.random.default_rng([config.seed, 1, cycle])
    errors, others = [], []
    for _ in range(config.updates):
        drawn = buffer.draw(made, rng, replace=False)
        kept = round(config.train_share * len(drawn["values"]))
        for first in range(0, kept, config.batch):
            batch = {name: column[first : min(first + config.batch, kept)] for name, column in drawn.items()}
            errors.append(learner.step(batch, rate, rng))
        if kept < len(drawn["values"]):
            others.append(learner.error({name: column[kept:] for name, column in drawn.items()}))
    valid = {"valid_error": float(np.mean(others))} if others else {}
    return {"train_error": float(np.mean(errors)), **valid}


def player(learner: ValueLearner, simulations: int, c: float) -> Ismcts:
    """The thesis's search with the network."""
    evaluator = ValueEvaluator(learner.network, "klaverjas")
    return Ismcts(
        IsmctsOptions(simulations=simulations, c=c, variant="thesis", evaluator=evaluator, bidder="rule"),
        game="klaverjas",
    )


def report_strength(learner: ValueLearner, config: Config, run: TrainingRun, cycle: int) -> None:
    """A match against the opponent."""
    agent = player(learner, config.evaluation_simulations, config.evaluation_c)
    estimate = strength(agent, config.opponent, "klaverjas", config.evaluation_deals, config.seed)
    run.report(cycle, **interval("strength", estimate))
