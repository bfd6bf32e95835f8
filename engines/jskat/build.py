"""Builds the engine of JSkat: `python engines/jskat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/b0n541/jskat has them. The engine is `engine` beside this
file, which runs the `classes` there; nothing of JSkat is kept here. Needs a Java development kit from 17 on, and
Debian's `libguava-java` and `libslf4j-java`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from building import Building

HERE = Path(__file__).parent
CODE = "jskat-base/src/main/java"
JARS = ("guava.jar", "slf4j-api.jar", "slf4j-nop.jar")
JAVA = Path("/usr/share/java")


def build(building: Building) -> None:
    """Compiles the adapter, and of JSkat what it uses."""
    building.require_files(f"{CODE}/org/jskat/ai/newalgorithm/AlgorithmAI.java")
    building.require_programs(("javac",), "a Java development kit (Debian: apt install default-jdk-headless)")
    for jar in JARS:
        if not (JAVA / jar).is_file():
            building.fail(f"{JAVA / jar} is missing: apt install libguava-java libslf4j-java")
    path = ":".join(str(JAVA / jar) for jar in JARS)
    options = ["-nowarn", "-encoding", "UTF-8", "-cp", path, "-sourcepath", building.sources / CODE]
    building.run("javac", *options, "-d", HERE / "classes", HERE / "Engine.java")
    engine = HERE / "engine"
    engine.write_text(f"""#!/bin/sh
exec java -Xshare:auto -XX:+UseSerialGC -cp '{HERE / "classes"}:{path}' Engine "$@"
""")
    engine.chmod(0o755)
    print(f"{engine} is built")


if __name__ == "__main__":
    build(Building("JSkat"))
