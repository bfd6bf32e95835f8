"""The web server of the tables: pages, card faces, the making of tables, and a WebSocket for each viewer."""

import asyncio
import contextlib
import dataclasses
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from skat_env import __version__
from skat_env.agents.asked import asked_agent, asked_names
from skat_env.pictures.faces import Colours, Deck, Language, Style, face_svg
from skat_env.registry import game_names, get_game
from skat_env.rule_options import rule_choices
from skat_env.table.answers import JsonRoutes, Unfit, failed, json_body, whole_number
from skat_env.table.live import LiveTable, refusal
from skat_env.table.messages import Join, NewTable, read_message, read_new_table
from skat_env.table.movers import Movers
from skat_env.table.reviews import Reviews
from skat_env.table.session import Session, seeded
from skat_env.table.shelf import Shelf
from skat_env.table.solving import Solvers
from skat_env.table.store import journals, new_journal, new_name, restored
from skat_env.table.workers import TIME_LIMIT
from skat_env.tools.extras import explained
from skat_env.tools.parsing import parse_json

try:
    import msgspec
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import FileResponse, JSONResponse, Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles
    from starlette.websockets import WebSocket, WebSocketDisconnect
except ImportError as error:
    raise explained(error) from None

STATIC: Final = Path(__file__).parent / "static"
MAX_TABLES: Final = 10_000
MAX_MESSAGE: Final = 64 << 10
"""The bytes of the largest message of a page."""
MAX_DEALS: Final = 1_000_000
JOIN_SECONDS: Final = 10.0
"""The time in which a connection says who it is."""
NO_TABLE: Final = "there is no such table"
_HEADERS: Final = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_A_YEAR: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_FRESH: Final = {"Cache-Control": "no-cache"}

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class Tables:
    """All tables of a folder.

    Args:
        folder: where their journals are.
        allowed: agents that pages may ask for whatever they name; see `asked`.
        movers: the agents at work.
    """

    folder: Path
    allowed: Collection[str] = ()
    movers: Movers = field(default_factory=Movers)
    live: dict[str, LiveTable] = field(init=False, default_factory=dict)
    damaged: list[str] = field(init=False, default_factory=list)
    """What is wrong with the journals that cannot be read; they stay as they are."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, journal in journals(self.folder):
            try:
                head, session = restored(journal)
            except ValueError as error:
                self.damaged.append(str(error))
            else:
                self.live[name] = LiveTable(session, journal, head, self.movers, self.allowed)

    def make(self, text: str | bytes) -> dict[str, Any]:
        """Makes a table; its name, the host's token and those of the people at it, by player.

        Raises:
            ValueError: if the text describes no table.
        """
        return self.open(read_new_table(text))

    def open(self, new: NewTable) -> dict[str, Any]:
        """Makes a table of a description; see `make`."""
        if len(self.live) >= MAX_TABLES:
            raise ValueError(f"there are {MAX_TABLES:,} tables already: remove journals from {self.folder}")
        new = seeded(new)
        get_game(new.game)
        for player in new.seats:
            if player.kind == "agent":
                asked_agent(player.spec, new.game, self.allowed)
        if new.hint:
            asked_agent(new.hint, new.game, self.allowed)
        session = Session(new)
        tokens = [new_name() if player.kind == "human" else "" for player in session.players]
        head = {"table": msgspec.to_builtins(new), "host": new_name(), "tokens": tokens}
        name = new_name()
        journal = new_journal(self.folder, name)
        journal.begin(head)
        self.live[name] = LiveTable(session, journal, head, self.movers, self.allowed)
        seats = {str(number): token for number, token in enumerate(tokens) if token}
        return {"table": name, "host": head["host"], "seats": seats, "game": new.game}


def make_app(
    folder: Path,
    shelf: Path | None = None,
    allowed: Collection[str] = (),
    time_limit: float = TIME_LIMIT,
    names: Collection[str] | None = None,
) -> Starlette:
    """The web application.

    Args:
        folder: where the tables are kept.
        shelf: a folder of games and results that everybody may look at; None: none.
        allowed: agents that pages may ask for whatever they name; see `asked`.
        time_limit: the seconds that an agent may take for a decision, and an answer about a game.
        names: the names of this server, beside its addresses, `localhost` and the name of this machine: a page that
            asks for another is refused, as it may be one of somebody else that had its own name lead here (DNS
            rebinding). None: any.
    """
    tables = Tables(folder, allowed, Movers(time_limit))
    for sentence in tables.damaged:
        print(f"skat-env: warning: {sentence}", file=sys.stderr)
    solvers = Solvers()
    shown = None if shelf is None else Shelf(shelf, solvers)
    reviewing, looking = JsonRoutes(time_limit), JsonRoutes(time_limit)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        for table in tables.live.values():
            if not table.session.number:
                table.warm_up()
            table.drive()
        yield
        for table in tables.live.values():
            await table.close()
        closed = [asyncio.to_thread(each.close) for each in (tables.movers, reviewing, looking)]
        await asyncio.gather(*closed)

    app = Starlette(
        routes=[
            *(Route(path, _page(name)) for path, name in _PAGES.items()),
            Route("/faces/{style}/{card}.svg", _face),
            Route("/api/options", _options),
            Route("/api/tables", _make, methods=["POST"]),
            Route("/api/tables/{name}", _known),
            Route("/api/tables/{name}/record", _record),
            Route("/api/tables/{name}/again", _again, methods=["POST"]),
            WebSocketRoute("/ws/{name}", _connect),
            *Reviews(shown, allowed, solvers).routes(reviewing),
            *([] if shown is None else shown.routes(looking)),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        lifespan=lifespan,
    )
    app.state.tables = tables
    app.add_middleware(_Ending)
    app.add_middleware(_Headers)
    if names is not None:
        app.add_middleware(
            _Names, names=frozenset(map(str.lower, (*names, "localhost", socket.gethostname())))
        )
    return app


class _Names:
    """Refuses what is asked of another server: the name in `Host` is one of ours, or an address."""

    def __init__(self, app: Any, names: frozenset[str]) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(given) != 1 or not self._is_ours(given[0]):
                sentence = "this server has another name: add it with --name, if it is yours"
                await failed(sentence, 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        try:
            ip_address(name)
        except ValueError:
            return name in self.names
        return True


class _Ending:
    """Refuses what the server still works on when it ends, which is no error of the server."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = scope["type"] != "http"

        async def noting(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except asyncio.CancelledError:
            if not has_begun:
                await failed("the server has ended", 503)(scope, receive, send)


class _Headers:
    """Adds what keeps pages apart from others: nothing is loaded from elsewhere, and nobody frames them."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(each for each in _HEADERS if each[0] not in given),
                ]
            await send(message)

        await self.app(scope, receive, send_with if scope["type"] == "http" else send)


_PAGES: Final = {
    "/": "lobby.html",
    "/t/{name}": "play.html",
    "/review": "review.html",
    "/shelf": "shelf.html",
}


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        return FileResponse(STATIC / name, headers=_FRESH)

    return page


async def _face(request: Request) -> Response:
    """A card's face: `/faces/french-en-four/28.svg`, or its back, `back.svg`."""
    style, card = request.path_params["style"].split("-"), request.path_params["card"]
    known = [get_args(kind) for kind in (Deck, Language, Colours)]
    if len(style) != 3 or any(word not in words for word, words in zip(style, known, strict=True)):
        return failed("a style of cards is deck-language-colours, such as french-en-four", 404)
    if card != "back" and card not in map(str, range(32)):
        return failed("a card is 0 to 31, or back", 404)
    picture = face_svg(None if card == "back" else int(card), Style(*style))
    return Response(picture, media_type="image/svg+xml", headers=_A_YEAR)


async def _options(request: Request) -> Response:
    """What a table can be."""
    games = {}
    for name in game_names():
        rules = [dataclasses.asdict(option) for option in rule_choices(get_game(name))]
        games[name] = {"seats": get_game(name).seats, "rules": rules, "agents": asked_names(name)}
    return JSONResponse({"games": games, "version": __version__}, headers=_FRESH)


async def _make(request: Request) -> Response:
    tables: Tables = request.app.state.tables
    return await _made(request, tables.make)


async def _again(request: Request) -> Response:
    """A table with a deal of another one that has ended: `{"deal": 0}`."""
    table = _table(request)
    if table is None:
        return failed(NO_TABLE, 404)
    tables: Tables = request.app.state.tables

    def make(body: bytes) -> dict[str, Any]:
        question = parse_json(body)
        if not isinstance(question, dict):
            raise ValueError("the question is no JSON object")
        deal = whole_number(question, "deal", 0, 0, MAX_DEALS)
        return tables.open(table.session.again(deal))

    return await _made(request, make)


async def _made(request: Request, make: Callable[[bytes], dict[str, Any]]) -> Response:
    """Makes a table as the body of a request says."""
    try:
        body = await json_body(request, MAX_MESSAGE)
    except Unfit as error:
        return failed(str(error), error.status)
    tables: Tables = request.app.state.tables
    try:
        # Making agents may load networks.
        made = await tables.movers.work(make, body)
    except (ValueError, ImportError, OSError) as error:
        return failed(" ".join(str(error).split()))
    tables.live[made["table"]].warm_up()
    return JSONResponse(made)


def _table(request: Request) -> LiveTable | None:
    found: LiveTable | None = request.app.state.tables.live.get(request.path_params["name"])
    return found


async def _known(request: Request) -> Response:
    """What whoever has the link of a table sees of it from outside: its game, and how many deals have ended."""
    table = _table(request)
    if table is None:
        return failed(NO_TABLE, 404)
    session = table.session
    return JSONResponse({"game": session.new.game, "deals": len(session.finished)}, headers=_FRESH)


async def _record(request: Request) -> Response:
    """The deals of a table that have ended, a line each."""
    table = _table(request)
    if table is None:
        return failed(NO_TABLE, 404)
    lines = "".join(deal.record.text() + "\n" for deal in table.session.finished)
    name = f"{table.session.new.game}.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **_FRESH}
    return Response(lines, media_type="application/jsonl", headers=headers)


async def _connect(connection: WebSocket) -> None:
    """A viewer: messages from and to them."""
    if not _is_own(connection.headers.get("origin"), connection.headers.get("host")):
        await connection.close(4403)
        return
    await connection.accept()
    table: LiveTable | None = connection.app.state.tables.live.get(connection.path_params["name"])
    try:
        if table is None:
            raise ValueError(NO_TABLE)
        joined = _message(await asyncio.wait_for(connection.receive(), JOIN_SECONDS))
        if not isinstance(joined, Join):
            raise ValueError("the first message of a connection is join")
        viewer = table.join(joined)
    except WebSocketDisconnect:
        return
    except TimeoutError:
        await connection.close(4408)
        return
    except ValueError as error:
        await _say(connection, error)
        await connection.close(4404)
        return
    sender = asyncio.create_task(_send(connection, viewer))
    try:
        while True:
            try:
                await table.receive(viewer, _message(await connection.receive()))
            except (ValueError, ImportError) as error:
                viewer.send(refusal(error))
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        table.leave(viewer)
        viewer.send(None)
        sender.cancel()


def _is_own(origin: str | None, host: str | None) -> bool:
    """Whether a page is of this server; what is no page has no origin."""
    try:
        return origin is None or urlsplit(origin).netloc == host
    except ValueError:
        return False


def _message(received: MutableMapping[str, Any]) -> Any:
    """What a page says.

    Raises:
        ValueError: if it is no message.
        WebSocketDisconnect: if the page has gone.
    """
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1000))
    text = received.get("text") or received.get("bytes") or ""
    if len(text) > MAX_MESSAGE:
        raise ValueError(f"a message has at most {MAX_MESSAGE >> 10} kilobytes")
    return read_message(text)


async def _send(socket: WebSocket, viewer: Any) -> None:
    """Sends a viewer what waits for them."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        while (message := await viewer.outbox.get()) is not None:
            await socket.send_text(msgspec.json.encode(message).decode())
        await socket.close(1001)


async def _say(socket: WebSocket, error: Exception) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(msgspec.json.encode(refusal(error)).decode())
