"""Auditing games to their end, in a folder from which a stopped audit resumes."""

from pathlib import Path

from skat_env.audit.folder import AuditFolder, audit_folder
from skat_env.audit.play import AuditConfig, AuditedGame, audit
from skat_env.audit.result import AuditResult, summarise
from skat_env.tools.progress import progress_bar
from skat_env.tools.run_folder import ADVICE
from skat_env.tools.workers import Workers


def read_games(folder: AuditFolder, recorded: list[str] | None) -> list[AuditedGame]:
    """The games that a folder keeps so far.

    Args:
        folder: of the audit.
        recorded: the recorded games, as in `audit`.

    Raises:
        FileExistsError: if a game that is audited is another than the recorded one; and as `AuditFolder.read`.
    """
    games = folder.read()
    for game in games:
        if recorded is not None and game.position != recorded[game.deal]:
            raise FileExistsError(
                f"game {game.deal} was another when it was audited, as {folder.config.source} was changed: {ADVICE}"
            )
    return games


def audit_on(
    config: AuditConfig,
    games: list[AuditedGame],
    recorded: list[str] | None = None,
    folder: AuditFolder | None = None,
    workers: Workers | int = 1,
) -> None:
    """Audits the games that are missing from `games`, and adds them there and to the folder.

    Args:
        config: the audit.
        games: the games audited so far.
        recorded: the recorded games, as in `audit`.
        folder: the folder that keeps the games; None: none.
        workers: as in `audit`.
    """
    done = frozenset(audited.deal for audited in games)
    with progress_bar("games", config.deals) as advance:
        for audited in audit(config, recorded, done, workers):
            games += audited
            if folder is not None:
                folder.append(audited)
            advance(len(games))


def kept_audit(
    path: Path, config: AuditConfig, recorded: list[str] | None = None, workers: Workers | int = 1
) -> AuditResult:
    """The result of an audit in a folder; missing games are audited first.

    Raises:
        FileExistsError: if the folder holds something else, or other games.
        BlockingIOError: if another process is working in it.
    """
    with audit_folder(path, config) as folder:
        games = read_games(folder, recorded)
        if not folder.is_finished:
            audit_on(config, games, recorded, folder, workers)
        result = summarise(config, games)
        if not folder.is_finished:
            folder.finish(games, result.as_json())
    return result
