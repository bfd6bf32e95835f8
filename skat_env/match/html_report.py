"""The report of a match: `report.html`, one file with everything in it.

It has the tables of the match, its intervals as a plot, and for each pair of agents the games in which the first one
lost most, as strips of tricks, with the command that reviews them.
"""

import html
import io
import math
import shlex
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skat_env.match.league import Rating
from skat_env.match.play import PlayedGame
from skat_env.match.report import estimates, print_match, seat_estimates
from skat_env.match.result import MatchResult, deal_points
from skat_env.match.statistics import Estimate
from skat_env.pictures.layout import fitting
from skat_env.pictures.strip import strip
from skat_env.pictures.svg import document
from skat_env.play.casts import pair_casts
from skat_env.registry import get_game, has_part
from skat_env.tools.console import Console
from skat_env.tools.files import write_text

REPORT: Final = "report.html"
_WORST: Final = 3
"""The number of deals that are shown for each pair."""
_COLUMNS: Final = 80
_TRICKS_IN_A_ROW: Final = 10
_CODE: Final = "<pre>{code}</pre>"
_PAGE: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font-family: Helvetica, Arial, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
pre {{ overflow-x: auto; line-height: 1.25; background: #f5f5f2; padding: 1rem }}
svg {{ max-width: 100%; height: auto }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def write_report(
    folder: Path, games_file: str, result: MatchResult, ratings: list[Rating], games: list[PlayedGame]
) -> None:
    """Writes the report of a finished match into its folder, in place of an older one.

    Args:
        folder: the match's folder.
        games_file: the name of the file in it that has the games.
        result: the statistics.
        ratings: the ratings of a league; empty: none.
        games: all games.
    """
    title = f"{result.config.game}: {' against '.join(result.config.agents)}"
    parts = [_tables(result, ratings), "<h2>Differences</h2>", intervals_svg(result)]
    if has_part(result.config.game, "picture"):
        for comparison in result.comparisons:
            parts += _worst(folder / games_file, result, comparison.agents, games)
    write_text(folder / REPORT, _PAGE.format(title=html.escape(title), body="\n".join(parts)))


def _tables(result: MatchResult, ratings: list[Rating]) -> str:
    """The tables as a terminal shows them."""
    console = Console(record=True, file=io.StringIO(), width=_COLUMNS)
    print_match(result, ratings, console)
    return console.export_html(inline_styles=True, code_format=_CODE)


def intervals_svg(result: MatchResult) -> str:
    """The differences of all pairs, at each seat, and by kind of game, with their 95% intervals, as an SVG document."""
    rows: list[tuple[str, Estimate]] = []
    for prefix, comparisons in (("", result.comparisons), *result.kinds.items()):
        for comparison in comparisons:
            first, second = comparison.agents
            seats = [] if prefix else seat_estimates(comparison)
            for name, value in [*estimates(comparison, first, second), *seats]:
                words = (f"{first} - {second}", prefix, name)
                rows.append((", ".join(word for word in words if word), value))
    ends = [0.0, *(value.mean for _, value in rows)]
    ends += [end for _, value in rows if value.pairs > 1 for end in (value.low, value.high)]
    low, high = min(ends), max(ends)
    margin = 0.06 * (high - low) or 1.0
    low, high = low - margin, high + margin
    left, right, line = 360, 880, 26
    bottom = 14 + line * len(rows)

    def at(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    drawn = []
    for tick in _ticks(low, high):
        strong = "#555" if tick == 0 else "#ddd"
        drawn.append(f'<path d="M{at(tick):.1f} 6V{bottom}" stroke="{strong}"/>')
        drawn.append(
            f'<text x="{at(tick):.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{tick:+g}</text>'
        )
    for number, (name, value) in enumerate(rows):
        y = 14 + line * (number + 0.5)
        size = fitting(name, left - 20, 13.0)
        drawn.append(
            f'<text x="{left - 12}" y="{y + 4.5}" font-size="{size:.1f}" text-anchor="end">{html.escape(name)}</text>'
        )
        if value.pairs > 1:
            drawn.append(
                f'<path d="M{at(value.low):.1f} {y}H{at(value.high):.1f}" stroke="#0b6e99" stroke-width="3"/>'
            )
        drawn.append(f'<circle cx="{at(value.mean):.1f}" cy="{y}" r="5" fill="#0b6e99"/>')
    unit = get_game(result.config.game).match_unit.replace("_", " ")
    drawn.append(
        f'<text x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">'
        f"{html.escape(unit)}, mean difference and 95% interval</text>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{bottom + 48}" viewBox="0 0 900 {bottom + 48}" '
        f'font-family="Helvetica,Arial,sans-serif" font-size="13">{"".join(drawn)}</svg>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers in a range, about six."""
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    return [each * step for each in range(math.ceil(low / step), math.floor(high / step) + 1)]


@dataclass(frozen=True, slots=True)
class LostDeal:
    """A deal in which one agent did worse than another."""

    deal: int
    difference: float
    """The mean of the first agent's seats minus that of the second's, over the games of the deal with both."""
    game: PlayedGame
    """Of these games, the one with the lowest difference."""


def lost_deals(
    result: MatchResult, pair: tuple[str, str], games: list[PlayedGame], most: int
) -> list[LostDeal]:
    """The deals in which the first agent of a pair lost most to the second, the worst first; at most `most`."""
    config = result.config
    casts = {cast for cast in pair_casts(config.game, pair, config.mode) if len(set(cast)) > 1}
    by_deal: dict[int, list[PlayedGame]] = defaultdict(list)
    for game in games:
        if game.spec.cast in casts:
            by_deal[game.spec.deal].append(game)

    def difference(played: list[PlayedGame]) -> float:
        return deal_points(played, pair[0]) - deal_points(played, pair[1])

    lost = [
        LostDeal(deal, difference(played), min(played, key=lambda game: difference([game])))
        for deal, played in by_deal.items()
    ]
    lost = [each for each in lost if each.difference < 0]
    return sorted(lost, key=lambda each: (each.difference, each.deal))[:most]


def _worst(path: Path, result: MatchResult, pair: tuple[str, str], games: list[PlayedGame]) -> list[str]:
    """The deals that the first agent of a pair lost most on."""
    first, second = map(html.escape, pair)
    lost = lost_deals(result, pair, games, _WORST)
    if not lost:
        return [f"<h2>No deal lost by {first} to {second}</h2>"]
    about = get_game(result.config.game)
    parts = [f"<h2>Where {first} lost most to {second}</h2>"]
    for each in lost:
        state = about.state.parse(each.game.position)
        command = shlex.join(["skat-env", "review", str(path), "--id", str(each.deal)])
        parts += [
            f"<h3>Deal {each.deal}: {each.difference:+.1f} points per seat</h3>",
            f"<p>The game of the deal in which {first} did worst.</p>",
            document(strip(about.name, state, each.game.agents, _TRICKS_IN_A_ROW)),
            f"<pre>{html.escape(command)}</pre>",
        ]
    return parts
