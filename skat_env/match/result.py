"""The statistics of a match: who was better, and how certain that is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.match.play import MatchConfig, PlayedGame
from skat_env.match.statistics import Estimate, estimate
from skat_env.play.casts import Cast, pair_casts
from skat_env.play.lockstep import Thinking
from skat_env.protocols import Outcome
from skat_env.registry import get_game
from skat_env.tools.json_file import finite

Deal = dict[Cast, PlayedGame]
"""The games of a deal, by cast."""


@dataclass(slots=True)
class Declared:
    """The games of one kind that an agent declared."""

    games: int = 0
    won: int = 0

    def share_text(self, places: int = 0) -> str:
        """The share won, as text: `61%`; `-` of no games."""
        return f"{self.won / self.games:.{places}%}" if self.games else "-"


@dataclass(slots=True)
class AgentSummary:
    """An agent's totals over all its games of a match, games against itself included."""

    seats: int = 0
    """Seats played: a game in which the agent has two seats counts twice; a team of partners counts as one seat."""
    points: float = 0.0
    """The sum of the match unit over these seats."""
    declared: dict[str, Declared] = field(default_factory=dict)
    """The games that it declared, by kind."""
    marks: dict[str, dict[str, Declared]] = field(default_factory=dict)
    """Those of them with a mark such as `hand` or `overbid`, by kind and mark."""
    moves: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    """What else is counted of its decisions, such as `failure`, where another agent decided."""

    def count_thinking(self, thinking: Thinking) -> None:
        """Counts the decisions of a seat."""
        self.moves += thinking.moves
        self.seconds += thinking.seconds
        for name, number in thinking.counts.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def count(self, outcome: Outcome) -> None:
        """Counts a game that it declared."""
        kind = self.declared.setdefault(outcome.kind, Declared())
        marks = self.marks.setdefault(outcome.kind, {}) if outcome.marks else {}
        for counted in (kind, *(marks.setdefault(mark, Declared()) for mark in outcome.marks)):
            counted.games += 1
            counted.won += outcome.won

    def counts_text(self) -> str:
        """What is counted of its decisions, as text: `in 1,200 decisions: failure 3`; empty if nothing is."""
        counts = ", ".join(f"{what} {number:,}" for what, number in sorted(self.counts.items()))
        return f"in {self.moves:,} decisions: {counts}" if counts else ""

    @property
    def points_per_game(self) -> float:
        """The mean of the match unit per seat."""
        return self.points / self.seats if self.seats else 0.0

    @property
    def total(self) -> Declared:
        """All games that it declared."""
        kinds = self.declared.values()
        return Declared(sum(kind.games for kind in kinds), sum(kind.won for kind in kinds))

    @property
    def declared_share(self) -> float:
        """The share of its seats at which it, or its partner, was the declarer."""
        return self.total.games / self.seats if self.seats else 0.0

    @property
    def seconds_per_move(self) -> float:
        """The mean time of a decision."""
        return self.seconds / self.moves if self.moves else 0.0


@dataclass(frozen=True, slots=True)
class Mixed:
    """A and B as declarers against one A and one B, and the effect of mixed defence (Rebstock 2019, section 6.1, tables
    6.2 and 6.3).
    """

    difference: Estimate
    """The 6-way match: the mean of A's seats minus the mean of B's, over the games of a deal with both."""
    declaring: Estimate
    """[(AvAB - BvAB) + (AvBA - BvBA)] / 2 seats (eq. 6.4)."""
    defence_a: Estimate
    """What a defence of two B gains when an A replaces one of them: the mean of XvBB - XvAB and XvBB - XvBA for X = A
    and B, over the seats. The thesis says it in words; `defence_a - defence_b` is eq. 6.2, as in its tables."""
    defence_b: Estimate
    """What a defence of two A gains when a B replaces one of them."""


