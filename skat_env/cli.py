"""The command `skat-env`: its subcommands are the entry points of the group `skat_env.commands`.

A subcommand is a dataclass whose fields are its options and whose `run` returns the exit status.
"""

import ast
import importlib.metadata
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from skat_env.errors import UnknownName
from skat_env.tools.exit_status import exit_status
from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.provenance import processors_note

COMMAND_GROUP = "skat_env.commands"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a subcommand and returns its exit status; a user's error prints one sentence and returns 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return exit_status("skat-env", lambda: _run(words))


def _run(words: list[str]) -> int:
    """Runs a subcommand, or prints which there are."""
    entries = {entry.name: entry for entry in importlib.metadata.entry_points(group=COMMAND_GROUP)}
    if not words or words[0] in ("-h", "--help"):
        print(
            "usage: skat-env COMMAND [options]     (options: skat-env COMMAND --help; skat-env --version)\n"
        )
        for name in sorted(entries):
            print(f"  {name:<10} {_summary(entries[name])}")
        return 0 if words else 2
    if words == ["--version"]:
        from skat_env import __version__

        print(f"skat_env {__version__}")
        return 0
    name = words[0]
    if name not in entries:
        raise UnknownName("command", name, entries)
    with interrupts_waiting():
        import tyro

        from skat_env.tools.command_help import show_plainly
        from skat_env.tools.command_line import require_once

        kind = entries[name].load()
        if {"-h", "--help"} & {*words}:
            show_plainly(kind)
        require_once(words[1:], kind)
        command = tyro.cli(kind, args=words[1:], prog=f"skat-env {name}")
    status: int = command.run()
    if note := processors_note():
        print(f"skat-env: {note}", file=sys.stderr)
    return status


def _summary(entry: importlib.metadata.EntryPoint) -> str:
    """The first line of a subcommand's docstring, read from its source: importing all of them takes much longer."""
    spec = importlib.util.find_spec(entry.module)
    if spec is not None and spec.has_location and spec.origin is not None and spec.origin.endswith(".py"):
        for statement in ast.parse(Path(spec.origin).read_bytes()).body:
            if isinstance(statement, ast.ClassDef) and statement.name == entry.attr:
                return (ast.get_docstring(statement) or "").partition("\n")[0]
    return (entry.load().__doc__ or "").strip().partition("\n")[0]
