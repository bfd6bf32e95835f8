"""Whole deals over connections, and what happens to bad messages, at restarts and when agents fail."""

import builtins
import errno
import json
import logging
import os
import secrets
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
import uvicorn
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from skat_env import registry
from skat_env.cards import cards_of
from skat_env.protocols import Decision
from skat_env.records import GameRecord
from skat_env.registry import AGENT_GROUP, register
from skat_env.table import live
from skat_env.table.patience import PatientProtocol
from skat_env.table.server import make_app
from skat_env.table.session import Session, copied
from skat_env.table.store import Journal, new_name, restored
from tests.helpers.tables import HUMAN, RULE, joined, my_turn, new_table, play_deal, server, until


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_deals_are_played_to_their_score(tmp_path: Path, game: str) -> None:
    """Two deals: the second at the next seat, with the points of the first."""
    rng = np.random.default_rng(1)
    with server(tmp_path) as client:
        made = new_table(client, game=game, seed=3)
        with joined(client, made, made["seats"]["0"]) as socket:
            first = play_deal(socket, rng)
            assert first["table"]["result"]
            assert first["you"] == 0
            socket.send_json({"do": "next"})
            second = play_deal(socket, rng)
            seats = len(second["players"])
            assert second["you"] == seats - 1
        lines = client.get(f"/api/tables/{made['table']}/record").text.splitlines()
        records = [GameRecord.parse(line) for line in lines]
        assert [record.seed for record in records] == [None, None]
        points = [record.returns() for record in records]
        assert points[0] is not None
        assert points[1] is not None
        moved = [points[0][(seat + 1) % seats] for seat in range(seats)]
        assert second["score"]["totals"] == [a + b for a, b in zip(moved, points[1], strict=True)]
        assert records[0].agents[0] == "human"


def test_a_host_who_gave_the_own_seat_away_stays_the_host(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seed=1)
        token = made["seats"]["0"]
        with joined(client, made, token, made["host"]) as socket:
            until(socket, my_turn)
            socket.send_json({"do": "replace", "seat": 0, "by": RULE})
            until(socket, lambda message: message["players"][0]["kind"] == "agent")
        with joined(client, made, token, made["host"]) as socket:
            scene = socket.receive_json()
            assert (scene["kind"], scene["host"], scene["you"]) == ("scene", True, -1)
        with joined(client, made, token) as socket:
            assert "gives no seat" in socket.receive_json()["error"]


def test_two_people_and_a_spectator_see_the_same_table(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seats=[{"kind": "human", "name": "Ann"}, HUMAN, RULE], seed=1)
        with (
            joined(client, made, made["seats"]["0"]) as ann,
            joined(client, made, made["seats"]["1"]) as other,
            joined(client, made) as watching,
        ):
            scene = until(other, my_turn)
            assert scene["you"] == 1
            other.send_json({"do": "act", "action": scene["legal"][0]["action"], "number": scene["number"]})
            scenes = [
                until(each, lambda message: message["number"] > scene["number"])
                for each in (ann, other, watching)
            ]
            assert [each["you"] for each in scenes] == [0, 1, -1]
            assert len({json.dumps(each["history"]) for each in scenes}) == 1
            assert scenes[2]["players"][0]["name"] == "Ann"
            assert all(player["here"] for player in scenes[2]["players"])
            watching.send_json({"do": "act", "action": 32, "number": scenes[2]["number"]})
            assert "spectators" in until(watching, lambda message: message["kind"] == "error")["error"]


BAD = [
    ("", "no message"),
    ("{", "no message"),
    ('{"do":"fly"}', "no message"),
    ('{"do":"act","action":"x","number":0}', "no message"),
    ('{"do":"act","action":32}', "no message"),
    ('{"do":"act","action":63,"number":NUMBER}', "not legal"),
    ('{"do":"act","action":-1,"number":NUMBER}', "not legal"),
    ('{"do":"act","action":999999999999,"number":NUMBER}', "not legal"),
    ('{"do":"act","action":32,"number":-1}', "look again"),
    ('{"do":"undo"}', "nothing to take back"),
    ('{"do":"claim"}', "in the cardplay"),
    ('{"do":"give_up"}', "in the cardplay"),
    ('{"do":"next"}', "not over"),
    ('{"do":"think"}', "no thoughts"),
    ('{"do":"join","token":""}', "joined already"),
    ('{"do":"replace","seat":1,"by":{"kind":"agent","spec":"rule"}}', "only the host"),
]


