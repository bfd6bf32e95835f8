"""Builds the engine of tetsuji16/Klaverjassen: `python engines/tetsuji/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/tetsuji16/Klaverjassen has them. The engine is `engine.mjs`
beside this file, run by `node engines/tetsuji/engine.mjs`; nothing of the program is kept here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bundle import bundle

NAME = "tetsuji16/Klaverjassen"

if __name__ == "__main__":
    bundle(NAME, Path(__file__).with_name("adapter.mjs"), "src/game", "engine.ts", "cpu.ts", "types.ts")
