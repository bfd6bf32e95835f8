"""How well values of declared games of Skat foretell what then happens, and what the best other contract would bring.

python -m benchmarks.quality.declared_values --deals 20000 --seed 9301 [--out FILE.json]

`policy` bids and declares. Where it has picked up the skat, its game and the best game of another contract are played
from the same deal, by `policy` in all seats.

python -m benchmarks.quality.declared_values --games data/champion

The games of a file or dataset, of any players, that were declared after the skat was picked up. Intervals are by deal.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Kept, keep, largest_error, print_table, ratio_text, run_benchmark
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.skat.game_values import GAMES, declarable, next_action
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.agents.skat.policy.networks import POINTS, SCHNEIDER, WON
from skat_env.cards import cards_of
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.match.statistics import Ratio, mean_by_deal
from skat_env.options import Count, Seed
from skat_env.play.lanes import lane_players, play_in_lanes
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import RandomDeals
from skat_env.registry import make_agent
from skat_env.skat import GAME, Declaration, SkatState
from skat_env.skat.rules import NUM_SEATS, Phase, Start
from skat_env.tools.progress import progress_bar

SCHNEIDER_POINTS: Final = 90


@dataclass
class Options(Kept):
    """Hold values of declared games against what happens."""

    deals: Count = 20_000
    seed: Seed = 9301
    games: Path | None = None
    """Recorded games; default: games of `policy`."""
    checkpoint: str = "skat-policy"
    """The networks, by name or path."""


class Held(NamedTuple):
    """A declared game and what its values were."""

    kind: str
    predicted: NDArray[np.float32]
    """float32 [3], the outputs of `declared_value`."""
    end: SkatState
    other: SkatState | None = None
    """The best other contract, played to its end as well; None: there is none, or it is not known."""


@dataclass(frozen=True)
class Row:
    """What happened in games of a kind, and what was predicted."""

    game: str
    games: int
    won: float
    chance: float
    largest_error: float | None
    brier: float
    schneider: float
    schneider_predicted: float
    points: float
    points_predicted: float
    difference: Ratio
    """Of the points and those predicted."""
    other: Ratio | None
    """What the best other contract brings more; None: it is not known."""


def play(states: list[SkatState], agent: Any, seed: int, until: str | None = None) -> None:
    """Plays games in lanes, to their end or up to a stage."""
    seats = np.zeros((len(states), NUM_SEATS), np.int16)
    players = lane_players([agent])
    assert players is not None
    play_in_lanes(
        states, [agent], players, seats, lambda game, seat: agent_rng(seed, game, seat), GAME.stages, until
    )


def declaration_of(state: SkatState) -> tuple[Declaration, SkatState]:
    """The game that was declared after the skat was picked up, and the state before."""
    assert state.contract is not None
    before = state.clone()
    while before.phase != Phase.CONTRACT:
        before.undo()
    return Declaration(state.contract, announcement=state.announcement), before


def held(state: SkatState, values: DeclaredValues, other: SkatState | None = None) -> Held:
    """A declared game, with the values of its discards."""
    game, before = declaration_of(state)
    pair = np.array([state.skat], np.uint32)
    predicted = values.of_pairs(before.view(state.soloist), game, pair)[0]
    return Held(LABELS[GAMES.index(game)], predicted, state, other)


def best_other(state: SkatState, values: DeclaredValues) -> SkatState | None:
    """The start of the cardplay of the game of the highest value that has another contract; None: there is none."""
    game, before = declaration_of(state)
    view = before.view(state.soloist)
    bests: list[tuple[float, int, Declaration]] = []
    for other, legal in zip(GAMES, declarable(GAMES, [view])[0], strict=True):
        if legal and other.contract != game.contract:
            pairs, outputs = values.of(view, other)
            best = int(outputs[:, POINTS].argmax())
            bests.append((float(outputs[best, POINTS]), int(pairs[best]), other))
    if not bests:
        return None
    _, pair, chosen = max(bests, key=lambda each: each[0])
    return declare(before, chosen, pair)


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
    found = played(options, values) if options.games is None else recorded(options.games, values)
    rows = rows_of(found)
    show(rows)
    keep(options, rows=rows)


def recorded(path: Path, values: DeclaredValues) -> list[Held]:
    """The declared games of a file or dataset, without others beside.

    Raises:
        ParseError: if a game cannot be read, or none was declared after the skat was picked up.
    """
    found = []
    for place, reading in readings(path, "reading games"):
        if isinstance(reading, ParseError):
            raise ParseError(f"{place}: {reading}")
        end: Any = reading.record.state
        if end.is_over and end.picked_up and end.start != Start.CARDPLAY:
            found.append(held(end, values))
    if not found:
        raise ParseError(f"{path} has no finished game that was declared after the skat was picked up")
    return found


def played(options: Options, values: DeclaredValues) -> list[Held]:
    """Games that `policy` declares by its values, and the best other contracts, all played to their end.

    Raises:
        ValueError: if it declares none.
    """
    agent = make_agent(f"policy(checkpoint={options.checkpoint})", "skat")
    deals = RandomDeals("skat")
    states: list[Any] = [deals(deal_rng(options.seed, number)) for number in range(options.deals)]
    play(states, agent, options.seed, GAME.stages[-1])
    found = []
    with progress_bar("deals", len(states)) as advance:
        for number, state in enumerate(states):
            if not state.is_over and state.picked_up:
                found.append(held(state, values, best_other(state, values)))
            advance(number + 1)
    if not found:
        raise ValueError(
            f"nothing is declared after picking up in {options.deals} deals: expected more of them"
        )
    others = [each.other for each in found if each.other is not None]
    play([*(each.end for each in found), *others], agent, options.seed)
    return found


LABELS: Final = ("diamonds", "hearts", "spades", "clubs", "grand", "null", "null ouvert")


def rows_of(found: list[Held]) -> list[Row]:
    """All games, then those of each kind."""
    kinds = np.array([each.kind for each in found])
    predicted = np.array([each.predicted for each in found], np.float64)
    ends = [each.end for each in found]
    deals = np.array([str(end.dealt) for end in ends])
    won = np.array([end.returns("win")[end.soloist] > 0 for end in ends])
    schneider = np.array([end.returns("card_points")[end.soloist] >= SCHNEIDER_POINTS for end in ends])
    points = np.array([points_of(end) for end in ends])
    other = np.array([np.nan if each.other is None else points_of(each.other) for each in found])
    rows = []
    for kind in ("all", *LABELS):
        of = np.ones(len(found), np.bool_) if kind == "all" else kinds == kind
        if not of.any():
            continue
        chance, paired = predicted[of, WON] / 100, of & ~np.isnan(other)
        rows.append(
            Row(
                kind,
                int(of.sum()),
                float(won[of].mean()),
                float(chance.mean()),
                largest_error(chance, won[of]),
                float(np.square(chance - won[of]).mean()),
                float(schneider[of].mean()),
                float(predicted[of, SCHNEIDER].mean() / 100),
                float(points[of].mean()),
                float(predicted[of, POINTS].mean()),
                mean_by_deal(points[of] - predicted[of, POINTS], deals[of].tolist()),
                mean_by_deal((other - points)[paired], deals[paired].tolist()) if paired.any() else None,
            )
        )
    return rows


def show(rows: list[Row]) -> None:
    """Prints what happened beside what was predicted."""
    names = ["game", "games", "won", "predicted", "largest error", "Brier"]
    names += ["schneider", "predicted", "points", "predicted", "difference", "best other contract"]
    cells = [
        (
            row.game,
            f"{row.games:,}",
            f"{row.won:.1%}",
            f"{row.chance:.1%}",
            "" if row.largest_error is None else f"{row.largest_error:+.1%}",
            f"{row.brier:.3f}",
            f"{row.schneider:.1%}",
            f"{row.schneider_predicted:.1%}",
            f"{row.points:+.1f}",
            f"{row.points_predicted:+.1f}",
            ratio_text(row.difference),
            "" if row.other is None else ratio_text(row.other),
        )
        for row in rows
    ]
    print_table(names, cells, title=f"{rows[0].games:,} games after the skat was picked up")


if __name__ == "__main__":
    run_benchmark(main, Options)
