"""`skat-env iss`."""

import getpass
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from skat_env.call_text import parse_labelled
from skat_env.errors import OptionError
from skat_env.options import Count, Seed, check_fields, check_option
from skat_env.play.capabilities import cheats
from skat_env.protocols import Agent
from skat_env.registry import make_agent
from skat_env.skat.iss.client import HOST, PASSWORD, IssClient, Ledger
from skat_env.skat.iss.lines import CLOCK, PORT, Port, Seconds, parse_name
from skat_env.skat.iss.server import IssServer, running
from skat_env.tools.interrupts import stopped
from skat_env.tools.progress import progress_bar
from skat_env.tools.run_folder import run_folder

HEAD = "iss.json"
SERVER_HEAD = "server.json"
GAMES = "games.sgf"


@dataclass
class Iss:
    """Play on the International Skat Server as a user, or run a small server of its protocol on this machine.

    Example: skat-env iss --agent champion --user NAME --invite rule policy --host localhost --out results/iss

    A server for it: skat-env iss --server --agents rule policy --out results/server

    The password comes from the variable SKAT_ENV_ISS_PASSWORD, or is asked for. Records of all games are added to
    games.sgf in the folder; the same command goes on until there are --games of them.
    """

    out: Path
    """The folder of the records."""
    agent: str = "champion"
    """The agent that plays."""
    user: str | None = None
    """The user's name at the server."""
    invite: tuple[str, ...] = ()
    """Two users or agents of the server to invite to a table. Default: it joins the table to which it is invited."""
    games: Count = 36
    """The number of games, those of the folder included."""
    host: str | None = None
    """The server. Default: skatgame.net; with --server: localhost."""
    port: Port = PORT
    """Its port."""
    seconds: Seconds = 10.0
    """The seconds that a decision may take, at most."""
    seed: Seed = 0
    """The seed of the agent's luck, and with --server of the deals."""
    server: bool = False
    """Run a server, until Ctrl-C."""
    agents: tuple[str, ...] = ("rule",)
    """With --server: agents that users can invite, as NAME or NAME=AGENT."""
    clock: Seconds = CLOCK
    """With --server: the seconds that a user has for a game."""

    def run(self) -> int:
        """Plays, or serves; returns the exit status."""
        check_fields(self, "iss")
        if self.server:
            return self._serve()
        user = parse_name(check_option("iss", "user", str, self.user))
        if len(self.invite) not in (0, 2):
            raise OptionError(f"--invite {' '.join(self.invite)}: expected two users")
        agent = make_agent(self.agent, "skat")
        if cheats(agent):
            raise OptionError(f"--agent {self.agent}: it must see the true cards, which no server shows")
        head = {"user": user, "host": self.host or HOST, "agent": agent.name, "seed": self.seed}
        with run_folder(self.out, "play at a server", HEAD, head):
            return self._play(agent, user)

    def _play(self, agent: Agent, user: str) -> int:
        ledger = Ledger(self.out / GAMES)
        try:
            with progress_bar("games", self.games) as advance:
                advance(len(ledger.games))
                IssClient(
                    agent,
                    user,
                    password(user),
                    ledger,
                    self.games,
                    self.host or HOST,
                    self.port,
                    self.invite,
                    self.seed,
                    self.seconds,
                    advance,
                ).run()
        except KeyboardInterrupt:
            return stopped(len(ledger.games), True)
        finally:
            ledger.close()
        print(f"{len(ledger.games)} games in {self.out / GAMES}")
        return 0

    def _serve(self) -> int:
        named = dict(map(parse_labelled, self.agents))
        if len(named) < len(self.agents) or not named:
            raise OptionError(f"--agents {' '.join(self.agents)}: expected one or more, each name once")
        agents = {parse_name(name): make_agent(text, "skat") for name, text in named.items()}
        host = self.host or "localhost"
        head = {"seed": self.seed, "agents": named}
        with run_folder(self.out, "server of the ISS's protocol", SERVER_HEAD, head, compared=("seed",)):
            server = IssServer(agents, self.seed, None, self.clock, self.out / GAMES)
            try:
                with running(server, host, self.port) as port:
                    print(f"{', '.join(agents)} at {host}:{port}; Ctrl-C ends it", flush=True)
                    threading.Event().wait()
            except KeyboardInterrupt:
                return stopped(None, True)
        return 0


def password(user: str) -> str:
    """The user's password.

    Raises:
        OptionError: if it is nowhere, and nobody can be asked.
    """
    if PASSWORD in os.environ:
        return os.environ[PASSWORD]
    if not sys.stdin.isatty():
        raise OptionError(
            f"no password for {user}: expected it in the variable {PASSWORD}, or a terminal to ask at"
        )
    return getpass.getpass(f"password of {user}: ")
