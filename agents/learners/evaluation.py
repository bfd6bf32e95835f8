"""The strength of an agent while it learns: a match on deals that are the same every time."""

from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import Comparison, summarise
from skat_env.match.statistics import Estimate
from skat_env.play.casts import Mode
from skat_env.protocols import Agent
from skat_env.registry import get_game
from skat_env.tools.workers import Workers

AGENT = "learner"
"""The agent's name in the match; a fixed one, as its random numbers depend on it."""


def strength(
    agent: Agent,
    opponent: str,
    game: str,
    deals: int,
    seed: int,
    start: str,
    bidder: str = "rule",
    rules: str | None = None,
    workers: Workers | int = 1,
) -> Estimate:
    """What an agent scores more than a named one in the game's match unit, paired by deal.

    Args:
        agent: the agent that learns.
        opponent: the name of the other.
        game: the game's name.
        deals: how many deals are played, with sides changed.
        seed: of the deals.
        start: the stage at which the learner's own games begin. The match begins there if it is the last stage, else
            with the deal.
        bidder: plays what comes before a last stage.
        rules: options of the game's rules; None: its defaults.
        workers: who plays.

    Raises:
        ValueError: if there are fewer than two deals, which have no interval.
    """
    if deals < 2:
        raise ValueError(f"an evaluation on {deals} deals: expected at least 2")
    config = MatchConfig(game, (AGENT, opponent), deals, seed, mode_of(game, start), bidder, rules=rules)
    return compare(agent, config, workers).difference


def mode_of(game: str, start: str) -> Mode:
    """The mode of a match that measures an agent whose games begin at a stage."""
    return "swapped" if start == get_game(game).stages[-1] else "all-seats"


def interval(name: str, estimate: Estimate) -> dict[str, float]:
    """The metrics of an estimate: its mean under a name, and the ends of its 95% interval."""
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def compare(agent: Agent, config: MatchConfig, workers: Workers | int = 1) -> Comparison:
    """The result of a match between a given agent, its first, and a named one, its second."""
    played = play_match(config, workers=workers, agents={config.agents[0]: agent})
    return summarise(config, [game for games in played for game in games]).comparisons[0]


def by_role(agent: Agent, config: MatchConfig, workers: Workers | int = 1) -> dict[str, float]:
    """The metrics of a mirrored match of a given agent and a named one: in all, declaring and in defence."""
    comparison = compare(agent, config, workers)
    metrics: dict[str, float] = {}
    for name in ("difference", "declaring", "defence"):
        metrics |= interval(name, getattr(comparison, name))
    return metrics
