"""Builds the engines of choogenboom/Monte-Carlo-Klaverjas: `python engines/choogenboom/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/choogenboom/Monte-Carlo-Klaverjas has them. The program has
its rules as a constant, so there are two engines, `rotterdam` and `amsterdam`, beside this file; nothing of the program
is kept here. Needs g++.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from building import Building

HERE = Path(__file__).parent
FILES = ("klaverjas.cc", "montecarlo.cc", "competitie.cc", "speelpas.cc", "spelers.cc")
RULE = "const static bool rotterdams = true;"


def build(building: Building, legality: str) -> None:
    """Builds the engine of one variant."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for path in (*building.sources.glob("*.h"), *(building.sources / name for name in FILES)):
            shutil.copy(path, copy)
        text = building.require_text("klaverjas.h", RULE)
        is_rotterdam = str(legality == "rotterdam").lower()
        (copy / "klaverjas.h").write_text(text.replace(RULE, RULE.replace("true", is_rotterdam)))
        # The program's own main stays out of the way.
        command = ["g++", "-O2", "-w", f"-I{copy}", f'-DLEGALITY="{legality}"']
        objects = []
        for name in FILES:
            objects.append(copy / f"{name}.o")
            building.run(*command, "-Dmain=program_main", "-c", copy / name, "-o", objects[-1])
        building.run(*command, HERE / "adapter.cc", *objects, "-o", HERE / legality)
    print(f"{HERE / legality} is built")


if __name__ == "__main__":
    engines = Building("choogenboom/Monte-Carlo-Klaverjas")
    engines.require_programs(("g++",), "a C++ compiler (Debian: apt install g++)")
    engines.require_files("klaverjas.h", *FILES)
    for variant in ("rotterdam", "amsterdam"):
        build(engines, variant)
