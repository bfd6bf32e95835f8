"""A row of a ladder: what an agent reached against the anchors."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from skat_env.errors import ParseError
from skat_env.ladder.benchmark import TRACKS, Track
from skat_env.match.result import Comparison, Declared, MatchResult
from skat_env.match.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """What an agent reached in the games of one track."""

    deals: int
    """The number of deals, the first of the benchmark."""
    against: dict[str, Estimate]
    """The points per game and seat more than each anchor, by its name."""
    defence: dict[str, Estimate]
    """What of it defending brings, and `declaring` the rest; only in mirrored games."""
    declaring: dict[str, Estimate]
    declared: dict[str, Declared]
    """The games that it declared and won, by kind."""
    milliseconds: float
    """The mean time of a decision, of the processor."""
    commit: str | None
    """The commit of the source tree that played it."""


@dataclass(frozen=True, slots=True)
class Row:
    """An agent and what it reached."""

    agent: str
    name: str
    """Its full name, which says what the text meant when it was played."""
    tracks: dict[Track, Standing]
    """By track; without those that were not played to their end."""
    programs: dict[str, Estimate] = field(default_factory=dict)
    """The points per game and seat more than each program of a gauntlet, which had all other seats of full games."""

    def as_json(self) -> dict[str, Any]:
        """The row as values that JSON can hold."""
        return asdict(self)

    @classmethod
    def parse(cls, value: Any) -> "Row":
        """The row of a value as `as_json` gives it.

        Raises:
            ParseError: if it is anything else.
        """
        try:
            tracks = {
                track: _standing(value["tracks"][track]) for track in TRACKS if track in value["tracks"]
            }
            programs = {name: parse_estimate(found) for name, found in value.get("programs", {}).items()}
            return cls(str(value["agent"]), str(value["name"]), tracks, programs)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParseError(f"expected a row of a ladder, got {str(value)[:60]!r}") from None

    def lead(self, anchor: str) -> float:
        """The points more than an anchor, which order the rows: of full games, else of the cardplay."""
        for track in TRACKS:
            if track in self.tracks:
                found = self.tracks[track].against.get(anchor)
                return found.mean if found is not None else 0.0
        return -inf


def standing(result: MatchResult, agent: str, anchors: tuple[str, ...], commit: str | None) -> Standing:
    """What an agent of a match reached against the others of it that are anchors."""
    summary = result.agents[agent]
    against: dict[str, Estimate] = {}
    defence: dict[str, Estimate] = {}
    declaring: dict[str, Estimate] = {}
    for comparison in result.comparisons:
        if agent not in comparison.agents:
            continue
        first, second = comparison.agents
        anchor = second if agent == first else first
        if anchor not in anchors:
            continue
        for found, name in ((against, "difference"), (defence, "defence"), (declaring, "declaring")):
            value = _from(comparison, name, agent == first)
            if value is not None:
                found[anchor] = value
    return Standing(
        result.deals,
        against,
        defence,
        declaring,
        dict(summary.declared),
        1000 * summary.seconds_per_move,
        commit,
    )


def _from(comparison: Comparison, name: str, is_first: bool) -> Estimate | None:
    """An estimate of a comparison as one of its agents sees it."""
    value: Estimate | None = getattr(comparison, name)
    if value is None or is_first:
        return value
    return Estimate(-value.mean, -value.high, -value.low, value.p, value.pairs)


def _standing(value: Mapping[str, Any]) -> Standing:
    """The standing of a value as JSON holds it, where the ends of an infinite interval are null."""

    def estimates(name: str) -> dict[str, Estimate]:
        return {anchor: parse_estimate(each) for anchor, each in value[name].items()}

    commit = value["commit"]
    return Standing(
        int(value["deals"]),
        estimates("against"),
        estimates("defence"),
        estimates("declaring"),
        {kind: Declared(int(each["games"]), int(each["won"])) for kind, each in value["declared"].items()},
        float(value["milliseconds"]),
        None if commit is None else str(commit),
    )


def parse_estimate(value: Mapping[str, Any]) -> Estimate:
    """The estimate of a value as JSON holds it; raises a KeyError, TypeError or ValueError if it is none."""
    low, high = (
        inf * sign if value[end] is None else float(value[end]) for end, sign in (("low", -1), ("high", 1))
    )
    return Estimate(float(value["mean"]), low, high, float(value["p"]), int(value["pairs"]))
