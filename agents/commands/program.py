"""Where the program `skat-env` begins, and how Ctrl-C ends it.

It lies outside of `skat_env`, whose import takes so long that Ctrl-C may come before it is done.
"""

import sys


def main() -> int:
    """Runs the command line and returns its exit status, 130 after an interrupt."""
    try:
        from skat_env.cli import main

        return main()
    except KeyboardInterrupt:
        print("skat-env: interrupted", file=sys.stderr)
        return 130
