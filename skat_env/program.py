"""Where the program `skat-env` begins, and how Ctrl-C ends it until a command has begun.

It imports nothing of its own at first: the imports of a command line take so long that Ctrl-C may come before they are
done.
"""

import os
import signal
from types import FrameType


def main() -> int:
    """Runs the command line and returns its exit status."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # else it is ignored, as in the background
        signal.signal(signal.SIGINT, _end)
    from skat_env.cli import main

    signal.signal(signal.SIGINT, handler)
    return main()


def _end(number: int, frame: FrameType | None) -> None:
    """Ends the program at once: an exception would be lost in a library that catches all of its own."""
    os.write(2, b"skat-env: interrupted\n")
    os._exit(130)
