"""A value network from its own games: the loop of Aaldering 2023, section 3.4.

A cycle plays rounds by tree search with the network at its leaves, adds the positions that the players saw to a buffer,
and makes a training step on rows drawn from it. The thesis plays Klaverjas; any game with the part `value_network` will
do. Where the thesis is silent, this follows the author's program (Klaverjas_thesis, `train_alphazero.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np
import torch

from skat_env.agents.compose.exploring import Exploring
from skat_env.agents.learners.ahead import AheadConfig, Piece, PlayedAhead
from skat_env.agents.learners.config import (
    AgentName,
    Deals,
    GameName,
    Natural,
    Positive,
    Rate,
    Seed,
    Threads,
    Weight,
)
from skat_env.agents.learners.evaluation import interval, strength
from skat_env.agents.learners.experience.fresh_games import fresh_games
from skat_env.agents.learners.experience.memory import Memory, Rows
from skat_env.agents.learners.experience.played_games import PlayedGames
from skat_env.agents.learners.run import TrainingRun, as_array
from skat_env.agents.learners.value_learner import PAPER_HIDDEN, ValueLearner
from skat_env.agents.networks.network import Network, Widths
from skat_env.agents.search.evaluators.value import VALUE, ValueEvaluator
from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
from skat_env.play.lockstep import play_games
from skat_env.play.worth import side_values, teams_of
from skat_env.protocols import Decision, Game
from skat_env.registry import get_game
from skat_env.tools.progress import progress_bar


class Config(AheadConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a value network is trained by self-play."""

    game: GameName
    cycles: Positive
    """Number of cycles of play and learning."""
    rounds: Positive = 60
    """Rounds of a cycle; the default is the paper's (section 3.4). All that comes before the cardplay is random."""
    simulations: Positive = 50
    """Simulations of a search; the default is the program's."""
    c: Weight = 200.0
    """Exploration constant in points; the default is the program's."""
    smoothing: Weight = 0.1
    """Share of all simulations that is added to the visits of every card before one is drawn in proportion; the default
    is the program's."""
    positions: Positive = 36
    """Rows of a round of Klaverjas. 36: each position before a card as the seat to act saw it, and the end as all four
    saw it (the program's). 132: every position as all four saw it, as the thesis takes them from records."""
    buffer: Positive = 43_200
    """Maximum number of rows in the buffer; the default is the paper's, 20 cycles of 60 rounds (section 3.4)."""
    updates: Positive = 1
    """Training steps of a cycle, each on as many rows as the cycle has made; the default is the paper's."""
    learning_rate: Rate = 0.01
    """Learning rate of Adam; the default is the paper's (section 3.4)."""
    late_learning_rate: Rate = 0.001
    """Learning rate after `late_cycle`; the default is the paper's (section 3.4)."""
    late_cycle: Natural = 50
    """The last cycle with the first learning rate."""
    batch: Positive = 2048
    """Maximum number of rows of a gradient step; the default is the paper's (section 3.4)."""
    train_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.8
    """Share of the drawn rows that are trained on; the validation error is measured on the others. The default is the
    program's."""
    hidden: Widths = PAPER_HIDDEN
    """Widths of the hidden layers; the default is the paper's (section 3.3)."""
    scale: Rate = 1.0
    """Points of one unit of output; the default is the paper's."""
    evaluate_every: Positive = 20
    """Cycles between two evaluation matches, after which a stopped run can go on; the default is the paper's (section
    3.4)."""
    evaluation_deals: Deals = 500
    """Deals of an evaluation match; each is played twice, with sides changed."""
    evaluation_simulations: Positive = 10
    """Simulations of a search in evaluation matches; the default is the program's."""
    evaluation_c: Weight = 50.0
    """Exploration constant in evaluation matches; the default is the program's."""
    opponent: AgentName = "rule(variant=thesis)"
    """Agent to play against in evaluation matches; the default is the paper's (section 3.4)."""
    seed: Seed = 0
    """Seed of the weights, the games, and the rows drawn."""
    threads: Threads = 1
    """Threads of torch."""


