"""Coverage of the 95% intervals of matches that end when their intervals are narrow enough.

python -m benchmarks.quality.until_coverage [--agents policy rule] [--game skat] [--mode all-seats] [--deals 2000]
    [--seed 11] [--matches 20000] [--out FILE.json]

The agents play a match; its differences by deal are taken for all that there are. Matches are drawn from them, deal by
deal, and played until the half-width of their interval is what a match of 128, 256, 512, 1,024 or 2,048 deals has on
average. The share of them whose interval covers the mean of all deals is shown beside that of matches of so many deals
each, which end with their last deal.
"""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.match.play import DEALS_IN_LANES, MatchConfig, play_match
from skat_env.match.result import deal_points, declarer_value
from skat_env.match.statistics import CONFIDENCE
from skat_env.match.until import first_look, next_look
from skat_env.options import MAX_COUNT, Count, Range, Seed
from skat_env.registry import get_game
from skat_env.tools.console import Console
from skat_env.tools.progress import progress_bar

LENGTHS = (128, 256, 512, 1024, 2048)
"""The deals of the matches that end with their last deal."""
AT_ONCE = 500
"""The matches that are drawn at a time."""


@dataclass
class Options(Kept):
    """Coverage of the intervals of matches that end when these are narrow enough."""

    agents: tuple[str, str] = ("policy", "rule")
    game: str = "skat"
    mode: Literal["all-seats", "swapped"] = "all-seats"
    deals: Annotated[int, Range(ge=2, le=MAX_COUNT)] = 2000
    """Deals from which matches are drawn."""
    seed: Seed = 11
    matches: Count = 20_000
    """Matches drawn for each width."""


@dataclass(frozen=True)
class Figures:
    """Matches until a half-width."""

    until: float
    fixed_deals: int
    """The deals of a match that has this half-width on average."""
    fixed_covers: float
    """The share of the matches of so many deals whose interval covers the truth."""
    covers: float
    """The share of the matches that end when their interval is narrow enough."""
    deals: float
    """The mean of their deals."""
    half_width: float
    """The mean of their half-widths."""
    bias: float
    """The mean of their differences less the true one, in its standard deviations."""


def differences(options: Options) -> NDArray[np.float64]:
    """The difference of each deal of the match."""
    config = MatchConfig(options.game, options.agents, options.deals, options.seed, options.mode)
    a, b = options.agents
    found = []
    with progress_bar("deals", options.deals) as advance:
        for games in play_match(config):
            for deal in {game.spec.deal for game in games}:
                of_deal = [game for game in games if game.spec.deal == deal]
                if options.mode == "all-seats":
                    found.append(deal_points(of_deal, a) - deal_points(of_deal, b))
                else:
                    values = {game.spec.cast[0]: declarer_value(game) for game in of_deal}
                    found.append((values[a] - values[b]) / len(get_game(options.game).seats))
            advance(len(found))
    return np.array(found)


def simulate(population: NDArray[np.float64], fixed: int, matches: int, seed: int) -> Figures:
    """Draws matches until the half-width that matches of some deals have on average."""
    rng = np.random.default_rng(seed)
    true, spread = float(population.mean()), float(population.std())
    until = float(stats.t.ppf((1 + CONFIDENCE) / 2, fixed - 1)) * spread / fixed**0.5
    plan = MatchConfig("skat", ("rule", "random"), 4 * max(fixed, 256))
    counts = np.arange(DEALS_IN_LANES, plan.deals + 1, DEALS_IN_LANES)
    quantiles = stats.t.ppf((1 + CONFIDENCE) / 2, counts - 1)
    ends, means, halves, fixed_hits = [], [], [], 0
    for done in range(0, matches, AT_ONCE):
        size = min(AT_ONCE, matches - done)
        drawn = rng.choice(population, size=(size, len(counts), DEALS_IN_LANES))
        mean = drawn.sum(axis=2).cumsum(axis=1) / counts
        squares = (drawn**2).sum(axis=2).cumsum(axis=1)
        half = quantiles * np.sqrt(np.maximum(squares - counts * mean**2, 0) / (counts - 1) / counts)
        at = fixed // DEALS_IN_LANES - 1
        fixed_hits += int((np.abs(mean[:, at] - true) <= half[:, at]).sum())
        for number in range(size):
            look: int | None = first_look(plan)
            while look is not None:
                deals = look
                look = next_look(plan, deals, float(half[number, deals // DEALS_IN_LANES - 1]), until)
            ends.append(deals)
            means.append(float(mean[number, deals // DEALS_IN_LANES - 1]))
            halves.append(float(half[number, deals // DEALS_IN_LANES - 1]))
    errors = np.array(means) - true
    return Figures(
        until,
        fixed,
        fixed_hits / len(ends),
        float((np.abs(errors) <= np.array(halves)).mean()),
        float(np.mean(ends)),
        float(np.mean(halves)),
        float(errors.mean() / errors.std()),
    )


def main(options: Options) -> None:
    """Prints the figures, and writes them."""
    population = differences(options)
    console = Console()
    shape = {
        "mean": float(population.mean()),
        "standard_deviation": float(population.std()),
        "skewness": float(stats.skew(population)),
        "kurtosis": float(stats.kurtosis(population, fisher=False)),
        "level": float((population == 0).mean()),
    }
    console.print(", ".join(f"{name} {value:.2f}" for name, value in shape.items()), highlight=False)
    found = []
    for fixed in LENGTHS:
        row = simulate(population, fixed, options.matches, options.seed)
        console.print(
            f"until {row.until:.2f}: {row.covers:.1%} covered after {row.deals:.0f} deals, half-width "
            f"{row.half_width:.2f}, bias {row.bias:+.3f}; {row.fixed_covers:.1%} after {fixed} deals each",
            highlight=False,
            soft_wrap=True,
        )
        found.append(asdict(row))
    keep(options, differences=shape, matches=found)


if __name__ == "__main__":
    run_benchmark(main, Options)
