"""A small server of the ISS's protocol for the loopback: tables at which clients and agents of ours sit."""

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from skat_env.cards import mask_text
from skat_env.errors import IllegalAction, ParseError
from skat_env.options import Seed, checked_options
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.protocols import Agent
from skat_env.skat._state import SkatState
from skat_env.skat.iss.lines import (
    CLOCK,
    HIDDEN_SKAT,
    LONGEST,
    SERVER,
    VERSION,
    Port,
    Seconds,
    TableLine,
    clocks_text,
    deal_line,
    deal_words,
    parse_name,
    shown_move,
)
from skat_env.skat.iss.moves import MoveTable
from skat_env.skat.iss.notation import SgfGame, escaped
from skat_env.skat.iss.seat_game import SeatGame, declaration_move
from skat_env.skat.rules import NUM_SEATS, SKAT_PLACE, Phase
from skat_env.tools.journal import Journal

NAME: Final = "skat_env"
"""What records say of where they were played."""
MAX_TABLES: Final = 4
"""The tables that a user may have at the same time."""


@dataclass(eq=False)
class _Client:
    """A user who is logged in."""

    name: str
    writer: asyncio.StreamWriter

    def say(self, line: str) -> None:
        """Sends a line."""
        if not self.writer.is_closing():
            self.writer.write(f"{line}\n".encode())


@dataclass(eq=False)
class _House:
    """An agent of the server."""

    name: str
    agent: Agent


_Player = _Client | _House


