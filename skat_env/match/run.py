"""Playing a match to its end, in a folder from which a stopped match resumes."""

import dataclasses
from pathlib import Path

from skat_env.match.folder import MatchFolder, match_folder
from skat_env.match.league import Rating
from skat_env.match.play import MatchConfig, PlayedGame, play_match
from skat_env.match.result import MatchResult, summarise
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import provenance
from skat_env.tools.workers import Backend


def play_on(
    config: MatchConfig,
    games: list[PlayedGame],
    starts: list[str] | None = None,
    folder: MatchFolder | None = None,
    workers: int = 1,
    backend: Backend = "processes",
) -> None:
    """Plays the games of a match that are missing from `games`, and adds them there and to the folder.

    Args:
        config: the match.
        games: the games played so far.
        starts: as in `play_match`.
        folder: the folder that keeps the games; None: none.
        workers: as in `play_match`.
        backend: as in `play_match`.
    """
    done = frozenset(game.spec for game in games)
    deals = {spec.deal for spec in done}
    with progress_bar("deals", config.deals) as advance:
        for played in play_match(config, starts, done, workers, backend):
            games += played
            if folder is not None:
                folder.append(played)
            deals.update(game.spec.deal for game in played)
            advance(len(deals))


def finish_match(
    folder: MatchFolder, games: list[PlayedGame], result: MatchResult, ratings: list[Rating]
) -> None:
    """Writes the result of a finished match and its provenance into the folder."""
    summary = result.as_json()
    if ratings:
        summary["league"] = [dataclasses.asdict(rating) for rating in ratings]
    folder.finish(games, {**provenance(), **summary})


def kept_match(
    path: Path, config: MatchConfig, starts: list[str] | None = None, workers: int = 1
) -> tuple[MatchResult, list[PlayedGame]]:
    """The result and the games of a match in a folder; missing games are played first.

    Raises:
        FileExistsError: if the folder holds something else.
        BlockingIOError: if another process is working in it.
    """
    with match_folder(path, config) as folder:
        games = folder.read()
        if not folder.is_finished:
            play_on(config, games, starts, folder, workers)
        result = summarise(config, games)
        if not folder.is_finished:
            finish_match(folder, games, result, [])
    return result, games
