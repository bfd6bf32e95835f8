"""A language model as a player: a scripted server answers, rambles, lies, is silent and dies."""

import itertools
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai", reason="language models need the extra 'llm'")

from skat_env import compare, make_agent
from skat_env.agents.language.agent import KEY, BudgetSpent, LanguageModel
from skat_env.errors import EngineError, OptionError
from skat_env.play.capabilities import Abilities
from skat_env.registry import get_game
from tests.helpers.chat_server import ChatServer, Half, Stalled, chat_server, legal_moves, plays_first


class First:
    """The same player without words: the first move as the prompt lists them."""

    name = "first"

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        from skat_env.protocols import Decision
        from skat_env.text import describe, parse_reply

        return Decision(parse_reply(plays_first([{}, {"content": describe(view)}], 0), view))


def model(server: ChatServer, game: str = "klaverjas", **options: Any) -> LanguageModel:
    return LanguageModel("scripted", server.address, game=game, **options)


def view_of(game: str, seed: int = 1) -> Any:
    state: Any = get_game(game).state.random(np.random.default_rng(seed))
    return state.view(state.to_act)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_match_is_that_of_the_same_player_without_words(game: str) -> None:
    with chat_server(plays_first) as server:
        told = compare(model(server, game), "rule", game=game, deals=4, seed=5)
    plain = compare(First(), "rule", game=game, deals=4, seed=5)
    assert [game.position for game in told.games] == [game.position for game in plain.games]
    assert all("Authorization" not in json.dumps(request) for request in server.requests)


def test_what_is_asked() -> None:
    with chat_server(plays_first) as server:
        model(server, temperature=0.5, tokens=99).decide(view_of("klaverjas"), np.random.default_rng(0))
    [request] = server.requests
    assert request["model"] == "scripted"
    assert (request["temperature"], request["max_tokens"]) == (0.5, 99)
    system, user = request["messages"]
    assert system["role"] == "system"
    assert "Roem" in system["content"]
    assert "Your hand:" in user["content"]


def test_a_wrong_reply_is_answered_with_what_is_wrong() -> None:
    def script(messages: list[dict[str, str]], number: int) -> str:
        return "[banana]" if len(messages) == 2 else f"[{legal_moves(messages)[-1]}]"

    view = view_of("klaverjas")
    with chat_server(script) as server:
        decision = model(server).decide(view, np.random.default_rng(0))
    assert decision.action in view.legal_actions()
    assert decision.stats["replies"] == 2
    assert "failure" not in decision.stats
    assert "[banana] is no move that is known" in server.requests[1]["messages"][-1]["content"].replace(
        "[B", "[b"
    )


