"""`skat-env engine`."""

import sys
from dataclasses import dataclass, fields
from typing import Annotated, Final

from tyro.conf import Positional, arg

from skat_env.agents.engine.agent import Milliseconds
from skat_env.agents.engine.check import check_engine, print_checks
from skat_env.agents.engine.serve import serve
from skat_env.errors import OptionError
from skat_env.options import Count
from skat_env.registry import game_names
from skat_env.tools.console import Console

INSTEAD: Final = "rule"
CHECKING: Final = ("count_failures", "game", "rules", "games", "positions", "time", "seed")
"""The options that only a check takes."""


@dataclass
class Engine:
    """Let an agent play as an engine, by lines on standard input and output; or check an engine.

    Example: skat-env engine "pimc(worlds=40)"

    The protocol is described in docs/engines.md. With --check the exit status is 1 if the engine fails.
    """

    agent: Annotated[Positional[str], arg(metavar="AGENT")]
    """The agent; with --check the command that starts the engine."""
    instead: str = INSTEAD
    """The agent that decides where the time of a decision is over and the agent has not answered; with --check only
    with --count-failures."""
    count_failures: bool = False
    """With --check: where the engine fails, the agent of --instead decides, and failures are counted."""
    check: bool = False
    """Put an engine through whole games: legal play, time, honesty, its end."""
    game: str | None = None
    """With --check: the game to play. Default: all games, of which the engine must play one."""
    rules: str = ""
    """With --check: options of the rules that differ from the defaults, such as "legality=amsterdam"; needs --game."""
    games: Count = 10
    """With --check: the number of games."""
    positions: Count = 1000
    """With --check: the positions in which the rules of an engine that tells them are compared, for each variant."""
    time: Milliseconds = 1000
    """With --check: the milliseconds that a decision may take."""
    seed: Count = 0
    """With --check: the seed of the deals and of the engine's luck."""

    def run(self) -> int:
        """Plays until the host ends, or checks; returns the exit status."""
        if not self.check:
            for field in fields(self):
                if field.name in CHECKING and getattr(self, field.name) != field.default:
                    raise OptionError(f"engine with --{field.name.replace('_', '-')}: it needs --check")
            # The thread that answers runs soon after its time, while the agent thinks in Python.
            sys.setswitchinterval(0.0005)
            return serve(self.agent, iter(sys.stdin.readline, ""), sys.stdout, self.instead)
        if self.instead != INSTEAD and not self.count_failures:
            raise OptionError("engine with --check and --instead: it needs --count-failures")
        names = game_names() if self.game is None else (self.game,)
        if self.rules and self.game is None:
            raise ValueError(f"--rules '{self.rules}' are those of one game: name it with --game")
        checks = check_engine(
            self.agent,
            names,
            self.games,
            self.time,
            self.seed,
            self.rules,
            self.positions,
            self.instead if self.count_failures else "",
        )
        print_checks(checks, Console())
        return 0 if all(check.passed is not False for check in checks) else 1
