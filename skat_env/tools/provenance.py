"""Result files, with the provenance of the result: command, versions, commit."""

import importlib.metadata
import json
import platform
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from skat_env.tools.files import write_text
from skat_env.tools.json_file import finite

LINE: Final = 300
"""The width of a result file in columns: a row of the widest table fits."""
PACKAGES = ("skat_env", "numpy", "scipy", "gymnasium", "pettingzoo", "torch")


_pieces: Counter[str] = Counter()


def count_piece(name: str) -> None:
    """Notes that a worker on another machine, or on this, has done a piece of this process's work.

    Args:
        name: the worker's processor.
    """
    _pieces[name] += 1


def processors_note() -> str:
    """What a command says at its end about the processors that did its work; empty if they were alike."""
    if len({*_pieces, processor()}) == 1:
        return ""
    shares = ", ".join(f"{name}: {pieces}" for name, pieces in _pieces.most_common())
    return f"pieces of this work were done on other processors, where networks may differ in their last bits ({shares})"


@cache  # the tree may change while the process runs, the code that it has loaded does not
def commit() -> str | None:
    """The commit of the source tree that runs, with `+changes` if the tree differs from it; None outside git."""
    root = Path(__file__).resolve().parents[2]

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != root:
            return None
        return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def command() -> str:
    """The command line that runs, as it can be typed again: a module of `python -m` by its name."""
    module = getattr(sys.modules["__main__"], "__spec__", None)
    if module is None or module.origin != sys.argv[0]:
        return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return shlex.join(["python", "-m", module.name.removesuffix(".__main__"), *sys.argv[1:]])


def provenance() -> dict[str, Any]:
    """The command line, versions, commit and machine, as the head of a result file."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "command": command(),
        "versions": versions,
        "commit": commit(),
        "machine": processor(),
        **({"workers": dict(_pieces)} if _pieces else {}),
    }


def write_result(path: Path, result: Mapping[str, Any]) -> None:
    """Writes a JSON file: the provenance, then the result, with null for numbers that are not finite."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json_text(finite({**provenance(), **result})) + "\n")


def json_text(value: Any, indent: int = 0) -> str:
    """JSON with each list or object on one line if it fits, so that every row of a table has its own line."""
    line = json.dumps(value)
    if not isinstance(value, dict | list | tuple) or indent + len(line) <= LINE:
        return line
    inner = indent + 1
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {json_text(part, inner)}" for key, part in value.items()]
    else:
        parts = [json_text(part, inner) for part in value]
    separator = "\n" + " " * inner
    return line[0] + separator + f",{separator}".join(parts) + "\n" + " " * indent + line[-1]


@cache
def processor() -> str:
    """The name of this machine's processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