@dataclass(frozen=True, slots=True)
class SeatComparison:
    """Agent A against agent B at one seat, or at those of a team; the mean over all of them is the whole difference."""

    name: str
    """The name of the seat; of a team, those of its seats with ` + ` between them."""
    points_a: float
    """A's mean match unit there, in the games that the whole difference is of."""
    points_b: float
    difference: Estimate
    """The mean of A's games there minus the mean of B's, on each deal."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agent A against agent B; every estimate is A minus B, paired by deal."""

    agents: tuple[str, str]
    points_a: float
    """A's mean match unit per seat in the games of this pair; from the cardplay on, only in the games of A against B
    and of B against A."""
    points_b: float
    difference: Estimate
    """Whole games: the mean of A's seats minus the mean of B's on a deal. From the cardplay on: [AvBB - BvAA] / seats
    (Rebstock 2019, eq. 6.1), where XvYY is the points of X's side minus those of the others, summed over the seats.
    With two teams of two, each team's points count twice, so both are A's points minus B's per game, over the two games
    with A and B on the declarer's side in turn: the mean difference per round of Aaldering 2023."""
    defence: Estimate | None = None
    """Mirrored and mixed: [(AvBB + BvBB) - (AvAA + BvAA)] / 2 seats (eq. 6.2). Positive: A defends better; the thesis's
    remark on the sign contradicts its own equation and tables."""
    declaring: Estimate | None = None
    """Mirrored and mixed: [(AvAA - BvAA) + (AvBB - BvBB)] / 2 seats (eq. 6.3)."""
    mixed: Mixed | None = None
    """The estimates of mode mixed; None in other modes."""
    seats: tuple[SeatComparison, ...] = ()
    """The difference at each seat, or team of partners, in the order of the game's teams."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The statistics of a match."""

    config: MatchConfig
    deals: int
    games: int
    agents: dict[str, AgentSummary]
    comparisons: list[Comparison]
    kinds: dict[str, list[Comparison]]
    """The comparisons for the deals of each kind of game; empty unless the match starts with the cardplay and has
    several kinds."""

    def as_json(self) -> dict[str, Any]:
        """The result as values that JSON can hold: the ends of an infinite interval are None."""
        agents = {}
        for name, summary in self.agents.items():
            agents[name] = {
                **asdict(summary),
                "points_per_game": summary.points_per_game,
                "declared_share": summary.declared_share,
                "declared_won": summary.total.won / summary.total.games if summary.total.games else None,
                "seconds_per_move": summary.seconds_per_move,
            }
        values: dict[str, Any] = {
            "config": asdict(self.config),
            "deals": self.deals,
            "games": self.games,
            "reward": get_game(self.config.game).match_unit,
            "agents": agents,
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
            "kinds": {
                kind: [asdict(comparison) for comparison in comparisons]
                for kind, comparisons in self.kinds.items()
            },
        }
        return finite(values)  # type: ignore[no-any-return]


def summarise(config: MatchConfig, games: Iterable[PlayedGame]) -> MatchResult:
    """The statistics of a match; a deal counts for a pair once all its games are played."""
    game = get_game(config.game)
    agents = {name: AgentSummary() for name in config.agents}
    by_deal: dict[int, dict[Cast, PlayedGame]] = defaultdict(dict)
    count = 0
    for played in sorted(games, key=lambda played: played.spec.deal):
        by_deal[played.spec.deal][played.spec.cast] = played
        count += 1
        for team in game.teams:
            summary = agents[played.agents[team[0]]]
            summary.seats += 1
            summary.points += played.returns[team[0]]
            for seat in team:
                summary.count_thinking(played.thinking[seat])
        if played.outcome is not None:
            agents[played.agents[played.outcome.declarer]].count(played.outcome)
    deals = list(by_deal.values())
    kinds: dict[str, list[Deal]] = {}
    if config.from_cardplay:
        for deal in deals:
            outcome = next(iter(deal.values())).outcome
            assert outcome is not None
            kinds.setdefault(outcome.kind, []).append(deal)
    return MatchResult(
        config,
        len(deals),
        count,
        agents,
        _comparisons(config, deals),
        {kind: _comparisons(config, kinds[kind]) for kind in game.kinds if kind in kinds and len(kinds) > 1},
    )


def _comparisons(config: MatchConfig, deals: list[Deal]) -> list[Comparison]:
    """The comparison of each pair that has finished deals, on those deals."""
    comparisons = []
    for pair in config.pairs:
        casts = pair_casts(config.game, pair, config.mode)
        complete = [deal for deal in deals if all(cast in deal for cast in casts)]
        if complete and config.from_cardplay:
            comparisons.append(_compare_from_cardplay(config, pair, complete))
        elif complete:
            comparisons.append(_compare_whole_games(config, pair, complete))
    return comparisons


def deal_points(games: list[PlayedGame], name: str) -> float:
    """The mean match unit over an agent's seats in some games."""
    return float(
        np.mean([game.returns[seat] for game in games for seat, who in enumerate(game.agents) if who == name])
    )


def _compare_whole_games(config: MatchConfig, pair: tuple[str, str], deals: list[Deal]) -> Comparison:
    casts = pair_casts(config.game, pair, config.mode)
    points = np.array(
        [[deal_points([deal[cast] for cast in casts], name) for name in pair] for deal in deals]
    )
    means = points.mean(axis=0)
    difference = estimate(points[:, 0] - points[:, 1])
    by_seat = _by_seat(config, pair, deals, casts)
    return Comparison(pair, float(means[0]), float(means[1]), difference, seats=by_seat)


