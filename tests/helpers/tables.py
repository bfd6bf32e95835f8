"""Tables for tests: a server in this process, and people who play at it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient, WebSocketTestSession

from skat_env.table.server import make_app

Json = dict[str, Any]
HUMAN, RULE = {"kind": "human"}, {"kind": "agent", "spec": "rule"}


@contextmanager
def server(folder: Path, **options: Any) -> Iterator[TestClient]:
    """A server of the tables of a folder."""
    with TestClient(make_app(folder, **options), base_url="http://127.0.0.1") as client:
        yield client


def new_table(client: TestClient, **given: Any) -> Json:
    """Makes a table."""
    answer = client.post("/api/tables", json=given)
    assert answer.status_code == 200, answer.text
    made: Json = answer.json()
    return made


@contextmanager
def joined(client: TestClient, made: Json, token: str = "", host: str = "") -> Iterator[WebSocketTestSession]:
    """A connection to a table, its first message sent."""
    with client.websocket_connect(f"/ws/{made['table']}") as socket:
        socket.send_json({"do": "join", "token": token, "host": host})
        yield socket


def until(socket: WebSocketTestSession, done: Callable[[Json], Any]) -> Json:
    """The next message for which a condition holds."""
    while True:
        message: Json = socket.receive_json()
        if done(message):
            return message


def my_turn(message: Json) -> bool:
    """Whether a message is a scene in which the viewer acts, or the deal is over."""
    return message["kind"] == "scene" and bool(message["legal"] or message["over"])


def play_deal(socket: WebSocketTestSession, rng: np.random.Generator) -> Json:
    """Plays random actions in a person's place to the end of the deal; the last scene."""
    while not (scene := until(socket, my_turn))["over"]:
        action = int(rng.choice([each["action"] for each in scene["legal"]]))
        socket.send_json({"do": "act", "action": action, "number": scene["number"]})
    return scene
