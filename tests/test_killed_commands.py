"""Long commands that are killed, twice and more in a row, end as unbroken ones, byte for byte.

`tests/agents/learners/test_resuming.py` has the same of trainings.
"""

import contextlib
import io
import json
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from skat_env.agents.inference_quality.folder import MEASUREMENTS
from skat_env.agents.inference_quality.measure import RECORD
from skat_env.agents.reproduce import run as reproduction_run
from skat_env.cli import main
from skat_env.datasets.dataset import MANIFEST
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.datasets.importer import import_games
from skat_env.errors import ParseError
from skat_env.tools import provenance
from tests.helpers.commands import GAMES, REPRODUCTION, WRITES, quick_ladder
from tests.helpers.kills import KILLS, NEVER, Killed, exit_code, kill, kill_after, killed_at, stop

SECONDS: Final = {
    "games.jsonl": rb'"seconds":\[[^]]*\]',
    "thinking.jsonl": rb",[0-9.e-]+\]",
    "ladder.md": rb" [0-9.e-]+ \|\n",
    "report.html": rb"(?: +[0-9.e-]+ *\n)|<pre>skat-env review [^<]*",  # the times are the last column
    "result.json": rb'"(seconds|seconds_per_move|milliseconds)": ([0-9.e-]+|\{[^}]*\})',
}
"""What tells how long something took, in files of a name."""


def command(*words: str) -> Callable[[Path, Path, int], None]:
    """Makes the function that runs a command line; DATA and OUT stand for folders."""

    def run(data: Path, out: Path, workers: int) -> None:
        places = {"DATA": str(data / "games"), "OUT": str(out)}
        chosen = ["--workers", str(workers)] if words[0] != "data" else []
        with contextlib.redirect_stdout(io.StringIO()):
            assert main([*(places.get(word, word) for word in words), *chosen]) == 0

    return run


def importing(data: Path, out: Path, workers: int) -> None:
    import_games(data / "games.jsonl", out, workers=workers, lines_per_shard=20)


def extending(data: Path, out: Path, workers: int) -> None:
    """A match that is given a second and a third deal."""
    head = out / "match.json"
    words = ("match", *GAMES, "rule", "random", "--out", "OUT", "--deals")
    if not head.exists() or json.loads(head.read_text())["deals"] == 1:
        command(*words, "1")(data, out, workers)
    command(*words, "3", "--extend")(data, out, workers)


def laddering(data: Path, out: Path, workers: int) -> None:
    """A ladder with quick anchors."""
    words = ("ladder", *GAMES[:2], "--deals", "2", "--out", "OUT", "--no-plot")
    with pytest.MonkeyPatch.context() as patch:
        quick_ladder(patch)
        command(*words)(data, out, workers)


def reproducing(data: Path, out: Path, workers: int) -> None:
    reproduction_run.run(REPRODUCTION, "smoke", out, workers=workers)


COMMANDS: Final[Mapping[str, Callable[[Path, Path, int], None]]] = {
    "match": command("match", *GAMES, "rule", "random", "--deals", "2", "--out", "OUT"),
    "extended match": extending,
    "generate": command(
        "generate", *GAMES, "rule", "random", "--deals", "22", "--games-per-shard", "5", "--out", "OUT"
    ),
    "audit": command(
        "audit", "rule", "random", *GAMES[:2], "--players", "random", "--deals", "5", "--out", "OUT"
    ),
    "exploit": command(
        "exploit", "random", *GAMES[:2], "--bidder", "random", "--worlds", "1", "--roles", "declarer",
        "--deals", "2", "--no-plot", "--out", "OUT",
    ),
    "ladder": laddering,
    "gauntlet": command(
        "gauntlet", *GAMES, "rule", "--engines", "random", "--deals", "1", "--no-plot", "--out", "OUT"
    ),
    "import": importing,
    "inference": command(
        "inference", "--game", "klaverjas", "--beliefs", "uniform", "--data", "DATA", "--part", "all",
        "--games", "3", "--no-plot", "--out", "OUT",
    ),
    "reproduce": reproducing,
    "split": command("data", "split", "DATA", "--out", "OUT"),
    "merge": command("data", "merge", "DATA", "DATA", "--out", "OUT"),
}  # fmt: skip
"""Runs of a fraction of a second of each long command, from data into a folder with a number of workers."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset and the same games as text."""
    folder = tmp_path_factory.mktemp("data")
    dataset = generate(GenerationConfig("klaverjas", ("rule", "random"), 40), folder / "games")
    (folder / "games.jsonl").write_text("".join(f"{record.text()}\n" for record in dataset))
    return folder


