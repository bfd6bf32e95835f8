"""A process that answers lines: started, asked within a time, and ended whatever happens."""

import os
import secrets
import select
import shlex
import shutil
import subprocess
import time
import weakref
from collections.abc import Iterator
from typing import Final

from skat_env.errors import EngineError, OptionError
from skat_env.tools.secret import SECRET

START_SECONDS: Final = 60.0
"""The time an engine may take for an answer of the handshake: it may have libraries and networks to load."""
END_SECONDS: Final = 2.0
"""The time an engine may take to end when it is told to."""
LONGEST: Final = 65_536
"""The bytes of the longest line."""
MARK: Final = "SKAT_ENV_ENGINE"
"""The variable of the environment that marks an engine and all that it starts; an engine's engines have longer ones."""
NOTES: Final = 100
"""The most lines before an answer that are kept, the last ones."""
_GUARD: Final = """read _
kill -s KILL -- "-$0" 2>/dev/null
for _ in 1 2 3 4 5; do
    found=$(grep -lszF -- "$1" /proc/[0-9]*/environ | cut -d / -f 3 | grep -vx -- "$$")
    [ -z "$found" ] && break
    kill -s KILL $found 2>/dev/null
done"""
"""A shell that ends the engine when its own input closes: whatever becomes of the host, no engine stays.

What the engine started is found by its mark, where the system has /proc: in a session of its own it is in no group.
"""