def train(config: Config, run: TrainingRun) -> None:
    """Trains the network and writes it as the run's checkpoint after every match and at the end.

    Raises:
        ValueError: if the game has no value network, or a round cannot have so many rows.
        TrainingFailed: if the loss is not finite.
    """
    game = get_game(config.game)
    if config.positions not in (choices := _row_counts(game)):
        raise ValueError(f"positions {config.positions}: expected {' or '.join(map(str, choices))}")
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    learner = ValueLearner(config.game, config.hidden, config.scale)
    buffer = Memory("buffer", config.buffer)
    cycle = 0

    def restore(numbers: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        nonlocal cycle
        cycle = numbers["cycle"]
        learner.restore(tensors)
        buffer.restore({key: as_array(tensor) for key, tensor in tensors.items()})
        ahead.restore(cycle, tensors, {VALUE: learner.network.spec})

    with (
        PlayedAhead(_Play(config), config, config.rounds, config.cycles, run.workers) as ahead,
        progress_bar("self-play", config.cycles) as advance,
    ):
        if not run.resume(restore):
            report_strength(learner, config, run, 0)
        while cycle < config.cycles:
            advance(cycle)
            made = 0
            for played in ahead.wave({VALUE: learner.network.frozen()}):
                rows = rows_of(learner, config, played)
                buffer.add(rows)
                made += len(rows["values"])
            cycle += 1
            figures = learn(learner, buffer, config, cycle, made)
            run.report(cycle, rows=buffer.added, **figures)
            if cycle % config.evaluate_every == 0 or cycle == config.cycles:
                report_strength(learner, config, run, cycle)
                run.save_checkpoint(config.game, {VALUE: learner.network.frozen()}, cycle=cycle)
                run.save_state({"cycle": cycle}, {**learner.tensors(), **buffer.arrays(), **ahead.arrays()})


def _row_counts(game: Game) -> tuple[int, int]:
    """How many rows per round can have: as the seat to act sees each position and all the end, or as all see all."""
    seats = len(game.seats)
    cards = sum(game.place_sizes[:seats])
    return cards + seats, (cards + 1) * seats


@dataclass(frozen=True)
class _Play:
    """Plays pieces of cycles."""

    config: Config

    def __call__(self, piece: Piece) -> PlayedGames:
        """The rounds of a piece."""
        config, game = self.config, get_game(self.config.game)
        agent = Exploring(
            player(piece.networks.value[VALUE], config.game, config.simulations, config.c),
            smoothing=config.smoothing,
            game=config.game,
        )
        seats = len(game.seats)
        states, rngs = fresh_games(
            game.state.random, range(piece.first, piece.stop), seats, (config.seed, 0, piece.wave)
        )
        decisions: list[tuple[int, int]] = []

        def observe(number: int, state: Any, decision: Decision) -> None:
            decisions.append((number, len(state.plays())))

        play_games(states, [[agent] * seats] * len(states), rngs, observe)
        return PlayedGames.of(states, decisions)


def rows_of(learner: ValueLearner, config: Config, played: PlayedGames) -> Rows:
    """The rows of some rounds."""
    game = get_game(config.game)
    seats = range(len(game.seats))
    sees_only_actor = config.positions == _row_counts(game)[0]
    ends = played.states(game)
    shown = [
        (int(number), state, [state.to_act] if sees_only_actor else seats)
        for number, state in zip(played.game, played.positions(game), strict=True)
    ]
    shown += [(number, state, seats) for number, state in enumerate(ends)]
    encoder = learner.network.encoder
    features = [
        encoder.encode([state] * len(observers), observers).astype(np.float16)
        for _, state, observers in shown
    ]
    seen = [(number, seat) for number, _, observers in shown for seat in observers]
    returns = np.array([state.returns(game.match_unit) for state in ends], np.int32)
    declarers = np.array([state.result().declarer for state in ends], np.int8)
    worth, teams = side_values(returns, declarers, game), teams_of(game)
    signs = np.where(teams[None, :] == teams[declarers][:, None], 1, -1)
    return {
        "features": np.concatenate(features),
        "values": np.array([worth[number] * signs[number, seat] for number, seat in seen], np.float32),
    }


def learn(learner: ValueLearner, buffer: Memory, config: Config, cycle: int, made: int) -> dict[str, float]:
    """Makes the training steps of a cycle that has made some rows; returns the mean squared errors in points."""
    rate = config.learning_rate if cycle <= config.late_cycle else config.late_learning_rate
    rng = np.random.default_rng([config.seed, 1, cycle])
    errors, others = [], []
    for _ in range(config.updates):
        drawn = buffer.draw(rng, made, replace=False)
        kept = max(1, round(config.train_share * len(drawn["values"])))
        for first in range(0, kept, config.batch):
            batch = {name: column[first : min(first + config.batch, kept)] for name, column in drawn.items()}
            errors.append(learner.step(batch, rate, rng))
        if kept < len(drawn["values"]):
            others.append(learner.error({name: column[kept:] for name, column in drawn.items()}))
    valid = {"valid_error": float(np.mean(others))} if others else {}
    return {"train_error": float(np.mean(errors)), **valid}


def player(network: Network, game: str, simulations: int, c: float) -> Ismcts:
    """The thesis's search with the network."""
    evaluator = ValueEvaluator(network, game)
    return Ismcts(
        IsmctsOptions(simulations=simulations, c=c, variant="thesis", evaluator=evaluator, bidder="rule"),
        game=game,
    )


def report_strength(learner: ValueLearner, config: Config, run: TrainingRun, cycle: int) -> None:
    """Plays a match against the opponent and reports its result."""
    agent = player(learner.network.frozen(), config.game, config.evaluation_simulations, config.evaluation_c)
    estimate = strength(
        agent,
        config.opponent,
        config.game,
        config.evaluation_deals,
        config.seed,
        start="deal",
        workers=run.workers,
    )
    run.report(cycle, **interval("strength", estimate))
