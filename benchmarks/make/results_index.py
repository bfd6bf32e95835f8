"""Lists the results that are kept, each with the command that made it, the commit and the machine.

python -m benchmarks.make.results_index
"""

import json
from dataclasses import dataclass
from typing import Final

from benchmarks.harness import ROOT, run_benchmark

RESULTS: Final = ROOT / "benchmarks" / "results"
HEAD: Final = """# Results

Each file names its command, versions and commit; `python -m benchmarks.make.results_index` writes this list.
`+changes`: the tree differed from the commit. Commands are as they were given: scripts may have moved since.

| file | command | commit | machine |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Options:
    """List the results that are kept."""


def index_text() -> str:
    """The list as Markdown."""
    rows = []
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        command = str(result.get("command", "")).replace("|", "\\|")
        commit = str(result.get("commit") or "")
        short = commit[:7] + ("+changes" if commit.endswith("+changes") else "")
        rows.append(f"| [{path.stem}]({path.name}) | `{command}` | {short} | {result.get('machine', '')} |\n")
    return HEAD + "".join(rows)


def main(_: Options) -> None:
    """Writes the list."""
    (RESULTS / "README.md").write_text(index_text(), encoding="utf-8")


if __name__ == "__main__":
    run_benchmark(main, Options)
