"""An agent that is another program."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import numpy as np

from skat_env.agents.engine.judging import parse_judged
from skat_env.agents.engine.process import START_SECONDS, EngineProcess, command_words
from skat_env.agents.engine.question import (
    PROTOCOL,
    informed,
    question_lines,
    result_line,
    seed_text,
    set_seed,
)
from skat_env.errors import EngineError, OptionError, ParseError
from skat_env.options import Range, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import cheats, listens, remembers
from skat_env.play.randomness import secret_rng
from skat_env.protocols import Agent, Decision, State, View
from skat_env.registry import get_game, make_agent
from skat_env.tools.secret import secret

Milliseconds = Annotated[int, Range(ge=1, le=86_400_000)]
REMEMBERS: Final = "remembers"
JUDGES: Final = "judges"
"""What an engine may say of itself after `ready`."""
TIME: Final = 60_000
"""The milliseconds of a decision, unless told otherwise."""


class Engine:
    """An engine that speaks the protocol of docs/engines.md, as an agent.

    One process, started at the first decision, answers for all seats and games. Its luck depends on the seat's
    generator and on a secret of this process, or of the folder in which a match is kept: from what it is given no
    engine can compute the deal.

    Args:
        command: the command that starts the engine, as a shell would split it; nothing else of a shell is understood.
        time: the milliseconds of wall-clock time that a decision may take.
        instead: the agent that decides where the engine fails; empty: its errors are raised.
        options: the engine's options, split as a shell would: `worlds=40 threads=2`.
        trusted: whether it gets the seat's own generator, from which it could compute the deal. So an agent of this
            package plays through an engine as it does without.
        game: the game.

    Raises:
        OptionError: if the command names no program or has both kinds of quotes, the options cannot be read, or the
            time is no number of milliseconds up to a day.
    """

    @checked_options("engine")
    def __init__(
        self,
        command: str,
        time: Milliseconds = TIME,
        instead: Agent | str = "",
        *,
        options: str = "",
        trusted: bool = False,
        game: str,
    ) -> None:
        self._command, self._time, self._options, self._trusted = command, time, options, trusted
        self._instead = make_agent(instead, game) if instead else None
        if self._instead is not None and cheats(self._instead):
            raise OptionError(f"engine with instead={self._instead.name}: it must see the true cards")
        self._settings = _settings(options)
        secret()  # workers that start later have the same
        self._game = get_game(game)
        self._process: EngineProcess | None = None
        self._ready: frozenset[str] = frozenset()
        command_words(command)
        self.name = own_text(self, "engine", instead=self._instead)

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle it: another process starts an engine of its own."""
        return _made, (
            self._command,
            self._time,
            self._instead or "",
            self._options,
            self._trusted,
            self._game.name,
        )

    @property
    def remembers(self) -> bool:
        """Whether the engine says so; asking starts it."""
        self.start()
        return REMEMBERS in self._ready or (self._instead is not None and remembers(self._instead))

    @property
    def judges(self) -> bool:
        """Whether the engine tells the rules by which it plays; asking starts it."""
        self.start()
        return JUDGES in self._ready

    def judge(self, state: State) -> dict[str, str]:
        """What the engine's rules say of a position, which it is shown with all cards.

        Raises:
            EngineError: if it does not judge, or gives no facts in time.
        """
        if not self.judges:
            raise EngineError(
                f"engine '{self._command}' does not judge positions: it did not say 'ready {JUDGES}'"
            )
        process, about = self._running(), f"the rules at '{state.text()}'"
        try:
            answer = process.ask(f"position {state.text()}\njudge\n", self._time / 1000, about)
            try:
                return parse_judged(answer)
            except ParseError:
                raise process.failure("did not judge", about, answer or "(an empty line)") from None
        except BaseException:
            self.close()
            raise

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The engine's decision; where it fails and another agent is named, that agent's, with the sentence of the
        failure among its `stats` and on standard error.

        Raises:
            EngineError: if it gives none in time, or none that is legal; names the engine, the position and what it
                said. Its process has ended then; the next decision starts another.
        """
        if self._instead is None:
            return self._decide(view, rng)
        try:
            return self._decide(view, rng)
        except EngineError as error:
            print(f"skat-env: warning: {error}; {self._instead.name} decides", file=sys.stderr, flush=True)
            decision = self._instead.decide(view, rng)
            return replace(decision, stats={**decision.stats, "failure": str(error)})

    def _decide(self, view: View, rng: np.random.Generator) -> Decision:
        process = self._running()
        # Only PCG64, which matches use, has a state that travels; another kind draws one.
        own = isinstance(rng.bit_generator, np.random.PCG64)
        luck = rng if own else np.random.default_rng(rng.integers(2**63))
        if not self._trusted:
            luck = secret_rng(seed_text(luck))
        lines = question_lines(self._game, view, seed_text(luck), self._time)
        about = f"'{view.text()}'"
        try:
            answer = process.ask(lines, self._time / 1000, about)
            words = answer.split()
            legal = {self._game.actions[action]: action for action in view.legal_actions()}
            if len(words) not in (2, 4) or words[0] != "play" or words[2:3] not in ([], ["seed"]):
                raise process.failure("gave no decision", about, answer or "(an empty line)")
            if words[1] not in legal:
                raise process.failure(
                    f"played what is not legal (legal are {' '.join(legal)})", about, answer
                )
            if own and len(words) == 4:
                try:
                    set_seed(rng, words[3])
                except ParseError as error:
                    raise process.failure(f"gave no decision ({error})", about, answer) from None
            notes = [note.partition(" ")[2] for note in process.notes if note.startswith("info ")]
            try:
                return informed(self._game, legal.values(), legal[words[1]], notes)
            except ParseError as error:
                raise process.failure(f"gave no decision ({error})", about, answer) from None
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Starts the process, if it does not run.

        Raises:
            EngineError: if it cannot be started, or does not answer as the protocol says.
        """
        self._running()

    def _set_options(self, process: EngineProcess) -> None:
        """Sets the options of an engine that says which it has."""
        known = [note.split(" ")[1] for note in process.notes if note.startswith("option ")]
        for name, value in self._settings.items():
            if name not in known:
                process.close()
                raise process.failure(f"has no option '{name}': it has {', '.join(known) or 'none'}")
            answer = process.ask(f"setoption {name} {value}\nisready\n", START_SECONDS, f"the option {name}")
            if answer != "readyok":
                process.close()
                raise process.failure("did not answer 'readyok'", f"the option {name}={value}", answer)

    def hear_end(self, view: View, returns: Sequence[float]) -> None:
        """Tells the engine, if it runs, how a game has ended."""
        if self._process is not None:
            self._process.tell(result_line(view, returns))
        if self._instead is not None and listens(self._instead):
            self._instead.hear_end(view, returns)

    def close(self) -> None:
        """Ends the process; another decision starts it again."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def quit(self) -> int | None:
        """Tells the engine to end and returns its exit status; None if it was not running or had to be killed."""
        status = None if self._process is None else self._process.quit()
        self._process = None
        return status

    def _running(self) -> EngineProcess:
        """The process, after the handshake."""
        if self._process is None:
            process = EngineProcess(self._command)
            hello = process.ask(f"{PROTOCOL}\n", START_SECONDS, "the handshake").split(maxsplit=1)
            if hello[:1] != ["engine"] or len(hello) < 2:
                process.close()
                raise process.failure("did not answer 'engine NAME'", "the handshake", " ".join(hello))
            ready = process.ask(f"game {self._game.name}\n", START_SECONDS, f"the game {self._game.name}")
            words = ready.split(" ")
            if words[0] != "ready" or not {*words[1:]} <= {REMEMBERS, JUDGES}:
                process.close()
                raise process.failure("did not answer 'ready'", f"the game {self._game.name}", ready)
            self._set_options(process)
            self._ready = frozenset(words[1:])
            self._process = process
        return self._process


def _made(command: str, time: int, instead: Agent | str, options: str, trusted: bool, game: str) -> Engine:
    return Engine(command, time, instead, options=options, trusted=trusted, game=game)


def _settings(options: str) -> dict[str, str]:
    """The values in a text of options, by name.

    Raises:
        OptionError: if the text cannot be read.
    """
    wrong = OptionError(
        f"the options of an engine, '{options}', cannot be read: expected NAME=VALUE, as worlds=40"
    )
    try:
        pairs = [word.partition("=") for word in shlex.split(options)]
    except ValueError:
        raise wrong from None
    if "\n" in options or not all(name and equals for name, equals, _ in pairs):
        raise wrong
    return {name: value for name, _, value in pairs}
