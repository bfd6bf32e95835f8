"""Play at a server of the ISS's protocol: games are those that are played directly, and nothing that either end says
harms the other.
"""

import asyncio
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from skat_env.cards import mask_text
from skat_env.cli import main
from skat_env.deal import Deal
from skat_env.errors import EngineError, ParseError
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.protocols import Decision
from skat_env.records import Status
from skat_env.registry import get_game, make_agent
from skat_env.skat.iss.client import PASSWORD, IssClient, Ledger
from skat_env.skat.iss.lines import HIDDEN_SKAT, SERVER, TableLine, deal_line, deal_words, shown_move
from skat_env.skat.iss.moves import MoveTable
from skat_env.skat.iss.notation import SgfGame
from skat_env.skat.iss.seat_game import SeatGame, declaration_move
from skat_env.skat.iss.server import IssServer, running
from skat_env.skat.rules import Announcement, Phase
from skat_env.tools.run_folder import locked
from tests.helpers.sgf_lines import TAKEN, state_of

SKAT = get_game("skat")
GAMES: Final = int(os.environ.get("SKAT_ENV_ISS_GAMES", "30"))


def agent(name: str) -> Any:
    return make_agent(name, "skat")


@contextmanager
def serving(seed: int = 7, names: tuple[str, ...] = ("rule", "random"), **options: Any) -> Iterator[int]:
    """A server with some agents; gives its port."""
    with running(IssServer({name: agent(name) for name in names}, seed, **options)) as port:
        yield port


def client(
    port: int, out: Path, games: int, player: Any = None, name: str = "me", **options: Any
) -> IssClient:
    asked: dict[str, Any] = {"invite": ("rule", "random"), "seed": 7, "waits": (0.05,) * 5, **options}
    return IssClient(
        player or agent("rule"), name, "secret", Ledger(out / "games.sgf"), games, "127.0.0.1", port, **asked
    )


def games_of(out: Path) -> list[Any]:
    return [SgfGame.parse(line).record for line in (out / "games.sgf").read_text().splitlines()]


