"""How well values of declared games of Skat foretell what then happens, and what the best other contract would bring.

python -m benchmarks.quality.declared_values --deals 20000 --seed 9301

`policy` bids. Where it has picked up the skat, its game and the best game of another contract are played from the same
deal, by `policy` in all seats.

python -m benchmarks.quality.declared_values --games data/champion

The games of a file or dataset, of any players, that were declared after the skat was picked up.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import largest_error, print_table, run_benchmark
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.skat.game_values import GAMES, declarable, next_action
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.agents.skat.policy.networks import POINTS, SCHNEIDER, WON
from skat_env.cards import cards_of
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.match.statistics import estimate
from skat_env.play.lanes import lane_players, play_in_lanes
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.registry import make_agent
from skat_env.skat import GAME, Declaration, SkatState
from skat_env.skat.rules import NUM_SEATS, Phase, Start
from skat_env.tools.progress import progress_bar

SCHNEIDER_POINTS: Final = 90


@dataclass
class Options:
    """Hold values of declared games against what happens."""

    deals: int = 20_000
    seed: int = 9301
    games: Path | None = None
    """Recorded games; default: games of `policy`."""
    checkpoint: str = "skat-policy"
    """The networks, by name or path."""


class Held(NamedTuple):
    """Declared games and what their values were."""

    kinds: NDArray[Any]
    predicted: NDArray[np.float32]
    """float32 [n, 3], the outputs of `declared_value`."""
    ends: list[Any]
    others: list[Any | None]
    """The best other contract, played to its end as well; None: there is no other."""


def play(states: list[SkatState], agent: Any, seed: int, until: str | None = None) -> None:
    """Plays games in lanes, to their end or up to a stage."""
    seats = np.zeros((len(states), NUM_SEATS), np.int16)
    players = lane_players([agent])
    assert players is not None
    play_in_lanes(
        states, [agent], players, seats, lambda game, seat: agent_rng(seed, game, seat), GAME.stages, until
    )


def declare(state: SkatState, game: Declaration, pair: int) -> SkatState:
    """The start of the cardplay of a game with some discards."""
    after = state.clone()
    while after.phase in (Phase.CONTRACT, Phase.ANNOUNCE):
        after.apply(next_action(after.view(after.soloist), game))
    for card in cards_of(pair):
        after.apply(card)
    return after


def points_of(state: SkatState) -> float:
    """The soloist's tournament points less the mean of the others'."""
    points = state.returns("tournament_points")
    own = points[state.soloist]
    return own - (sum(points) - own) / (NUM_SEATS - 1)


def main(options: Options) -> None:
    """Prints a row for each game."""
    values = DeclaredValues(load_checkpoint(options.checkpoint, "skat"))
    if options.games is None:
        show(*played(options, values))
    else:
        show(*recorded(options.games, values))


def recorded(path: Path, values: DeclaredValues) -> Held:
    """The declared games of a file or dataset whose discards are among those that are valued, without others beside.

    Raises:
        ParseError: if a game cannot be read, or none is such a game.
    """
    kinds, predicted, ends = [], [], []
    for place, reading in readings(path, "reading games"):
        if isinstance(reading, ParseError):
            raise ParseError(f"{place}: {reading}")
        end: Any = reading.record.state
        if not (end.is_over and end.picked_up) or end.start == Start.CARDPLAY:
            continue
        game = Declaration(end.contract, announcement=end.announcement)
        before = end.clone()
        while before.phase != Phase.CONTRACT:
            before.undo()
        pairs, outputs = values.of(before.view(end.soloist), game)
        chosen = np.flatnonzero(pairs == end.skat)
        if len(chosen):
            kinds.append(LABELS[GAMES.index(game)])
            predicted.append(outputs[chosen[0]])
            ends.append(end)
    if not ends:
        raise ParseError(f"{path} has no finished game that was declared after the skat was picked up")
    return Held(np.array(kinds), np.array(predicted), ends, [None] * len(ends))


def played(options: Options, values: DeclaredValues) -> Held:
    """Games that `policy` declares by its values, and the best other contracts, all played to their end."""
    agent = make_agent(f"policy(checkpoint={options.checkpoint})", "skat")
    deals = RandomDeals("skat")
    states: list[Any] = [deals(deal_rng(options.seed, number)) for number in range(options.deals)]
    play(states, agent, options.seed, "declaration")
    kinds, predicted, starts, others = [], [], [], []
    with progress_bar("deals", len(states)) as advance:
        for number, state in enumerate(states):
            advance(number + 1)
            if state.is_over or state.phase != Phase.PICK_UP:
                continue
            state.apply(agent.decide(state.view(state.soloist), agent_rng(options.seed, number, 0)).action)
            if not state.picked_up:
                continue
            view = state.view(state.soloist)
            bests: list[tuple[float, int, NDArray[np.float32], Declaration]] = []
            for game, legal in zip(GAMES, declarable(GAMES, [view])[0], strict=True):
                if legal:
                    pairs, outputs = values.of(view, game)
                    best = int(outputs[:, POINTS].argmax())
                    bests.append((float(outputs[best, POINTS]), int(pairs[best]), outputs[best], game))
            bests.sort(key=lambda each: -each[0])
            _, pair, outputs_, game = bests[0]
            other = next((each for each in bests if each[3].contract != game.contract), None)
            kinds.append(LABELS[GAMES.index(game)])
            predicted.append(outputs_)
            starts.append(declare(state, game, pair))
            others.append(None if other is None else declare(state, other[3], other[1]))
    runners = [state for state in others if state is not None]
    play([*starts, *runners], agent, options.seed)
    return Held(np.array(kinds), np.array(predicted), starts, others)


LABELS: Final = ("diamonds", "hearts", "spades", "clubs", "grand", "null", "null ouvert")


def show(
    kinds: NDArray[Any], predicted: NDArray[np.float32], starts: list[Any], others: list[Any | None]
) -> None:
    """Prints what happened beside what was predicted."""
    won = np.array([state.returns("win")[state.soloist] > 0 for state in starts])
    schneider = np.array(
        [state.returns("card_points")[state.soloist] >= SCHNEIDER_POINTS for state in starts]
    )
    points = np.array([points_of(state) for state in starts])
    loss = np.array([np.nan if state is None else points_of(state) for state in others])
    names = ["game", "games", "won", "predicted", "largest error", "Brier"]
    names += ["schneider", "predicted", "points", "predicted", "difference", "best other contract"]
    rows = []
    for kind in ("all", *LABELS):
        of = np.ones(len(starts), np.bool_) if kind == "all" else kinds == kind
        if not of.any():
            continue
        chance = predicted[of, WON] / 100
        paired = (loss - points)[of & ~np.isnan(loss)]
        cells = (
            kind,
            f"{of.sum():,}",
            f"{won[of].mean():.1%}",
            f"{chance.mean():.1%}",
            largest_error(chance, won[of]),
            f"{np.square(chance - won[of]).mean():.3f}",
            f"{schneider[of].mean():.1%}",
            f"{predicted[of, SCHNEIDER].mean() / 100:.1%}",
            f"{points[of].mean():+.1f}",
            f"{predicted[of, POINTS].mean():+.1f}",
            estimate(points[of] - predicted[of, POINTS]).text() if of.sum() > 1 else "",
            estimate(paired).text() if len(paired) > 1 else "",
        )
        rows.append(cells)
    print_table(names, rows, title=f"{len(starts):,} games after the skat was picked up")


if __name__ == "__main__":
    run_benchmark(main, Options)
