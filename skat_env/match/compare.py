"""A match in one line of Python: who is better, and how certain that is."""

from dataclasses import dataclass

from skat_env.match.html_report import intervals_svg
from skat_env.match.league import league
from skat_env.match.play import BIDDER, MatchConfig, PlayedGame, named_agents
from skat_env.match.report import print_match
from skat_env.match.result import MatchResult, summarise
from skat_env.match.run import play_on
from skat_env.match.statistics import Estimate
from skat_env.options import Count, Seed, checked_options
from skat_env.play.casts import Mode
from skat_env.protocols import Agent
from skat_env.registry import make_agent
from skat_env.tools.console import Console, Printed
from skat_env.tools.workers import Workers


@dataclass(frozen=True, slots=True)
class PlayedMatch(Printed):
    """A match that was played: printed it is its tables, in a notebook its tables and intervals."""

    result: MatchResult
    """The statistics of agents and pairs."""
    games: list[PlayedGame]

    @property
    def difference(self) -> Estimate:
        """What the first agent gains on the second, in points per game and seat: its `mean`, the `low` and `high` end
        of the 95% interval, and `p`.

        Raises:
            ValueError: if the match has several pairs: `result.comparisons` has them all.
        """
        if len(self.result.comparisons) != 1:
            pairs = len(self.result.comparisons)
            raise ValueError(f"a match with {pairs} pairs has no one difference: see result.comparisons")
        return self.result.comparisons[0].difference

    def __repr__(self) -> str:
        found = [f"{' - '.join(each.agents)}: {each.difference.text()}" for each in self.result.comparisons]
        return f"PlayedMatch({'; '.join(found)})"

    def _repr_html_(self) -> str:
        return f"{Printed._repr_html_(self)}{intervals_svg(self.result)}"

    def print_on(self, console: Console) -> None:
        """Prints the tables of agents, pairs and, with three agents or more, ratings."""
        config = self.result.config
        ratings = league(config, self.games) if len(config.agents) > 2 else []
        print_match(self.result, ratings, console)


@checked_options("compare")
def compare(
    *agents: str | Agent,
    game: str = "skat",
    deals: Count = 200,
    seed: Seed = 0,
    mode: Mode = "all-seats",
    kinds: tuple[str, ...] | None = None,
    rules: str | None = None,
    bidder: str = BIDDER,
    against: str | None = None,
    workers: Workers | int = 1,
) -> PlayedMatch:
    """Plays agents against each other on the same deals and says who is better.

    >>> compare("rule", "random", deals=20, seed=1).difference.low > 0
    True

    Args:
        agents: two or more agents, by name or as objects.
        game: the game to play.
        deals: the number of deals, with `kinds` of each kind.
        seed: the seed of the deals and of the agents' luck; the same seed gives the same games.
        mode: which seats are exchanged; docs/matches.md has the modes.
        kinds: kinds of game, such as `("suit", "null")`, to play in equal numbers; not in mode all-seats.
        rules: rule options that differ from the defaults, such as `"legality=amsterdam"`.
        bidder: the agent that plays up to the cardplay; not in mode all-seats or alone.
        against: the name of one of the agents: the others are compared with it only.
        workers: the number of processes; the games do not depend on it.

    Raises:
        ValueError: if there are fewer than two agents, two have the same name, an object has that of another bidder, or
            a bidder is given that has nothing to do; its subclasses for options.
    """
    made = named_agents(agents, game)
    names = [agent if isinstance(agent, str) else agent.name for agent in agents]
    if len(set(names)) < max(2, len(names)):
        listed = ", ".join(names) or "none"
        raise ValueError(f"agents {listed}: expected two or more with different names")
    config = MatchConfig(
        game, tuple(names), deals * len(kinds or (None,)), seed, mode, bidder, None, rules, against, kinds
    )
    config.require_bidder_used()
    own = {agent.name: type(agent) for agent in agents if not isinstance(agent, str)}
    if config.needs_bidder and bidder in own and own[bidder] is not type(make_agent(bidder, game)):
        raise ValueError(
            f"an agent has the name of the bidder, {bidder}: expected another name, or another bidder"
        )
    games: list[PlayedGame] = []
    play_on(config, games, workers=workers, agents=dict(zip(names, made, strict=True)))
    return PlayedMatch(summarise(config, games), games)
