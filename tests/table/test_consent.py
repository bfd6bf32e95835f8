"""What touches other people at a table takes their consent, and nothing that leaves it leads to its next deal."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from skat_env.records import GameRecord
from skat_env.table import consent, live
from skat_env.table.consent import touched
from skat_env.table.messages import NewTable, Player
from skat_env.table.server import make_app
from skat_env.table.session import Session
from tests.helpers.tables import HUMAN, RULE, joined, my_turn, new_table, play_deal, server, until

TWO = [{"kind": "human", "name": "Ann"}, {"kind": "human", "name": "Bob"}, RULE]


def asked(message: dict[str, Any]) -> bool:
    return message["kind"] == "scene" and message["request"] is not None


def free(message: dict[str, Any]) -> bool:
    return message["kind"] == "scene" and message["request"] is None


def first_action(socket: Any) -> dict[str, Any]:
    """Plays the last legal action of a person, who bids on; the scene before it."""
    scene = until(socket, my_turn)
    socket.send_json({"do": "act", "action": scene["legal"][-1]["action"], "number": scene["number"]})
    return scene


def test_another_person_is_asked_before_something_is_taken_back(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seats=TWO, seed=1)
        with (
            joined(client, made, made["seats"]["0"]) as ann,
            joined(client, made, made["seats"]["1"]) as bob,
            joined(client, made) as watching,
        ):
            first_action(bob)
            bob.send_json({"do": "undo"})
            request = until(ann, asked)["request"]
            assert request == {"what": "undo", "seat": 1, "waiting": [0], "mine": True}
            assert not until(watching, asked)["request"]["mine"]
            bob.send_json({"do": "answer", "agree": True})
            assert "nobody asks you" in until(bob, lambda message: message["kind"] == "error")["error"]
            ann.send_json({"do": "answer", "agree": False})
            assert "do not agree" in until(bob, lambda message: message["kind"] == "error")["error"]
            kept = len(until(bob, free)["history"])
            assert kept > 0
            bob.send_json({"do": "undo"})
            until(ann, asked)
            ann.send_json({"do": "answer", "agree": True})
            assert len(until(bob, lambda message: free(message) and my_turn(message))["history"]) < kept


def test_a_person_alone_with_agents_takes_back_and_the_record_says_so(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seed=3)
        with joined(client, made, made["seats"]["0"]) as socket:
            before = first_action(socket)
            until(socket, lambda message: message["number"] > before["number"] and message["can"]["undo"])
            socket.send_json({"do": "undo"})
            play_deal(socket, np.random.default_rng(1))
        (line,) = client.get(f"/api/tables/{made['table']}/record").text.splitlines()
        assert "forehand took back " in GameRecord.parse(line).ending
    with server(tmp_path) as client:  # and after a new start
        assert client.get(f"/api/tables/{made['table']}/record").text.splitlines() == [line]


def test_who_has_left_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SECONDS", 0.2)
    with server(tmp_path) as client:
        made = new_table(client, seats=TWO, seed=1)
        with joined(client, made, made["seats"]["1"]) as bob:
            first_action(bob)
            bob.send_json({"do": "undo"})
            until(bob, asked)
            assert until(bob, free)["legal"]  # after the time
            with joined(client, made, made["seats"]["0"]):
                first_action(bob)
                bob.send_json({"do": "undo"})
                assert "do not agree" in until(bob, lambda message: message["kind"] == "error")["error"]


def test_who_is_touched() -> None:
    people = tuple(Player("human") for _ in range(4))
    session = Session(NewTable("klaverjas", seats=people, seed=1))
    declarer = session.state.declarer
    own = {declarer, (declarer + 2) % 4}
    for player in range(4):
        side = own if player in own else {0, 1, 2, 3} - own
        assert touched(session, "undo", player) == {0, 1, 2, 3} - {player}
        assert touched(session, "give_up", player) == side - {player}
        assert touched(session, "claim", player) == {0, 1, 2, 3} - side
    with_agents = Session(NewTable("skat", seats=(Player("human"), Player(), Player()), seed=1))
    assert consent.touched(with_agents, "undo", 0) == set()


@pytest.mark.parametrize("seed", [7, 123456789123456])
def test_nothing_that_leaves_a_table_holds_its_seed(tmp_path: Path, seed: int) -> None:
    """With the seed of a series whoever has it deals himself the next cards."""
    with server(tmp_path) as client:
        made = new_table(client, seats=[HUMAN, RULE, RULE], seed=seed, thoughts=True, hint="rule")
        said: list[str] = []
        for token, host in ((made["seats"]["0"], ""), ("", made["host"]), ("", "")):
            with joined(client, made, token, host) as socket:
                said.append(str(until(socket, lambda message: message["kind"] == "scene")))
        with joined(client, made, made["seats"]["0"]) as socket:
            said.append(str(play_deal(socket, np.random.default_rng(1))))
            socket.send_json({"do": "next"})
            said.append(str(until(socket, my_turn)))
            for what in ("hint", "think", "undo"):
                socket.send_json({"do": what})
                said.append(str(socket.receive_json()))
        for path in ("record", "", "journal", "seed"):
            said.append(client.get(f"/api/tables/{made['table']}/{path}").text)
        said += [client.get(path).text for path in ("/api/options", "/api/tables", f"/t/{made['table']}")]
        assert not [
            text
            for text in said
            if "seed" in text.replace("/seed", "") and "api" not in text and "<" not in text
        ]
        if seed > 1000:
            assert not [text for text in said if str(seed) in text]


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True), ("localhost:8000", True), ("[::1]:8000", True), ("192.168.1.7", True),
        ("cards.example", True), ("CARDS.example:80", True), ("evil.example", False), ("localhost.evil.example", False),
        ("", False), ("127.0.0.1.evil.example", False), ("[", False),
    ],
)  # fmt: skip
def test_a_page_of_another_name_is_refused(tmp_path: Path, host: str, allowed: bool) -> None:
    """DNS rebinding: a stranger's page has its name lead to this machine, so that Origin and Host agree."""
    app = make_app(tmp_path, names=("cards.example",))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for path in ("/", "/api/options", "/static/style.css"):
            answer = client.get(path, headers={"host": host})
            assert answer.status_code == (200 if allowed else 403)
            if not allowed:
                assert "another name" in answer.json()["error"]
        made = client.post("/api/tables", json={}, headers={"host": "127.0.0.1"}).json()
        headers = {"host": host, "origin": f"http://{host}"}
        if allowed:
            with client.websocket_connect(f"/ws/{made['table']}", headers=headers) as socket:
                socket.send_json({"do": "join"})
                assert socket.receive_json()["kind"] == "scene"
        else:
            connection = client.websocket_connect(f"/ws/{made['table']}", headers=headers)
            with pytest.raises(WebSocketDenialResponse):
                connection.__enter__()
