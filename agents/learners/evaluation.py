"""How strong an agent is while it learns: a match on deals that are the same every time."""

from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import Comparison, summarise
from skat_env.match.statistics import Estimate
from skat_env.protocols import Agent

AGENT = "learner"
"""The agent's name in the match: its random numbers do not depend on what it has learnt."""


def strength(
    agent: Agent,
    opponent: str,
    game: str,
    deals: int,
    seed: int,
    bidder: str = "rule",
    rules: str | None = None,
) -> Estimate:
    """What an agent scores more than a named one in the game's match unit, paired by deal.

    Skat is played from the cardplay on, Klaverjas all of a deal, with sides changed.

    Raises:
        ValueError: if there are fewer than two deals, which have no interval.
    """
    if deals < 2:
        raise ValueError(f"an evaluation on {deals} deals: expected at least 2")
    mode = "swapped" if game == "skat" else "all-seats"
    config = MatchConfig(game, (AGENT, opponent), deals, seed, mode, bidder, rules=rules)  # type: ignore[arg-type]
    return compare(agent, config).difference


def interval(name: str, estimate: Estimate) -> dict[str, float]:
    """The metrics of an estimate: its mean by a name, and the ends of its 95% interval."""
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def compare(agent: Agent, config: MatchConfig) -> Comparison:
    """What a match says of its first agent, which is given, against its second, which has a name."""
    played = play_match(config, agents={config.agents[0]: agent})
    return summarise(config, [game for games in played for game in games]).comparisons[0]
