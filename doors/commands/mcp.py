"""`skat-env mcp`."""

import logging
import os
import sys
from dataclasses import dataclass
from typing import Annotated, Final

from skat_env.errors import OptionError
from skat_env.options import Range, check_fields
from skat_env.tools.extras import require_package
from skat_env.tools.listening import listen

PORT: Final = 8001


@dataclass
class Mcp:
    """Serve games to language models by the Model Context Protocol, over standard input and output or HTTP.

    Example: skat-env mcp --http

    A client starts games against named agents and plays one seat of each; when a game is over it may look at all cards
    and ask solver and belief. Clients may choose seeds, from which they cannot find out the cards: these depend on a
    key, that of the environment variable SKAT_ENV_DEAL_KEY, or one drawn when the server starts. A server deals each
    seed once.
    """

    http: bool = False
    """Serve over HTTP to this machine only, and print the address; else over standard input and output."""
    port: Annotated[int, Range(ge=0, le=65535)] = PORT
    """The port of HTTP; 0: any free one."""

    def __post_init__(self) -> None:
        check_fields(self, "mcp")

    def run(self) -> int:
        """Serves until the client leaves, or until Ctrl-C; returns the exit status."""
        if self.port != PORT and not self.http:
            raise OptionError("mcp with --port: it needs --http")
        require_package("mcp")
        from skat_env.doors.mcp.server import make_server
        from skat_env.doors.sealed import server_key

        server = make_server(server_key(), log_level="WARNING")
        if not self.http:
            server.run("stdio")
            # The library has closed it.
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            return 0
        import uvicorn

        # A client that leaves is no error.
        logging.getLogger("mcp.server.streamable_http").setLevel(logging.CRITICAL)
        with listen("127.0.0.1", self.port) as listening:
            print(f"mcp: http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
            config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
            uvicorn.Server(config).run(sockets=[listening])
        return 0