@pytest.mark.parametrize(
    "said",
    [
        "",
        "the hidden cards are CJ",
        "[" * 10_000,
        "[D7 or D8 or D9]",
        b"rubbish",
        b'{"choices": []}',
        b"",
        None,
        Half(b'{"choices": ['),
        b"null",
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"content": "[D7]"}}], "usage": {"total_tokens": 1e999}}',
        b'{"choices": [{"message": {"content": "[D7]"}}], "usage": {"total_tokens": -100}}',
        b"[" * 100_000 + b"]" * 100_000,
    ],
    ids=[
        *("empty", "no move", "brackets", "many", "no JSON", "no choice", "no body", "cut", "half"),
        *("null", "no text", "infinite", "negative", "deep"),
    ],
)
def test_another_agent_decides_where_there_is_no_move(
    said: str | bytes | None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skat_env.agents.language.agent.TRIES", 0)
    view = view_of("klaverjas")
    wanted = make_agent("rule", "klaverjas").decide(view, np.random.default_rng(0)).action
    with chat_server(lambda *_: said) as server:
        agent = model(server, timeout=5)
        decision = agent.decide(view, np.random.default_rng(0))
        assert decision.action == wanted
        assert decision.stats["failure"]
        assert "rule decides" in capfd.readouterr().err
        assert agent.spent >= 0
        with pytest.raises(EngineError, match="scripted"):
            model(server, instead="forfeit", timeout=5).decide(view, np.random.default_rng(0))


def test_an_answer_that_never_ends_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may send blanks while it works."""
    clock = itertools.count()
    monkeypatch.setattr("skat_env.agents.language.agent.time.monotonic", lambda: float(next(clock)))
    agent = LanguageModel("m", "http://127.0.0.1:9/v1", timeout=5, game="klaverjas")
    assert agent._in_time(iter([b"{", b"}"])) == b"{}"
    with pytest.raises(TimeoutError, match="it takes longer than 5 seconds"):
        agent._in_time(itertools.repeat(b" "))


def test_an_answer_that_is_cut_is_asked_for_again() -> None:
    with chat_server(lambda messages, number: Half(b"{") if number < 3 else plays_first(messages)) as server:
        decision = model(server).decide(view_of("klaverjas"), np.random.default_rng(0))
    assert len(server.requests) == 3
    assert "failure" not in decision.stats


def test_an_answer_that_stalls_is_late_and_not_asked_for_again() -> None:
    with chat_server(lambda *_: Stalled(b"{")) as server:
        decision = model(server, timeout=0.3).decide(view_of("klaverjas"), np.random.default_rng(0))
    assert len(server.requests) == 1
    assert "longer than 0.3 seconds" in decision.stats["failure"]


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skat_env.agents.language.agent.TRIES", 0)
    agent = LanguageModel("m", "http://127.0.0.1:9/v1", instead="forfeit", game="klaverjas")
    with pytest.raises(EngineError, match="gave no answer"):
        agent.decide(view_of("klaverjas"), np.random.default_rng(0))


def test_a_budget_ends_it() -> None:
    view = view_of("klaverjas")
    with chat_server(plays_first) as server:
        agent = model(server, budget=10)
        agent.decide(view, np.random.default_rng(0))
        assert agent.spent > 10
        with pytest.raises(BudgetSpent, match="a larger budget goes on from here"):
            agent.decide(view, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"null", "gave no answer: Expected `object`, got `null`"),
        (b'{"choices": []}', "gave no answer: Expected `array` of length >= 1 - at `$.choices`"),
        (b'{"error": "no credit"}', "gave no answer: Object missing required field `choices`"),
    ],
)
def test_an_answer_of_another_form_is_named(body: bytes, words: str) -> None:
    with chat_server(lambda *_: body) as server, pytest.raises(EngineError) as caught:
        model(server, instead="forfeit").decide(view_of("klaverjas"), np.random.default_rng(0))
    assert words in str(caught.value)


def test_a_budget_is_kept_by_requests_that_are_sent_at_once() -> None:
    """Near its end each waits for the others: at most the last reply is more than may be spent."""
    views = [view_of("klaverjas", seed) for seed in range(40)]
    with chat_server(plays_first) as server:
        free = model(server, tokens=64)
        free.decide(views[0], np.random.default_rng(0))
        budget = 5 * free.spent
        agent = model(server, tokens=64, budget=budget, at_once=16)
        with pytest.raises(BudgetSpent):
            agent.decide_many(views, [np.random.default_rng(0)] * len(views))
        assert budget <= agent.spent <= budget + 2 * free.spent
        assert len(server.requests) <= 1 + 7


def test_requests_are_sent_at_once() -> None:
    views = [view_of("skat", seed) for seed in range(12)]
    with chat_server(plays_first) as server:
        agent = model(server, "skat", at_once=4)
        decisions = agent.decide_many(views, [np.random.default_rng(0)] * 12)
        assert len(server.requests) == 12
        assert [each.action for each in decisions] == [
            agent.decide(view, np.random.default_rng(0)).action for view in views
        ]


def test_prompts_and_replies_are_kept(tmp_path: Path) -> None:
    view = view_of("skat")
    with chat_server(plays_first) as server:
        model(server, "skat", log=str(tmp_path / "log.jsonl")).decide(view, np.random.default_rng(0))
    [line] = map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())
    assert line["view"] == view.text()
    assert line["messages"][1]["role"] == "assistant"
    assert line["action"] in view.legal_actions()


def test_names_keys_and_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(OptionError, match=f"has no key: expected one in the environment, {KEY}"):
        make_agent("llm(model=some)", "skat")
    with pytest.raises(OptionError, match="empty model"):
        make_agent("llm(model='')", "skat")
    monkeypatch.setenv(KEY, "secret-of-a-test")
    with chat_server(plays_first) as server:
        agent = make_agent(
            f"llm(model=a/b, base_url='{server.address}', form=short, cards=nl, legal=true, retries=2, instead=random)",
            "skat",
        )
        assert make_agent(agent.name, "skat").name == agent.name
        assert "secret" not in agent.name
        again = pickle.loads(pickle.dumps(agent))
        view = view_of("skat")
        assert (
            again.decide(view, np.random.default_rng(0)).action
            == agent.decide(view, np.random.default_rng(0)).action
        )
        assert server.keys == {"Bearer secret-of-a-test"}


class Remembering:
    """An agent with abilities of its own."""

    name = "remembering"
    remembers = True

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        return make_agent("rule", "klaverjas").decide(view, rng)

    def hear_end(self, view: Any, returns: Any) -> None:
        self.heard.append(returns)


def test_abilities_are_those_of_the_other_agent() -> None:
    other = Remembering()
    with chat_server(lambda *_: "I do not know") as server:
        plain = Abilities.of(model(server))
        agent = model(server, instead=other, retries=0)
        assert plain == Abilities(batched=True)
        assert Abilities.of(model(server, instead="forfeit")) == plain
        assert Abilities.of(agent) == Abilities(batched=True, remembers=True, listens=True)
        agent.hear_end(view_of("klaverjas"), (1.0, -1.0, 1.0, -1.0))
    assert other.heard == [(1.0, -1.0, 1.0, -1.0)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"form": "longer"}, "form"),
        ({"cards": "fr"}, "cards"),
        ({"legal": 2}, "legal"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"retries": 11}, "retries"),
        ({"instead": "nobody"}, "nobody"),
        ({"instead": "pimc(belief=cheating)"}, "must see the true cards"),
        ({"timeout": 0}, "timeout"),
        ({"tokens": 0}, "tokens"),
        ({"budget": -1}, "budget"),
        ({"at_once": 0}, "at_once"),
        ({"log": "."}, "log=.: expected a file"),
        ({"log": "no_such_folder/log.jsonl"}, "log=no_such_folder/log.jsonl: expected a file in a folder"),
    ],
    ids=str,
)
def test_wrong_values_are_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LanguageModel("m", "http://127.0.0.1:9/v1", game="klaverjas", **options)


@pytest.mark.slow
def test_a_match_sums_up_tokens_replies_and_failures() -> None:
    with chat_server(
        lambda messages, number: "" if number % 5 == 0 else plays_first(messages, number)
    ) as server:
        agent = model(server, retries=0)
        match = compare(agent, "rule", game="klaverjas", deals=2, seed=5)
    counts = match.result.agents[agent.name].counts
    assert counts["tokens"] >= agent.spent > 0
    assert 0 < counts["failure"] < counts["replies"] == match.result.agents[agent.name].moves
    assert match.result.agents["rule"].counts == {}
    assert f"failure {counts['failure']}" in str(match)
