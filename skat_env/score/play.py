"""The score of an agent: it has each seat of a table in turn and `rule` the others, on deals that `rule` plays too."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.errors import OptionError
from skat_env.match.folder import match_folder
from skat_env.match.play import MatchConfig, PlayedGame, named_agents
from skat_env.match.result import AgentSummary, summarise
from skat_env.match.run import finish_match, play_on
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed, checked_options
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.protocols import Agent, Scale
from skat_env.registry import get_game, get_part, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.console import Console, Printed
from skat_env.tools.json_file import finite
from skat_env.tools.workers import Workers

TABLE: Final = "rule"
"""The agent in the other seats."""
NEEDED: Final = 1.96 + 0.84
"""Standard errors at which a difference is seen at 5% with a probability of 80%."""


@dataclass(frozen=True, slots=True)
class PlayedScore(Printed):
    """How well an agent played."""

    agent: str
    game: str
    points: Estimate
    """Points per game and seat more than `rule` in the same seats on the same deals."""
    deviation: float
    """The standard deviation of that over deals."""
    scale: Scale
    summary: AgentSummary
    """What else the agent did in its games."""

    @property
    def value(self) -> float:
        """The score: 0 `random`, 1 `champion(quick=true)`."""
        return self.scale.value(self.points.mean)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the score's 95% interval; the scale itself is taken as exact."""
        return self.scale.value(self.points.low), self.scale.value(self.points.high)

    @property
    def needed(self) -> float:
        """The deals that would tell an agent with these points from `rule` at 5% four times in five; inf: not known."""
        if not self.points.mean or self.points.pairs < 2:
            return math.inf
        return math.ceil((NEEDED * self.deviation / self.points.mean) ** 2)

    def as_json(self) -> dict[str, Any]:
        """The score as values that JSON can hold: infinite ones are None."""
        low, high = self.interval
        values: dict[str, Any] = {
            "agent": self.agent,
            "game": self.game,
            "score": self.value,
            "low": low,
            "high": high,
            "points": asdict(self.points),
            "deviation": self.deviation,
            "deals_needed": self.needed,
            "scale": asdict(self.scale),
            "moves": self.summary.moves,
            "counts": self.summary.counts,
        }
        return finite(values)  # type: ignore[no-any-return]

    def print_on(self, console: Console) -> None:
        """Prints the score and how certain it is."""
        low, high = self.interval
        by_rule = self.scale.value(0.0)
        console.print(
            f"{self.agent} scores {self.value:.2f} [{low:.2f}, {high:.2f}] in {self.game} "
            f"(0 random, {by_rule:.2f} rule, 1 champion(quick=true))",
            highlight=False,
        )
        console.print(
            f"{self.points.text()} points per game and seat against rule in the same seats, {self.points.pairs} deals",
            highlight=False,
        )
        if not math.isinf(self.needed):
            console.print(f"about {self.needed:,} deals tell such an agent from rule", highlight=False)
        if self.summary.counts:
            console.print(self.summary.counts_text(), highlight=False)


@checked_options("score")
def score(
    agent: str | Agent,
    game: str = "skat",
    deals: Count = 100,
    seed: Seed = 0,
    out: Path | None = None,
    workers: Workers | int = 1,
) -> PlayedScore:
    """Plays an agent at a table of `rule` and says how well it did, on the scale of the game.

    >>> from skat_env.score.play import score
    >>> score("random", deals=20, seed=1).value < 0.5
    True

    On every deal the agent has each seat in turn (of partners both) and `rule` the others. Its points are those more
    than `rule` has in the same seats when it plays the deal alone, so that the luck of the cards cancels.

    Args:
        agent: the agent, by name or as an object.
        game: the game.
        deals: the number of deals; the same seed gives the same.
        seed: the seed of the deals and of the agents' luck.
        out: a folder for the games, from which a score that was stopped goes on; None: none.
        workers: the number of processes; the games do not depend on it.

    Raises:
        ValueError: if the agent is `rule` itself, or the game has no scale; its subclasses for options.
    """
    scale: Scale = get_part(game, "scale")
    [made] = named_agents([agent], game)
    name = agent if isinstance(agent, str) else agent.name
    if made.name == make_agent(TABLE, game).name:
        raise OptionError(f"{TABLE} is the table: its score is {scale.value(0):.2f} by the scale")
    config = MatchConfig(game, (name, TABLE), deals, seed, "alone", rules=scale.rules or None)
    games: list[PlayedGame] = []
    agents = {name: made}
    if out is None:
        play_on(config, games, workers=workers, agents=agents)
    else:
        with match_folder(out, config) as folder:
            games += folder.read()
            if not folder.is_finished:
                play_on(config, games, None, folder, workers, agents)
                finish_match(folder, games, summarise(config, games), [])
    gains = gains_of(config, games)
    deviation = float(np.std(gains, ddof=1)) if deals > 1 else 0.0
    return PlayedScore(name, game, estimate(gains), deviation, scale, summarise(config, games).agents[name])


def gains_of(config: MatchConfig, games: Sequence[PlayedGame]) -> list[float]:
    """By deal, the mean over its seats of what the first agent has more than the second that plays the deal alone."""
    game = get_game(config.game)
    rules = parse_rules(config.rules or "", game)
    table = make_agent(config.agents[1], config.game)
    seats = range(len(game.seats))
    states = [game.state.random(deal_rng(config.seed, deal), rules) for deal in range(config.deals)]
    luck = [[agent_rng(config.seed, deal, seat) for seat in seats] for deal in range(config.deals)]
    play_games(states, [[table] * len(seats)] * config.deals, luck)
    alone = [state.returns(game.match_unit) for state in states]
    gains: list[list[float]] = [[] for _ in alone]
    for played in games:
        deal = played.spec.deal
        own = [seat for seat in seats if played.agents[seat] == config.agents[0]]
        gains[deal].append(float(np.mean([played.returns[seat] - alone[deal][seat] for seat in own])))
    return [float(np.mean(each)) for each in gains]
