"""The workbench of reproductions: plays matches in a reproduction's folder, and reads them again once played."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skat_env.match.play import MatchConfig, PlayedGame, make_agents
from skat_env.match.result import AgentSummary, Comparison, MatchResult, declarer_value
from skat_env.match.run import kept_match
from skat_env.match.start_files import read_starts
from skat_env.play.casts import Mode
from skat_env.tools.workers import Workers


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match, with its agents by the paper's names."""

    agents: Mapping[str, str]
    result: MatchResult
    games: list[PlayedGame]

    def comparison(self, first: str, second: str, kind: str | None = None) -> Comparison:
        """The comparison of two agents, in all games or in those of a kind."""
        comparisons = self.result.kinds.get(kind or "", self.result.comparisons)
        pair = (self.agents[first], self.agents[second])
        return next(comparison for comparison in comparisons if comparison.agents == pair)

    def summary(self, name: str) -> AgentSummary:
        """The summary of an agent's games."""
        return self.result.agents[self.agents[name]]

    def declared(self, name: str, kind: str) -> list[PlayedGame]:
        """The games of a kind in which an agent was declarer against other agents."""
        agent = self.agents[name]
        return [
            game
            for game in self.games
            if game.outcome is not None
            and game.outcome.kind == kind
            and game.agents[game.outcome.declarer] == agent
            and len(set(game.agents)) > 1
        ]

    def values(self, soloist: str, defenders: str, kind: str | None = None) -> NDArray[np.float64]:
        """XvYY of each Skat deal, of all kinds of game or one, float64 [deals] (Rebstock 2019, section 6.2)."""
        cast = (self.agents[soloist], *[self.agents[defenders]] * 2)
        games = [game for game in self.games if game.spec.cast == cast]
        if kind is not None:
            games = [game for game in games if game.outcome is not None and game.outcome.kind == kind]
        return np.array([declarer_value(game) for game in sorted(games, key=lambda game: game.spec.deal)])


@dataclass(frozen=True, slots=True)
class Bench:
    """The folder, the size and the models of a reproduction."""

    folder: Path
    game: str
    deals: int
    """The number of deals of each match, or of each kind of game."""
    effort: tuple[int, ...]
    """Worlds or simulations per move of the searches."""
    models: Mapping[str, str]
    """The registry text of each model, by its name in the paper."""
    seed: int = 0
    workers: Workers | int = 1
    source: str | None = None
    """The file of deals or recorded games to start from; None: random deals."""

    @property
    def worlds(self) -> int:
        """The number of worlds of a reproduction that has only one.

        Raises:
            ValueError: if `effort` is not a single number.
        """
        if len(self.effort) != 1:
            raise ValueError(f"effort {' '.join(map(str, self.effort))}: expected one number of worlds")
        return self.effort[0]

    def match(
        self,
        name: str,
        agents: Mapping[str, str],
        mode: Mode,
        against: str | None = None,
        kinds: tuple[str, ...] | None = None,
        share: float = 1.0,
    ) -> Played:
        """Plays a match, or reads it if it was played before.

        Args:
            name: the name of its folder.
            agents: the agents' registry texts, by the paper's names.
            mode: the mode of the match.
            against: the agent that all others are compared with; None: all pairs are compared.
            kinds: kinds of game, each played with the same number of deals; None: any.
            share: the share of the reproduction's deals that is played.
        """
        deals = max(1, round(self.deals * share)) * len(kinds or (None,))
        starts = None
        if self.source is not None:
            starts = read_starts(Path(self.source), self.game, mode, deals, self.seed, kinds=kinds).texts
            deals = len(starts)
        config = MatchConfig(
            self.game,
            tuple(agents.values()),
            deals,
            self.seed,
            mode,
            self.models.get("bidder", "rule"),
            self.source,
            against=None if against is None else agents[against],
            kinds=kinds,
        )
        make_agents(config)
        result, games = kept_match(self.folder / "matches" / name, config, starts, self.workers)
        return Played(agents, result, games)
