"""Games for the page of reviews: as `skat-env review` has them, as one seat saw them, and what others would have done."""

import json
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from starlette.applications import Starlette
from starlette.testclient import TestClient

from skat_env import registry
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.cards import cards_of
from skat_env.datasets.dataset import DatasetWriter
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.pictures.table import table_of
from skat_env.records import GameRecord
from skat_env.registry import make_agent
from skat_env.skat import GAME as SKAT
from skat_env.skat.iss.notation import write
from skat_env.solvers.review import review
from skat_env.solvers.reviewed_game import Prospect
from skat_env.table import reviews as module
from skat_env.table.answers import MAX_BYTES, JsonRoutes
from skat_env.table.reviews import Reviews, read_games, scenes, steps
from skat_env.table.scene import UNSEEN
from skat_env.table.shelf import Shelf
from tests.conftest import klaverjas_positions, random_games, skat_positions
from tests.helpers.reviews import run

GAMES = {"skat": SKAT, "klaverjas": KLAVERJAS}
POSITIONS = {"skat": skat_positions(), "klaverjas": klaverjas_positions()}
both_games = pytest.mark.parametrize("name", list(GAMES))


def record(name: str, seed: int = 3) -> GameRecord:
    """A game that was played to its end."""
    game = GAMES[name]
    for state in random_games(game, 30, seed):
        if len(state.plays()) == sum(game.place_sizes[: len(game.seats)]):
            return GameRecord.of(name, state, [f"player {seat}" for seat in range(len(game.seats))])
    raise AssertionError("there is no such game")


def client(reviews: Reviews | None = None, json_routes: JsonRoutes | None = None) -> TestClient:
    return TestClient(Starlette(routes=(reviews or Reviews()).routes(json_routes or JsonRoutes())))


def asked(path: str, question: dict[str, Any], status: int = 200) -> dict[str, Any]:
    """The answer to a question; one with something wrong is one sentence."""
    response = client().post(path, json=question)
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    if status != 200:
        assert list(found) == ["error"]
        assert "\n" not in found["error"]
    return found


@both_games
def test_costs_are_those_of_the_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = record(name)
    file = tmp_path / "games.jsonl"
    file.write_text(given.text() + "\n")
    status, out, _ = run(capsys, file, "--json")
    assert status == 0
    found = asked("/api/review/costs", {"text": given.text()})
    assert found["review"] == json.loads(out)["review"]
    assert len(found["cards"]) == len(given.state.plays())
    assert found["first"] == len(given.state.history()) - len(given.state.plays())
    expected, words = review(given), review(given).game
    for card, said in zip(expected.cards, found["cards"], strict=True):
        assert said["value"] == words.value_text(given.state, card.before)
        assert said["outcome"] == words.outcome_text(given.state, Prospect(card.before, card.wins_before))
    assert found["result"] == words.result_text(given.state, None)


@both_games
@pytest.mark.parametrize("seat", [-1, 0, 2])
def test_scenes_are_the_pictures_of_the_game(name: str, seat: int) -> None:
    given, game = record(name), GAMES[name]
    found = asked("/api/review", {"text": given.text(), "seat": seat})
    state = given.state.clone()
    for number in range(len(state.history()), -1, -1):
        seen = state if seat < 0 else state.view(seat)
        scene = found["scenes"][number]
        assert scene["number"] == number
        assert scene["position"] == seen.text()
        table = table_of(name, seen)
        expected = {**asdict(table), "playable": cards_of(table.playable)}
        assert scene["table"] == json.loads(json.dumps(expected))
        if number:
            state.undo()
    assert len(found["scenes"]) == len(found["steps"]) + 1 == len(given.state.history()) + 1
    plays = [(each["seat"], each["card"]) for each in found["steps"] if each["card"] is not None]
    assert plays == given.state.plays()
    assert found["text"] == given.text()
    assert found["summary"]["players"] == list(given.agents)
    assert found["summary"]["won"] == given.state.outcome().won
    assert found["seats"] == list(game.seats)


