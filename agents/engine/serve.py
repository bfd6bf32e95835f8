"""An agent of ours as an engine: the other side of the protocol of docs/engines.md."""

import queue
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TextIO

import numpy as np

from skat_env.agents.engine.judging import JudgingAgent, judged_line
from skat_env.agents.engine.question import PROTOCOL, info_lines, seed_text, seeded
from skat_env.call_text import call_text, parse_call, parse_value, value_text
from skat_env.errors import ParseError
from skat_env.play.capabilities import cheats, listens, remembers, require_views
from skat_env.play.deadline import Deadline, under
from skat_env.protocols import Agent, Decision, Game, View
from skat_env.registry import agent_options, get_game, make_agent

MARGIN_SHARE: Final = 0.05
MARGIN_SECONDS: Final = 0.004
"""The time that is left, the larger of the two, when another agent answers for one that has not. Searches that can end
early do so when twice as much is left."""
ASKING: Final = ("skat_env", "game", "setoption", "isready", "go", "judge", "stop", "result", "quit")
"""The first words of lines that are acted upon; others are parts of a question."""
STOP_SECONDS: Final = 0.05
"""The time in which a search that was told to stop may give its own answer."""


@dataclass(slots=True)
class Thought:
    """A decision in the making, or made."""

    view: View
    rng: np.random.Generator
    deadline: Deadline
    until: float | None = None
    """The time of the monotonic clock at which another agent answers; None: never."""
    decision: Decision | None = None
    error: BaseException | None = None
    answered: bool = False
    """Whether the host has its answer: what is found later is dropped."""


Event = list[str] | Thought | ParseError | None
"""Lines of the host, a thought that is done, lines that cannot be read, or the end of the input."""


