"""Builds the engine of JSkat: `python engines/jskat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/b0n541/jskat has them. The engine is `engine` beside this
file, which runs the `classes` there; nothing of JSkat is kept here. Needs a Java development kit from 17 on, and
Debian's `libguava-java` and `libslf4j-java`.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
JARS = ("guava.jar", "slf4j-api.jar", "slf4j-nop.jar")
JAVA = Path("/usr/share/java")


def fail(sentence: str) -> None:
    """Ends with one sentence."""
    raise SystemExit(f"JSkat: {sentence}")


def build(sources: Path) -> None:
    """Compiles the adapter, and of JSkat what it uses."""
    code = sources / "jskat-base" / "src" / "main" / "java"
    if not (code / "org" / "jskat" / "ai" / "newalgorithm" / "AlgorithmAI.java").is_file():
        fail(
            f"'{sources}' has no jskat-base/src/main/java with its AlgorithmAI: expected the folder of its sources"
        )
    if shutil.which("javac") is None:
        fail(
            "javac is missing: it comes with a Java development kit (Debian: apt install default-jdk-headless)"
        )
    for jar in JARS:
        if not (JAVA / jar).is_file():
            fail(f"{JAVA / jar} is missing: apt install libguava-java libslf4j-java")
    path = ":".join(str(JAVA / jar) for jar in JARS)
    command = ["javac", "-nowarn", "-encoding", "UTF-8", "-cp", path, "-sourcepath", str(code), "-d"]
    done = subprocess.run(
        [*command, str(HERE / "classes"), str(HERE / "Engine.java")],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        fail(f"javac failed, so these may be sources of another version: {lines[0]}")
    engine = HERE / "engine"
    engine.write_text(f"""#!/bin/sh
exec java -Xshare:auto -XX:+UseSerialGC -cp '{HERE / "classes"}:{path}' Engine "$@"
""")
    engine.chmod(0o755)
    print(f"{engine} is built")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("expected one argument, the folder of its sources")
    build(Path(sys.argv[1]))