@both_games
@given(st.data())
@settings(max_examples=30)
def test_one_seat_sees_its_own_cards_only(name: str, data: st.DataObject) -> None:
    """The cards that a seat does not see are dealt anew: its last scene and all its labels are the same, byte for byte."""
    state, game = data.draw(POSITIONS[name]), GAMES[name]
    seat = data.draw(st.integers(0, len(game.seats) - 1))
    expected = json.dumps([scenes(game, state, seat)[-1], steps(game, state, seat)])
    for world in UniformSampler().worlds(state.view(seat), 3, np.random.default_rng(0)):
        assert json.dumps([scenes(game, world.state, seat)[-1], steps(game, world.state, seat)]) == expected


def test_discards_of_others_are_hidden() -> None:
    given = next(
        each
        for each in random_games(SKAT, 50, 2)
        if each.plays() and any(action == 34 for action in each.history())
    )
    soloist = given.soloist
    for seat in range(3):
        hidden = [each for each in steps(SKAT, given, seat) if each["label"] == UNSEEN]
        assert len(hidden) == (0 if seat == soloist else 2)


@both_games
def test_another_agent_is_asked_from_the_view_alone(name: str) -> None:
    given = record(name)
    step = len(given.state.history()) - 14
    state = given.state.clone()
    for _ in range(14):
        state.undo()
    view = state.view(state.to_act)
    question = {"text": given.text(), "step": step, "agent": "policy", "belief": "locations"}
    found = asked("/api/review/ask", question)
    assert found["action"] == make_agent("policy", name).decide(view, np.random.default_rng(0)).action
    assert found["seat"] == state.to_act
    assert found["belief"]["name"] == "locations"
    assert all("truth" in each for each in found["belief"]["cards"])
    blind = asked("/api/review/ask", {**question, "blind": True})
    expected = json.dumps(blind)
    assert "truth" not in expected
    assert "ratio" not in expected
    for world in UniformSampler().worlds(view, 3, np.random.default_rng(1)):
        other = GameRecord.of(name, world.state, given.agents).text()
        assert json.dumps(asked("/api/review/ask", {**question, "text": other, "blind": True})) == expected
    seat = (state.to_act + 1) % len(GAMES[name].seats)
    belief = asked("/api/review/ask", {**question, "seat": seat})
    assert belief["seat"] == seat
    assert "action" not in belief
    own = asked(
        "/api/review/ask",
        {"text": given.text(), "step": step, "seat": seat, "agent": "pimc(belief=locations)"},
    )
    assert own == belief
    from_view = asked("/api/review/ask", {"text": view.text(), "agent": "policy", "belief": "locations"})
    assert from_view == blind


class Asleep:
    name = "asleep"
    until = threading.Event()

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        self.until.wait(60)
        raise ValueError("awake")


def test_an_agent_that_does_not_come_back_stops_no_other_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, (registry.AGENT_GROUP, "skat.asleep"), Asleep)
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    json_routes = JsonRoutes(time_limit=0.5)
    page = client(json_routes=json_routes)
    question = {"text": record("skat").text(), "step": 12}
    try:
        errors = [
            page.post("/api/review/ask", json={**question, "agent": "asleep"}).json()["error"]
            for _ in range(4)
        ]
        assert errors == ["it took longer than 0.5 seconds", *["'asleep' is busy with another question"] * 3]
        assert page.post("/api/review/ask", json={**question, "agent": "rule"}).status_code == 200
    finally:
        Asleep.until.set()
        json_routes.close()


@both_games
def test_a_position_and_a_view_are_shown_too(name: str) -> None:
    state = record(name).state.clone()
    for _ in range(9):
        state.undo()
    found = asked("/api/review", {"text": state.text()})
    assert found["scenes"][-1]["position"] == state.text()
    costs = asked("/api/review/costs", {"text": state.text()})
    assert len(costs["cards"]) == len(state.plays())
    view = asked("/api/review", {"text": state.view(1).text()})
    assert view["kind"] == "view"
    assert [scene["position"] for scene in view["scenes"]] == [state.view(1).text()]
    while state.plays():
        state.undo()
    before = asked("/api/review/costs", {"text": state.text()})
    assert before["cards"] == []
    whole = review(record(name))
    assert (before["review"]["value"], before["review"]["wins"]) == (whole.value, whole.wins)


