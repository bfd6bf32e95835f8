"""Means and confidence intervals of the measurements, by game type, role and belief.

A game counts as one value, because its positions are correlated, and intervals are by deal, because games of a deal
share its cards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.agents.inference_quality.measure import MeasureConfig, Records
from skat_env.match.statistics import Ratio, mean_by_deal
from skat_env.registry import get_game

TRICKS: Final = 8
"""Tricks that the summary covers, as in Solinas 2019; after the eighth little is left to infer."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """The mean TSSR at some positions."""

    at: int
    """The number of cards played before, or the trick from 1."""
    tssr: Ratio
    oracle: float
    """The mean number of worlds, which is the TSSR of an observer who sees all cards."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of the reliability curve: marginals of open cards with similar probabilities."""

    number: int
    said: float
    """The mean predicted probability; NaN if the bin is empty."""
    true: float
    """The share of these cards that lie at the place; NaN if the bin is empty."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of a belief in games of one type, in one role. Means are over the first `TRICKS` tricks."""

    type: str
    role: str
    belief: str
    games: int
    positions: int
    tssr: Ratio
    """The true world's probability relative to a uniform belief."""
    bits: Ratio
    """log2 of the TSSR: the information gained over a uniform belief, over positions where the true world has a
    positive probability."""
    excluded: float
    """The share of positions where the true world has probability 0."""
    brier: Ratio
    """The squared error of a card's place, 0 to 2, over open cards: those whose place the rules do not prove."""
    calibration_error: float
    """The mean distance between predicted probability and true share, in ten bins, over all positions."""
    effective_size: float
    """The mean effective sample size; NaN for posteriors that are not samples."""
    fallbacks: float
    """The share of positions where all likelihoods were 0, over all positions."""
    milliseconds: float
    """The CPU time of a posterior, mean over all positions."""
    by_trick: list[Point]
    by_cards: list[Point]
    reliability: list[Bin]


def summarise(config: MeasureConfig, records: Records) -> list[Quality]:
    """The quality of each belief, by game type and role; types without games are left out."""
    records = np.sort(records, order=("game", "role", "belief"))
    return [
        _quality(config, chosen, type_, role, belief)
        for type_, role, belief, chosen in _groups(config, records)
        if len(chosen)
    ]


def _groups(config: MeasureConfig, records: Records) -> Iterator[tuple[str, str, str, Records]]:
    for type_, type_name in enumerate(quality_groups(config.game).types):
        for role, role_name in enumerate(quality_groups(config.game).roles):
            for belief, name in enumerate(config.beliefs):
                chosen = (
                    (records["type"] == type_) & (records["role"] == role) & (records["belief"] == belief)
                )
                yield type_name, role_name, name, records[chosen]


def _quality(config: MeasureConfig, records: Records, type_: str, role: str, belief: str) -> Quality:
    cards, tssr, oracle, deals = records["cards"], records["tssr"], records["count"], records["deal"]
    tricks = cards // len(get_game(config.game).seats) + 1
    early = tricks <= TRICKS
    with np.errstate(divide="ignore"):
        bits = np.log2(tssr)
    effective = records["effective"][early]
    number, said, true = records["bins"].sum(axis=0)
    with np.errstate(invalid="ignore"):
        bins = [Bin(int(n), float(s / n), float(t / n)) for n, s, t in zip(number, said, true, strict=True)]
    return Quality(
        type_,
        role,
        belief,
        len(records),
        int(np.count_nonzero(~np.isnan(cards))),
        _mean(_by_game(tssr, early), deals),
        _mean(_by_game(bits, early & (tssr > 0)), deals),
        float((tssr[early] == 0).mean()),
        _mean(_by_game(records["brier"], early), deals),
        float(np.abs(said - true).sum() / max(number.sum(), 1)),
        float(np.nanmean(effective)) if not np.isnan(effective).all() else np.nan,
        float(np.nanmean(records["fallback"])),
        1000 * float(np.nanmean(records["seconds"])),
        [_point(trick, tricks, tssr, oracle, deals) for trick in _values(tricks)],
        [_point(played, cards, tssr, oracle, deals) for played in _values(cards)],
        bins,
    )


def _point(at: int, where: Floats, tssr: Floats, oracle: Floats, deals: NDArray[np.int64]) -> Point:
    """The mean over the positions [games, moves] with `where == at`, at most one in each game."""
    here = where == at
    return Point(at, _mean(tssr[here], deals[np.nonzero(here)[0]]), float(oracle[here].mean()))


def _values(numbers: Floats) -> list[int]:
    return [int(number) for number in np.unique(numbers[~np.isnan(numbers)])]


def _mean(values: Floats, deals: NDArray[np.int64]) -> Ratio:
    """The mean of float64 [games]; games with NaN are left out."""
    known = ~np.isnan(values)
    if not known.any():
        return Ratio(np.nan, -np.inf, np.inf, 0)
    return mean_by_deal(values[known], deals[known].tolist())


def _by_game(values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Each game's mean over its chosen positions, float64 [games]; NaN where it has none."""
    chosen = chosen & ~np.isnan(values)
    number = chosen.sum(axis=1)
    total = np.where(chosen, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, number, out=np.full(len(values), np.nan), where=number > 0))
