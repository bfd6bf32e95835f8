"""How a command ends: its exit status, and the one sentence of an error that a user can cause."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from skat_env.tools.extras import explained
from skat_env.tools.files import naming
from skat_env.tools.interrupts import CONTINUES, INTERRUPTED, terminated_as_interrupted


def exit_status(name: str, work: Callable[[], int | None], is_kept: bool = False) -> int:
    """Does the work of a command and returns its exit status.

    Args:
        name: of the command, which begins the sentence of an error.
        work: returns an exit status; None: 0.
        is_kept: whether the same command goes on where Ctrl-C ended it.

    Returns:
        What `work` returns; 2 after a user's error, whose sentence is printed; 130 after Ctrl-C, and after SIGTERM,
        which does the same.
    """
    try:
        with terminated_as_interrupted():
            try:
                return work() or 0
            finally:
                _flush()
    except BrokenPipeError:  # the reader of the output stopped reading, as `head` does
        return 0
    except (ValueError, OSError, ImportError) as error:
        reported = explained(error) if isinstance(error, ImportError) else error
        print(f"{name}: {reported}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: interrupted" + (CONTINUES if is_kept else ""), file=sys.stderr)
        return INTERRUPTED


def _flush() -> None:
    """Writes what was printed, while an error can still be reported; what cannot be written is dropped."""
    try:
        with naming(Path("standard output")):
            print(end="", flush=True)
    except OSError:
        # Else the interpreter tries again when it ends, and prints a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