@dataclass(slots=True)
class Server:
    """The engine's side of a talk with a host.

    The agent thinks in a thread of its own. So the engine answers while it thinks, and where the agent does not keep
    the time, another agent decides.

    Args:
        agent: the text of the agent.
        instead: the text of the agent that decides where the time is over.
        out: where answers go.
    """

    agent: str
    instead: str
    out: TextIO
    game: Game | None = None
    said: dict[str, str] = field(default_factory=dict)
    """The lines of the question so far, by their first word."""
    events: "queue.SimpleQueue[Event]" = field(default_factory=queue.SimpleQueue)
    """What the host says, thoughts that are done, and how the host has ended."""
    waiting: "deque[Event]" = field(default_factory=deque)
    """What the host said and waits for the answer to a question."""
    questions: "queue.SimpleQueue[Thought]" = field(default_factory=queue.SimpleQueue)
    thought: Thought | None = None
    """The question that waits for its answer."""
    player: Agent | None = None
    deputy: Agent | None = None

    def serve(self, lines: Iterable[str]) -> int:
        """Answers a host's lines until it says `quit` or says no more; returns the exit status, 1 after an error."""
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        threading.Thread(target=self._think, daemon=True).start()
        try:
            while True:
                event = self._next_event()
                if isinstance(event, Thought):
                    self._finish(event)
                elif isinstance(event, ParseError):
                    raise event
                elif event is None or event[-1] == "quit":
                    break
                else:
                    for line in event:
                        for answer in self._hear(line):
                            self._say(answer)
        except (ValueError, ImportError) as error:
            self._say(f"error {' '.join(str(error).split())}")
            return 1
        return 0

    def _listen(self, lines: Iterable[str]) -> None:
        """Hands on what the host says up to a line that asks for something: a question wakes the other thread once."""
        said: list[str] = []
        end = None
        try:
            for line in lines:
                said.append(line.strip())
                if said[-1].partition(" ")[0] in ASKING:
                    self.events.put(said)
                    said = []
        except (ValueError, OSError) as error:
            end = ParseError(f"what the host says cannot be read: {error}")
        self.events.put(end)

    def _think(self) -> None:
        while True:
            thought = self.questions.get()
            try:
                assert self.player is not None
                with under(thought.deadline):
                    thought.decision = self.player.decide(thought.view, thought.rng)
            except BaseException as error:  # handed to the thread that talks to the host
                thought.error = error
            self.events.put(thought)

    def _next_event(self) -> Event:
        """What to do next: what the host says in its order, but while an answer is due only `stop`, `isready` and
        `quit`, which do not wait for it.

        When the time of an answer is over, another agent gives it.
        """
        while True:
            if self.thought is None and self.waiting:
                return self.waiting.popleft()
            until = None if self.thought is None else self.thought.until
            try:
                event = self.events.get(timeout=None if until is None else max(0.0, until - time.monotonic()))
            except queue.Empty:
                assert self.thought is not None
                self._answer_for(self.thought)
                continue
            if isinstance(event, Thought):
                return event
            if self.thought is None or (isinstance(event, list) and event[-1] in ("stop", "isready", "quit")):
                return event
            self.waiting.append(event)

    def _answer_for(self, thought: Thought) -> None:
        """Gives the other agent's decision where the agent has none in time."""
        assert self.deputy is not None
        rng = seeded(seed_text(thought.rng))
        self._say(f"info late {self.deputy.name} decides")
        self._play(thought, self.deputy.decide(thought.view, rng), None)

    def _finish(self, thought: Thought) -> None:
        if thought.answered:
            return
        if thought.error is not None:
            raise thought.error
        assert thought.decision is not None
        self._play(thought, thought.decision, thought.rng)

    def _play(self, thought: Thought, decision: Decision, rng: np.random.Generator | None) -> None:
        assert self.game is not None
        thought.answered, self.thought = True, None
        luck = "" if rng is None else f" seed {seed_text(rng)}"
        self._say(f"{info_lines(self.game, decision)}play {self.game.actions[decision.action]}{luck}")

    def _say(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()

    def _hear(self, line: str) -> Iterator[str]:
        """The answers to a line of the host."""
        word, _, rest = line.partition(" ")
        if f"{word} {rest}" == PROTOCOL:
            yield f"engine {self.agent}"
        elif word == "skat_env":
            raise ParseError(f"protocol '{word} {rest}': this engine speaks '{PROTOCOL}'")
        elif word == "isready":
            yield "readyok"
        elif word == "stop":
            if self.thought is not None:
                self.thought.deadline.stop()
                self.thought.until = time.monotonic() + STOP_SECONDS
        elif word == "game":
            self.game = get_game(rest)
            self._make()
            for name, value in agent_options(self.agent, rest).items():
                yield f"option {name} {value_text(value)}"
            assert self.player is not None
            judges = isinstance(self.player, JudgingAgent)
            yield "ready" + " remembers" * remembers(self.player) + " judges" * judges
        elif word == "setoption":
            self._set_option(*rest.partition(" ")[::2])
        elif word == "go":
            self._ask()
        elif word == "judge":
            yield self._judge()
        elif word == "result":
            self._hear_result(rest)
        else:
            self.said[word] = rest

    def _make(self) -> None:
        """Makes the agents anew."""
        assert self.game is not None
        self.player = make_agent(self.agent, self.game.name)
        self.deputy = make_agent(self.instead, self.game.name)
        if cheats(self.player):
            raise ValueError(f"{self.agent} must see the true cards, which no engine gets")

    def _playing(self, word: str) -> Game:
        """The game, which the host names before it says a word."""
        if self.game is None:
            raise ParseError(f"'{word}' before 'game NAME'")
        return self.game

    def _set_option(self, option: str, value: str) -> None:
        game = self._playing("setoption")
        name, arguments, given = parse_call(self.agent)
        known = agent_options(self.agent, game.name)
        changed = {**dict(zip(known, arguments, strict=False)), **given, option: parse_value(value)}
        self.agent = call_text(name, changed)
        self._make()

    def _ask(self) -> None:
        """Puts the question to the agent."""
        game = self._playing("go")
        if "position" not in self.said:
            raise ParseError("'go' without a line 'position'")
        view: View = game.view.parse(self.said["position"])
        require_views(game, [view])
        if "seed" not in self.said:
            raise ParseError("'go' without a line 'seed'")
        seconds = milliseconds(self.said["time"]) / 1000 if "time" in self.said else None
        self.thought = Thought(view, seeded(self.said["seed"]), Deadline(float("inf")))
        if seconds is not None:
            margin = min(max(MARGIN_SHARE * seconds, MARGIN_SECONDS), seconds / 3)
            self.thought.deadline = Deadline(seconds - 2 * margin)
            self.thought.until = time.monotonic() + seconds - margin
        self.said = {}
        self.questions.put(self.thought)

    def _judge(self) -> str:
        """What the agent's own rules say of a position."""
        game = self._playing("judge")
        text = self.said.pop("position", None)
        if not isinstance(self.player, JudgingAgent):
            raise ParseError(f"'judge': {self.agent} has no rules of its own")
        if text is None:
            raise ParseError("'judge' without a line 'position'")
        return judged_line(self.player.judge(game.state.parse(text)))

    def _hear_result(self, text: str) -> None:
        """Tells the agent how a game has ended."""
        game = self._playing("result")
        numbers, _, position = text.partition(" ")
        try:
            returns = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise ParseError(f"'result {text}': expected numbers joined by commas, and a view") from None
        if not position:
            raise ParseError(f"'result {text}' without a view")
        view: View = game.view.parse(position)
        assert self.player is not None
        if listens(self.player):
            self.player.hear_end(view, returns)


def milliseconds(text: str) -> float:
    """The number in a line `time`.

    Raises:
        ParseError: if it is no number above 0.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ParseError(f"'time {text}': expected milliseconds above 0")
    return number


def serve(agent: str, lines: Iterable[str], out: TextIO, instead: str = "rule") -> int:
    """Lets an agent play as an engine; see `Server`."""
    return Server(agent, instead, out).serve(lines)
