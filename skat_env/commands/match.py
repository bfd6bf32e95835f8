"""`skat-env match`."""

import dataclasses
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from skat_env.match.folder import GAMES, MatchFolder, match_folder
from skat_env.match.html_report import write_report
from skat_env.match.league import league
from skat_env.match.play import BIDDER, MatchConfig, make_agents
from skat_env.match.report import print_match
from skat_env.match.result import summarise
from skat_env.match.run import finish_match, match_so_far, play_on, play_until
from skat_env.match.start_files import read_starts
from skat_env.match.until import half_width
from skat_env.play.casts import Mode
from skat_env.tools.console import Console
from skat_env.tools.interrupts import stopped
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers

_SHOWN = 10
"""The number of malformed rows of a table that are shown."""


@dataclass
class Match:
    """Play agents against each other on the same deals and report who is better.

    Example: skat-env match --agents "pimc(worlds=40)" rule --deals 100

    The same seed gives the same games with any number of workers. With --out, the same command continues a match that
    was stopped; with more --deals and --extend, also one that is finished. Ctrl-C shows the result so far.
    """

    agents: tuple[str, ...]
    """Two or more agents, such as rule or "pimc(worlds=40)". Every pair is compared; with --against, all with one."""
    game: str = "skat"
    """The game to play."""
    deals: int = 1000
    """The number of deals, with --kinds of each kind; the largest number with --until, and with --from, which takes
    them from the file."""
    seed: int = 0
    """The seed of the deals and of the agents' randomness."""
    mode: Mode = "all-seats"
    """all-seats: full games with every seating that has both A and B; partners are always the same agent.
    alone: full games, A at each seat in turn and B at all others, as on the International Skat Server.
    swapped: from the cardplay on, A on the declarer's side against B, and B against A.
    mirrored: as swapped, and each against itself, which separates declaring from defence.
    mixed: as mirrored, and each as soloist against one A and one B."""
    kinds: tuple[str, ...] | None = None
    """Kinds of game, such as suit grand null, to play in equal numbers, with --from at most that of the rarest in the
    file; not in full games."""
    source: Annotated[Path | None, tyro.conf.arg(name="from")] = None
    """A file or dataset of recorded games: full games are of their deals, each once, other modes play from their
    cardplay on. Or a table of start deals, whose forehand the seed draws. Default: random deals."""
    rules: str | None = None
    """Rule options that differ from the defaults, such as "legality=amsterdam choice=free"."""
    bidder: str = BIDDER
    """The agent that plays random deals up to the cardplay; not in full games or with --from."""
    against: str | None = None
    """One of the agents: the others are compared with it only."""
    until: float | None = None
    """Play until the 95% interval of each whole difference reaches at most this many points to either side, or to the
    last deal."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    out: Path | None = None
    """A folder for result.json, games.jsonl, which has one record per game, and report.html, the result for people."""
    extend: bool = False
    """Go on with the match of fewer deals, or with a larger --until, in the folder: its games stay. One that was
    stopped can also end earlier, with fewer --deals, but no fewer than are begun."""

    def run(self) -> int:
        """Plays the match and returns the exit status."""
        config = MatchConfig(
            self.game,
            self.agents,
            self.deals * len(self.kinds or (None,)),
            self.seed,
            self.mode,
            self.bidder,
            None if self.source is None else str(self.source),
            self.rules,
            self.against,
            self.kinds,
        )
        self._check(config)
        make_agents(config)
        starts: list[str] | None = None
        if self.source is not None:
            found = read_starts(
                self.source, self.game, self.mode, config.deals, self.seed, self.rules, self.kinds
            )
            for problem in found.problems[:_SHOWN]:
                print(problem, file=sys.stderr)
            each = len(found.texts) // len(self.kinds or (None,))
            for number, what in (
                (found.without, "games that cannot start this match are left out"),
                (found.repeated, "games of deals that come up again are left out"),
                (found.surplus, f"deals are left out, so that there are {each} of each kind of game"),
            ):
                if number:
                    print(f"{self.source}: {number} {what}", file=sys.stderr)
            starts = found.texts
            config = dataclasses.replace(config, deals=len(starts))
        if self.out is None:
            return self._run(config, starts, None)
        with match_folder(self.out, config, starts, self.until, self.extend) as folder:
            return self._run(config, starts, folder)

    def _check(self, config: MatchConfig) -> None:
        """Raises a ValueError if the options do not go together."""
        if self.extend and self.out is None:
            raise ValueError("--extend goes on with the match in a folder: name it with --out")
        config.require_bidder_used()
        if self.until is None:
            return
        if not 0 < self.until < math.inf:
            raise ValueError(f"--until {self.until}: expected a number of points above 0")
        if config.kinds is not None and config.source is not None:
            raise ValueError(
                "--until with --kinds needs random deals: those of a file do not take turns between the kinds"
            )

    def _run(self, config: MatchConfig, starts: list[str] | None, folder: MatchFolder | None) -> int:
        """Plays the missing games, prints the result and writes it into the folder."""
        games = [] if folder is None else folder.read()
        finished = folder is not None and folder.is_finished
        if folder is not None and finished:
            say_finished("match", folder.path)
        if not finished:
            try:
                if self.until is None:
                    play_on(config, games, starts, folder, self.workers)
                else:
                    play_until(config, self.until, games, starts, folder, self.workers)
            except KeyboardInterrupt:
                so_far = match_so_far(config, games)
                if so_far is not None:
                    print_match(summarise(*so_far), [], Console())
                return stopped(len(games), folder is not None)
        if self.until is not None:
            config = dataclasses.replace(config, deals=1 + max(game.spec.deal for game in games))
        result = summarise(config, games)
        ratings = league(config, games) if len(config.agents) > 2 else []
        if folder is not None and not finished:
            finish_match(folder, games, result, ratings)
        print_match(result, ratings, Console())
        if folder is not None:
            write_report(folder.path, GAMES, result, ratings, games)
        if self.until is not None and half_width(result) > self.until:
            wide = f"{half_width(result):.2f} to either side after {config.deals_text(config.deals)}"
            print(
                f"the widest interval is {wide}, the most that --deals allows"
                if result.deals > 1
                else "one deal has no interval",
                file=sys.stderr,
            )
        if folder is not None:
            print(f"written to {folder.path}")
        return 0
