"""What each rule of `expert` is worth: games with it and without it, against `rule`, the same cards.

python -m benchmarks.quality.expert_rules [--deals 4000] [--bidder policy] [--out results/expert_rules.json]

The cardplay of `rule` on both sides comes first, then `expert` without votes on one side, then `expert` with a rule
switched off, or with another source of its opening tables. Each game begins after the bidder's discards. Points are
tournament points per game, of the soloist less those of the opponents, for the side that `expert` plays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.skat.expert.reactive import RULES
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng
from skat_env.play.starts import draw_starts, start_source
from skat_env.protocols import Agent
from skat_env.registry import get_game, make_agent
from skat_env.skat import SkatState
from skat_env.tools.progress import progress_bar

SKAT = get_game("skat")
SIDES = ("soloist", "opponents")


@dataclass
class Options(Kept):
    """What each rule of `expert` is worth against `rule`."""

    deals: Count = 4000
    """Number of deals of each kind of game."""
    bidder: str = "policy"
    """The agent that bids, discards and declares."""
    opponent: str = "rule"
    """The cardplay of the other side."""
    checkpoint: str = "skat-openings"
    """The opening tables, by name or path."""
    kinds: tuple[Literal["suit", "grand"], ...] = ("suit", "grand")
    """Kinds of game."""
    seed: Seed = 1
    """Seed of the deals and of the agents."""


@dataclass(frozen=True)
class Figure:
    """One row of the table: what is gained by the first of two players."""

    kind: str
    side: str
    what: str
    points: Estimate
    """Tournament points per game."""
    wins: Estimate
    """Games won by the side, in percent."""


def main(options: Options) -> None:
    """Plays and prints."""
    found = [figure for kind in options.kinds for figure in figures(kind, options)]
    rows: list[tuple[object, ...]] = []
    for each in found:
        cells: list[str] = []
        for value, unit in ((each.points, ""), (each.wins, "%")):
            cells += [f"{value.mean:+.2f}{unit}", f"[{value.low:+.2f}, {value.high:+.2f}]"]
        rows.append((each.kind, each.side, each.what, *cells))
    print_table(("kind", "side", "what", "points", "95% interval", "games won", "95% interval"), rows, left=3)
    keep(options, figures=found)


def figures(kind: str, options: Options) -> list[Figure]:
    """The rows of a kind of game."""
    source = start_source(SKAT, "cardplay", options.bidder, kind=kind)
    starts = draw_starts("skat", source, options.deals, options.seed)
    other = make_agent(options.opponent, "skat")
    variants = ["without=none", *(f"without={rule}" for rule in RULES)]
    variants += [f"without=none, source={name}" for name in ("marked", "both")]
    found = []
    with progress_bar(f"{kind} games", len(SIDES) * (len(variants) + 1)) as advance:
        done = 0
        base = play(starts, other, other, options.seed)
        for side in SIDES:
            results = {}
            for option in variants:
                words = ["endgame=none", f"checkpoint={options.checkpoint}", "bidding=rule", option]
                expert = make_agent(f"expert({', '.join(words)})", "skat")
                cast = (expert, other) if side == "soloist" else (other, expert)
                results[option] = play(starts, *cast, options.seed)
                done += 1
                advance(done)
            whole = results.pop("without=none")
            found.append(figure(kind, side, f"expert instead of {options.opponent}", whole, base))
            for option, result in results.items():
                *_, value = option.split("=")
                what = f"tables as played, not as {value}" if "source" in option else value
                if not np.array_equal(whole, result):  # rules of the other side change nothing
                    found.append(figure(kind, side, what, whole, result))
    return found


def figure(
    kind: str, side: str, what: str, first: NDArray[np.float64], second: NDArray[np.float64]
) -> Figure:
    """What a side gains in the first games compared with the second; games are float64 [n, 2]: points, won."""
    sign = 1 if side == "soloist" else -1
    points, wins = (sign * (first - second)).T
    return Figure(kind, side, what, estimate(points), estimate(100 * wins))


def play(starts: Sequence[Any], soloist: Agent, opponents: Agent, seed: int) -> NDArray[np.float64]:
    """The soloist's points less the opponents', and whether it won, float64 [n, 2]."""
    states = [start.clone() for start in starts]
    casts = [[soloist if seat == state.declarer else opponents for seat in range(3)] for state in states]
    rngs = [[agent_rng(seed, deal, seat) for seat in range(3)] for deal in range(len(states))]
    play_games(states, casts, rngs)
    return np.array([result_of(state) for state in states])


def result_of(state: SkatState) -> tuple[float, float]:
    """The soloist's points less those of one opponent, and 1 if it won, else 0."""
    returns, outcome = state.returns(SKAT.match_unit), state.outcome()
    assert outcome is not None
    return returns[outcome.declarer] - returns[(outcome.declarer + 1) % 3], float(outcome.won)


if __name__ == "__main__":
    run_benchmark(main, Options)