@pytest.fixture(scope="module")
def unbroken(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What an unbroken run of a command leaves, made once."""
    found: dict[str, dict[str, Any]] = {}

    def run(name: str) -> dict[str, Any]:
        if name not in found:
            out = tmp_path_factory.mktemp(name) / "out"
            assert survives(name, data, out)
            found[name] = left(out)
        return found[name]

    return run


def left(folder: Path) -> dict[str, Any]:
    """All that a command has left, by name, but for how long it took and how often it was stopped."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.name in SECONDS:
                content = re.sub(SECONDS[path.name], b"", content)
            elif path.name == MANIFEST:
                fields = json.loads(content)
                content = repr(
                    [item for item in fields.items() if item[0] not in ("resumed", "crc32")]
                ).encode()
            elif path.name == MEASUREMENTS:
                records = np.frombuffer(content, RECORD).copy()
                records["seconds"] = 0
                # Games are in the order in which workers were done with them.
                content = np.sort(records, order=("game", "role", "belief")).tobytes()
            found[str(path.relative_to(folder))] = content.replace(str(folder).encode(), b"OUT")
    assert found
    return found


def work_to_death(name: str, data: Path, out: Path, write: int, seconds: float, workers: int) -> None:
    """What a process does: it works, and kills itself at a write or after some seconds."""
    kill_after(seconds)
    with pytest.MonkeyPatch.context() as patch, killed_at(write, kill, WRITES):
        # They differ between processes, or take longer to find out than the work.
        patch.setattr(provenance, "commit", lambda: None)
        patch.setattr(sys, "argv", ["skat-env", name])
        COMMANDS[name](data, out, workers)


def survives(
    name: str, data: Path, out: Path, write: int = NEVER, seconds: float = NEVER, workers: int = 1
) -> bool:
    """Works in a process that may be killed; whether it came to its end."""
    code = exit_code(work_to_death, name, data, out, write, seconds, workers)
    assert code in (0, -signal.SIGKILL), code
    return code == 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "merge" else pytest.mark.slow) for name in COMMANDS]
)
def test_a_command_killed_again_and_again_ends_as_an_unbroken_one(
    name: str, data: Path, unbroken: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    """Tries die in place of a later write each, and every second one soon after it went on: in place of its third."""
    tries = 0
    while not survives(name, data, tmp_path / "out", 2 if tries % 2 else tries // 2):
        tries += 1
    assert tries >= 2
    assert left(tmp_path / "out") == unbroken(name)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


HEADS: Final = {
    "match": "match.json",
    "audit": "audit.json",
    "ladder": "ladder.json",
    "gauntlet": "gauntlet.json",
    "generate": "generation.json",
    "import": "import.json",
    "inference": "inference.json",
    "reproduce": "reproduction.json",
}
"""The file that says what was begun in a folder."""


@pytest.fixture
def stopped(request: pytest.FixtureRequest, data: Path, tmp_path: Path) -> tuple[str, Path]:
    """A command, and the folder of a run of it that was stopped."""
    out = tmp_path / "out"
    with killed_at(3, stop, WRITES), pytest.raises(Killed):
        COMMANDS[request.param](data, out, 1)
    return request.param, out


def sentence(name: str, data: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The sentence with which a command ends that goes on in a folder, in which it changes nothing."""
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    capsys.readouterr()
    try:
        with pytest.raises((ParseError, AssertionError)) as raised:
            COMMANDS[name](data, out, 1)
    finally:
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    lines = (capsys.readouterr().err or f"skat-env: {raised.value}").splitlines()
    assert [line.startswith("skat-env: ") for line in lines].index(True) == len(lines) - 1
    return lines[-1]


@pytest.mark.parametrize("stopped", HEADS, indirect=True)
def test_damaged_heads_are_one_sentence(
    stopped: tuple[str, Path], data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, out = stopped
    head = out / HEADS[name]
    fields = json.loads(head.read_text())
    contents: list[Any] = ["", "{}", "[]", "null", "[" * 100_000, head.read_text()[:-9], "\xff"]
    contents += [
        json.dumps(fields | {key: {"x": 1} if type(fields[key]) is not dict else 1}) for key in fields
    ]
    if name == "import":
        contents += [
            json.dumps(fields | {"players": players}) for players in ([], [1] * 9, [["a"]] * 9, None)
        ]
    for content in contents:
        head.write_text(content, encoding="latin-1")
        told = sentence(name, data, out, capsys)
        assert f"{head} is damaged: " in told
        assert "name another folder" in told


@pytest.mark.parametrize("stopped", ["generate", "import"], indirect=True)
def test_damaged_files_of_an_unfinished_dataset_are_one_sentence(
    stopped: tuple[str, Path],
    data: Path,
    unbroken: Callable[[str], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The advice helps."""
    name, out = stopped
    shard = out / "00000.shard"
    content = shard.read_bytes()
    shard.write_bytes(content[:-1])
    assert str(shard) in (told := sentence(name, data, out, capsys))
    assert "delete the file to make it again" in told
    shard.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provenance, "commit", lambda: None)
        patch.setattr(sys, "argv", ["skat-env", name])
        COMMANDS[name](data, out, 1)
    assert left(out)["00000.shard"] == unbroken(name)["00000.shard"]


@pytest.mark.parametrize("stopped", ["inference"], indirect=True)
def test_damaged_measurements_are_one_sentence(
    stopped: tuple[str, Path], data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, out = stopped
    file = out / MEASUREMENTS
    content = file.read_bytes()
    half = content[: len(content) // 2]
    for damaged in (
        b"\xff" * len(content),
        b"\0" * 8 + content[8:],
        content * 2,
        half + half,
        content[1:] + b"\0",
    ):
        file.write_bytes(damaged)
        assert f"{file} is damaged: " in (told := sentence(name, data, out, capsys))
        assert "delete the file to measure again" in told
    file.unlink()
    COMMANDS[name](data, out, 1)
    (out / "result.json").write_text("{")
    assert "result.json is damaged: " in sentence(name, data, out, capsys)


@pytest.mark.slow
def test_a_damaged_result_of_a_reproduction_is_one_sentence(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    COMMANDS["reproduce"](data, out, 1)
    result = out / "result.json"
    fields = json.loads(result.read_text())
    [row, other] = fields["rows"]
    for content in (
        "{}", "[]", '{"rows": 3}', '{"rows": []}', '{"rows": [3]}', json.dumps(fields)[:-9],
        *(json.dumps(fields | {"rows": [row | {key: {}}, other]}) for key in row),
        *(json.dumps(fields | {"rows": [{other: row[other] for other in row if other != key}]}) for key in ("label", "mean")),
    ):  # fmt: skip
        result.write_text(content)
        assert f"{result} is damaged: " in (told := sentence("reproduce", data, out, capsys))
        assert "delete it to make it again" in told
    result.unlink()
    COMMANDS["reproduce"](data, out, 1)
    assert json.loads(result.read_text())["rows"] == fields["rows"]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_two_kills_at_any_writes(
    name: str, data: Path, unbroken: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    """Killed in place of a write (which is right after the one before), and again soon after it goes on.

    SKAT_ENV_KILLS is the number of writes tried; the default is 2.
    """
    with killed_at(NEVER, stop, WRITES) as writes:
        COMMANDS[name](data, tmp_path / "counted", 1)
    assert writes
    rng = np.random.default_rng(list(name.encode()))
    for first in sorted(rng.permutation(len(writes))[:KILLS].tolist()):
        for second in (0, 1, 2):
            out = tmp_path / f"{first}-{second}"
            assert not survives(name, data, out, first)
            survives(name, data, out, second)
            assert survives(name, data, out)
            assert left(out) == unbroken(name), (first, second)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_kills_at_random_moments(
    name: str, data: Path, unbroken: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    """Each twice in a row, with one worker and with two in turn; SKAT_ENV_KILLS=20 makes it 20."""
    rng = np.random.default_rng(list(name.encode()))
    took = {}
    for workers in (1, 2):
        began = time.monotonic()
        assert survives(name, data, tmp_path / f"whole-{workers}", workers=workers)
        took[workers] = time.monotonic() - began
        assert left(tmp_path / f"whole-{workers}") == unbroken(name)
    for number in range(KILLS):
        workers = 1 + number % 2
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        moments = rng.uniform(0, took[workers], 2).tolist()
        killed = (survives(name, data, tmp_path / "out", NEVER, moment, workers) for moment in moments)
        assert any(killed) or survives(name, data, tmp_path / "out")
        assert left(tmp_path / "out") == unbroken(name)
