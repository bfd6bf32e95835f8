"""The statistics of an audit: how often two agents differ, and what a difference is worth.

Decisions of one game are not independent, nor games of one deal: all intervals are of deals.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from skat_env.audit.play import SECONDS, Answer, AuditConfig, AuditedGame
from skat_env.match.statistics import Ratio, mean_by_deal, ratio
from skat_env.protocols import State
from skat_env.registry import get_game
from skat_env.tools.json_file import finite

ROLES: Final = ("declaring", "defence")
"""The sides, named as the parts of a match."""


@dataclass(frozen=True, slots=True)
class Group:
    """The decisions of a role, a kind of game or a trick, or all of them."""

    asked: int
    """Decisions with more than one legal action."""
    differing: int
    """Those in which A and B differ."""
    level: int
    """Those of them in which both actions come to the same."""
    share: Ratio | None
    """The share of decisions in which A and B differ; None: none was asked."""
    points: Ratio | None
    """What A's action brings more than B's in a decision in which they differ, in points per game and seat; None: they
    never differ."""
    differing_a_game: Ratio
    """The decisions of a game in which they differ, per game of the whole audit: those of the kinds add up to it."""
    points_a_game: Ratio
    """The sum of the points over a game, per game of the whole audit: what the differences are worth to A. The parts by
    role, kind or trick add up to the whole."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The statistics of an audit."""

    config: AuditConfig
    games: int
    whole: Group
    groups: dict[str, dict[str, Group]]
    """The decisions by `role`, `kind` and `trick`, and by the names of each."""
    seconds: dict[str, float]
    """By what `SECONDS` names."""

    def as_json(self) -> dict[str, Any]:
        """The result as values that JSON can hold: the ends of an infinite interval are None."""
        values = asdict(self) | {"reward": get_game(self.config.game).match_unit}
        return finite(values)  # type: ignore[no-any-return]


_Asked = tuple[int, dict[str, str], Answer]
"""A game's number, the names of an answer's role, kind and trick, and the answer."""


def summarise(config: AuditConfig, games: Iterable[AuditedGame]) -> AuditResult:
    """The statistics of the games so far."""
    ordered = sorted(games, key=lambda audited: audited.deal)
    states = [get_game(config.game).state.parse(audited.position) for audited in ordered]
    deals = [state.dealt for state in states]
    asked = [
        each
        for row, (audited, state) in enumerate(zip(ordered, states, strict=True))
        for each in _named(config, row, audited, state)
    ]
    known = {"role": ROLES, "kind": get_game(config.game).kinds}
    groups: dict[str, dict[str, Group]] = {}
    for by in ("role", "kind", "trick"):
        found = {names[by] for _, names, _ in asked}
        order = [name for name in known[by] if name in found] if by in known else sorted(found, key=int)
        groups[by] = {name: _group(deals, [each for each in asked if each[1][by] == name]) for name in order}
    totals = np.array([audited.seconds for audited in ordered]).sum(axis=0)
    seconds = dict(zip(SECONDS, map(float, totals), strict=True))
    return AuditResult(config, len(ordered), _group(deals, asked), groups, seconds)


def _named(config: AuditConfig, row: int, audited: AuditedGame, state: State) -> Iterator[_Asked]:
    """The answers of a game, given its last state."""
    game = get_game(config.game)
    plays = state.plays()
    for answer in audited.answers:
        role = ROLES[state.side(plays[answer.number][0])]
        trick = answer.number // len(game.seats) + 1
        yield row, {"role": role, "kind": str(state.kind), "trick": str(trick)}, answer


def role_points(config: AuditConfig, audited: AuditedGame) -> list[float]:
    """The sum of a game's points by role, in the order of `ROLES`."""
    state = get_game(config.game).state.parse(audited.position)
    answers = list(_named(config, 0, audited, state))
    return [sum(answer.points for _, names, answer in answers if names["role"] == role) for role in ROLES]


def _group(deals: Sequence[Hashable], asked: Sequence[_Asked]) -> Group:
    """The statistics of some answers, given the deal of each game."""
    decisions, differing, points = np.zeros((3, len(deals)))
    level = 0
    for row, _, answer in asked:
        decisions[row] += 1
        if answer.a != answer.b:
            differing[row] += 1
            points[row] += answer.points
            level += answer.points == 0
    return Group(
        len(asked),
        int(differing.sum()),
        level,
        ratio(differing, decisions, deals) if asked else None,
        ratio(points, differing, deals) if differing.any() else None,
        mean_by_deal(differing, deals),
        mean_by_deal(points, deals),
    )
