"""Builds an engine in JavaScript from an adapter and a program's own sources, with esbuild from npm."""

import shutil
import subprocess
import sys
from pathlib import Path

ESBUILD = "esbuild@0.25.12"
TOOLS = Path(__file__).parent / "build"


def bundle(name: str, adapter: Path, program: Path, needed: tuple[str, ...]) -> Path:
    """Puts an adapter and the sources that it imports as `program/...` into one file, and returns it.

    Args:
        name: the program's name, for messages.
        adapter: the adapter, `adapter.mjs`; the bundle is beside it.
        program: the folder of the program's sources that stands for `program`.
        needed: files that have to be there.
    """
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise SystemExit(
                f"{name}: {tool} is missing: it comes with Node.js (Debian: apt install nodejs npm)"
            )
    for file in needed:
        if not (program / file).is_file():
            raise SystemExit(f"{name}: '{program}' has no {file}: expected the folder of its sources")
    esbuild = TOOLS / "node_modules" / ".bin" / "esbuild"
    if not esbuild.exists():
        run(name, "npm", "install", "--silent", "--no-save", "--prefix", str(TOOLS), ESBUILD)
    made = adapter.with_name("engine.mjs")
    run(
        name, str(esbuild), str(adapter), "--bundle", "--platform=node", "--format=esm", "--log-level=error",
        f"--alias:program={program.resolve()}", f"--outfile={made}",
    )  # fmt: skip
    print(f"{made} is built")
    return made


def run(name: str, *words: str) -> None:
    """Runs a command that has to succeed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise SystemExit(
            f"{name}: '{words[0]}' failed, so these may be sources of another version: {lines[0]}"
        )


def source_of(name: str) -> Path:
    """The folder of sources that the command line names."""
    if len(sys.argv) != 2:
        raise SystemExit(f"{name}: expected one argument, the folder of its sources")
    return Path(sys.argv[1])
