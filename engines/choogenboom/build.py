"""Builds the engines of choogenboom/Monte-Carlo-Klaverjas: `python engines/choogenboom/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/choogenboom/Monte-Carlo-Klaverjas has them. The program has
its rules as a constant, so there are two engines, `rotterdam` and `amsterdam`, beside this file; nothing of the program
is kept here. Needs g++.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
NAME = "choogenboom/Monte-Carlo-Klaverjas"
FILES = ("klaverjas.cc", "montecarlo.cc", "competitie.cc", "speelpas.cc", "spelers.cc")
RULE = "const static bool rotterdams = true;"


def fail(sentence: str) -> None:
    """Ends with one sentence."""
    raise SystemExit(f"{NAME}: {sentence}")


def build(sources: Path, legality: str) -> None:
    """Builds the engine of one variant."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for path in (*sources.glob("*.h"), *(sources / name for name in FILES)):
            shutil.copy(path, copy)
        header = copy / "klaverjas.h"
        text = header.read_text(errors="replace")
        if RULE not in text:
            fail(f"'{sources}' is of another version: klaverjas.h does not say '{RULE}'")
        header.write_text(text.replace(RULE, RULE.replace("true", str(legality == "rotterdam").lower())))
        # The program's own main stays out of the way.
        command = ["g++", "-O2", "-w", f"-I{copy}", f'-DLEGALITY="{legality}"']
        objects = []
        for name in FILES:
            objects.append(str(copy / f"{name}.o"))
            run([*command, "-Dmain=program_main", "-c", str(copy / name), "-o", objects[-1]])
        run([*command, str(HERE / "adapter.cc"), *objects, "-o", str(HERE / legality)])
    print(f"{HERE / legality} is built")


def run(command: list[str]) -> None:
    """Runs a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        fail(f"g++ failed, so these may be sources of another version: {lines[0]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("expected one argument, the folder of its sources")
    if shutil.which("g++") is None:
        fail("g++ is missing: it comes with a C++ compiler (Debian: apt install g++)")
    given = Path(sys.argv[1])
    for file in FILES:
        if not (given / file).is_file():
            fail(f"'{given}' has no {file}: expected the folder of its sources")
    for variant in ("rotterdam", "amsterdam"):
        build(given, variant)