def test_files_of_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skat = [GameRecord.of("skat", state, list("abc")) for state in random_games(SKAT, 4, 8)]
    klaverjas = [GameRecord.of("klaverjas", state, list("abcd")) for state in random_games(KLAVERJAS, 3, 8)]
    lines = "\n".join(each.text() for each in (*skat, *klaverjas))
    found = asked("/api/review", {"text": lines + '\n{"game":1}\n', "number": 5})
    assert len(found["games"]) == 8
    assert found["text"] == klaverjas[1].text()
    assert "error" in found["games"][7]
    sgf = "\n".join(map(write, skat))
    assert [each.record.state.text() for each in read_games(sgf)] == [each.state.text() for each in skat]
    file = tmp_path / "games.jsonl"
    file.write_text(lines)
    _, reviewed, _ = run(capsys, file, "--json")
    again = read_games(reviewed)
    assert [each.record for each in again] == [each for each in (*skat, *klaverjas) if each.state.plays()]


def test_a_game_of_the_shelf(tmp_path: Path) -> None:
    games = [GameRecord.of("skat", state, list("abc")) for state in random_games(SKAT, 3, 1)]
    with DatasetWriter(tmp_path / "set", "skat") as writer:
        for each in games:
            writer.add(each)
    there = client(Reviews(Shelf(tmp_path)))
    found = there.post("/api/review", json={"dataset": "set", "number": 2}).json()
    assert found["text"] == games[2].text()
    assert there.post("/api/review", json={"dataset": "set", "number": 3}).status_code == 404
    assert there.post("/api/review", json={"dataset": "../set", "number": 0}).status_code == 404
    assert "--shelf" in asked("/api/review", {"dataset": "set"}, 400)["error"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"text": ""}, "the text is empty"),
        ({"text": "hello"}, "colon"),
        ({"text": "hello\nworld"}, "not a file of games"),
        ({"text": "D7.D8/H7.H8/S7.S8/C7.C8 :"}, "cards at its places"),
        ({"text": "{}"}, "keys"),
        ({"text": '{"game":"skat","position":"x"}'}, "position"),
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": "hello", "number": -1}, "number"),
        ({"text": "hello", "number": True}, "number"),
    ],
)
def test_what_is_no_game_gets_one_sentence(question: dict[str, Any], words: str) -> None:
    for path in ("/api/review", "/api/review/costs", "/api/review/ask"):
        assert words in asked(path, question, 400)["error"]


@both_games
def test_positions_that_cannot_be(name: str) -> None:
    text = record(name).state.text()
    head, _, actions = text.partition(" : ")
    cards = head.split()[0]
    twice = cards.replace(cards[:2], cards[3:5], 1)
    asked("/api/review", {"text": text.replace(cards, twice)}, 400)
    asked("/api/review", {"text": f"{head} : {actions} {actions.split()[-1]}"}, 400)
    asked("/api/review", {"text": record(name).text(), "seat": 4}, 400)


def test_a_view_has_no_costs() -> None:
    text = record("skat").state.view(1).text()
    for path in ("/api/review/costs", "/api/review/verdict"):
        assert "the view of one seat" in asked(path, {"text": text}, 400)["error"]


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    given = {"text": record("skat").text(), "step": 20}
    for wrong in (
        {"agent": "nobody"},
        {"agent": ""},
        {"agent": 3},
        {"agent": f"engine(command='touch {mark}')"},
        {"agent": "hybrid(policy=rule, search=engine(command='true'))"},
        {"agent": "player(bidding=rule, cardplay=\"engine(command='true')\")"},
        {"agent": "sb3(model.zip)"},
        {"agent": "policy(checkpoint=/etc)"},
        {"agent": "policy(checkpoint=../weights)"},
        {"agent": "pimc(belief=cheating)"},
        {"agent": "rule", "belief": "cheating"},
        {"agent": "rule", "belief": "locations(checkpoint=./x)"},
        {"agent": "a" * 10_000},
        {"agent": "pimc(worlds=100001)"},
        {"agent": "rule", "belief": "policy(k=1e9)"},
        {"agent": "rule", "step": 10_000},
        {"agent": "rule", "seat": 3},
        {"agent": "rule", "blind": 1},
        {"agent": "rule", "step": len(record("skat").state.history())},
    ):
        asked("/api/review/ask", {**given, **wrong}, 400)
    assert not mark.exists()


