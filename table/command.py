"""`skat-env table`."""

import json
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from skat_env.options import Range, check_fields
from skat_env.registry import get_game
from skat_env.table.workers import GRACE, TIME_LIMIT
from skat_env.tools.extras import explained
from skat_env.tools.listening import listen
from skat_env.tools.run_folder import locked

MAX_CONNECTIONS: Final = 2_000
"""Connections at a time; more are told that the server is busy."""


@dataclass
class Table:
    """Play and watch games in the browser, review them, and look through games and results.

    Example: skat-env table --agents champion

    Prints the address of the page where tables are made. Every table has links of its own for each person and for
    spectators. Tables are kept in a folder and go on when the server is started again.
    """

    port: Annotated[int, Range(ge=0, le=65535)] = 8000
    """The port to listen on; 0: any free one."""
    host: str = "127.0.0.1"
    """The address to listen on; the default is reached from this machine only, 0.0.0.0 from others too."""
    name: tuple[str, ...] = ()
    """Names by which others reach this server, such as that of a proxy; its addresses, localhost and the name of this
    machine are known."""
    folder: Path = Path("tables")
    """Where the tables are kept, by one server at a time."""
    shelf: Path | None = None
    """A folder with recorded games, datasets, matches, ladders and training runs to look through."""
    time_limit: Annotated[float, Range(gt=0, le=86_400)] = TIME_LIMIT
    """The seconds that an agent may take for a decision; one that takes longer is named at its seat."""
    game: str = "skat"
    """With --agents: the game."""
    agents: tuple[str, ...] = ()
    """Make a table with these agents beside you and print your link: one agent for all seats, or one for each."""

    def __post_init__(self) -> None:
        check_fields(self, "table")

    def run(self) -> int:
        """Serves until Ctrl-C and returns the exit status."""
        try:
            import uvicorn
        except ImportError as error:
            raise explained(error) from None
        from skat_env.table.patience import PatientProtocol
        from skat_env.table.server import make_app

        if self.shelf is not None and not self.shelf.is_dir():
            raise ValueError(f"--shelf {self.shelf} is no folder")
        seats = len(get_game(self.game).seats)
        if len(self.agents) not in (0, 1, seats - 1):
            raise ValueError(f"{len(self.agents)} agents given: expected one, or {seats - 1}")
        with listen(self.host, self.port) as listening, locked(self._made_folder()):
            address = f"http://{self._name()}:{listening.getsockname()[1]}"
            app = make_app(self.folder, self.shelf, self.agents, self.time_limit, (self.host, *self.name))
            print(f"tables: {address}/", flush=True)
            if self.agents:
                made = app.state.tables.make(self._new_table(seats))
                print(
                    f"your seat: {address}/t/{made['table']}#{made['seats']['0']}.{made['host']}", flush=True
                )
            # Agents hold Python's lock for less long at a time, so that pages are answered between their steps.
            sys.setswitchinterval(0.0005)
            # Scenes are small: packing them takes longer than sending them.
            config = uvicorn.Config(
                app,
                log_level="warning",
                ws_max_size=1 << 16,
                ws_per_message_deflate=False,
                limit_concurrency=MAX_CONNECTIONS,
                http=PatientProtocol,
                timeout_graceful_shutdown=GRACE,
            )
            uvicorn.Server(config).run(sockets=[listening])
        return 0

    def _made_folder(self) -> Path:
        """The folder of the tables, which is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder

    def _new_table(self, seats: int) -> str:
        names = self.agents * (seats - 1) if len(self.agents) == 1 else self.agents
        players = [{"kind": "human"}, *({"kind": "agent", "spec": name} for name in names)]
        return json.dumps({"game": self.game, "seats": players})

    def _name(self) -> str:
        """The address as links have it."""
        if self.host in ("0.0.0.0", "::"):
            return socket.gethostname()
        return f"[{self.host}]" if ":" in self.host else self.host
