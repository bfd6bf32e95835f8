"""Rules of other programs, held against ours: what differs is found and named, what an engine does not know is left out."""

import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.engine.agent import Engine
from skat_env.agents.engine.check import Check, check_engine
from skat_env.agents.engine.judging import differences, facts, judged_line, parse_judged
from skat_env.agents.engine.serve import serve
from skat_env.cli import main
from skat_env.errors import EngineError, ParseError
from skat_env.registry import AGENT_GROUP, get_game, make_agent, register

JUDGE = """
import sys
from skat_env.agents.engine.judging import facts
from skat_env.agents.engine.serve import serve
from skat_env.registry import AGENT_GROUP, get_game, make_agent, register

class Judge:
    name = "umpire"
    def __init__(self, *, game):
        self.game = game
        self.decide = make_agent("random", game).decide
    def judge(self, state):
        found = facts(get_game(self.game), state)
        CHANGE
        return found

register(AGENT_GROUP, "umpire", Judge)
raise SystemExit(serve("umpire", iter(sys.stdin.readline, ""), sys.stdout))
"""


def judging(folder: Path, change: str = "pass") -> str:
    """The command of an engine that judges as we do, but for a change."""
    path = folder / "judge.py"
    path.write_text(JUDGE.replace("CHANGE", change))
    return f"{sys.executable} {path}"


def rules_of(checks: list[Check]) -> list[Check]:
    return [check for check in checks if check.what == "rules"]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_facts_are_those_of_the_game(game: str) -> None:
    about, rng = get_game(game), np.random.default_rng(4)
    state: Any = about.state.random(rng)
    while not state.is_over:
        found = facts(about, state)
        assert found["legal"].split(",") == [about.actions[action] for action in state.legal_actions()]
        assert found["turn"] == str(state.to_act)
        assert differences(about, state, parse_judged(judged_line(found))) == []
        state.apply(int(rng.choice(state.legal_actions())))
    found = facts(about, state)
    assert "legal" not in found
    assert [int(each) for each in found[about.match_unit].split(",")] == list(state.returns(about.match_unit))


def test_what_differs_is_named() -> None:
    about = get_game("skat")
    state = about.state.random(np.random.default_rng(1))
    assert differences(about, state, {"legal": "yes,pass"}) == []
    assert differences(about, state, {"legal": "yes"}) == ["legal yes, ours pass,yes"]
    assert differences(about, state, {"win": "1,1,1"}) == ["win 1,1,1, ours none"]


@pytest.mark.parametrize("line", ["", "judge", "judged nothing", "judged =1", "played SJ"])
def test_lines_that_are_no_judgement(line: str) -> None:
    with pytest.raises(ParseError, match="expected 'judged NAME=VALUE"):
        parse_judged(line)


@pytest.mark.slow
def test_check_compares_every_option_of_the_rules(tmp_path: Path) -> None:
    checks = check_engine(judging(tmp_path), ("klaverjas",), games=1, rules="choice=free", positions=60)
    assert all(check.passed for check in checks), checks
    found = [check.found.partition(":")[0] for check in rules_of(checks)]
    assert found[0] == "choice=free"
    assert "choice=free legality=amsterdam" in found
    assert "choice=given" in found
    assert len(found) == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "passed", "words"),
    [
        ("if 'roem' in found: found['roem'] = '7,7'", False, "roem 7,7, ours 0,0 at '"),
        ("found['legal'] = 'D7,D8'", False, "others: legal of "),
        ("found.clear()", None, "default: not known to it"),
    ],
)
def test_check_says_what_differs(tmp_path: Path, change: str, passed: bool | None, words: str) -> None:
    found = rules_of(check_engine(judging(tmp_path, change), ("klaverjas",), games=1, positions=40))[0]
    assert found.passed is passed
    assert words in found.found


def test_engines_that_do_not_judge(tmp_path: Path) -> None:
    state: Any = get_game("skat").state.random(np.random.default_rng(1))
    engine = make_agent(f"engine(command='{sys.executable} -m skat_env engine rule')", "skat")
    assert isinstance(engine, Engine)
    try:
        assert not engine.judges
        with pytest.raises(EngineError, match="did not say 'ready judges'"):
            engine.judge(state)
    finally:
        engine.close()
    engine = Engine(judging(tmp_path, "return {'x y': ''}"), game="skat")
    try:
        with pytest.raises(EngineError, match="did not judge"):
            engine.judge(state)
    finally:
        engine.close()


def test_an_engine_that_dies_when_it_is_to_judge_is_started_anew(tmp_path: Path) -> None:
    state: Any = get_game("skat").state.random(np.random.default_rng(1))
    engine = Engine(judging(tmp_path, "raise SystemExit(3)"), game="skat")
    try:
        with pytest.raises(EngineError, match="at the rules at"):
            engine.judge(state)
        assert (
            engine.decide(state.view(state.to_act), np.random.default_rng(0)).action in state.legal_actions()
        )
    finally:
        engine.close()


class Refusing:
    """Agents that judge are asked by the line `judge`."""

    name = "refusing"

    def __init__(self, *, game: str) -> None:
        self.decide = make_agent("rule", game).decide

    def judge(self, state: Any) -> Mapping[str, str]:
        return {"turn": str(state.to_act)}


@pytest.mark.parametrize(
    ("agent", "lines", "answer"),
    [
        ("refusing", "position {state}\njudge\n", "ready judges\njudged turn=1"),
        ("refusing", "judge\n", "error 'judge' without a line 'position'"),
        ("rule", "position {state}\njudge\n", "error 'judge': rule has no rules of its own"),
        ("refusing", "position nonsense\njudge\n", "error "),
    ],
)
def test_the_line_judge(agent: str, lines: str, answer: str) -> None:
    register(AGENT_GROUP, "refusing", Refusing)
    state: Any = get_game("skat").state.random(np.random.default_rng(1))
    said = io.StringIO()
    text = f"skat_env 1\ngame skat\n{lines.format(state=state.text())}quit\n"
    status = serve(agent, iter(io.StringIO(text).readline, ""), said)
    assert answer in said.getvalue()
    assert status == ("error" in answer)


def test_rules_need_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--check", "true", "--rules", "legality=amsterdam"]) == 2
    assert "name it with --game" in capsys.readouterr().err
