"""The course of values through a deal, as a table tells it with the thoughts of its agents."""

import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from skat_env.table import live, movers
from tests.helpers.tables import HUMAN, joined, my_turn, new_table, server, until

PIMC = {"kind": "agent", "spec": "pimc(worlds=3, bidder=rule)"}


def test_agents_at_an_open_table_tell_their_values_so_far(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        made = new_table(client, seats=[PIMC] * 3, seed=2, thoughts=True, open=True)
        told: dict[int, list[int]] = {}
        with joined(client, made) as socket:
            while not (message := until(socket, lambda message: message["kind"] != "error")).get("over"):
                if message["kind"] == "thoughts":
                    numbers = [point["number"] for point in message["course"]]
                    earlier = told.get(message["seat"], [])
                    assert numbers[: len(earlier)] == earlier
                    assert numbers == sorted(set(numbers))
                    told[message["seat"]] = numbers
    assert max(map(len, told.values())) > 3


def test_what_a_person_takes_back_is_no_part_of_the_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SECONDS", 0.1)  # the others are away, and have not answered then
    with server(tmp_path) as client:
        made = new_table(client, seats=[HUMAN] * 3, seed=2, thoughts=True, hint="rule")
        with joined(client, made, made["seats"]["1"]) as socket:
            scene = until(socket, my_turn)
            for _ in range(2):
                socket.send_json({"do": "think"})
                thoughts = until(socket, lambda message: message["kind"] == "thoughts")
                assert [point["number"] for point in thoughts["course"]] == [0]
                bid = {"do": "act", "action": scene["legal"][-1]["action"], "number": scene["number"]}
                socket.send_json(bid)
                until(socket, lambda message: message["kind"] == "scene" and not message["legal"])
                socket.send_json({"do": "undo"})
                scene = until(socket, my_turn)


def test_thoughts_of_what_is_taken_back_are_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()
    think = movers.think

    def slow(*args: Any, **options: Any) -> Any:
        begun.set()
        assert may_end.wait(20)
        return think(*args, **options)

    monkeypatch.setattr(movers, "think", slow)
    with server(tmp_path) as client:
        made = new_table(client, game="klaverjas", seed=1, hint="rule", thoughts=True, open=True)
        with joined(client, made, made["seats"]["0"]) as socket:
            scene = until(socket, my_turn)
            socket.send_json({"do": "act", "action": scene["legal"][0]["action"], "number": scene["number"]})
            assert begun.wait(20)
            socket.send_json({"do": "undo"})
            until(socket, lambda message: message["kind"] == "scene" and not message["history"])
            may_end.set()
            socket.send_json({"do": "hint"})
            assert until(socket, lambda message: message["kind"] != "scene")["kind"] == "hint"