def _by_seat(
    config: MatchConfig, pair: tuple[str, str], deals: list[Deal], casts: list[Cast]
) -> tuple[SeatComparison, ...]:
    """The differences at each seat or team, over games in which each of the pair has it equally often."""
    game = get_game(config.game)
    found = []
    for team in game.teams:
        points = np.array(
            [
                [
                    np.mean(
                        [deal[cast].returns[team[0]] for cast in casts if deal[cast].agents[team[0]] == name]
                    )
                    for name in pair
                ]
                for deal in deals
            ]
        )
        name = " + ".join(game.seats[seat] for seat in team)
        means = points.mean(axis=0)
        difference = estimate(points[:, 0] - points[:, 1])
        found.append(SeatComparison(name, float(means[0]), float(means[1]), difference))
    return tuple(found)


def declarer_value(game: PlayedGame) -> float:
    """XvYY: the points of the declaring side's seats minus those of the other seats (Rebstock 2019, section 6.2)."""
    assert game.outcome is not None
    return float(declarer_lead(game.returns, game.sides))


def declarer_lead(returns: Sequence[int], sides: Sequence[int]) -> int:
    """The points of the declaring side's seats minus those of the other seats, from the points and sides by seat."""
    return sum(points if side == 0 else -points for points, side in zip(returns, sides, strict=True))


def _compare_from_cardplay(config: MatchConfig, pair: tuple[str, str], deals: list[Deal]) -> Comparison:
    a, b = pair
    game = get_game(config.game)
    seats, others = len(game.seats), len(game.teams) - 1

    def value(declarer: str, *opponents: str) -> NDArray[np.float64]:
        """XvYZ for each deal; a single opponent stands for all of them."""
        cast = (declarer, *(opponents if len(opponents) == others else opponents * others))
        return np.array([declarer_value(deal[cast]) for deal in deals])

    def points(casts: list[Cast]) -> NDArray[np.float64]:
        """float64 [deals, 2]: the mean over A's seats and over B's."""
        return np.array(
            [[deal_points([deal[cast] for cast in casts], name) for name in pair] for deal in deals]
        )

    swapped = pair_casts(config.game, pair, "swapped")
    means = points(swapped).mean(axis=0)
    by_seat = _by_seat(config, pair, deals, swapped)
    if config.mode == "swapped":
        difference = estimate((value(a, b) - value(b, a)) / seats)
        return Comparison(pair, float(means[0]), float(means[1]), difference, seats=by_seat)
    a_vs_a, a_vs_b, b_vs_a, b_vs_b = (value(x, y) for x in pair for y in pair)
    mixed = None
    if config.mode == "mixed":
        a_vs_ab, a_vs_ba, b_vs_ab, b_vs_ba = (value(x, *both) for x in pair for both in ((a, b), (b, a)))
        against_both = a_vs_ab + a_vs_ba + b_vs_ab + b_vs_ba
        both = points([cast for cast in pair_casts(config.game, pair, "mixed") if len(set(cast)) > 1])
        mixed = Mixed(
            estimate(both[:, 0] - both[:, 1]),
            estimate((a_vs_ab - b_vs_ab + a_vs_ba - b_vs_ba) / (2 * seats)),
            estimate((2 * (a_vs_b + b_vs_b) - against_both) / (4 * seats)),
            estimate((2 * (a_vs_a + b_vs_a) - against_both) / (4 * seats)),
        )
    return Comparison(
        pair,
        float(means[0]),
        float(means[1]),
        *mirrored_parts(a_vs_a, a_vs_b, b_vs_a, b_vs_b, seats),
        mixed,
        by_seat,
    )


def mirrored_parts(
    a_vs_a: NDArray[np.float64],
    a_vs_b: NDArray[np.float64],
    b_vs_a: NDArray[np.float64],
    b_vs_b: NDArray[np.float64],
    seats: int,
) -> tuple[Estimate, Estimate, Estimate]:
    """The difference between two agents and its parts, defence and declaring (Rebstock 2019, equations 6.1 to 6.3),
    from the values XvYY of each deal, float64 [deals].
    """
    return (
        estimate((a_vs_b - b_vs_a) / seats),
        estimate(((a_vs_b + b_vs_b) - (a_vs_a + b_vs_a)) / (2 * seats)),
        estimate(((a_vs_a - b_vs_a) + (a_vs_b - b_vs_b)) / (2 * seats)),
    )
