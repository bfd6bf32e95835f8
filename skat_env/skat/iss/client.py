"""A client of the ISS's protocol: an agent of ours as a user of the server."""

import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from skat_env.errors import EngineError, ParseError
from skat_env.options import Count, Seed, check_fields
from skat_env.play.deadline import Deadline, under
from skat_env.play.randomness import agent_rng
from skat_env.protocols import Agent
from skat_env.skat.iss.lines import LONGEST, PORT, SERVER, Port, Seconds, TableLine, parse_name
from skat_env.skat.iss.notation import SgfGame
from skat_env.skat.iss.seat_game import SeatGame
from skat_env.skat.rules import NUM_SEATS
from skat_env.tools.journal import Journal

HOST: Final = "skatgame.net"
PASSWORD: Final = "SKAT_ENV_ISS_PASSWORD"
"""The variable of the environment with the user's password."""
CLOCK_SHARE: Final = 0.1
"""The share of the seconds left for a game that a decision may take."""
WAITS: Final = (1, 2, 5, 10, 30, 60)
"""The seconds between tries to connect again."""
QUIET_SECONDS: Final = 600.0
"""The seconds without a line after which a connection is given up."""


class Ledger:
    """The games that were played at a server, a line of SGF each.

    Args:
        path: the file; what it holds is counted.

    Raises:
        ParseError: if a line of the file is no game.
    """

    def __init__(self, path: Path) -> None:
        self._journal = Journal(path, _is_game)
        self.games = self._journal.read()
        self._known = set()
        for number, line in enumerate(self.games, 1):
            try:
                self._known.add(_identity(line))
            except ParseError as error:
                raise ParseError(f"line {number} of {path}: {error}") from None

    def add(self, line: str) -> bool:
        """Adds a game; False: it is there already.

        Raises:
            ParseError: if it is no game.
        """
        identity = _identity(line)
        if identity in self._known:
            return False
        self._known.add(identity)
        self._journal.append([line])
        self.games.append(line)
        return True

    def close(self) -> None:
        """Closes the file."""
        self._journal.close()


def _is_game(line: str) -> bool:
    try:
        SgfGame.parse(line)
    except ParseError:
        return False
    return True


def _identity(line: str) -> str:
    """What tells games of a server apart: its moves and its number.

    Raises:
        ParseError: if it is no game.
    """
    source = SgfGame.parse(line).record.source
    return f"{source} {line[line.find('MV[') :]}"


