"""Builds XSkat 4.0 as a library without windows: `python engines/xskat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/mfrasca/xskat has them. The library is `libxskat.so` beside
this file; nothing of XSkat is kept here. Needs gcc and nm, no X11.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from building import Building

HERE = Path(__file__).parent
LIBRARY = HERE / "libxskat.so"
FILES = ("skat.c", "null.c", "ramsch.c", "text.c")
FLAGS = ["-std=gnu89", "-fwrapv", "-O2", "-fPIC", "-w", '-DDEFAULT_LANGUAGE="english"', "-Dprintf=quiet"]


def build(building: Building) -> None:
    """Builds the library."""
    building.require_programs(("gcc", "nm"), "a C compiler (Debian: apt install gcc binutils)")
    building.require_files(*FILES)
    building.require_text("skat.h", "EXTERN int spitzezaehlt")
    sources = building.sources
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for path in [*(sources / name for name in FILES), HERE / "player.c"]:
            objects.append(Path(folder) / f"{path.stem}.o")
            building.run("gcc", *FLAGS, "-I", sources, "-c", path, "-o", objects[-1])
        whole = Path(folder) / "whole.so"
        building.run("gcc", "-shared", "-o", whole, *objects)
        # What is left is the window, which a player without one never opens.
        missing = re.findall(r" U (\w+)$", building.run("nm", "-u", whole), re.MULTILINE)
        empty = Path(folder) / "empty.c"
        empty.write_text("".join(f"int {name}() {{ return 0; }}\n" for name in missing))
        building.run("gcc", *FLAGS, "-shared", "-o", LIBRARY, *objects, empty)
    print(f"{LIBRARY} is built")


if __name__ == "__main__":
    build(Building("xskat"))