@dataclass(eq=False)
class _Game:
    """A game that is played at a table."""

    id: int
    players: list[_Player]
    """The players by seat, forehand first."""
    moves: MoveTable
    clocks: list[float]
    heard: dict[int, SeatGame] = field(default_factory=dict)
    """What the server's agents follow, by seat."""
    luck: list[np.random.Generator] = field(default_factory=list)
    asked: int = -1
    """The seat of the user whose clock runs; -1: none."""
    asked_at: float = 0.0
    alarm: asyncio.TimerHandle | None = None

    @property
    def state(self) -> SkatState:
        """The position."""
        return self.moves.state

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or because players gave it up."""
        resigned = self.moves.resigned
        given_up = str(self.state.soloist) in resigned or len(resigned) > 1
        return self.state.is_over or self.moves.gone >= 0 or given_up


@dataclass(eq=False)
class _Table:
    """A table."""

    name: str
    creator: str
    players: list[_Player] = field(default_factory=list)
    ready: set[str] = field(default_factory=set)
    game: _Game | None = None


class IssServer:
    """Seats users and agents at tables.

    Args:
        agents: the agents that can be invited, by name.
        seed: the seed of the deals and of the agents' luck; the deals that a user plays are those of the seed, in
            order; where several play, none that one of them has seen. With a file of games, which may have some, they
            go on after those.
        passwords: the password of each user who may log in; None: everybody may.
        clock: the seconds that a user has for a game.
        games: the file to which records of games are added; None: none.
    """

    @checked_options("iss")
    def __init__(
        self,
        agents: Mapping[str, Agent],
        seed: Seed = 0,
        passwords: Mapping[str, str] | None = None,
        clock: Seconds = CLOCK,
        games: Path | None = None,
    ) -> None:
        self._agents, self._seed, self._passwords = dict(agents), seed, passwords
        self._clock = clock
        self._games = None if games is None else Journal(games)
        self._before = 0 if self._games is None else len(self._games.read())
        self._begun = self._before
        self._clients: dict[str, _Client] = {}
        self._tables: dict[str, _Table] = {}
        self._dealt: Counter[str] = Counter()
        """The number of the next deal of each user; the seats move on by one after each."""
        self._count = 0

    async def start(self, host: str, port: int) -> asyncio.Server:
        """Listens; port 0 takes a free one."""
        return await asyncio.start_server(self._talk, host, port, limit=LONGEST)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talks with a client until it ends."""
        client = None
        try:
            client = await self._login(reader, writer)
            while client is not None and (line := await _line(reader)) is not None:
                try:
                    self._hear(client, line)
                except ParseError as error:
                    client.say(f"error {' '.join(str(error).split())}")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            if client is not None:
                self._logout(client)
            writer.close()

    async def _login(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _Client | None:
        """The user who logs in; None if it is refused."""
        words = ((await _line(reader)) or "").split()
        name = words[1] if words[:1] == ["login"] and len(words) > 1 else " ".join(words)
        if words[:1] == ["login"] and len(words) > 2:
            password: str | None = words[2]
        else:
            writer.write(b"password:\n")
            password = await _line(reader)
        try:
            parse_name(name)
        except ParseError as error:
            writer.write(f"error {error}\n".encode())
            return None
        if password is None:
            return None
        if self._passwords is not None and self._passwords.get(name) != password:
            writer.write(b"error _id_pw_mismatch\n")
            return None
        if name in self._clients or name in self._agents:
            writer.write(f"error {name} is here already\n".encode())
            return None
        client = _Client(name, writer)
        self._clients[name] = client
        client.say(f"Welcome {name} to {NAME}, a server for the loopback, version {VERSION}")
        for known in (*self._clients, *self._agents):
            client.say(f"clients + {known} - xx 0 0.0 0 0")
        return client

    def _logout(self, client: _Client) -> None:
        self._clients.pop(client.name, None)
        for table in list(self._tables.values()):
            if client in table.players:
                self._leave(table, client)

    def _hear(self, client: _Client, line: str) -> None:
        """Acts upon a line of a client.

        Raises:
            ParseError: if it means nothing.
        """
        words = line.split()
        if words[:1] == ["create"]:
            self._create(client)
        elif words[:1] == ["join"] and len(words) > 1:
            self._sit(self._table(words[1]), client)
        elif words[:1] == ["table"]:
            self._hear_at_table(client, TableLine.parse(line))
        elif words[:1] not in (["yell"], ["list"], ["observe"], []):
            raise ParseError(f"_unknown_command '{line[:40]}'")

    def _hear_at_table(self, client: _Client, said: TableLine) -> None:
        table = self._table(said.table)
        if client not in table.players:
            raise ParseError(f"_not_at_table {said.table}")
        if said.action == "invite":
            for name in said.words:
                self._invite(table, client, name)
        elif said.action == "ready":
            table.ready.add(client.name)
            self._begin(table)
        elif said.action == "play" and said.words:
            self._play(table, client, said.words[0])
        elif said.action == "leave":
            self._leave(table, client)
        elif said.action not in ("tell", "gametalk", "34"):
            raise ParseError(f"_unknown_command '{said.action[:40]}'")

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            raise ParseError(f"_no_table {name[:40]}")
        return self._tables[name]

    def _create(self, client: _Client) -> None:
        if sum(client in table.players for table in self._tables.values()) >= MAX_TABLES:
            raise ParseError("_too_many_tables")
        self._count += 1
        table = _Table(f".{self._count}", client.name)
        self._tables[table.name] = table
        self._sit(table, client)

    def _sit(self, table: _Table, player: _Player) -> None:
        if len(table.players) == NUM_SEATS or player in table.players:
            raise ParseError(f"_table_full {table.name}")
        table.players.append(player)
        if isinstance(player, _Client):
            player.say(f"create {table.name} {table.creator} {NUM_SEATS}")
        self._tell_state(table)

    def _invite(self, table: _Table, client: _Client, name: str) -> None:
        if name in self._agents:
            seats = sum(player.name.partition(":")[0] == name for player in table.players)
            self._sit(table, _House(f"{name}:{seats + 1}" if seats else name, self._agents[name]))
        elif name in self._clients:
            self._clients[name].say(f"invite {client.name} {table.name} {self._count}")
        else:
            raise ParseError(f"_no_player {name[:40]}")

    def _leave(self, table: _Table, client: _Client) -> None:
        game = table.game
        if game is not None and client in game.players:
            self._break_off(table, game, f"LE.{game.players.index(client)}")
        if client in table.players:
            table.players.remove(client)
        table.ready.clear()
        if any(isinstance(player, _Client) for player in table.players):
            self._tell_state(table)
        else:
            self._tables.pop(table.name, None)
        client.say(f"destroy {table.name}")

    def _say(self, table: _Table, action: str, *words: str) -> None:
        """Says a line to all users at a table."""
        for player in table.players:
            if isinstance(player, _Client):
                player.say(TableLine(table.name, player.name, action, words).text())

    def _tell_state(self, table: _Table) -> None:
        ready = [(each.name, isinstance(each, _House) or each.name in table.ready) for each in table.players]
        ready += [(".", False)] * (NUM_SEATS - len(ready))
        about = []
        for name, is_ready in ready:
            about += [
                name,
                "loopback",
                str(self._dealt[name]),
                "0",
                "0",
                "0",
                "0",
                "0",
                "1",
                str(int(is_ready)),
            ]
        self._say(table, "state", str(NUM_SEATS), *(name for name, _ in ready), ".", *about, "0")

    def _begin(self, table: _Table) -> None:
        """Begins a game, if all who sit there are ready."""
        users = {player.name for player in table.players if isinstance(player, _Client)}
        if table.game is not None or len(table.players) < NUM_SEATS or not users <= table.ready:
            return
        table.ready.clear()
        dealt = max(self._dealt[name] for name in users)
        self._dealt |= dict.fromkeys(users, dealt + 1)
        number = self._before + dealt
        players = [table.players[(seat + number) % NUM_SEATS] for seat in range(NUM_SEATS)]
        state = SkatState.random(deal_rng(self._seed, number))
        moves = MoveTable([(SERVER, deal_words(state.deal))])
        self._begun += 1
        game = table.game = _Game(self._begun, players, moves, [self._clock] * NUM_SEATS)
        game.luck = [agent_rng(self._seed, number, seat) for seat in range(NUM_SEATS)]
        words = [word for player in players for word in (player.name, f"{self._clock:.1f}")]
        self._say(table, "start", str(dealt + 1), *words)
        self._say(table, "go")
        self._deliver(table, game, SERVER, [deal_line(state.deal, seat) for seat in range(NUM_SEATS)])
        self._go_on(table, game)

    def _deliver(self, table: _Table, game: _Game, mover: str, moves: Sequence[str]) -> None:
        """Tells a move to each seat, as that may see it; the first is the deal."""
        for seat, (player, move) in enumerate(zip(game.players, moves, strict=True)):
            if isinstance(player, _Client):
                words = (mover, move, *clocks_text(game.clocks))
                player.say(TableLine(table.name, player.name, "play", words).text())
            elif seat in game.heard:
                game.heard[seat].hear(mover, move)
            else:
                game.heard[seat] = SeatGame(seat, move)

    def _play(self, table: _Table, client: _Client, move: str) -> None:
        """Plays a user's move.

        Raises:
            ParseError: if no game is on, or the move is not allowed; the game stays as it was.
        """
        game = table.game
        if game is None or client not in game.players:
            raise ParseError("_no_game")
        try:
            self._take(table, game, game.players.index(client), move)
        except ParseError as error:
            client.say(TableLine(table.name, client.name, "error", tuple(str(error).split())).text())
            return
        self._go_on(table, game)

    def _take(self, table: _Table, game: _Game, seat: int, move: str) -> None:
        if game.state.to_act != seat and move != "RE" and not move.startswith("SC"):
            raise ParseError("_not_your_turn")
        if move.startswith(("LE", "TI")) or "??" in move:
            raise ParseError(f"_invalid_move {move[:40]}")
        before = game.state.phase
        try:
            game.moves.take_move(str(seat), move)
            if before == Phase.CONTRACT and game.state.phase == Phase.DISCARD:
                raise ParseError("_invalid_move: a declaration comes with its discards")
        except (ParseError, IllegalAction) as error:
            game.moves = _again(game.moves)
            raise ParseError(f"_invalid_move {error}") from None
        if before < Phase.PLAY == game.state.phase:
            # A user may leave out the hand of an ouvert game; the other seats need it.
            move = declaration_move(game.state.view(seat))
        game.moves.moves.append((str(seat), move))
        self._count_time(game)
        self._deliver(table, game, str(seat), [shown_move(seat, move, to) for to in range(NUM_SEATS)])
        if move == "s":
            skat = mask_text(game.state.deal.places[SKAT_PLACE])
            game.moves.moves.append((SERVER, skat))
            shown = [skat if to == seat else HIDDEN_SKAT for to in range(NUM_SEATS)]
            self._deliver(table, game, SERVER, shown)
        elif move == "RE":
            self._follow_resignation(table, game, seat)

    def _follow_resignation(self, table: _Table, game: _Game, seat: int) -> None:
        """A defender of the server's resigns with its partner."""
        for other in game.heard:
            if str(other) not in game.moves.resigned and game.state.soloist not in (-1, seat, other):
                self._take(table, game, other, "RE")

    def _count_time(self, game: _Game) -> None:
        """Stops the clock that runs; whoever spoke."""
        if game.asked >= 0:
            spent = asyncio.get_running_loop().time() - game.asked_at
            game.clocks[game.asked] = max(0.0, game.clocks[game.asked] - spent)
        game.asked = -1

    def _go_on(self, table: _Table, game: _Game) -> None:
        """Lets the server's agents play until a user is to act or the game ends; one that fails leaves the game."""
        if game.alarm is not None:
            game.alarm.cancel()
        while not game.is_over:
            seat = game.state.to_act
            player = game.players[seat]
            if isinstance(player, _Client):
                loop = asyncio.get_running_loop()
                game.asked, game.asked_at = seat, loop.time()
                game.alarm = loop.call_later(game.clocks[seat], self._time_out, table, game, seat)
                return
            try:
                self._take(table, game, seat, game.heard[seat].decide(player.agent, game.luck[seat]))
            except Exception as error:  # whatever an agent does wrong, the server goes on
                reason = " ".join(str(error).split()) or type(error).__name__
                print(
                    f"skat-env: warning: {player.name} cannot play on: {reason}", file=sys.stderr, flush=True
                )
                self._break_off(table, game, f"LE.{seat}")
                return
        self._end(table, game)

    def _time_out(self, table: _Table, game: _Game, seat: int) -> None:
        if table.game is game:
            game.clocks[seat] = 0.0
            self._break_off(table, game, f"TI.{seat}")

    def _break_off(self, table: _Table, game: _Game, move: str) -> None:
        """Ends a game whose player left or ran out of time."""
        game.moves.take_move(SERVER, move)
        game.moves.moves.append((SERVER, move))
        self._deliver(table, game, SERVER, [move] * NUM_SEATS)
        self._end(table, game)

    def _end(self, table: _Table, game: _Game) -> None:
        """Tells the result, and keeps the record."""
        if game.alarm is not None:
            game.alarm.cancel()
        names = "".join(f"P{seat}[{escaped(player.name)}]" for seat, player in enumerate(game.players))
        moves = " ".join(word for pair in game.moves.moves for word in pair)
        head = f"(;GM[Skat]PC[{NAME}]SE[1]ID[{game.id}]DT[{datetime.now(UTC):%Y-%m-%d/%H:%M:%S}/UTC]"
        # The moves as they were made: clients read the cards that an ouvert declaration lists.
        game_text = f"{head}{names}MV[{moves} ]"
        result = SgfGame.of(SgfGame.parse(f"{game_text};)").record).result
        line = f"{game_text}{'' if result is None else f'R[{result.text()}]'} ;)"
        table.game = None
        if self._games is not None:
            self._games.append([line])
        self._say(table, "end", line)


async def _line(reader: asyncio.StreamReader) -> str | None:
    """The next line; None at the end, or if it is too long or no text."""
    try:
        line = await reader.readuntil(b"\n")
        return line.decode().strip()
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, UnicodeDecodeError):
        return None


def _again(moves: MoveTable) -> MoveTable:
    """The same game without a move that failed half-way."""
    again = MoveTable(moves.moves)
    for mover, move in moves.moves[1:]:
        again.take_move(mover, move)
    return again


@contextmanager
@checked_options("iss")
def running(server: IssServer, host: str = "127.0.0.1", port: Port = 0) -> Iterator[int]:
    """Runs a server in a thread, and gives its port.

    Raises:
        OSError: if it cannot listen there.
    """
    started = threading.Event()
    found: list[int] = []
    ends: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    failed: list[OSError] = []

    async def serve() -> None:
        end = asyncio.Event()
        try:
            listening = await server.start(host, port)
        except OSError as error:
            failed.append(error)
            started.set()
            return
        found.append(listening.sockets[0].getsockname()[1])
        ends.append((asyncio.get_running_loop(), end))
        started.set()
        await end.wait()
        listening.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    started.wait()
    if failed:
        raise failed[0]
    try:
        yield found[0]
    finally:
        loop, end = ends[0]
        loop.call_soon_threadsafe(end.set)
        thread.join(10)
