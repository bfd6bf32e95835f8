"""Builds XSkat 4.0 as a library without windows: `python engines/xskat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/mfrasca/xskat has them. The library is `libxskat.so` beside
this file; nothing of XSkat is kept here. Needs gcc and nm, no X11.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LIBRARY = HERE / "libxskat.so"
FILES = ("skat.c", "null.c", "ramsch.c", "text.c")
FLAGS = ["-std=gnu89", "-fwrapv", "-O2", "-fPIC", "-w", '-DDEFAULT_LANGUAGE="english"', "-Dprintf=quiet"]


def fail(sentence: str) -> None:
    """Ends with one sentence."""
    raise SystemExit(f"xskat: {sentence}")


def run(*words: str | Path) -> str:
    """The output of a command that has to succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        fail(f"'{words[0]}' failed, so these are other sources than those of XSkat 4.0: {last}")
    return done.stdout


def build(sources: Path) -> None:
    """Builds the library from a folder of sources."""
    for program in ("gcc", "nm"):
        if shutil.which(program) is None:
            fail(f"{program} is missing: it comes with a C compiler (Debian: apt install gcc binutils)")
    for name in FILES:
        if not (sources / name).is_file():
            fail(f"'{sources}' has no {name}: expected the folder of XSkat's sources")
    if "EXTERN int spitzezaehlt" not in (sources / "skat.h").read_text(errors="replace"):
        fail(f"'{sources}' has another version than XSkat 4.0")
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for path in [*(sources / name for name in FILES), HERE / "player.c"]:
            objects.append(Path(folder) / f"{path.stem}.o")
            run("gcc", *FLAGS, "-I", sources, "-c", path, "-o", objects[-1])
        whole = Path(folder) / "whole.so"
        run("gcc", "-shared", "-o", whole, *objects)
        # What is left is the window, which a player without one never opens.
        missing = re.findall(r" U (\w+)$", run("nm", "-u", whole), re.MULTILINE)
        empty = Path(folder) / "empty.c"
        empty.write_text("".join(f"int {name}() {{ return 0; }}\n" for name in missing))
        run("gcc", *FLAGS, "-shared", "-o", LIBRARY, *objects, empty)
    print(f"{LIBRARY} is built")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("expected one argument, the folder of XSkat's sources")
    build(Path(sys.argv[1]))