class User:
    """A user at the other end of a socket, line by line."""

    def __init__(self, port: int, name: str = "user", password: str = "x") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.lines = self.socket.makefile("r", encoding="utf-8", errors="replace")
        self.name = name
        self.say(name)
        self.hear("password:")
        self.say(password)

    def say(self, line: str) -> None:
        self.socket.sendall(f"{line}\n".encode())

    def hear(self, start: str) -> str:
        """The next line that begins so, or has it as its action."""
        while line := self.lines.readline():
            if line.startswith(start) or f" {start}" in line:
                return line.strip()
        raise EOFError(start)

    def sit(self, *others: str) -> None:
        self.say("create / 3")
        self.hear("create")
        self.say(f"table .1 {self.name} invite {' '.join(others)}")
        self.say(f"table .1 {self.name} ready")

    def settle(self) -> None:
        """Returns when the server has done all that it was doing."""
        self.say("anything")
        self.hear("error _unknown_command")

    def play(self, move: str) -> None:
        self.say(f"table .1 {self.name} play {move}")

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "games"), [("rule", GAMES), ("random", GAMES), ("policy", GAMES), ("champion", GAMES // 10)]
)
def test_games_are_those_that_are_played_directly(player: str, games: int, tmp_path: Path) -> None:
    """`make test-long` plays 10,000, and 1,000 of the champion."""
    with serving() as port:
        client(port, tmp_path, games, agent(player)).run()
    records = games_of(tmp_path)
    assert len(records) == games
    seated = [agent(player), agent("rule"), agent("random")]
    for number, record in enumerate(records):
        state = SKAT.state.random(deal_rng(7, number))
        order = [seated[(seat + number) % 3] for seat in range(3)]
        play_game(state, order, [agent_rng(7, number, seat) for seat in range(3)])
        assert record.state.text() == state.text()
        assert record.status in (Status.COMPLETE, Status.PASSED)
        names = ["me", "rule", "random"]
        assert record.agents == tuple(names[(seat + number) % 3] for seat in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["me[x]", r"me\\"])
def test_games_of_a_user_with_brackets_end(name: str, tmp_path: Path) -> None:
    with serving() as port:
        client(port, tmp_path, 2, name=name).run()
    assert [name in record.agents for record in games_of(tmp_path)] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("names", [("random",) * 3, ("rule", "random", "rule")])
def test_a_seat_sees_what_its_view_has(names: tuple[str, ...]) -> None:
    """At every move of every game what each seat has heard is its view, to the last bit."""
    players = [agent(name) for name in names]
    for deal in range(60):
        state = SKAT.state.random(deal_rng(5, deal))
        table = MoveTable([("w", deal_words(state.deal))])
        seats = [SeatGame(seat, deal_line(state.deal, seat)) for seat in range(3)]
        lucks = [agent_rng(5, deal, seat) for seat in range(3)]
        while not table.state.is_over:
            mover = table.state.to_act
            assert [seat.is_mine() for seat in seats] == [seat == mover for seat in range(3)]
            assert all(each.view == table.state.view(seat) for seat, each in enumerate(seats))
            move = seats[mover].decide(players[mover], lucks[mover])
            table.take_move(str(mover), move)
            for seat, each in enumerate(seats):
                each.hear(str(mover), shown_move(mover, move, seat))
                if move == "s":
                    skat = mask_text(state.deal.places[3])
                    each.hear("w", skat if seat == mover else "??.??")


def follow(deal: Deal, moves: Sequence[tuple[str, str]]) -> MoveTable:
    """Tells moves to three seats as a server does: what each has heard is its view, and it is asked in its turn."""
    table = MoveTable([(SERVER, deal_words(deal)), *moves])
    seats = [SeatGame(seat, deal_line(deal, seat)) for seat in range(3)]
    for mover, move in moves:
        before = table.state.phase
        table.take_move(mover, move)
        if table.blind or table.gone >= 0 or table.resigned:
            break
        if before == Phase.PICK_UP and table.state.announcement == Announcement.OUVERT:
            move = declaration_move(table.state.view(int(mover)))  # records of 2007 do not list the hand
        for seat, each in enumerate(seats):
            shown = move if seat == table.state.soloist else HIDDEN_SKAT
            each.hear(mover, shown if mover == SERVER else shown_move(int(mover), move, seat))
            if move != "s":
                assert each.view == table.state.view(seat)
            is_told_more = move == "s" or table.state.phase == Phase.DISCARD
            assert each.is_mine() == (seat == table.state.to_act and not is_told_more)
    return table


def test_recorded_games_as_the_seats_hear_them(shared: Callable[[str], Path]) -> None:
    """Among them games whose discards are a move of their own."""
    followed = []
    for line in shared("data/skat/iss_games.sgf").read_text().splitlines():
        words = line[line.find("MV[") + 3 : line.find("]", line.find("MV["))].split()
        try:
            deal = SgfGame.parse(line).record.state.deal
        except ParseError:
            continue
        table = follow(deal, list(zip(words[2::2], words[3::2], strict=True)))
        followed.append(table.state.phase)
    assert len(followed) > 20
    assert followed.count(Phase.OVER) > 10


@pytest.mark.parametrize(
    ("declared", "laid"),
    [
        ("C", "H7.D7"),
        ("N", "H7.D7"),
        ("NO", "H7.D7.CJ.SJ.CK.CQ.HA.HT.H9.DA.DT.S8"),
        ("NO.CJ.SJ.CK.CQ.HA.HT.H9.DA.DT.S8", "H7.D7"),
    ],
)
def test_discards_that_are_a_move_of_their_own(declared: str, laid: str) -> None:
    words = f"{TAKEN}1 {declared} 1 {laid} 0 CA 1 {'CK' if 'N' in declared else 'CQ'}".split()
    table = follow(state_of("").deal, list(zip(words[::2], words[1::2], strict=True)))
    assert len(table.state.plays()) == 2


@pytest.mark.parametrize(
    "moves", ["1 NO.H7.D7", "1 NO 1 H7.D7", "1 C 1 H7", "1 C 1 H7.D7.CJ", "1 C 1 CA", "1 C.H7"]
)
def test_declarations_that_leave_something_out(moves: str) -> None:
    *before, mover, move = f"{TAKEN}{moves}".replace("w H7.D7", f"w {HIDDEN_SKAT}").split()
    game = SeatGame(0, deal_line(state_of("").deal, 0))
    for pair in zip(before[::2], before[1::2], strict=True):
        game.hear(*pair)
    with pytest.raises(ParseError, match=f"the move '{mover} {move}': expected"):
        game.hear(mover, move)


def test_jump_bids_and_hidden_discards() -> None:
    dealt = SKAT.state.random(np.random.default_rng(3)).deal
    game = SeatGame(2, deal_line(dealt, 2))
    for mover, move in (("1", "24"), ("0", "p"), ("2", "p")):
        game.hear(mover, move)
    assert (game.view.bid, game.view.soloist) == (24, 1)
    game.hear("1", "s")
    game.hear("w", "??.??")
    game.hear("1", "N.??.??")
    assert "N plain ? ?" in game.view.text()
    late = SeatGame(2, deal_line(dealt, 2))
    for mover, move in (("1", "p"), ("2", "p"), ("0", "23")):
        late.hear(mover, move)
    assert (late.view.bid, late.view.soloist) == (23, 0)


@pytest.mark.parametrize(
    ("mover", "move"),
    [
        ("1", "y"), ("1", "17"), ("1", "19"), ("1", "x"), ("0", "18"), ("3", "p"), ("w", "SJ"), ("1", "s"), ("1", "SJ"),
        ("1", "CH"), ("w", "SJ.SJ.SJ"), ("1", ""), ("", ""),
    ],
)  # fmt: skip
def test_wrong_moves_leave_the_game_as_it_was(mover: str, move: str) -> None:
    game = SeatGame(1, deal_line(SKAT.state.random(np.random.default_rng(3)).deal, 1))
    before = game.view
    with pytest.raises(ParseError, match="the move '"):
        game.hear(mover, move)
    assert game.view == before


def test_moves_that_the_server_refuses() -> None:
    with serving() as port:
        user = User(port)
        user.sit("rule", "random")
        hand = user.hear("play w").split()[5].split("|")[0].split(".")
        # The deal of seed 7: forehand, the user, is asked for nothing yet or answers a bid; a card is never allowed.
        for move in (hand[0], "s", "999", "D.D7.D8", "??", "LE.0", "TI.0", "\x07", "18.18"):
            user.play(move)
            assert "error" in user.hear("error")
        user.close()


@pytest.mark.parametrize("listed", ["", ".DK" * 10, ".DK.DA.H7.H9.HT.HQ.ST.SQ.CJ.CQ"])
def test_an_ouvert_declaration_is_told_with_its_hand(listed: str, tmp_path: Path) -> None:
    """However the user lists it: the seats of the server's agents read it."""
    games = tmp_path / "server.sgf"
    with serving(seed=5, games=games, names=("random",)) as port:
        user = User(port)
        user.sit("random", "random")
        for bid in (18, 20, 22):
            user.hear(f"play 2 {bid}")
            user.play("y")
        user.hear("play 2 p")
        user.play("s")
        user.hear("play w SQ.CQ")
        user.play(f"NO.D9.DQ{listed}")
        assert "NO.D9.DQ.DK.DA.H7.H9.HT.HQ.ST.SQ.CJ.CQ" in user.hear("play 0").split()
        user.play("DK")
        end = user.hear("end")
        user.close()
    assert "0 NO.D9.DQ.DK.DA.H7.H9.HT.HQ.ST.SQ.CJ.CQ 0 DK 1 " in end
    [record] = games_of_file(games)
    assert record.status is Status.COMPLETE


def test_a_game_that_is_given_up_or_left(tmp_path: Path) -> None:
    games = tmp_path / "server.sgf"
    with serving(games=games, names=("rule",)) as port:
        user = User(port)
        user.sit("rule", "rule")
        user.hear("play w")
        user.play("RE")
        user.say("table .1 user leave")
        user.hear("destroy")
        user.close()
        other = User(port, "other")
        other.say("create / 3\ntable .2 other invite rule rule\ntable .2 other ready")
        other.hear("play w")
        other.close()
        while True:  # the server hears of the end when it likes
            again = User(port, "other")
            is_in = "Welcome" in again.hear("")
            again.close()
            if is_in:
                break
    given_up, left = games.read_text().splitlines()
    assert "0 RE w LE.0 ]" in given_up
    assert "0 RE" not in left
    assert "w LE.0 ]" in left
    assert [record.status for record in games_of_file(games)] == [Status.ABORTED] * 2


def test_time_runs_out(tmp_path: Path) -> None:
    games = tmp_path / "server.sgf"
    with serving(games=games, clock=0.2, names=("rule",)) as port:
        user = User(port)
        user.sit("rule", "rule")
        end = user.hear("end")
        user.close()
    assert "w TI.0" in end
    [record] = games_of_file(games)
    assert record.status in (Status.ABORTED, Status.CLAIMED)


def games_of_file(path: Path) -> list[Any]:
    return [SgfGame.parse(line).record for line in path.read_text().splitlines()]


def test_who_may_log_in(tmp_path: Path) -> None:
    with serving(passwords={"me": "other"}) as port:
        with pytest.raises(EngineError, match="refuses me: _id_pw_mismatch"):
            client(port, tmp_path, 1).run()
        for name in ("", "two words", "a" * 25, "rule"):
            user = User(port, name)
            assert "error" in user.hear("error")
            user.close()
    with pytest.raises(EngineError, match="cannot be reached"):
        client(1, tmp_path, 1, waits=(0.01,)).run()


def wait_for(client: IssClient, server: IssServer) -> threading.Thread:
    """Runs a client that waits for an invitation, and returns when it can be invited."""
    thread = threading.Thread(target=client.run, daemon=True)
    thread.start()
    for _ in range(2000):
        if client.user in server._clients:
            break
        time.sleep(0.01)
    return thread


@pytest.mark.parametrize(
    ("joins", "then", "warning"),
    [
        (False, "leave", "the server says _no_table"),
        (False, "invite rule rule", "the server says _table_full"),
        (True, "leave", "human has left the table"),
    ],
    ids=["gone", "full", "left"],
)
def test_a_client_whose_table_comes_to_nothing_waits_for_the_next_invitation(
    joins: bool, then: str, warning: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server = IssServer({"rule": agent("rule")})
    with running(server) as port:
        waiting = client(port, tmp_path, 1, name="bot", invite=())
        thread = wait_for(waiting, server)
        user = User(port, "human")
        invites, goes_on = "create / 3\ntable .1 human invite bot", f"table .1 human {then}\ncreate / 3"
        if joins:
            user.say(invites)
            user.hear("state 3 human bot")
            user.say("table .1 human invite rule")
            user.hear("state 3 human bot rule")
            user.say(goes_on)
        else:
            user.say(f"{invites}\n{goes_on}")
        user.hear("create .2")
        user.say("table .2 human invite bot")
        user.hear("state 3 human bot")
        user.say("table .2 human invite rule\ntable .2 human ready")
        user.hear("play w")
        user.say("table .2 human leave")
        thread.join(20)
        user.close()
    assert not thread.is_alive()
    assert f"warning: {warning}" in capfd.readouterr().err
    assert len(waiting.ledger.games) == 1


def test_a_client_that_cannot_follow_a_game_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A resignation in the auction ends nothing; the others need not wait for its clock."""
    lost: list[str] = []

    class Lost(SeatGame):
        def hear(self, mover: str, move: str) -> None:
            if self.seat == 2 and not lost:
                lost.append(move)
                raise ParseError("a move of another language")
            super().hear(mover, move)

    monkeypatch.setattr("skat_env.skat.iss.client.SeatGame", Lost)
    server = IssServer({"rule": agent("rule")}, 7)
    with running(server) as port:
        for folder in ("bot", "first", "second"):
            (tmp_path / folder).mkdir()
        bot = client(port, tmp_path / "bot", 2, name="bot", invite=())
        thread = wait_for(bot, server)
        for name in ("first", "second"):
            client(port, tmp_path / name, 1, name=name, invite=("bot", "rule")).run()
        thread.join(20)
    assert not thread.is_alive()
    assert capfd.readouterr().err.count("warning: ") == 1
    given_up, whole = games_of(tmp_path / "bot")
    assert (given_up.status, whole.status) == (Status.ABORTED, Status.COMPLETE)
    assert "2 RE w LE.2 ]" in bot.ledger.games[0]


def test_a_client_that_gives_up_opens_a_new_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Lost(SeatGame):
        def hear(self, mover: str, move: str) -> None:
            seen.append(move)
            if len(seen) == 2:
                raise ParseError("a move of another language")
            super().hear(mover, move)

    monkeypatch.setattr("skat_env.skat.iss.client.SeatGame", Lost)
    with serving() as port:
        client(port, tmp_path, 3).run()
    assert [record.status for record in games_of(tmp_path)] == [
        Status.ABORTED,
        Status.COMPLETE,
        Status.COMPLETE,
    ]


def test_an_agent_of_the_server_that_fails_leaves_its_games(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        name = "broken"

        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            raise RuntimeError("the engine\nended")

    with running(IssServer({"broken": Broken(), "rule": agent("rule")}, 7)) as port:
        client(port, tmp_path, 3, invite=("broken", "rule")).run()
    lines = (tmp_path / "games.sgf").read_text().splitlines()
    for line, record in zip(lines, games_of(tmp_path), strict=True):
        assert f"w LE.{record.agents.index('broken')} ]" in line
        assert record.status is Status.ABORTED
    assert capfd.readouterr().err == "skat-env: warning: broken cannot play on: the engine ended\n" * 3


def test_a_user_that_comes_back_plays_other_deals(tmp_path: Path) -> None:
    with serving() as port:
        for games in (3, 6):
            client(port, tmp_path, games).run()
    dealt = [record.state.deal for record in games_of(tmp_path)]
    assert dealt == [SKAT.state.random(deal_rng(7, number)).deal for number in range(6)]


def test_a_server_that_starts_again_goes_on_with_its_deals(tmp_path: Path) -> None:
    kept = tmp_path / "server.sgf"
    for start in range(2):
        (tmp_path / str(start)).mkdir()
        with serving(games=kept) as port:
            client(port, tmp_path / str(start), 2).run()
    dealt = [record.state.deal for record in games_of_file(kept)]
    assert dealt == [SKAT.state.random(deal_rng(7, number)).deal for number in range(4)]


def test_a_clock_runs_while_its_user_thinks_whoever_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda _: now[0])
    with serving(clock=2.0, names=("rule",)) as port:
        first, second = User(port, "first"), User(port, "second")
        first.say("create / 3\ntable .1 first invite second")
        second.hear("invite")
        second.say("join .1")
        second.hear("state 3 first second")
        first.say("table .1 first invite rule\ntable .1 first ready")
        second.say("table .1 second ready")
        second.hear("play w")
        second.settle()
        now[0] += 1.25
        first.play("RE")
        assert first.hear("play 0 RE").endswith(" 2.0 0.8 2.0")
        first.settle()
        now[0] += 0.5
        second.play("p")
        assert first.hear("play 1 p").endswith(" 2.0 0.2 2.0")
        first.close()
        second.close()


class Slow:
    """An agent that takes its time."""

    name = "slow"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        time.sleep(0.01)
        return Decision(view.legal_actions()[0])


@contextmanager
def between(port: int, spoil: Any) -> Iterator[int]:
    """A port that hands on what is said to another, both ways, as `spoil(number, chunk)` returns it; None: it breaks."""
    listening = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def pump(source: socket.socket, sink: socket.socket, change: Any) -> None:
        number = 0
        try:
            while chunk := source.recv(65_536):
                changed = change(number, chunk)
                number += 1
                if changed is None:
                    break
                sink.sendall(changed)
        except OSError:
            pass
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        while not stop.is_set():
            try:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", port))
                for each in (near, far):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                return
            threading.Thread(target=pump, args=(far, near, spoil), daemon=True).start()
            threading.Thread(target=pump, args=(near, far, lambda _, chunk: chunk), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        stop.set()
        listening.close()


@pytest.mark.slow
def test_connections_that_break_lose_and_double_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    luck = random.Random(1)

    def breaks(number: int, chunk: bytes) -> bytes | None:
        return None if number > 3 and luck.random() < 0.015 else chunk

    with serving(games=tmp_path / "server.sgf") as port, between(port, breaks) as middle:
        client(middle, tmp_path, 12, waits=(0.05,) * 200).run()
    kept = (tmp_path / "games.sgf").read_text().splitlines()
    assert len(kept) == len(set(kept)) == 12
    assert set(kept) <= set((tmp_path / "server.sgf").read_text().splitlines())
    assert "broke" in capfd.readouterr().err


@pytest.mark.slow
def test_damaged_lines_to_the_client(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Lines that mean nothing, or something else, come between those of the server."""
    luck = random.Random(2)
    rubbish = [
        b"table .1 me play\n", b"table .1 me play w\n", b"table .1 me start x y\n", b"table .1 me end (;\n",
        b"\xff\xfe\x00\n", b"table .1 me state 3\n", b"table .9 me play 0 SJ\n", b"yell " + b"x" * 5000 + b"\n",
        b"\n", b"table\n", b"invite\n", b"create\n", b"table .1 other play 0 SJ 1 1 1\n", b"text " + b"[" * 999 + b"\n",
    ]  # fmt: skip

    def spoilt(number: int, chunk: bytes) -> bytes:
        lines = chunk.splitlines(keepends=True)
        found = b""
        for line in lines:
            found += line
            if line.endswith(b"\n") and luck.random() < 0.5:
                found += luck.choice(rubbish)
        return found

    with serving() as port, between(port, spoilt) as middle:
        client(middle, tmp_path, 10).run()
    assert len(games_of(tmp_path)) == 10
    assert "warning" in capfd.readouterr().err


@pytest.mark.slow
def test_damaged_lines_to_the_server(tmp_path: Path) -> None:
    """10,000 lines that mean nothing, while another user plays: its games are those without them."""
    luck = random.Random(3)
    words = [
        "table",
        ".1",
        ".2",
        "me",
        "user",
        "play",
        "ready",
        "invite",
        "rule",
        "leave",
        "create",
        "/",
        "3",
        "SJ",
    ]
    words += ["18", "y", "p", "s", "RE", "SC", "G.SJ.CJ", "joins", "x" * 300, "\x00", "é", "-1", "TI.0", "w"]
    with serving() as port:
        user = User(port)
        thread = threading.Thread(target=lambda: client(port, tmp_path, 10, Slow()).run())
        thread.start()
        for _ in range(10_000):
            user.say(" ".join(luck.choices(words, k=luck.randrange(7))))
        user.socket.settimeout(5)
        thread.join(60)
        assert not thread.is_alive()
        user.close()
    with serving() as port:
        (tmp_path / "alone").mkdir()
        client(port, tmp_path / "alone", 10, Slow()).run()
    assert [game.state.text() for game in games_of(tmp_path)] == [
        game.state.text() for game in games_of(tmp_path / "alone")
    ]


def test_lines() -> None:
    line = "table .3 me play 0 SJ 1.0 2.0 3.0"
    assert TableLine.parse(line).text() == line
    for wrong in ("", "table", "table 3 me play", "tables .3 me play x"):
        with pytest.raises(ParseError, match="expected 'table"):
            TableLine.parse(wrong)


def test_a_ledger_keeps_each_game_once(tmp_path: Path) -> None:
    with serving() as port:
        client(port, tmp_path, 2).run()
    lines = (tmp_path / "games.sgf").read_text().splitlines()
    ledger = Ledger(tmp_path / "games.sgf")
    assert not ledger.add(lines[0])
    with pytest.raises(ParseError):
        ledger.add("(;GM[Skat] ;)")
    assert len(ledger.games) == 2
    (tmp_path / "other.sgf").write_text(f"{lines[0]}\nno game\n")
    with pytest.raises(ParseError, match=r"line 2 of .*other.sgf: "):
        Ledger(tmp_path / "other.sgf")
    with serving(seed=8) as port:
        client(port, tmp_path, 3).run()
    assert (tmp_path / "games.sgf").read_text().splitlines()[:2] == lines
    assert len(games_of(tmp_path)) == 3


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "secret-of-a-test")
    out = tmp_path / "out"
    with serving() as port:
        place = ["--host", "127.0.0.1", "--port", str(port), "--out", str(out)]
        words = [
            "iss",
            "--agent",
            "rule",
            "--user",
            "me",
            "--invite",
            "rule",
            "random",
            "--games",
            "2",
            *place,
        ]
        assert main(words) == 0
        assert "2 games in" in capsys.readouterr().out
        for option, other in (("user", "other"), ("agent", "random"), ("seed", "9")):
            assert main([*words, f"--{option}", other]) == 2
            assert option in capsys.readouterr().err
    assert not any(b"secret-of-a-test" in path.read_bytes() for path in out.iterdir())
    for wrong, sentence in (
        (["--user", "two words"], "name"),
        ([], "user"),
        (["--user", "me", "--invite", "one"], "two users"),
        (["--user", "me", "--agent", "pimc(belief=cheating)"], "true cards"),
        (["--user", "me", "--seconds", "0"], "seconds"),
        (["--user", "me", "--port", "99999"], "port=99999: expected a whole number from 0 to 65,535"),
        (["--user", "me", "--games", "0"], "games"),
        (["--user", "me", "--seed", "-1"], "seed"),
        (["--server", "--clock", "-1"], "clock=-1.0: expected a finite number more than 0"),
        (["--server", "--port", "-1"], "port"),
        (["--server", "--agents", "rule", "rule"], "each name once"),
        (["--server", "--agents", "a b=rule"], "letters without blanks"),
    ):
        assert main(["iss", "--out", str(tmp_path / "no"), "--agent", "rule", *wrong]) == 2
        told = capsys.readouterr().err
        assert sentence in told
        assert len(told.strip().splitlines()) == 1
    monkeypatch.delenv(PASSWORD)
    assert main(["iss", "--out", str(tmp_path / "no"), "--agent", "rule", "--user", "me"]) == 2
    assert PASSWORD in capsys.readouterr().err


def test_a_servers_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is one server's at a time, and that of one seed."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "games.sgf").write_text("")
    words = ["iss", "--server", "--out"]
    assert main([*words, str(tmp_path / "other")]) == 2
    assert "holds no server" in capsys.readouterr().err
    (tmp_path / "out").mkdir()
    with locked(tmp_path / "out"):
        assert main([*words, str(tmp_path / "out")]) == 2
    assert "another process is working in" in capsys.readouterr().err


def test_users_to_invite_that_the_server_does_not_know(tmp_path: Path) -> None:
    with serving() as port, pytest.raises(EngineError, match="has no user nobody to invite: expected"):
        client(port, tmp_path, 1, invite=("rule", "nobody")).run()
