import sys

import numpy as np
import pytest

import skat_env
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import get_game, make_agent, refuse_foreign_package


class Echo:
    """An agent that keeps what it was made with."""

    def __init__(self, level: int = 1, word: str = "a", other: object = None, game: str = "") -> None:
        self.level, self.word, self.other, self.game = level, word, other, game
        self.name = "echo"

    def decide(self, view, rng):
        raise NotImplementedError


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    from skat_env import registry

    original = registry._factory

    def factory(group: str, kind: str, name: str, game: str):
        return Echo if name == "echo" else original(group, kind, name, game)

    monkeypatch.setattr(registry, "_factory", factory)


def test_games_and_agents_by_name() -> None:
    assert get_game("skat").name == "skat"
    assert {"random", "rule"} <= set(skat_env.agent_names("skat"))
    assert make_agent("random", "skat").name == "random"
    with pytest.raises(UnknownName, match="did you mean 'skat'"):
        get_game("scat")
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        make_agent("randon", "skat")


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


def test_a_foreign_package_of_our_name_is_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "agents"}
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    try:
        with pytest.raises(ImportError, match="hides the one of skat_env"):
            refuse_foreign_package("agents")
    finally:
        sys.modules.pop("agents", None)


def test_random_is_uniform() -> None:
    game = get_game("skat")
    state = game.state.new(game.random_deal(np.random.default_rng(0)))
    agent, rng = make_agent("random", "skat"), np.random.default_rng(1)
    chosen = [agent.decide(state.view(1), rng).action for _ in range(2000)]
    assert abs(np.mean(np.array(chosen) == 33) - 0.5) < 0.05