def test_bad_messages_get_a_sentence_and_change_nothing(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seats=[RULE, HUMAN, RULE], seed=1)
        journal = tmp_path / f"{made['table']}.jsonl"
        with joined(client, made, made["seats"]["1"]) as socket:
            scene = until(socket, my_turn)
            before = journal.read_bytes()
            for text, words in BAD:
                socket.send_text(text.replace("NUMBER", str(scene["number"])))
                message = socket.receive_json()
                assert message["kind"] == "error", text
                assert words in message["error"], (text, message)
            assert journal.read_bytes() == before
        with joined(client, made, made["seats"]["1"]) as socket:
            passing = {"players": 0, "clock": 0}
            assert until(socket, my_turn) | passing == scene | passing


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"rules": "x=1"}, "x"),
        ({"seats": [HUMAN]}, "3 seats"),
        ({"seats": [{"kind": "robot"}, RULE, RULE]}, "robot"),
        ({"seats": [{"kind": "agent", "spec": "nobody"}, RULE, RULE]}, "nobody"),
        ({"seats": [{"kind": "agent", "spec": "engine(command=ls)"}, RULE, RULE]}, "runs a program"),
        ({"seats": [{"kind": "agent", "spec": "learner(path=x)"}, RULE, RULE]}, "runs a program"),
        ({"seats": [{"kind": "agent", "spec": "policy(checkpoint=/etc)"}, RULE, RULE]}, "names a file"),
        ({"hint": "engine(command=ls)"}, "runs a program"),
        ({"seats": [{"kind": "human", "name": "x" * 41}, RULE, RULE]}, "40 characters"),
        ({"seed": -1}, "seed"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_table_that_cannot_be(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    with server(tmp_path) as client:
        answer = client.post("/api/tables", json=given)
        assert answer.status_code == 400
        assert words in answer.json()["error"]
        assert (
            client.post("/api/tables", content="{}", headers={"content-type": "text/plain"}).status_code
            == 415
        )
    assert not list(tmp_path.iterdir())


def test_links_are_not_guessed(tmp_path: Path) -> None:
    """A name or token that is not the table's own gets nothing, and every one is of 128 random bits."""
    with server(tmp_path) as client:
        made, other = new_table(client, seed=1), new_table(client, seed=1)
        names = [made["table"], made["host"], made["seats"]["0"], other["table"]]
        assert len({*names}) == 4
        assert all(len(name) == 22 for name in names)
        for table, token, host in (
            (secrets.token_urlsafe(16), "", ""),
            (made["table"], other["seats"]["0"], ""),
            (made["table"], made["host"], ""),
            (made["table"], "", made["seats"]["0"]),
            (made["table"], "ä", ""),
        ):
            with client.websocket_connect(f"/ws/{table}") as socket:
                socket.send_json({"do": "join", "token": token, "host": host})
                assert socket.receive_json()["kind"] == "error"
                assert socket.receive()["type"] == "websocket.close"
        assert client.get(f"/api/tables/{new_name()}/record").status_code == 404
        with client.websocket_connect(f"/ws/{made['table']}") as socket:
            socket.send_json({"do": "next"})
            assert "first message" in socket.receive_json()["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "http://[", "http://[::1", "null", ""])
def test_another_site_gets_no_connection(tmp_path: Path, origin: str) -> None:
    with server(tmp_path) as client:
        made = new_table(client)
        with (
            pytest.raises(WebSocketDisconnect) as raised,
            client.websocket_connect(f"/ws/{made['table']}", headers={"origin": origin}),
        ):
            pass
        assert raised.value.code == 4403


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_server_that_is_started_again_has_its_tables(tmp_path: Path, game: str) -> None:
    """Undone actions, claims, deals and new players included; a line that was cut off in writing is left out."""
    rng = np.random.default_rng(2)
    with server(tmp_path) as client:
        made = new_table(client, game=game, seed=4)
        with joined(client, made, made["seats"]["0"], made["host"]) as socket:
            play_deal(socket, rng)
            socket.send_json({"do": "next"})
            for _ in range(3):
                scene = until(socket, my_turn)
                socket.send_json(
                    {"do": "act", "action": scene["legal"][-1]["action"], "number": scene["number"]}
                )
            scene = until(socket, my_turn)
            if scene["can"]["undo"]:
                socket.send_json({"do": "undo"})
                scene = until(socket, my_turn)
            socket.send_json(
                {"do": "replace", "seat": (scene["you"] + 1) % 3, "by": {"kind": "human", "name": "Bo"}}
            )
            token = until(socket, lambda message: message["kind"] == "seat")["token"]
        with joined(client, made, made["seats"]["0"], made["host"]) as socket:
            before = socket.receive_json()
    with (tmp_path / f"{made['table']}.jsonl").open("a") as file:
        file.write('{"act": 3')
    with server(tmp_path) as client:
        with joined(client, made, made["seats"]["0"], made["host"]) as socket:
            after = socket.receive_json()
        assert {**after, "number": 0} == {**before, "number": 0}
        with joined(client, made, token) as socket:
            assert socket.receive_json()["you"] == (scene["you"] + 1) % 3


def test_a_damaged_journal_is_named_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with server(tmp_path) as client:
        made, other = new_table(client), new_table(client)
    journal = tmp_path / f"{made['table']}.jsonl"
    damaged = journal.read_text() + '{"act": 77}\n'
    journal.write_text(damaged)
    with server(tmp_path) as client:
        with client.websocket_connect(f"/ws/{made['table']}") as socket:
            socket.send_json({"do": "join"})
            assert "no such table" in socket.receive_json()["error"]
        with joined(client, other) as socket:
            assert socket.receive_json()["kind"] == "scene"
    assert "no journal of a table" in capsys.readouterr().err
    assert journal.read_text() == damaged


class Failing:
    name = "failing"

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        raise RuntimeError("no idea")


def test_an_agent_that_fails_is_named_and_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register(AGENT_GROUP, "skat.failing", Failing)
    with server(tmp_path) as client:
        made = new_table(client, seats=[HUMAN, {"kind": "agent", "spec": "failing"}, RULE], seed=1)
        with joined(client, made, made["seats"]["0"], made["host"]) as socket:
            scene = until(socket, lambda message: message["players"][1]["failed"])
            assert scene["players"][1]["failed"] == "failing cannot play on: the server's log says why"
            socket.send_json({"do": "replace", "seat": 1, "by": RULE})
            assert play_deal(socket, np.random.default_rng(0))["over"]
    assert "failing cannot play on: no idea" in capsys.readouterr().err


class Raising:
    name = "raising"

    def __init__(self, kind: str = "KeyError") -> None:
        self.error: type[Exception] = getattr(builtins, kind)

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        raise self.error("no idea")


@pytest.mark.parametrize("kind", ["KeyError", "RuntimeError", "OSError"])
def test_a_hint_that_fails_is_a_sentence_for_who_asked(tmp_path: Path, kind: str) -> None:
    register(AGENT_GROUP, "raising", Raising)
    with server(tmp_path) as client:
        made = new_table(
            client, seats=[RULE, HUMAN, HUMAN], seed=1, hint=f"raising(kind={kind})", thoughts=True
        )
        with joined(client, made, made["seats"]["1"]) as socket, joined(client, made) as other:
            scene = until(socket, my_turn)
            for question in ("hint", "think"):
                socket.send_json({"do": question})
                told = until(socket, lambda message: message["kind"] != "scene")
                assert (told["kind"], "cannot answer" in told["error"]) == ("error", True)
                assert "no idea" in told["error"]
            action = scene["legal"][0]["action"]
            socket.send_json({"do": "act", "action": action, "number": scene["number"]})
            number = scene["number"]
            while other.receive_json()["number"] <= number:  # scenes only: an error has no number
                pass


def test_hints_claims_and_giving_up(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, game="klaverjas", seed=2)
        with joined(client, made, made["seats"]["0"]) as socket:
            scene = until(socket, my_turn)
            socket.send_json({"do": "hint"})
            hint = until(socket, lambda message: message["kind"] == "hint")
            assert hint["action"] in [each["action"] for each in scene["legal"]]
            socket.send_json({"do": "claim"})
            assert "not sure" in until(socket, lambda message: message["kind"] == "error")["error"]
            socket.send_json({"do": "give_up"})
            scene = until(socket, my_turn)
            assert scene["over"]
            assert scene["history"][-1]["label"] == "gives up"
        (line,) = client.get(f"/api/tables/{made['table']}/record").text.splitlines()
        record = GameRecord.parse(line)
        returns = record.returns()
        assert record.claim is not None
        assert returns is not None
        assert returns[0] == min(record.state.returns(claim=claim)[0] for claim in (True, False))


def test_pages_and_faces(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        for path in ("/", "/review", "/shelf", f"/t/{new_name()}"):
            answer = client.get(path)
            assert answer.status_code == 200, path
            assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        faces = {client.get(f"/faces/german-de-two/{card}.svg").text for card in [*range(32), "back"]}
        assert len(faces) == 33
        for path in (
            "/faces/x/1.svg",
            "/faces/french-en-four/32.svg",
            "/static/../server.py",
            "/static/nothing.js",
        ):
            assert client.get(path).status_code == 404, path


def test_pages_offer_the_agents_that_they_may_ask_for(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        games = client.get("/api/options").json()["games"]
        for name, game in games.items():
            assert {"rule", "champion"} <= {*game["agents"]}
            assert not {"engine", "llm", "sb3", "learner"} & {*game["agents"]}, name


def test_a_server_without_a_shelf_has_all_the_rest(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        for path in ("", "/games?path=games.jsonl", "/match?path=m", "/run?path=r", "/result?path=r"):
            assert client.get(f"/api/shelf{path}").status_code == 404
        assert client.get("/shelf/file?path=a.svg").status_code == 404
        answer = client.post("/api/review", json={"dataset": "games.jsonl", "number": 0})
        assert answer.status_code == 400
        assert "shelf" in answer.json()["error"]
        assert new_table(client, seed=1)["table"]


def test_a_change_that_cannot_be_kept_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full: the table stays as it was, in the file and for everybody, and goes on afterwards."""

    def full(self: Journal, event: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with server(tmp_path) as client:
        made = new_table(client, seats=[RULE, HUMAN, RULE], seed=1)
        journal = tmp_path / f"{made['table']}.jsonl"
        with joined(client, made, made["seats"]["1"]) as socket:
            scene = until(socket, my_turn)
            before = journal.read_bytes()
            message = {"do": "act", "action": scene["legal"][0]["action"], "number": scene["number"]}
            with monkeypatch.context() as patched:
                patched.setattr(Journal, "add", full)
                socket.send_json(message)
                told = until(socket, lambda each: each["kind"] == "error")
            assert told["error"] == "the table cannot be kept: no space left on device"
            assert journal.read_bytes() == before
            socket.send_json(message)
            assert until(socket, lambda each: each["kind"] == "scene")["number"] == scene["number"] + 1


def test_a_table_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(descriptor: int, mode: str) -> IO[str]:
        os.close(descriptor)
        return Path("/dev/full").open(mode)

    with server(tmp_path) as client:
        with monkeypatch.context() as patched:
            patched.setattr("skat_env.table.store.os.fdopen", full)
            answer = client.post("/api/tables", json={})
        assert answer.status_code == 400
        assert "No space left on device" in answer.json()["error"]
    with server(tmp_path):
        pass
    assert capsys.readouterr().err == ""
    assert not list(tmp_path.iterdir())


def test_an_agent_that_thinks_plays_on_where_a_change_was_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's change comes while it thinks, and is none: what it then decides is at the table and in the journal."""
    register(AGENT_GROUP, "skat.endless", Endless)
    Endless.until.clear()
    keep = Journal.add

    def full(self: Journal, event: Any) -> None:
        if "replace" in event:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        keep(self, event)

    monkeypatch.setattr(Journal, "add", full)
    try:
        with server(tmp_path) as client:
            made = new_table(client, seats=[HUMAN, {"kind": "agent", "spec": "endless"}, RULE], seed=1)
            with joined(client, made, made["seats"]["0"], made["host"]) as socket:
                scene = until(socket, lambda message: message["kind"] == "scene")
                socket.send_json({"do": "replace", "seat": 2, "by": {"kind": "agent", "spec": "random"}})
                assert "cannot be kept" in until(socket, lambda message: message["kind"] == "error")["error"]
                Endless.until.set()
                moved = until(socket, lambda message: message["kind"] == "scene")
                assert (moved["number"], len(moved["history"])) == (scene["number"] + 1, 1)
                assert moved["players"][2]["spec"] == "rule"
                assert play_deal(socket, np.random.default_rng(0))["over"]
        assert restored(Journal(tmp_path / f"{made['table']}.jsonl"))[1].is_over
    finally:
        Endless.until.set()


def test_a_table_comes_back_without_its_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is gone when the server starts again: the table says so, and the seat goes to another."""
    register(AGENT_GROUP, "skat.passing", Failing)
    with server(tmp_path) as client:
        made = new_table(client, seats=[HUMAN, {"kind": "agent", "spec": "passing"}, RULE], seed=1)
    monkeypatch.delitem(registry._registered, (AGENT_GROUP, "skat.passing"))
    with server(tmp_path) as client, joined(client, made, made["seats"]["0"], made["host"]) as socket:
        scene = until(socket, lambda message: message["players"][1]["failed"])
        assert "unknown agent" in scene["players"][1]["failed"]
        socket.send_json({"do": "replace", "seat": 1, "by": RULE})
        assert play_deal(socket, np.random.default_rng(0))["over"]


class Endless:
    name = "endless"
    until = threading.Event()

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        self.until.wait(60)
        return Decision(int(view.legal_actions()[0]))


@pytest.mark.parametrize("question", ["hint", "think", "claim"])
def test_whoever_waits_for_an_answer_may_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    """An answer to what was asked before is none afterwards."""

    def sure(*_: Any) -> bool:
        return Endless.until.wait(60)

    monkeypatch.setattr(live, "claim_holds", sure)
    register(AGENT_GROUP, "klaverjas.endless", Endless)
    Endless.until.clear()
    try:
        with server(tmp_path) as client:
            made = new_table(client, game="klaverjas", seed=2, hint="endless", thoughts=True)
            with joined(client, made, made["seats"]["0"]) as socket:
                scene = until(socket, my_turn)
                for _ in range(3):
                    socket.send_json({"do": question})
                action = scene["legal"][0]["action"]
                socket.send_json({"do": "act", "action": action, "number": scene["number"]})
                moved = socket.receive_json()
                assert (moved["kind"], moved["number"]) == ("scene", scene["number"] + 1)
                until(socket, my_turn)
                (viewer,) = client.app.state.tables.live[made["table"]].viewers  # type: ignore[attr-defined]
                assert len(viewer.questions) == 1
                Endless.until.set()
                while viewer.questions:
                    time.sleep(0.01)
                socket.send_json({"do": "next"})
                told = [socket.receive_json()["error"] for _ in range(1 + (question == "claim"))]
                assert told[-1] == "the deal is not over"
                assert [each for each in told if "look again" in each] == told[:-1]
    finally:
        Endless.until.set()


def test_an_agent_that_never_moves_is_named_and_other_tables_go_on(tmp_path: Path) -> None:
    register(AGENT_GROUP, "skat.endless", Endless)
    endless = {"kind": "agent", "spec": "endless"}
    Endless.until.clear()
    try:
        with server(tmp_path, time_limit=0.3) as client:
            stuck = [new_table(client, seats=[HUMAN, endless, RULE], seed=1) for _ in range(8)]
            with (
                joined(client, stuck[0], stuck[0]["seats"]["0"], stuck[0]["host"]) as socket,
                ExitStack() as others,
            ):
                for each in stuck[1:]:
                    others.enter_context(joined(client, each))
                other = new_table(client, seats=[HUMAN, RULE, RULE], seed=1)
                with joined(client, other, other["seats"]["0"]) as beside:
                    assert play_deal(beside, np.random.default_rng(0))["over"]
                scene = until(socket, lambda message: message["players"][1]["failed"])
                sentence = "endless cannot play on: it took longer than 0.3 seconds"
                assert scene["players"][1]["failed"] == sentence
                socket.send_json({"do": "replace", "seat": 1, "by": RULE})
                assert play_deal(socket, np.random.default_rng(0))["over"]
            Endless.until.set()
    finally:
        Endless.until.set()


def test_an_agent_that_never_moves_is_replaced(tmp_path: Path) -> None:
    register(AGENT_GROUP, "skat.endless", Endless)
    Endless.until.clear()
    try:
        with server(tmp_path) as client:
            made = new_table(client, seats=[HUMAN, {"kind": "agent", "spec": "endless"}, RULE], seed=1)
            with joined(client, made, made["seats"]["0"], made["host"]) as socket:
                until(socket, lambda message: message["kind"] == "scene")
                socket.send_json({"do": "replace", "seat": 1, "by": RULE})
                assert play_deal(socket, np.random.default_rng(0))["over"]
            Endless.until.set()
    finally:
        Endless.until.set()


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_finished_deal_is_played_again(tmp_path: Path, game: str) -> None:
    """With the same cards at the same seats; what follows is the new table's own, also after a restart."""
    rng = np.random.default_rng(1)
    seats = 3 if game == "skat" else 4
    players = [{"kind": "human", "name": "Ann"}, *[RULE] * (seats - 1)]

    def hands(text: str) -> str:
        return text.partition(" ")[0]

    with server(tmp_path) as client:
        made = new_table(client, game=game, seed=3, seats=players)
        with joined(client, made, made["seats"]["0"]) as socket:
            play_deal(socket, rng)
            socket.send_json({"do": "next"})
            play_deal(socket, rng)
            socket.send_json({"do": "next"})
            play_deal(socket, rng)
        path = f"/api/tables/{made['table']}"
        assert client.get(path).json() == {"game": game, "deals": 3}
        assert (
            client.post(f"{path}/again", json={"deal": 3})
            .json()["error"]
            .startswith("deal 3 is none of the 3")
        )
        for question in ("[]", "3", '"x"', "null"):
            answer = client.post(
                f"{path}/again", content=question, headers={"content-type": "application/json"}
            )
            assert (answer.status_code, answer.json()["error"]) == (400, "the question is no JSON object")
        assert client.post("/api/tables/none/again", json={"deal": 0}).status_code == 404
        assert client.get("/api/tables/none").status_code == 404
        again = client.post(f"{path}/again", json={"deal": 1}).json()
        assert [*again["seats"]] == [str(seats - 1)]
    with server(tmp_path) as client:
        with joined(client, again, again["seats"][str(seats - 1)]) as socket:
            play_deal(socket, rng)
            socket.send_json({"do": "next"})
            play_deal(socket, rng)
        records = [
            [GameRecord.parse(line) for line in client.get(f"/api/tables/{each}/record").text.splitlines()]
            for each in (made["table"], again["table"])
        ]
    assert hands(records[0][1].state.text()) == hands(records[1][0].state.text())
    assert records[0][1].agents == records[1][0].agents
    # The new table tells nothing of the next deal of the old one.
    assert hands(records[0][2].state.text()) != hands(records[1][1].state.text())


def test_a_table_may_begin_with_a_given_deal(tmp_path: Path) -> None:
    state = registry.get_game("skat").state.random(np.random.default_rng(7))
    with server(tmp_path) as client:
        made = new_table(client, start=state.text())
        with joined(client, made, made["seats"]["0"]) as socket:
            assert sorted(until(socket, my_turn)["table"]["hands"][0]["cards"]) == cards_of(state.places[0])
        state.apply(state.legal_actions()[0])
        for start, words in ((state.text(), "has begun already"), ("x", "error"), ("D7/?/? : ", "error")):
            answer = client.post("/api/tables", json={"start": start})
            assert answer.status_code == 400
            assert words in answer.text


def test_the_clock_of_a_person_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rule` decides; agents and people in time are left alone."""
    monkeypatch.setattr("skat_env.table.session.MIN_CLOCK", 0)
    with server(tmp_path) as client:
        for clock in (-1, 3601):
            assert "a clock of" in client.post("/api/tables", json={"clock": clock}).json()["error"]
        made = new_table(client, game="klaverjas", seed=1, clock=1)
        with joined(client, made, made["seats"]["0"]) as socket:
            scene = until(socket, my_turn)
            assert scene["clock"]["seconds"] == 1
            assert until(socket, lambda message: message["kind"] == "late")["agent"] == "rule"
            later = until(socket, my_turn)
            assert later["number"] > scene["number"]
            assert sum(each["seat"] == 0 for each in later["history"]) == 1


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks of people run out at once."""
    made = Session.__post_init__

    def begun(session: Session) -> None:
        made(session)
        session.new = copied(session.new, clock=0.05)

    monkeypatch.setattr(Session, "__post_init__", begun)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("spec", ["unheard-of", "failing"])
def test_the_clock_of_a_person_runs_out_in_a_game_without_the_agent_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    """There is none of that name, or it fails: another decides."""
    register(AGENT_GROUP, "skat.failing", Failing)
    monkeypatch.setattr(live, "LATE", spec)
    with server(tmp_path) as client:
        made = new_table(client, seats=[RULE, HUMAN, RULE], seed=1)
        with joined(client, made, made["seats"]["1"]) as socket:
            scene = until(socket, my_turn)
            assert until(socket, lambda message: message["kind"] == "late")["agent"] == "random"
            assert until(socket, lambda message: message["kind"] == "scene")["number"] == scene["number"] + 1


@pytest.mark.usefixtures("hurried")
def test_the_clock_starts_again_where_a_change_was_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was decided for a person has not happened, and they are not told so; the next time it does."""
    keep, failed = Journal.add, []

    def full_once(self: Journal, event: Any) -> None:
        if not failed:
            failed.append(event)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        keep(self, event)

    monkeypatch.setattr(Journal, "add", full_once)
    with server(tmp_path) as client:
        made = new_table(client, seats=[RULE, HUMAN, RULE], seed=1)
        with joined(client, made, made["seats"]["1"]) as socket:
            number = until(socket, my_turn)["number"]
            again = socket.receive_json()
            assert (again["number"], bool(again["legal"])) == (number, True)
            assert failed
            assert socket.receive_json()["kind"] == "late"
            assert socket.receive_json()["number"] == number + 1


class Numpy:
    name = "numpy"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        stats = {"values": {legal[0]: np.float32(0.5)}, "worlds": np.int64(3), "spread": np.float64(0.25)}
        return Decision(legal[0], np.ones(64, np.float32), value=np.float32(0.5), stats=stats)  # type: ignore[arg-type]


def test_thoughts_of_an_agent_with_numbers_of_numpy_are_sent(tmp_path: Path) -> None:
    register(AGENT_GROUP, "skat.numpy", Numpy)
    with server(tmp_path) as client:
        made = new_table(client, seats=[RULE, HUMAN, RULE], seed=1, hint="numpy", thoughts=True)
        with joined(client, made, made["seats"]["1"]) as socket:
            until(socket, my_turn)
            socket.send_json({"do": "think"})
            told = until(socket, lambda message: message["kind"] == "thoughts")
    assert (told["value"], told["course"][-1]["value"], told["actions"][0]["value"]) == (0.5, 0.5, 0.5)
    assert told["stats"] == {"worlds": 3, "spread": 0.25}


@pytest.mark.parametrize(
    ("game", "rules", "stages"),
    [
        ("skat", "", registry.get_game("skat").stages),
        ("klaverjas", "", ("cardplay",)),
        ("klaverjas", "choice=free", ("choice", "cardplay")),
    ],
)
def test_the_agents_of_a_new_table_are_warm(
    tmp_path: Path, game: str, rules: str, stages: tuple[str, ...]
) -> None:
    """Each has been asked in every stage that the rules have before anybody plays; the server answers meanwhile."""
    asked: list[str] = []

    class Noting:
        name = "noting"

        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            asked.append(view.stage)
            return Decision(view.legal_actions()[0])

    register(AGENT_GROUP, "noting", Noting)
    with server(tmp_path) as client:
        people = [HUMAN] * (len(registry.get_game(game).seats) - 1)
        new_table(client, game=game, rules=rules, seats=[*people, {"kind": "agent", "spec": "noting"}])
        assert client.get("/").status_code == 200
        deadline = time.monotonic() + 30
        while len(asked) < len(stages) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert asked == list(stages)


def test_a_connection_that_does_not_join_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skat_env.table.server.JOIN_SECONDS", 0.05)
    with server(tmp_path) as client:
        made = new_table(client)
        with (
            client.websocket_connect(f"/ws/{made['table']}") as socket,
            pytest.raises(WebSocketDisconnect) as raised,
        ):
            socket.receive_json()
        assert raised.value.code == 4408


@contextmanager
def listening(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a server that connections come to."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        config = uvicorn.Config(make_app(folder), log_config=None, http=PatientProtocol)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [place]})
        thread.start()
        while not running.started:
            time.sleep(0.01)
        try:
            yield place.getsockname()
        finally:
            running.should_exit = True
            thread.join()


def test_requests_that_never_become_whole_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody holds places by waiting; whoever asks, also twice over a connection, and WebSockets are served."""
    monkeypatch.setattr("skat_env.table.patience.REQUEST_SECONDS", 0.3)
    with listening(tmp_path) as at:
        half = [socket.create_connection(at) for _ in range(20)]
        for number, each in enumerate(half):
            each.settimeout(30)
            if number % 2:
                each.sendall(b"GET / HTTP/1.1\r\nHost: x")
        whole = HTTPConnection(*at, timeout=30)
        for _ in range(2):
            whole.request("GET", "/api/options")
            answer = whole.getresponse()
            assert answer.status == 200
            answer.read()
            time.sleep(0.1)
        table = json.dumps({}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{at[1]}/api/tables", table, {"Content-Type": "application/json"}
        )
        made = json.loads(urllib.request.urlopen(request, timeout=30).read())
        with connect(f"ws://127.0.0.1:{at[1]}/ws/{made['table']}") as connection:
            connection.send(json.dumps({"do": "join"}))
            connection.recv(timeout=30)
            for each in half:
                assert each.recv(1) == b""
            connection.ping().wait(30)


def test_questions_that_never_become_whole_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One whose client waits has an answer, one whose client has left is no error of the server."""
    monkeypatch.setattr("skat_env.table.answers.BODY_SECONDS", 0.3)
    with listening(tmp_path) as at:
        waiting, leaving = socket.create_connection(at), socket.create_connection(at)
        for each in (waiting, leaving):
            each.sendall(
                b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{" % at[1]
            )
        leaving.close()
        waiting.settimeout(30)
        told = b""
        while part := waiting.recv(1 << 16):
            told += part
        assert told.startswith(b"HTTP/1.1 408 ")
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]