@dataclass
class IssClient:
    """Plays games at a server and keeps their records.

    A line that it does not understand is reported on standard error and left out, and so is an invitation to a table
    that is gone or full. A game that it cannot follow any more, or in which the server refuses its move, it gives up:
    it resigns and leaves the table, and opens another or waits for the next invitation. A connection that breaks is
    made again; the server counts the game as left.

    Raises:
        OptionError: if a field is not what it may be.
        ParseError: if the server takes no user of this name.
    """

    agent: Agent
    user: str
    password: str
    ledger: Ledger
    games: Count
    """The number of games after which it leaves; those of the ledger count."""
    host: str = HOST
    port: Port = PORT
    invite: Sequence[str] = ()
    """The users to invite to its table; empty: it joins the table to which it is invited."""
    seed: Seed = 0
    """The seed of its luck, which also depends on the number of the game."""
    seconds: Seconds = 60.0
    """The seconds that a decision may take, at most."""
    on_game: Callable[[int], None] = lambda _: None
    """Called with the number of games after each."""
    waits: Sequence[float] = WAITS
    _is_welcome: bool = field(default=False, init=False)
    """Whether the server has let the user in."""
    _table: str = field(default="", init=False)
    _creator: str = field(default="", init=False)
    """Who opened its table."""
    _was_creator_there: bool = field(default=False, init=False)
    """Whether the creator has been seen at it."""
    _game: SeatGame | None = field(default=None, init=False)
    _luck: np.random.Generator | None = field(default=None, init=False)
    _waits_for_echo: bool = field(default=False, init=False)
    _is_given_up: bool = field(default=False, init=False)
    _seat: int = field(default=-1, init=False)
    _left: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        check_fields(self, "iss")
        parse_name(self.user)

    def run(self) -> None:
        """Plays until there are enough games.

        Raises:
            EngineError: if the server refuses the user, knows no user of `invite`, or cannot be reached.
        """
        failures = 0
        while len(self.ledger.games) < self.games:
            before = len(self.ledger.games)
            try:
                self._talk()
            except OSError as error:
                failures = 0 if len(self.ledger.games) > before else failures + 1
                if failures > len(self.waits):
                    raise EngineError(
                        f"the server {self.host}:{self.port} cannot be reached: {error}; "
                        f"{len(self.ledger.games)} of {self.games} games are kept"
                    ) from None
                self._warn(f"the connection to {self.host}:{self.port} broke: {error}")
                if failures:
                    time.sleep(self.waits[failures - 1])

    def _talk(self) -> None:
        """Plays over one connection.

        Raises:
            OSError: if it breaks.
        """
        self._table, self._is_welcome = "", False
        with socket.create_connection((self.host, self.port), timeout=QUIET_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connection = connection
            self._say(self.user)
            for line in _lines(connection):
                try:
                    self._hear(line)
                except ParseError as error:
                    self._warn(str(error))
                if len(self.ledger.games) >= self.games:
                    if self._table:
                        self._say_at_table("leave")
                    return
        raise OSError("the server ended it")

    def _say(self, line: str) -> None:
        self._connection.sendall(f"{line}\n".encode())

    def _say_at_table(self, action: str, *words: str) -> None:
        self._say(TableLine(self._table, self.user, action, words).text())

    def _warn(self, sentence: str) -> None:
        print(f"skat-env: warning: {' '.join(sentence.split())[:300]}", file=sys.stderr, flush=True)

    def _hear(self, line: str) -> None:
        """Acts upon a line.

        Raises:
            ParseError: if it cannot be understood.
        """
        words = line.split()
        first = words[0] if words else ""
        if first == "password:":
            self._say(self.password)
        elif first == "Welcome":
            self._is_welcome = True
            self._open_table()
        elif first == "create" and len(words) > 2 and not self._table:
            self._take_place(words[1], words[2])
        elif first == "invite" and len(words) > 2 and not self._table and not self.invite:
            self._say(" ".join(("join", words[2], *words[3:4])))
        elif first == "destroy" and words[1:2] == [self._table]:
            if not self._is_given_up:
                raise ConnectionError("the table was closed")
            self._table = ""
            self._open_table()
        elif first == "error":
            # A user who waits for an invitation may miss it: the table is gone, or full.
            waits = self._is_welcome and not self.invite
            if "_id_pw_mismatch" in words or not (self._table or waits):
                raise EngineError(
                    f"the server {self.host}:{self.port} refuses {self.user}: {' '.join(words[1:])}"
                )
            if "_no_player" in words:
                raise EngineError(
                    f"the server {self.host}:{self.port} has no user {' '.join(words[2:])} to invite: "
                    "expected users who are logged in, or its agents"
                )
            self._warn(f"the server says {' '.join(words[1:])}")
        elif first == "table":
            said = TableLine.parse(line)
            if said.table == self._table and said.user == self.user:
                self._hear_at_table(said)

    def _open_table(self) -> None:
        """Asks for a table, if there is somebody to invite."""
        if self.invite:
            self._say(f"create / {NUM_SEATS}")

    def _take_place(self, table: str, creator: str) -> None:
        """Has a place at a table."""
        if self.invite and creator != self.user:
            return
        self._table, self._creator, self._was_creator_there = table, creator, False
        self._game, self._seat, self._is_given_up = None, -1, False
        if self.invite:
            self._say_at_table("invite", *self.invite)

    def _hear_at_table(self, said: TableLine) -> None:
        words = said.words
        if said.action == "state" and len(words) > NUM_SEATS:
            self._hear_who_is_there(words[1 : 1 + NUM_SEATS])
        elif said.action == "start":
            self._start(words)
        elif said.action == "play" and len(words) >= 2:
            self._follow(words[0], words[1], words[2:])
        elif said.action == "error" and self._waits_for_echo:
            self._warn(f"the server refuses a move: {' '.join(words)}")
            self._give_up()
        elif said.action == "end":
            self._end(" ".join(words))

    def _hear_who_is_there(self, names: Sequence[str]) -> None:
        """Is ready if all are there, and leaves a table to which it was invited if its creator has gone."""
        if self._game is not None:
            return
        if "." not in names:
            self._say_at_table("ready")
        elif self._was_creator_there and self._creator not in names and not self.invite:
            self._warn(f"{self._creator} has left the table; it waits for the next invitation")
            self._say_at_table("leave")
            self._table = ""
        self._was_creator_there |= self._creator in names

    def _start(self, words: Sequence[str]) -> None:
        """A game begins.

        Raises:
            ParseError: if it does not say where the user sits.
        """
        names = words[1 : 1 + 2 * NUM_SEATS : 2]
        if self.user not in names:
            raise ParseError(f"'start {' '.join(words)[:100]}' without {self.user}")
        self._seat = names.index(self.user)
        self._game, self._waits_for_echo = None, False
        self._luck = agent_rng(self.seed, len(self.ledger.games), self._seat)

    def _follow(self, mover: str, move: str, clocks: Sequence[str]) -> None:
        """Follows a move, and makes the own one if it is time."""
        if self._is_given_up or self._seat < 0:
            return
        try:
            if self._game is None:
                if mover != SERVER:
                    raise ParseError(f"the move '{mover} {move[:40]}' before the deal")
                self._game = SeatGame(self._seat, move)
            else:
                self._game.hear(mover, move)
        except ParseError as error:
            self._warn(f"{error}; the game is given up")
            self._give_up()
            return
        if mover == str(self._seat):
            self._waits_for_echo = False
        try:
            self._left = float(clocks[self._seat])
        except (ValueError, IndexError):
            self._left = self.seconds
        if self._game.is_mine() and not self._waits_for_echo:
            self._decide(self._game)

    def _decide(self, game: SeatGame) -> None:
        assert self._luck is not None
        seconds = min(self.seconds, max(0.05, CLOCK_SHARE * self._left))
        with under(Deadline(seconds)):
            move = game.decide(self.agent, self._luck)
        self._waits_for_echo = True
        self._say_at_table("play", move)

    def _give_up(self) -> None:
        """Resigns, and leaves the table: where others have not resigned, too, the game would wait for it."""
        if not self._is_given_up:
            self._is_given_up = True
            self._say_at_table("play", "RE")
            self._say_at_table("leave")

    def _end(self, text: str) -> None:
        """A game has ended: keeps it, and is ready for the next at a table that it has not left.

        Raises:
            ParseError: if the record cannot be read; then the game may go on.
        """
        try:
            is_new = self.ledger.add(text[text.find("(;") :])
            self._game, self._seat = None, -1
            if is_new:
                self.on_game(len(self.ledger.games))
        finally:
            if len(self.ledger.games) < self.games and not self._is_given_up:
                self._say_at_table("ready")


def _lines(connection: socket.socket) -> Iterator[str]:
    """The lines of a connection; the prompt for the password needs no end of line.

    Raises:
        OSError: if it breaks, or is quiet for too long.
    """
    rest = b""
    while chunk := connection.recv(LONGEST):
        rest += chunk
        while b"\n" in rest:
            line, _, rest = rest.partition(b"\n")
            yield line.decode(errors="replace").strip()
        if rest.strip() == b"password:":
            rest = b""
            yield "password:"
        if len(rest) > 10 * LONGEST:
            raise OSError("the server sends a line without an end")
