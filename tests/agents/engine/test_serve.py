"""Our agents as engines: lines in and out, while an agent thinks, when its time is over, and at the end of games."""

import io
import queue
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from skat_env.agents.engine.question import question_lines, result_line
from skat_env.agents.engine.serve import Server, serve
from skat_env.play.deadline import Deadline, seconds_left, under
from skat_env.protocols import Decision, View
from skat_env.registry import AGENT_GROUP, get_game, make_agent, register
from skat_env.skat.rules import PASS

START = ("skat_env 1", "game skat")


class Slow:
    """Thinks until the test lets it go on; remembers what it hears."""

    name = "slow"

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.begun = threading.Event()
        self.heard: list[tuple[str, tuple[float, ...]]] = []
        self.left: list[float | None] = []

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        self.begun.set()
        assert self.go_on.wait(60)
        self.left.append(seconds_left())
        return Decision(PASS)

    def hear_end(self, view: View, returns: Sequence[float]) -> None:
        self.heard.append((view.text(), tuple(returns)))


@pytest.fixture
def slow() -> Slow:
    agent = Slow()
    register(AGENT_GROUP, "slow", lambda: agent)
    return agent


def question(time: int = 86_400_000, seed: str = "5") -> list[str]:
    game = get_game("skat")
    state = game.state.random(np.random.default_rng(1))
    return question_lines(game, state.view(state.to_act), seed, time).splitlines()


class Talk:
    """A host that says lines when the test wants, and reads the answers."""

    def __init__(self, agent: str) -> None:
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.status: list[int] = []
        server = Server(agent, "rule", self)  # type: ignore[arg-type]
        self.thread = threading.Thread(
            target=lambda: self.status.append(server.serve(self._said())), daemon=True
        )
        self.thread.start()

    def _said(self) -> Iterator[str]:
        while (line := self.lines.get()) is not None:
            yield line

    def write(self, text: str) -> None:
        for line in text.splitlines():
            self.answers.put(line)

    def flush(self) -> None:
        pass

    def say(self, *lines: str) -> None:
        for line in lines:
            self.lines.put(line)

    def answer(self) -> str:
        return self.answers.get(timeout=60)

    def end(self) -> int:
        self.lines.put("quit")
        self.thread.join(60)
        return self.status[0]


def test_it_answers_while_it_thinks(slow: Slow) -> None:
    talk = Talk("slow")
    talk.say(*START, *question(), "isready")
    assert [talk.answer() for _ in range(3)] == ["engine slow", "ready", "readyok"]
    slow.go_on.set()
    assert talk.answer().startswith("play pass seed ")
    assert talk.end() == 0


def test_stop_ends_the_thought_of_an_agent_that_looks(slow: Slow) -> None:
    talk = Talk("slow")
    talk.say(*START, *question())
    assert slow.begun.wait(60)
    talk.say("stop", "isready")
    assert [talk.answer() for _ in range(3)][-1] == "readyok"
    slow.go_on.set()
    answer = talk.answer()
    # Its own decision, or where the thread came late the other agent's.
    assert answer.startswith(("play pass seed ", "info late rule decides"))
    assert talk.end() == 0


@pytest.mark.parametrize("how", ["time", "stop"])
def test_another_agent_decides_where_the_time_is_over(slow: Slow, how: str) -> None:
    talk = Talk("slow")
    talk.say(*START, *question(20 if how == "time" else 86_400_000))
    assert slow.begun.wait(60)
    if how == "stop":
        talk.say("stop")
    assert [talk.answer() for _ in range(4)][2:] == ["info late rule decides", "play yes"]
    # What the agent finds later is no answer, and the next question has its own.
    slow.go_on.set()
    talk.say(*question())
    assert talk.answer().startswith("play pass seed ")
    assert slow.left[0] == 0.0
    assert talk.end() == 0


def test_lines_that_come_early_wait_for_the_answer() -> None:
    out = io.StringIO()
    assert serve("random", [*START, *question(), *question(seed="6"), *question()], out) == 0
    answers = out.getvalue().splitlines()[2:]
    assert len(answers) == 3
    assert answers[0] == answers[2]


def test_quit_waits_for_no_answer(slow: Slow) -> None:
    talk = Talk("slow")
    talk.say(*START, *question(), *question())
    assert slow.begun.wait(60)
    assert talk.end() == 0
    assert [talk.answer() for _ in range(2)] == ["engine slow", "ready"]
    assert talk.answers.empty()


def test_lines_that_cannot_be_read_end_it_with_one_sentence() -> None:
    def said() -> Iterator[str]:
        yield from (*START, *question())
        yield b"\xff".decode()

    out = io.StringIO()
    assert serve("rule", said(), out) == 1
    played, error = out.getvalue().splitlines()[2:]
    assert played.startswith("play ")
    assert error.startswith("error what the host says cannot be read: 'utf-8' codec can't decode byte 0xff")


def test_it_hears_the_end_of_games(slow: Slow) -> None:
    state = get_game("skat").state.random(np.random.default_rng(1))
    for _ in range(3):
        state.apply(PASS)
    out = io.StringIO()
    line = result_line(state.view(1), state.returns()).strip()
    assert serve("slow", [*START, line, "quit"], out) == 0
    assert slow.heard == [(state.view(1).text(), (0.0, 0.0, 0.0))]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["setoption worlds 3"], "'setoption' before 'game NAME'"),
        (["result 1,2,3 foo"], "'result' before 'game NAME'"),
        (["judge"], "'judge' before 'game NAME'"),
        ([*START, "setoption worlds 3"], "unknown option of agent 'random'"),
        ([*START, *question()[:-3], "seed 5", "time soon", "go"], "expected milliseconds above 0"),
        ([*START, *question()[:-3], "seed 5", "time nan", "go"], "expected milliseconds above 0"),
        (
            [*START, "result 1,2,x " + question()[0].removeprefix("position ")],
            "expected numbers joined by commas",
        ),
        ([*START, "result 1,2,3"], "without a view"),
    ],
)
def test_wrong_lines_are_one_sentence(lines: list[str], words: str) -> None:
    out = io.StringIO()
    assert serve("random", lines, out) == 1
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("error ")
    assert any(word in last for word in words.split("|"))


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize(
    "text",
    [
        "pimc(worlds=40, bidder=rule)",
        "iimc(worlds=40, inner=rule)",
        "ismcts(simulations=200, bidder=rule)",
        "alpha_mu(worlds=6, m=2, bidder=rule)",
        "epimc(worlds=6, depth=2, bidder=rule)",
    ],
)
def test_searches_end_with_what_they_have_found(text: str, game: str) -> None:
    """Without time a search still decides; with more than enough it decides as it does without a clock."""
    state = get_game(game).state.random(np.random.default_rng(3))
    rule = make_agent("rule", game)
    rng = np.random.default_rng(0)
    while state.stage != "cardplay":
        state.apply(rule.decide(state.view(state.to_act), rng).action)
    view = state.view(state.to_act)
    free = make_agent(text, game).decide(view, np.random.default_rng(1))
    with under(Deadline(float("inf"))):
        ample = make_agent(text, game).decide(view, np.random.default_rng(1))
    assert (free.action, free.value) == (ample.action, ample.value)
    with under(Deadline(0.0)):
        hurried = make_agent(text, game).decide(view, np.random.default_rng(1))
    assert hurried.action in view.legal_actions()
    worlds = hurried.stats.get("worlds")
    if text.startswith(("pimc", "iimc")):
        assert worlds < free.stats["worlds"]
