"""The tables of a match, for a terminal of 80 columns."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.match.league import Rating
from skat_env.match.result import AgentSummary, Comparison, MatchResult
from skat_env.match.statistics import Estimate
from skat_env.protocols import Game
from skat_env.registry import get_game
from skat_env.tools.console import Console, milliseconds_text

MAX_NAME_LENGTH = 10
"""The longest name of an agent that leaves room for the figures in 80 columns."""


def print_match(result: MatchResult, ratings: list[Rating], console: Console) -> None:
    """Prints who was better and how certain that is, then a summary of each agent."""
    config = result.config
    source = config.source or "random deals"
    console.print(f"{config.game}, {config.mode}: {result.deals} deals from {source}, {result.games} games")
    labels = _labels(config.agents)
    for name, label in labels.items():
        if label != name:
            console.print(f"{label} = {name}", highlight=False)
    unit = _unit(get_game(config.game))
    console.print(_agents(result, labels, unit))
    for name, summary in result.agents.items():
        if summary.marks:
            console.print(f"{labels[name]} won of its {_marks(summary)}", highlight=False)
        if summary.counts:
            console.print(f"{labels[name]} {summary.counts_text()}", highlight=False)
    for comparison in result.comparisons:
        console.print(_comparison(comparison, labels, unit))
        if result.kinds:
            console.print(_kinds(result, comparison, labels))
    if ratings:
        console.print(_league(ratings, labels))


def _labels(agents: tuple[str, ...]) -> dict[str, str]:
    """The labels of the agents in the tables: their names if all are short, else letters."""
    if max(map(len, agents)) <= MAX_NAME_LENGTH:
        return {name: name for name in agents}
    return {name: chr(ord("A") + i) for i, name in enumerate(agents)}


def _table(title: str | None = None) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, title_style="bold", pad_edge=False)


def _unit(game: Game) -> str:
    """The unit over which points are averaged: `seat`, or `team` if partners win together."""
    return "seat" if len(game.teams) == len(game.seats) else "team"


def _agents(result: MatchResult, labels: dict[str, str], unit: str) -> Table:
    kinds = get_game(result.config.game).kinds
    if len(kinds) == 1:
        kinds = ()
    table = _table(f"all games, each agent over the {unit}s it had")
    table.add_column("agent", overflow="fold")
    for name in ("points", "declares", "wins", *kinds, "ms/move"):
        table.add_column(name, justify="right")
    for name, summary in result.agents.items():
        cells = [
            f"{summary.points_per_game:.2f}",
            f"{summary.declared_share:.1%}",
            summary.total.share_text(1),
        ]
        cells += [_kind(summary, kind) for kind in kinds]
        table.add_row(labels[name], *cells, milliseconds_text(1000 * summary.seconds_per_move))
    return table


def _marks(summary: AgentSummary) -> str:
    """`suit hand 3/5, null ouvert 1/1`: the games won, of those with each mark."""
    return ", ".join(
        f"{kind} {mark} {declared.won}/{declared.games}"
        for kind, marks in summary.marks.items()
        for mark, declared in marks.items()
    )


def _kind(summary: AgentSummary, kind: str) -> str:
    """`61%/240`: the share won of the games of a kind, and the number of games."""
    declared = summary.declared.get(kind)
    return f"{declared.share_text()}/{declared.games}" if declared else "-"


def _differences(*named: str, title: str | None = None) -> Table:
    """A table of estimates, for rows of what names them and `_cells`."""
    table = _table(title)
    for name in named:
        table.add_column(name)
    for name in ("mean", "95% interval", "Wilcoxon p", "deals"):
        table.add_column(name, justify="right")
    return table


def _comparison(comparison: Comparison, labels: dict[str, str], unit: str) -> Table:
    first, second = (labels[name] for name in comparison.agents)
    title = f"{first} {comparison.points_a:.2f} : {comparison.points_b:.2f} {second}   (points per game and {unit})"
    table = _differences("difference", title=title)
    for name, value in [*estimates(comparison, first, second), *seat_estimates(comparison)]:
        table.add_row(name, *_cells(value))
    return table


def _kinds(result: MatchResult, whole: Comparison, labels: dict[str, str]) -> Table:
    """The estimates of a pair, by kind of game."""
    first, second = (labels[name] for name in whole.agents)
    table = _differences("kind", "difference")
    for kind, comparisons in result.kinds.items():
        for comparison in comparisons:
            if comparison.agents == whole.agents:
                for name, value in estimates(comparison, first, second):
                    table.add_row(kind, name, *_cells(value))
    return table


def estimates(comparison: Comparison, first: str, second: str) -> list[tuple[str, Estimate]]:
    """The estimates in a comparison, by name."""
    rows = [
        ("whole", comparison.difference),
        ("defence", comparison.defence),
        ("declaring", comparison.declaring),
    ]
    if mixed := comparison.mixed:
        rows += [
            ("6-way", mixed.difference),
            ("declaring, mixed", mixed.declaring),
            (f"+ one {first}", mixed.defence_a),
            (f"+ one {second}", mixed.defence_b),
        ]
    return [(name, value) for name, value in rows if value is not None]


def seat_estimates(comparison: Comparison) -> list[tuple[str, Estimate]]:
    """The whole difference at each seat, by name."""
    return [(f"at {seat.name}", seat.difference) for seat in comparison.seats]


def _cells(value: Estimate) -> tuple[str, str, str, str]:
    """Mean, interval, p and number of an estimate."""
    return *value.cells(), str(value.pairs)


def _league(ratings: list[Rating], labels: dict[str, str]) -> Table:
    table = _table("league (OpenSkill)")
    table.add_column("agent", overflow="fold")
    for name in ("mu", "sigma", "ordinal"):
        table.add_column(name, justify="right")
    for row in ratings:
        table.add_row(labels[row.agent], f"{row.mu:.2f}", f"{row.sigma:.2f}", f"{row.ordinal:.2f}")
    return table
