"""What a gauntlet found: a row for each pair of an agent and an engine, in each form."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from skat_env.match.result import AgentSummary, Comparison, MatchResult
from skat_env.play.casts import Mode
from skat_env.registry import get_game
from skat_env.tools.json_file import finite


@dataclass(frozen=True, slots=True)
class Encounter:
    """A match of an agent against an engine."""

    form: Mode
    agent: str
    """The agent's label."""
    engine: str
    """The engine's."""
    names: tuple[str, str]
    """The texts from which both can be made again."""
    comparison: Comparison
    """The agent less the engine, paired by deal."""
    summaries: tuple[AgentSummary, AgentSummary]
    """What each did in all games of the match."""

    @classmethod
    def of(cls, agent: str, engine: str, result: MatchResult) -> Self:
        """That of a match of two."""
        first, second = result.config.agents
        summaries = (result.agents[first], result.agents[second])
        return cls(result.config.mode, agent, engine, (first, second), result.comparisons[0], summaries)

    def as_json(self) -> dict[str, Any]:
        """The encounter as values that JSON can hold."""
        return {
            "form": self.form,
            "agent": self.agent,
            "engine": self.engine,
            "names": list(self.names),
            **asdict(self.comparison),
            "agents": [
                {
                    "points_per_game": each.points_per_game,
                    "declared_share": each.declared_share,
                    "declared": {kind: asdict(games) for kind, games in each.declared.items()},
                    "counts": each.counts,
                    "moves": each.moves,
                    "seconds_per_move": each.seconds_per_move,
                }
                for each in self.summaries
            ],
        }


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """All encounters, form by form and engine by engine."""

    game: str
    seed: int
    rules: str | None
    encounters: list[Encounter]

    def as_json(self) -> dict[str, Any]:
        """The gauntlet as values that JSON can hold: the ends of an infinite interval are None."""
        values = {
            "game": self.game,
            "seed": self.seed,
            "rules": self.rules,
            "reward": get_game(self.game).match_unit,
            "encounters": [each.as_json() for each in self.encounters],
        }
        return finite(values)  # type: ignore[no-any-return]
