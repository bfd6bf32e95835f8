"""`skat-env table` as people start it: killed and started again, Ctrl-C, a port in use."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import ClientConnection, connect

from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.records import GameRecord
from tests.conftest import random_games

PROGRAM = "import sys; from skat_env.program import main; sys.exit(main())"


@contextmanager
def started(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server, and the addresses that it prints."""
    command = [sys.executable, "-c", PROGRAM, "table", "--port", "0", "--folder", str(folder), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline().split()[-1] for _ in range(1 + ("--agents" in words))]
        try:
            yield server, lines
        finally:
            server.kill()


@contextmanager
def seat(address: str, link: str) -> Iterator[ClientConnection]:
    """A connection to a table by a person's link."""
    path, token = re.split("[#.]", link.split("/t/")[1])[:2]
    with connect(f"ws{address[4:]}ws/{path}") as connection:
        connection.send(json.dumps({"do": "join", "token": token}))
        yield connection


def my_turn(connection: ClientConnection) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(connection.recv(timeout=30))
        if message["kind"] == "scene" and (message["legal"] or message["over"]):
            return message


@pytest.mark.slow
def test_a_server_that_is_killed_gives_its_tables_back(tmp_path: Path) -> None:
    """By a link of the first server, at the address of the second."""
    playing = "--agents", "rule", "--game", "klaverjas"
    with started(tmp_path, *playing) as (server, (address, link)), seat(address, link) as connection:
        for _ in range(4):
            scene = my_turn(connection)
            action = scene["legal"][0]["action"]
            connection.send(json.dumps({"do": "act", "action": action, "number": scene["number"]}))
        before = my_turn(connection)
        server.send_signal(signal.SIGKILL)
        server.wait()
    with started(tmp_path) as (server, (address,)):
        with seat(address, link) as connection:
            after = my_turn(connection)
        assert after == before
        server.send_signal(signal.SIGINT)
        assert server.wait(30) in (0, 130)
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


def told(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "table", *words], capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stderr


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, words = told("--port", str(port), "--folder", str(tmp_path / "tables"))
    assert status == 2
    assert f"cannot listen on port {port} of 127.0.0.1: address already in use" in words
    assert words.count("\n") == 1
    assert not (tmp_path / "tables").exists()


@pytest.mark.slow
def test_a_folder_has_one_server(tmp_path: Path) -> None:
    with started(tmp_path):
        status, words = told("--port", "0", "--folder", str(tmp_path))
    assert status == 2
    assert words == f"skat-env: another process is working in {tmp_path}\n"
    with started(tmp_path) as (_, (address,)):
        assert address.startswith("http://127.0.0.1:")


@pytest.mark.slow
def test_ctrl_c_ends_a_server_whose_agents_think(tmp_path: Path) -> None:
    """One is asked by a page of reviews, another gives a hint at a table."""
    slow = "pimc(worlds=100000)"
    with started(tmp_path) as (server, (address,)), ExitStack() as pages:
        at = "127.0.0.1", urlsplit(address).port

        def posted(path: str, question: dict[str, Any]) -> HTTPConnection:
            page = pages.enter_context(closing(HTTPConnection(*at, timeout=30)))
            page.request("POST", path, json.dumps(question), {"Content-Type": "application/json"})
            return page

        made = json.load(posted("/api/tables", {"game": "klaverjas", "hint": slow}).getresponse())
        link = f"{address}t/{made['table']}#{made['seats']['0']}"
        connection = pages.enter_context(seat(address, link))
        my_turn(connection)
        connection.send(json.dumps({"do": "hint"}))
        game = GameRecord.of("klaverjas", random_games(KLAVERJAS, 1, 1)[0], KLAVERJAS.seats)
        asked = posted("/api/review/ask", {"text": game.text(), "step": 0, "agent": slow})
        with pytest.raises(TimeoutError):
            connection.recv(timeout=1)
        server.send_signal(signal.SIGINT)
        assert server.wait(60) in (0, 130)
        assert asked.getresponse().status == 503
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--shelf", "nowhere"), "nowhere"),
        (("--agents", "rule", "rule", "rule"), "3 agents"),
        (("--agents", "nobody"), "nobody"),
        (("--game", "chess"), "chess"),
        (("--host", "256.1.1.1"), "256.1.1.1"),
        (("--port", "70000"), "70000"),
        (("--time-limit", "0"), "time_limit=0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_options_get_a_sentence(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    status, said = told("--port", "0", "--folder", str(tmp_path / "tables"), *words)
    assert status == 2
    assert expected in said
    assert "Traceback" not in said
