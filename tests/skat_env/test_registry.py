import importlib.metadata
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import skat_env
from skat_env import registry
from skat_env.beliefs.belief import UniformSampler
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import (
    AGENT_GROUP,
    GAME_GROUP,
    OURS,
    PART_GROUP,
    PARTS,
    agent_names,
    game_names,
    get_game,
    get_part,
    has_part,
    make_agent,
    make_belief,
    register,
    register_game,
)


class Echo:
    """An agent that keeps what it was made with."""

    def __init__(self, level: int = 1, word: str = "a", other: object = None, game: str = "") -> None:
        self.level, self.word, self.other, self.game = level, word, other, game
        self.name = "echo"

    def decide(self, view, rng):
        raise NotImplementedError


@pytest.fixture
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def echo(nothing_registered: None) -> None:
    register(AGENT_GROUP, "echo", Echo)


def test_games_and_agents_by_name() -> None:
    assert get_game("skat").name == "skat"
    assert {"random", "rule"} <= set(skat_env.agent_names("skat"))
    assert make_agent("random", "skat").name == "random"
    with pytest.raises(UnknownName, match="did you mean 'skat'"):
        get_game("scat")
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        make_agent("randon", "skat")


@pytest.mark.parametrize(
    "call",
    [
        lambda: make_agent("random", "chess"),
        lambda: make_belief("uniform", "chess"),
        lambda: registry.make_evaluator("rollouts", "chess"),
        lambda: agent_names("chess"),
        lambda: registry.agent_factory("random", "chess"),
        lambda: registry.agent_options("random", "chess"),
        lambda: skat_env.compare("rule", "random", game="chess"),
    ],
)
def test_names_for_a_game_that_does_not_exist(call: Callable[[], object]) -> None:
    with pytest.raises(UnknownName, match="unknown game 'chess'"):
        call()


def test_agent_texts(echo: None) -> None:
    agent = make_agent("echo(level=3, word=x.y, other=echo(level=-2.5) )", "skat")
    assert (agent.level, agent.word, agent.game) == (3, "x.y", "skat")
    assert agent.other == "echo(level=-2.5)"
    assert make_agent("echo", "skat").level == 1
    assert make_agent("echo(7)", "skat").level == 7
    assert make_agent('echo(word="a, (b)")', "skat").word == "a, (b)"
    assert make_agent("echo(other=true)", "skat").other is True
    assert make_agent(agent, "skat") is agent


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "echo(",
        "echo(level=",
        "echo(level=1",
        "echo)",
        "echo(1)2",
        "echo(=1)",
        "echo(1 2)",
        "a=b",
        "echo(1,)",
        "echo(,1)",
        "echo((1)",
    ],
)
def test_malformed_texts_raise(echo: None, text: str) -> None:
    with pytest.raises(ParseError, match="malformed"):
        make_agent(text, "skat")


def test_unknown_and_missing_options_raise(echo: None) -> None:
    with pytest.raises(UnknownName, match="did you mean 'level'"):
        make_agent("echo(levle=1)", "skat")
    with pytest.raises(ParseError, match="at most 3 options"):
        make_agent("echo(1, 2, 3, 4, 5)", "skat")
    with pytest.raises(ParseError, match="twice"):
        make_agent("echo(1, level=2)", "skat")


def test_random_is_uniform() -> None:
    game = get_game("skat")
    state = game.state.new(game.random_deal(np.random.default_rng(0)))
    agent, rng = make_agent("random", "skat"), np.random.default_rng(1)
    chosen = [agent.decide(state.view(1), rng).action for _ in range(2000)]
    assert abs(np.mean(np.array(chosen) == 33) - 0.5) < 0.05


def test_beliefs_by_name() -> None:
    assert make_belief("uniform", "skat").name == "uniform"
    sampler = UniformSampler()
    assert make_belief(sampler, "skat") is sampler


def test_what_is_registered_is_found_before_entry_points(nothing_registered: None) -> None:
    register(AGENT_GROUP, "random", Echo)
    assert make_agent("random", "skat").name == make_agent("random", "klaverjas").name == "echo"
    register(AGENT_GROUP, "klaverjas.random", type("Own", (Echo,), {"decide": None}))
    assert type(make_agent("random", "klaverjas")).__name__ == "Own"
    assert type(make_agent("random", "skat")) is Echo
    register(AGENT_GROUP, "skat.only", Echo)
    assert "only" in agent_names("skat")
    assert "only" not in agent_names("klaverjas")
    with pytest.raises(UnknownName, match="agent for klaverjas 'only'"):
        make_agent("only", "klaverjas")


def test_a_name_of_one_game_is_found_before_one_of_all_games(
    nothing_registered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = importlib.metadata.EntryPoint("skat.random", "collections:Counter", AGENT_GROUP)
    entries = {**registry._entries(AGENT_GROUP), "skat.random": entry}
    monkeypatch.setattr(registry, "_entries", lambda group: entries)
    register(AGENT_GROUP, "random", Echo)
    assert registry.agent_factory("random", "skat") is Counter
    assert registry.agent_factory("random", "klaverjas") is Echo
    register(AGENT_GROUP, "skat.random", dict)
    assert registry.agent_factory("random", "skat") is dict


def test_registered_games(nothing_registered: None) -> None:
    register(GAME_GROUP, "other", get_game("skat"))
    assert get_game("other") is get_game("skat")
    assert game_names() == ("skat", "klaverjas", "other")
    assert not any(has_part("other", part) for part in PARTS)
    register(PART_GROUP, "other.facts", len)
    assert has_part("other", "facts")
    assert get_part("other", "facts") is len
    with pytest.raises(ValueError, match="the game 'skat' is this package's own: expected another name"):
        register_game(get_game("skat"))


def test_parts_that_are_missing_are_one_sentence() -> None:
    assert has_part("skat", "tables")
    assert not has_part("klaverjas", "tables")
    with pytest.raises(ValueError, match="has no part 'tables'") as refused:
        get_part("klaverjas", "tables")
    assert str(refused.value) == f"the game 'klaverjas' has no part 'tables': {PARTS['tables']}"
    with pytest.raises(UnknownName, match="did you mean 'skat'"):
        get_part("scat", "tables")
    with pytest.raises(UnknownName, match="unknown part of a game 'table': did you mean 'tables'"):
        get_part("klaverjas", "table")


@pytest.mark.parametrize("game", OURS)
def test_parts_of_entry_points_are_those_that_are_explained(game: str) -> None:
    names = list(registry._part_homes(game))
    assert len(names) > 15
    assert set(names) <= set(PARTS)
    for name in names:
        assert get_part(game, name) is not None
