"""Who was better in a match, and how sure that is."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from skat_env.match import MatchConfig, PlayedGame, pair_casts
from skat_env.registry import get_game
from skat_env.statistics import Estimate, estimate


@dataclass(slots=True)
class Declared:
    """The games of one kind that an agent declared."""

    games: int = 0
    won: int = 0


@dataclass(slots=True)
class AgentSummary:
    """What an agent did in all its games of a match, uniform casts included."""

    seats: int = 0
    """Seats played: a game in which it has two counts twice; partners, who always win together, count as one."""
    points: float = 0.0
    """Sum of the match unit over them."""
    declared: dict[str, Declared] = field(default_factory=dict)
    """By kind of game."""
    moves: int = 0
    seconds: float = 0.0

    @property
    def points_per_game(self) -> float:
        """Mean reward of a seat."""
        return self.points / self.seats if self.seats else 0.0

    @property
    def total(self) -> Declared:
        """All games that it declared."""
        kinds = self.declared.values()
        return Declared(sum(kind.games for kind in kinds), sum(kind.won for kind in kinds))

    @property
    def declared_share(self) -> float:
        """The share of its seats in which it, or its partner, was the declarer."""
        return self.total.games / self.seats if self.seats else 0.0

    @property
    def seconds_per_move(self) -> float:
        """Mean time of a decision."""
        return self.seconds / self.moves if self.moves else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agent A against agent B; every estimate is of A minus B, paired by deal."""

    agents: tuple[str, str]
    points_a: float
    """Mean match unit a seat of A in the games of this pair; mirrored, in those against B."""
    points_b: float
    difference: Estimate
    """All-seats: mean of A's seats minus mean of B's on a deal. Mirrored: [AvBB - BvAA] / seats (Rebstock 2019,
    eq. 6.1), where XvYY is X's side's points minus those of the others, summed over the seats. With two teams of two
    each team's points count twice, so that both are A's points minus B's a game, over the two games with A and B on the
    declarer's side in turn: the mean difference a round of Aaldering 2023."""
    defence: Estimate | None = None
    """Mirrored: [(AvBB + BvBB) - (AvAA + BvAA)] / 2 seats (eq. 6.2). Positive: A defends better; the thesis's remark
    on the sign contradicts its own equation and tables."""
    declaring: Estimate | None = None
    """Mirrored: [(AvAA - BvAA) + (AvBB - BvBB)] / 2 seats (eq. 6.3)."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The statistics of a match."""

    config: MatchConfig
    deals: int
    games: int
    agents: dict[str, AgentSummary]
    comparisons: list[Comparison]

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        agents = {}
        for name, summary in self.agents.items():
            agents[name] = {
                **asdict(summary),
                "points_per_game": summary.points_per_game,
                "declared_share": summary.declared_share,
                "declared_won": summary.total.won / summary.total.games if summary.total.games else None,
                "seconds_per_move": summary.seconds_per_move,
            }
        return {
            "config": asdict(self.config),
            "deals": self.deals,
            "games": self.games,
            "reward": get_game(self.config.game).match_unit,
            "agents": agents,
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
        }


def summarise(config: MatchConfig, games: Iterable[PlayedGame]) -> MatchResult:
    """The statistics of the games of a match; a deal counts for a pair once all its games are played."""
    teams = get_game(config.game).teams
    agents = {name: AgentSummary() for name in config.agents}
    by_deal: dict[int, dict[tuple[str, ...], PlayedGame]] = defaultdict(dict)
    count = 0
    for game in sorted(games, key=lambda game: game.spec.deal):
        by_deal[game.spec.deal][game.spec.cast] = game
        count += 1
        for team in teams:
            summary = agents[game.agents[team[0]]]
            summary.seats += 1
            summary.points += game.returns[team[0]]
            for seat in team:
                summary.moves += game.thinking[seat].moves
                summary.seconds += game.thinking[seat].seconds
        if game.outcome is not None:
            kind = agents[game.agents[game.outcome.declarer]].declared.setdefault(
                game.outcome.kind, Declared()
            )
            kind.games += 1
            kind.won += game.outcome.won
    compare = _compare_mirrored if config.mode == "mirrored" else _compare_all_seats
    comparisons = []
    for pair in config.pairs:
        casts = pair_casts(config.game, pair, config.mode)
        complete = [deal for deal in by_deal.values() if all(cast in deal for cast in casts)]
        if complete:
            comparisons.append(compare(pair, [[deal[cast] for cast in casts] for deal in complete]))
    return MatchResult(config, len(by_deal), count, agents, comparisons)


def deal_points(games: list[PlayedGame], name: str) -> float:
    """The mean of the match unit over an agent's seats in some games."""
    return float(
        np.mean([game.returns[seat] for game in games for seat, who in enumerate(game.agents) if who == name])
    )


def _compare_all_seats(pair: tuple[str, str], deals: list[list[PlayedGame]]) -> Comparison:
    points = np.array([[deal_points(games, name) for name in pair] for games in deals])
    means = points.mean(axis=0)
    return Comparison(pair, float(means[0]), float(means[1]), estimate(points[:, 0] - points[:, 1]))


def declarer_value(game: PlayedGame) -> float:
    """XvYY: the points of the declaring side's seats minus those of the others (Rebstock 2019, section 6.2)."""
    assert game.outcome is not None
    value = 0.0
    for seat, points in enumerate(game.returns):
        value += points if game.sides[seat] == 0 else -points
    return value


def _compare_mirrored(pair: tuple[str, str], deals: list[list[PlayedGame]]) -> Comparison:
    # The order of pair_casts: (A, A), (A, B), (B, A), (B, B), declaring side first.
    values = np.array([[declarer_value(game) for game in games] for games in deals])
    a_vs_a, a_vs_b, b_vs_a, b_vs_b = values.T
    seats = len(deals[0][0].agents)
    points = [np.mean([deal_points([games[1], games[2]], name) for games in deals]) for name in pair]
    return Comparison(
        pair,
        float(points[0]),
        float(points[1]),
        estimate((a_vs_b - b_vs_a) / seats),
        estimate(((a_vs_b + b_vs_b) - (a_vs_a + b_vs_a)) / (2 * seats)),
        estimate(((a_vs_a - b_vs_a) + (a_vs_b - b_vs_b)) / (2 * seats)),
    )
