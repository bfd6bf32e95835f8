"""Builds an engine in JavaScript from an adapter and a program's own sources, with esbuild from npm."""

from pathlib import Path

from building import Building

ESBUILD = "esbuild@0.25.12"
TOOLS = Path(__file__).parent / "build"


def bundle(name: str, adapter: Path, program: str, *needed: str) -> None:
    """Puts an adapter and the sources that it imports as `program/...` into one file, `engine.mjs` beside the adapter.

    Args:
        name: the program's name, for messages.
        adapter: the adapter, `adapter.mjs`.
        program: the folder among the program's sources that stands for `program`.
        needed: files that have to be there.
    """
    building = Building(name)
    building.require_programs(("node", "npm"), "Node.js (Debian: apt install nodejs npm)")
    building.require_files(*(f"{program}/{file}" for file in needed))
    esbuild = TOOLS / "node_modules" / ".bin" / "esbuild"
    if not esbuild.exists():
        building.run("npm", "install", "--silent", "--no-save", "--prefix", TOOLS, ESBUILD)
    made = adapter.with_name("engine.mjs")
    building.run(
        esbuild, adapter, "--bundle", "--platform=node", "--format=esm", "--log-level=error",
        f"--alias:program={(building.sources / program).resolve()}", f"--outfile={made}",
    )  # fmt: skip
    print(f"{made} is built")
