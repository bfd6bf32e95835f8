"""The environments of verifiers: the games of a session, rewards by seat, deals to learn from and others."""

import asyncio
import hashlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

with pytest.MonkeyPatch.context() as patch:
    # The library imports a package that has the name of a folder of the checkout.
    patch.setattr(sys, "path", [path for path in sys.path if Path(path).resolve() != ROOT])
    vf = pytest.importorskip("verifiers", reason="needs the extra 'verifiers'")

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from skat_env.doors.session import Session
from skat_env.doors.verifiers import HELD_OUT, SEED, CardGames
from skat_env.registry import get_game
from tests.helpers.chat_server import answer, chat_server, plays_first
from tests.helpers.worded_player import DEALS, WordedPlayer, play_all

both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """The library takes signals for itself."""
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in handlers.items():
        signal.signal(each, handler)


def roll_out(env: CardGames, rows: list[Any], words: Callable[[Any], str]) -> list[Any]:
    """A group of games in which replies are a function of the view."""

    async def respond(state: Any, prompt: Any, **_: Any) -> ChatCompletion:
        said = words(state["patient"].session.view())
        return ChatCompletion.model_validate_json(answer(said, {"messages": prompt, "model": "scripted"}))

    env.get_model_response = respond
    columns = ["rewards", "record", "trajectory"]
    return asyncio.run(
        env.run_group(rows, AsyncOpenAI(api_key="none"), "scripted", {}, state_columns=columns)
    )


@both_games
@pytest.mark.parametrize("seats", ["one", "all"])
def test_games_are_those_of_a_session(name: str, seats: str) -> None:
    game, player = get_game(name), WordedPlayer(name)
    env = CardGames(name, seats, "random", held_out=DEALS)
    for row in env.get_eval_dataset():
        info = row["info"]
        session = Session(name, info["seats"], "random", seed=SEED, deal=info["deal"])
        assert row["prompt"][1]["content"] == session.text()
        play_all(session, player)
        [played] = roll_out(env, [row], player.words)
        assert played["record"] == session.record().text()
        points, by_rule = session.returns(game.match_unit), session.returns_of("rule", game.match_unit)
        expected = {game.seats[seat]: points[seat] - by_rule[seat] for seat in info["seats"]}
        assert played["rewards"] == expected
        assert played["reward"] == pytest.approx(sum(expected.values()) / len(expected))


@both_games
def test_rule_has_no_reward_in_any_seat(name: str) -> None:
    for seats in ("one", "all"):
        env = CardGames(name, seats, held_out=2)
        for row in env.get_eval_dataset():
            [played] = roll_out(env, [row], WordedPlayer(name, cards="rule").words)
            assert {*played["rewards"].values()} == {0.0}


def test_a_decision_has_the_reward_of_its_seat_and_the_advantage_over_its_group() -> None:
    env = CardGames("klaverjas", "all", penalty=7)
    [row], moves = [*env.get_dataset(1)], WordedPlayer("klaverjas")
    count = 0

    def words(view: Any) -> str:
        nonlocal count
        count += 1
        return "[banana]" if view.seat == 2 and count % 3 == 0 else moves.words(view)

    group = roll_out(env, [row] * 3, words)
    wrong = [sum(bool(step["extras"]["error"]) for step in played["trajectory"]) for played in group]
    assert len({*wrong}) > 1
    for played in group:
        assert played["metrics"]["north"] == played["rewards"]["north"]
        for step in played["trajectory"]:
            seat = step["extras"]["seat"]
            assert f"You are {seat}" in step["prompt"][1]["content"]
            assert step["reward"] == played["rewards"][seat]
            mean = sum(each["rewards"][seat] for each in group) / 3
            assert step["advantage"] == pytest.approx(step["reward"] - mean)
            assert seat == "north" or not step["extras"]["error"]
    # A wrong reply costs its seat, and no other.
    least = min(zip(wrong, group, strict=True), key=lambda each: each[0])
    for errors, played in zip(wrong, group, strict=True):
        if played["record"] == least[1]["record"]:
            costs = played["rewards"]["north"] - least[1]["rewards"]["north"]
            assert costs == -7 * (errors - least[0])
            assert played["rewards"]["east"] == least[1]["rewards"]["east"]


def test_a_wrong_reply_is_answered_then_another_agent_decides() -> None:
    env = CardGames("skat", instead="rule", retries=1)
    [row] = env.get_eval_dataset(1)
    [played] = roll_out(env, [row], lambda view: "The hidden cards are [CJ SJ HJ].")
    steps = played["trajectory"]
    assert [len(step["prompt"]) for step in steps] == [2, 4] * (len(steps) // 2)
    assert all("names 3 cards" in step["prompt"][3]["content"] for step in steps[1::2])
    assert played["reward"] == -10 * len(steps)
    assert played["metrics"]["errors"] == len(steps)
    assert "over" in played["completion"][-1]["content"]


@both_games
def test_deals_to_learn_from_and_others(name: str) -> None:
    env = CardGames(name, "all", train=2000, held_out=HELD_OUT)
    learnt = [row["info"]["digest"] for row in env.get_dataset()]
    others = [row["info"]["digest"] for row in env.get_eval_dataset()]
    assert len({*learnt, *others}) == len(learnt) + len(others) > 2900
    frozen = {"skat": "d31535785ee72763", "klaverjas": "908b40ec514e76c6"}
    assert hashlib.sha256("".join(others).encode()).hexdigest()[:16] == frozen[name]
    one = CardGames(name, "one", train=5, held_out=5).get_dataset()
    assert {row["info"]["digest"] for row in one} == {*learnt[:5]}


@pytest.mark.slow
def test_a_model_behind_a_server_plays() -> None:
    env = vf.load_environment("skat_env.doors.verifiers", game="klaverjas", held_out=1)
    session = Session("klaverjas", (0,), seed=SEED)
    while not session.is_over:
        session.play(plays_first([{}, {"content": session.text()}]))
    with chat_server(plays_first) as server:
        client = AsyncOpenAI(api_key="none", base_url=server.address)
        results = asyncio.run(
            env.evaluate(client, "scripted", num_examples=1, rollouts_per_example=2, state_columns=["record"])
        )
    assert [each["record"] for each in results["outputs"]] == [session.record().text()] * 2


def test_what_is_wrong_is_one_sentence() -> None:
    for wrong, words in (
        ({"game": "bridge"}, "unknown game"),
        ({"seats": "two"}, "seats=two"),
        ({"unit": "euros"}, "unknown reward unit"),
        ({"opponents": "nobody"}, "unknown agent"),
        ({"instead": "nobody"}, "unknown agent"),
        ({"start": "x"}, "unknown start"),
        ({"rules": "x=1"}, "unknown rule"),
        ({"penalty": -1}, "penalty"),
        ({"form": "x"}, "form"),
        ({"cards": "x"}, "cards"),
        ({"held_out": HELD_OUT + 1}, "held_out"),
        ({"train": 0}, "train"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            CardGames(**wrong)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
