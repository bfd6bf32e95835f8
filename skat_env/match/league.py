"""Ratings of more than two agents from the deals of their pairings (OpenSkill, Plackett-Luce)."""

from collections.abc import Iterable
from dataclasses import dataclass

from skat_env.match.play import MatchConfig, PlayedGame
from skat_env.match.result import deal_points
from skat_env.play.casts import pair_casts


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's rating."""

    agent: str
    mu: float
    """Mean strength; 25 is the start."""
    sigma: float
    """Uncertainty of the mean."""
    ordinal: float
    """mu - 3 sigma, the order of the table."""


def league(config: MatchConfig, games: Iterable[PlayedGame]) -> list[Rating]:
    """The ratings, best first. Each pair plays one duel per deal; whoever scored more per seat wins it.

    An agent is one player of the league, whatever seats it has. Deals count in order, and within a deal pairs in the
    order of the config: the ratings are reproducible.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in config.agents}
    played: dict[int, dict[tuple[str, ...], PlayedGame]] = {}
    for game in games:
        played.setdefault(game.spec.deal, {})[game.spec.cast] = game
    for deal in sorted(played):
        for pair in config.pairs:
            casts = [cast for cast in pair_casts(config.game, pair, config.mode) if len(set(cast)) > 1]
            if not all(cast in played[deal] for cast in casts):
                continue
            duel = [played[deal][cast] for cast in casts]
            scores = [deal_points(duel, name) for name in pair]
            [[first], [second]] = model.rate([[ratings[name]] for name in pair], scores=scores)
            ratings[pair[0]], ratings[pair[1]] = first, second
    rows = [Rating(name, rating.mu, rating.sigma, rating.ordinal()) for name, rating in ratings.items()]
    return sorted(rows, key=lambda row: -row.ordinal)
