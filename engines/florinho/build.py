"""Builds the engine of florinho1503/klaverjassen: `python engines/florinho/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/florinho1503/klaverjassen has them. The engine is
`engine.mjs` beside this file, run by `node engines/florinho/engine.mjs`; nothing of the program is kept here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bundle import bundle

NAME = "florinho1503/klaverjassen"

if __name__ == "__main__":
    bundle(
        NAME, Path(__file__).with_name("adapter.mjs"), "src/engine", "index.ts", "montecarlo.ts", "round.ts"
    )