def test_agents_of_the_command_line_may_be_asked_whatever_they_name() -> None:
    name = "policy(checkpoint=./nothing)"
    answer = client(Reviews(allowed=[name])).post(
        "/api/review/ask", json={"text": record("skat").text(), "step": 20, "agent": name}
    )
    assert answer.status_code == 400
    assert "command line" not in answer.json()["error"]
    assert "nothing" in answer.json()["error"]


def test_a_game_without_cardplay_cannot_be_reviewed() -> None:
    state = SKAT.state.random(np.random.default_rng(0))
    for _ in range(3):
        state.apply(32)
    given = {"text": GameRecord.of("skat", state, list("abc")).text()}
    assert asked("/api/review", given)["summary"]["status"] == "passed"
    assert "no cardplay" in asked("/api/review/costs", given, 400)["error"]


def test_questions_of_other_forms_are_refused() -> None:
    there = client()
    assert there.post("/api/review", content="{}", headers={"content-type": "text/plain"}).status_code == 415
    for body in ("", "[]", "{", "nonsense", "[" * 1000):
        answer = there.post("/api/review", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert "JSON" in answer.json()["error"] or "nested" in answer.json()["error"]
    assert there.post("/api/review", json={"text": "x" * (MAX_BYTES + 1)}).status_code == 413
    assert there.get("/api/review").status_code == 405


def test_half_a_character_gets_one_sentence(tmp_path: Path) -> None:
    there = client(Reviews(Shelf(tmp_path)))
    half = '"\\ud800"'
    for body, status in ((f'{{"dataset":{half}}}', 404), (f'{{"text":"x","number":{half}}}', 400)):
        answer = there.post("/api/review", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == status, body
        assert list(answer.json()) == ["error"]


def test_texts_that_are_no_games_at_all_are_parse_errors() -> None:
    for text in ("", "\n\n", "hello\nworld"):
        with pytest.raises(ParseError):
            read_games(text)


LINES = [
    line
    for name in GAMES
    for line in (record(name).text(), record(name).state.text(), record(name).state.view(1).text())
]
LINES.append(write(record("skat")))


@given(
    st.sampled_from(LINES),
    st.lists(st.tuples(st.integers(0, 2000), st.characters()), max_size=3),
    st.integers(-5, 60),
)
@settings(max_examples=80)
def test_damaged_texts_get_one_sentence_or_a_game(
    line: str, damage: list[tuple[int, str]], step: int
) -> None:
    """Whatever is wrong, the server answers: with what was asked for, or with one sentence."""
    text = list(line)
    for place, letter in damage:
        text[place % len(text)] = letter
    there = client()
    for path in ("/api/review", "/api/review/ask"):
        answer = there.post(
            path, json={"text": "".join(text), "step": step, "agent": "random", "belief": "uniform"}
        )
        assert answer.status_code in (200, 400)
        assert answer.status_code == 200 or list(answer.json()) == ["error"]


@both_games
def test_a_verdict_is_made_of_what_the_seat_could_know(name: str) -> None:
    """Hidden cards are dealt anew: the same action costs the same."""
    game, rng, reviews = GAMES[name], np.random.default_rng(2), Reviews()
    compared = 0
    for state in random_games(game, 2, 5):
        actions = state.history()
        for step in range(0, len(actions), 7):
            true = state.clone()
            while len(true.history()) > step:
                true.undo()
            belief = Belief(true.view(true.to_act))
            other = belief.state(belief.sample(1, rng)[0], rng)
            told = []
            for each in (true, other):
                each.apply(actions[step])
                text = GameRecord.of(name, each, game.seats).text()
                told.append(reviews.verdict({"text": text, "step": step}))
            assert told[0] == told[1]
            compared += told[0]["cost"] is not None
    assert compared >= 5


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"step": -1}, "step"),
        ({"step": 10_000}, "step"),
        ({"step": "x"}, "step"),
        ({"number": 3}, "there is no game 3"),
        ({"text": ""}, "there is no game"),
    ],
)
def test_a_verdict_of_nothing_is_one_sentence(question: dict[str, Any], words: str) -> None:
    found = asked("/api/review/verdict", {"text": record("klaverjas").text(), "step": 0} | question, 400)
    assert words in found["error"]