def command_words(command: str) -> list[str]:
    """The words of a command, as a shell would split it.

    Raises:
        OptionError: if it cannot be split, is empty, or names no program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"the command of an engine, '{command}', cannot be read: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise OptionError(
            f"the command of an engine, '{command}', names no program: expected one that can be run, and its options"
        )
    return words


class EngineProcess:
    """A running engine.

    Args:
        command: the command that starts it.

    Raises:
        OptionError: if the command names no program.
        EngineError: if it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        words = command_words(command)
        mark = secrets.token_hex(8)
        try:
            # In a session of its own: Ctrl-C is for the host, which ends the engine and all that it started.
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=_environment(mark),
            )
        except OSError as error:
            raise self.failure(f"cannot be started: {error.strerror}") from None
        guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, str(process.pid), mark], stdin=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        self._process = process
        self._said = b""
        self.notes: list[str] = []
        """What it said before its last answer that is no answer: lines `info` and `option`, without line ends."""
        self._end = weakref.finalize(self, _end, process, guard)

    def ask(self, lines: str, seconds: float, about: str = "") -> str:
        """The line with which the engine answers some lines.

        Args:
            lines: what to say, with the ends of the lines.
            seconds: how long to wait.
            about: what it is asked for, for errors.

        Raises:
            EngineError: if it has ended, spoke unasked, is silent, or answers more than a line or no text. It is ended.
        """
        try:
            if self._closed:
                raise self._ended(about)
            if not self._said and self._readable(0.0):
                self._read(about)
            if self._said:
                raise self.failure("spoke unasked", about, self._said)
            until = time.monotonic() + seconds
            self._write(lines, until, seconds, about)
            self.notes = []
            said = self._lines(until, seconds, about)
            while (line := next(said)).partition(" ")[0] in ("info", "option"):
                self.notes = [*self.notes[1 - NOTES :], line]
            return line
        except BaseException:
            self.kill()
            raise

    def tell(self, line: str) -> None:
        """Says a line that has no answer. One that has ended does not hear it; one that does not read is ended."""
        try:
            if not self._closed:
                self._write(line, time.monotonic() + END_SECONDS, END_SECONDS, "")
        except EngineError:
            self.kill()

    def _lines(self, until: float, seconds: float, about: str) -> Iterator[str]:
        """The lines that it says, without their ends, for ever; in time, or an EngineError."""
        late = False
        while True:
            while b"\n" not in self._said:
                left = until - time.monotonic()
                # What it said in time may be read late, but once: a pipe holds no more than one reading.
                if late or not self._readable(left):
                    raise self.failure(f"gave no answer in {1000 * seconds:.0f} ms", about, self._said)
                late = left < 0
                self._read(about)
                if len(self._said) > LONGEST and b"\n" not in self._said[:LONGEST]:
                    raise self.failure(f"wrote a line of more than {LONGEST} bytes", about, self._said[:80])
            line, _, self._said = self._said.partition(b"\n")
            try:
                text = line.decode()
            except UnicodeDecodeError:
                raise self.failure("answered what is no text", about, line) from None
            yield text.rstrip("\r")

    def failure(self, what: str, about: str = "", said: bytes | str = b"") -> EngineError:
        """The error that says what this engine did, when, and in which words."""
        words = said.decode(errors="backslashreplace") if isinstance(said, bytes) else said
        quoted = f": it said '{words[:200].strip()}'" if words else ""
        return EngineError(f"engine '{self.command}' {what}{f' at {about}' if about else ''}{quoted}")

    def quit(self) -> int | None:
        """Tells the engine to end and returns its exit status; None if it did not end in time and was killed."""
        _tell(self._process)
        status = _status(self._process)
        self.close()
        return status

    def close(self) -> None:
        """Tells the engine to end, kills it if it did not in time, and ends whatever it started."""
        self._end()

    def kill(self) -> None:
        """Ends the process at once, and whatever it started."""
        self._process.kill()
        self._end()

    @property
    def _closed(self) -> bool:
        """Whether this process has ended it."""
        return not self._end.alive

    def _readable(self, seconds: float) -> bool:
        """Whether there is something to read, or the end, within some time."""
        assert self._process.stdout is not None
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        return bool(poll.poll(max(0.0, 1000 * seconds)))

    def _read(self, about: str) -> None:
        """Reads what there is."""
        assert self._process.stdout is not None
        more = os.read(self._process.stdout.fileno(), LONGEST)
        if not more:
            raise self._ended(about)
        self._said += more

    def _write(self, lines: str, until: float, seconds: float, about: str) -> None:
        """Says some lines; in time, or an EngineError: an engine need not read."""
        pipe = self._process.stdin
        assert pipe is not None
        poll = select.poll()
        poll.register(pipe, select.POLLOUT)
        rest = lines.encode()
        while rest:
            if not poll.poll(max(0.0, 1000 * (until - time.monotonic()))):
                raise self.failure(f"read nothing for {1000 * seconds:.0f} ms", about)
            try:
                # What the pipe has room for, or None: its input does not block.
                rest = rest[pipe.write(rest) or 0 :]
            except OSError:
                raise self._ended(about) from None

    def _ended(self, about: str) -> EngineError:
        status = _status(self._process)
        if status is None:
            return self.failure("closed its output", about, self._said)
        return self.failure(f"ended with status {status}", about, self._said)


def _environment(mark: str) -> dict[str, str]:
    """The environment of an engine: this process's and a mark, without what would tell it the cards."""
    ours = {name: value for name, value in os.environ.items() if name != SECRET}
    return {**ours, MARK: f"{ours.get(MARK, '')}.{mark}"}


def _status(process: "subprocess.Popen[bytes]") -> int | None:
    """The exit status of an engine that ends in time."""
    try:
        return process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def _tell(process: "subprocess.Popen[bytes]") -> None:
    """Says `quit` and closes the engine's input."""
    assert process.stdin is not None
    try:
        if not process.stdin.closed:
            process.stdin.write(b"quit\n")
            process.stdin.close()
    except OSError:
        process.stdin.close()


def _end(process: "subprocess.Popen[bytes]", guard: "subprocess.Popen[bytes]") -> None:
    """Ends an engine, in time by itself, and all that it started, by its guard."""
    _tell(process)
    _status(process)
    assert process.stdout is not None
    assert guard.stdin is not None
    guard.stdin.close()
    guard.wait()
    process.kill()  # whatever became of the guard
    process.wait()
    process.stdout.close()
