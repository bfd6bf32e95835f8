"""Playing a match to its end, in a folder from which a stopped match resumes."""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from skat_env.errors import ParseError
from skat_env.match.folder import CONFIG, MatchFolder, match_folder
from skat_env.match.league import Rating
from skat_env.match.play import MatchConfig, PlayedGame, play_match
from skat_env.match.result import MatchResult, summarise
from skat_env.match.until import first_look, half_width, next_look
from skat_env.protocols import Agent
from skat_env.tools.json_file import read_object
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import provenance
from skat_env.tools.run_folder import ADVICE
from skat_env.tools.workers import Workers

Config = TypeVar("Config", bound=MatchConfig)


def play_on(
    config: MatchConfig,
    games: list[PlayedGame],
    starts: list[str] | None = None,
    folder: MatchFolder | None = None,
    workers: Workers | int = 1,
    agents: dict[str, Agent] | None = None,
) -> None:
    """Plays the games of a match that are missing from `games`, and adds them there and to the folder.

    Args:
        config: the match.
        games: the games played so far.
        starts: as in `play_match`.
        folder: the folder that keeps the games; None: none.
        workers: as in `play_match`.
        agents: as in `play_match`.
    """
    done = frozenset(game.spec for game in games)
    deals = {spec.deal for spec in done}
    with progress_bar("deals", config.deals) as advance:
        for played in play_match(config, starts, done, workers, agents):
            games += played
            if folder is not None:
                folder.append(played)
            deals.update(game.spec.deal for game in played)
            advance(len(deals))


def play_until(
    config: MatchConfig,
    until: float,
    games: list[PlayedGame],
    starts: list[str] | None = None,
    folder: MatchFolder | None = None,
    workers: Workers | int = 1,
) -> None:
    """Plays a match until its intervals are narrow enough, or to its last deal.

    Args:
        config: the match, with the most deals that it may have.
        until: the half-width of the intervals.
        games: the games played so far; then those of the match of the deals that were needed.
        starts: as in `play_match`.
        folder: the folder that keeps the games; None: none.
        workers: as in `play_match`.
    """
    deals: int | None = first_look(config)
    while deals is not None:
        looked_at = dataclasses.replace(config, deals=deals)
        play_on(looked_at, games, starts, folder, workers)
        seen = [game for game in games if game.spec.deal < deals]  # a stopped match may have played more
        deals = next_look(config, deals, half_width(summarise(looked_at, seen)), until)
    games[:] = seen


def whole_deals(deals: Iterable[int], games: int) -> int:
    """How many deals, from the first on, have all their games: the length of the match that a stopped one is so far.

    Later deals may be done too, by other workers; they do not count, as they are those that were quick.

    Args:
        deals: the deal of each game played, in any order.
        games: the number of games of a deal.
    """
    played = Counter(deals)
    return next(deal for deal in itertools.count() if played[deal] < games)


def match_so_far(config: Config, games: list[PlayedGame]) -> tuple[Config, list[PlayedGame]] | None:
    """The match of fewer deals that a stopped match is so far, and its games; None: not even its first deal is done.

    Args:
        config: the match.
        games: the games played so far.
    """
    deals = whole_deals((game.spec.deal for game in games), len(config.casts()))
    if not deals:
        return None
    return dataclasses.replace(config, deals=deals), [game for game in games if game.spec.deal < deals]


def result_so_far(path: Path) -> MatchResult | None:
    """The result of the match in a folder as far as it is played; somebody may be playing it on meanwhile.

    Args:
        path: the folder, with a `match.json`.

    Returns:
        None if not even the first deal is done, or if the folder is of other work that keeps its games as a match does.

    Raises:
        ParseError: if a file is damaged.
    """
    head = read_object(path / CONFIG, ADVICE)
    until = head.pop("until", None)
    if head.keys() != {field.name for field in dataclasses.fields(MatchConfig)}:
        return None
    try:
        config = msgspec.convert(head, MatchConfig)
    except msgspec.ValidationError as error:
        raise ParseError(f"{path / CONFIG} is damaged: {error}; {ADVICE}") from None
    found = match_so_far(config, MatchFolder(path, config, until).read())
    return None if found is None else summarise(*found)


def finish_match(
    folder: MatchFolder, games: list[PlayedGame], result: MatchResult, ratings: list[Rating]
) -> None:
    """Writes the result of a finished match and its provenance into the folder."""
    summary = result.as_json()
    if folder.until is not None:
        summary["until"] = folder.until
    if ratings:
        summary["league"] = [dataclasses.asdict(rating) for rating in ratings]
    folder.finish(games, {**provenance(), **summary})


def kept_match(
    path: Path,
    config: MatchConfig,
    starts: list[str] | None = None,
    workers: Workers | int = 1,
    extend: bool = False,
) -> tuple[MatchResult, list[PlayedGame]]:
    """The result and the games of a match in a folder; missing games are played first.

    Args:
        path: the folder.
        config: the match.
        starts: as in `play_match`.
        workers: as in `play_match`.
        extend: as in `match_folder`.

    Raises:
        FileExistsError: if the folder holds something else.
        BlockingIOError: if another process is working in it.
    """
    with match_folder(path, config, starts, extend=extend) as folder:
        games = folder.read()
        if not folder.is_finished:
            play_on(config, games, starts, folder, workers)
        result = summarise(config, games)
        if not folder.is_finished:
            finish_match(folder, games, result, [])
    return result, games
