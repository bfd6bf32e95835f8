"""`skat-env audit`."""

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from skat_env.audit.folder import AuditFolder, audit_folder
from skat_env.audit.play import BELIEF, BIDDER, AuditConfig, AuditedGame, audit_agents
from skat_env.audit.report import print_audit
from skat_env.audit.result import summarise
from skat_env.audit.run import audit_on, read_games
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.match.run import whole_deals
from skat_env.records import HiddenCards
from skat_env.registry import get_game
from skat_env.tools.console import Console
from skat_env.tools.interrupts import stopped
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers


@dataclass
class Audit:
    """Find the cards that two agents would play differently, and play both out to see which brings more.

    Example: skat-env audit "pimc(worlds=40)" policy --deals 100

    Wherever there is a choice of cards, both agents are asked. Where they differ, --players play on after either card,
    with the true deal and the same luck. The sum over a game estimates what a match between the two would show.

    The same seed gives the same figures with any number of workers. With --out, the same command continues an audit
    that was stopped; Ctrl-C shows the result so far.
    """

    a: Annotated[Positional[str], tyro.conf.arg(metavar="A")]
    """The first agent, such as "pimc(worlds=40)"."""
    b: Annotated[Positional[str], tyro.conf.arg(metavar="B")]
    """The second agent."""
    game: str = "skat"
    """The game to play."""
    deals: int = 1000
    """The number of games; with --kinds of each kind, with --from the largest number to take from the file."""
    seed: int = 0
    """The seed of the deals and of the agents' randomness."""
    players: str = "policy"
    """The agent that plays on from both cards, at every seat; and that plays the games."""
    played_by: str | None = None
    """Another agent that plays the games, at every seat, such as A itself; not with --from."""
    bidder: str = BIDDER
    """The agent that plays random deals up to the cardplay; not with --from."""
    source: Annotated[Path | None, tyro.conf.arg(name="from")] = None
    """A file or dataset of recorded games to take instead of playing some."""
    worlds: int | None = None
    """Play on with this many deals that are possible for the seat to act, instead of the true deal: less noise."""
    belief: str = BELIEF
    """The belief that makes the deals of --worlds, such as the faster locations; an agent that uses it is favoured."""
    kinds: tuple[str, ...] | None = None
    """Kinds of game, such as suit grand null, to play in equal numbers; not with --from."""
    rules: str | None = None
    """Rule options that differ from the defaults, such as "legality=amsterdam choice=free"; not with --from."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    out: Path | None = None
    """A folder for result.json and games.jsonl, which has the differing cards of every game."""

    def run(self) -> int:
        """Audits the games and returns the exit status."""
        config = AuditConfig(
            self.game,
            (self.a, self.b),
            self.deals * len(self.kinds or (None,)),
            self.seed,
            self.players,
            self.played_by,
            self.bidder,
            None if self.source is None else str(self.source),
            self.rules,
            self.worlds,
            self.belief,
            self.kinds,
        )
        audit_agents(config)
        recorded: list[str] | None = None
        if self.source is not None:
            recorded = _recorded(self.source, self.game, config.deals)
            config = dataclasses.replace(config, deals=len(recorded))
        if self.out is None:
            return self._run(config, recorded, None)
        with audit_folder(self.out, config) as folder:
            return self._run(config, recorded, folder)

    def _run(self, config: AuditConfig, recorded: list[str] | None, folder: AuditFolder | None) -> int:
        """Audits the missing games, prints the result and writes it into the folder."""
        games: list[AuditedGame] = [] if folder is None else read_games(folder, recorded)
        finished = folder is not None and folder.is_finished
        if folder is not None and finished:
            say_finished("audit", folder.path)
        if not finished:
            try:
                audit_on(config, games, recorded, folder, self.workers)
            except KeyboardInterrupt:
                deals = whole_deals((game.deal for game in games), 1)
                if deals:
                    so_far = [game for game in games if game.deal < deals]
                    print_audit(summarise(dataclasses.replace(config, deals=deals), so_far), Console())
                return stopped(len(games), folder is not None)
        result = summarise(config, games)
        if folder is not None and not finished:
            folder.finish(games, result.as_json())
        print_audit(result, Console())
        if folder is not None:
            print(f"written to {folder.path}")
        return 0


def _recorded(path: Path, game: str, limit: int) -> list[str]:
    """The last states of the recorded games in which cards were played and are known, at most `limit`."""
    texts: list[str] = []
    left_out = 0
    for place, reading in readings(path, "reading"):
        if isinstance(reading, ParseError | HiddenCards):
            left_out += 1
            continue
        record = reading.record
        if record.game != game:
            raise ParseError(f"{place} is a game of {record.game}, the audit is of {game}")
        if record.state.stage == get_game(game).stages[-1] and record.state.plays():
            texts.append(record.state.text())
        else:
            left_out += 1
        if len(texts) == limit:
            break
    if not texts:
        raise ParseError(f"{path} has no game with cards to audit")
    if left_out:
        print(f"{path}: {left_out} games that cannot be audited are left out", file=sys.stderr)
    return texts
