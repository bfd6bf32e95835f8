"""Long commands that are given again: stopped work goes on, finished work is shown and left as it is, other is refused.

One rule for all; `test_killed_commands.py` has what happens to work that is killed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from skat_env.agents.learners import run as learner_run
from skat_env.agents.reproduce.catalogue import CATALOGUE
from skat_env.cli import main
from skat_env.datasets.generation import GenerationConfig, generate
from tests.helpers.commands import GAMES, REPRODUCTION, WRITES, quick_ladder
from tests.helpers.kills import Killed, killed_at, stop
from tests.helpers.tiny_runs import tiny_config

COMMANDS: Final[dict[str, tuple[str, list[str]]]] = {
    "match": ("match", ["match", *GAMES, "rule", "random", "--deals", "3", "--out", "OUT"]),
    "match until": (
        "match",
        ["match", *GAMES, "rule", "random", "--deals", "3", "--until", "0.5", "--out", "OUT"],
    ),
    "audit": (
        "audit",
        ["audit", "rule", "random", *GAMES[:2], "--players", "random", "--deals", "3", "--out", "OUT"],
    ),
    "ladder": ("ladder", ["ladder", *GAMES[:2], "--deals", "2", "--out", "OUT", "--no-plot"]),
    "gauntlet": (
        "gauntlet",
        ["gauntlet", *GAMES, "rule", "--engines", "random", "--deals", "2", "--no-plot", "--out", "OUT"],
    ),
    "generate": (
        "generation",
        ["generate", *GAMES, "rule", "--deals", "12", "--games-per-shard", "5", "--out", "OUT"],
    ),
    "import": ("import", ["data", "import", "DATA/games.jsonl", "OUT"]),
    "inference": (
        "measurement",
        [
            *("inference", *GAMES[:2], "--beliefs", "uniform", "--data", "DATA/games", "--part", "all"),
            *("--games", "3", "--no-plot", "--out", "OUT"),
        ],
    ),
    "exploit": (
        "exploit",
        [
            *("exploit", "random", *GAMES[:2], "--bidder", "random", "--worlds", "1", "--roles", "declarer"),
            *("--deals", "2", "--no-plot", "--out", "OUT"),
        ],
    ),
    "reproduce": ("reproduction", ["reproduce", "tiny", "--scale", "smoke", "--out", "OUT"]),
    "train": ("run", ["train", "value", "--config", "DATA/value.toml", "--out", "OUT"]),
    "train tables": ("run", ["train", "tables", "--config", "DATA/tables.toml", "--out", "OUT"]),
}
"""Name -> (what the command calls its work, its words); DATA and OUT stand for folders."""
ELSE: Final[dict[str, list[str]]] = {
    **{name: ["--seed", "7"] for name in COMMANDS if name != "import"},
    "import": ["--numbered-names"],
    "ladder": [],  # its benchmark is the game's
    "train": ["--set", "seed=7"],
    "train tables": ["--set", "seed=7"],
}
"""What makes it other work."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset, the same games as text, and configs."""
    folder = tmp_path_factory.mktemp("data")
    dataset = generate(
        GenerationConfig("klaverjas", ("ismcts(simulations=2, bidder=random)",), 16), folder / "klaverjas"
    )
    (folder / "games").symlink_to(folder / "klaverjas")
    (folder / "games.jsonl").write_text("".join(f"{record.text()}\n" for record in dataset))
    generate(GenerationConfig("skat", ("rule",), 30, 1), folder / "skat")
    for learner in ("value", "tables"):
        config = tiny_config(learner, folder)
        values = {name: getattr(config, name) for name in config.__struct_fields__}
        lines = [
            f"{name} = {toml(value)}" for name, value in values.items() if value is not None and value != {}
        ]
        (folder / f"{learner}.toml").write_text("\n".join(lines) + "\n")
    return folder


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return repr(value) if not isinstance(value, str) else f'"{value}"'


@pytest.fixture
def call(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs a command of the table, with more words."""
    monkeypatch.setitem(CATALOGUE, "tiny", REPRODUCTION)
    monkeypatch.setattr(learner_run, "provenance", dict)
    quick_ladder(monkeypatch)

    def run(name: str, *more: str) -> int:
        places = {"DATA": str(data), "OUT": str(tmp_path / "out")}
        words = [
            word.replace("DATA", places["DATA"]).replace("OUT", places["OUT"]) for word in COMMANDS[name][1]
        ]
        return main([*words, *([] if name == "ladder" and more else more)])

    return run


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def result(files: dict[Path, bytes]) -> dict[Path, bytes]:
    """Without pages that are written anew."""
    return {path: content for path, content in files.items() if path.suffix not in (".html", ".md", ".png")}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_one_rule_for_work_that_is_asked_for_again(
    name: str, call: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = COMMANDS[name][0]
    out = tmp_path / "out"
    with killed_at(2, stop, WRITES), pytest.raises(Killed):
        call(name)
    # Stopped work goes on, without an option.
    assert call(name) == 0
    assert "finished before" not in capsys.readouterr().err
    finished = files(out)
    # Finished work is shown again, and left as it is.
    assert call(name) == 0
    told = capsys.readouterr()
    assert f"this {content} was finished before; its result is in {out}" in told.err.splitlines()
    assert told.out
    summaries = {out / "result.json"} if name in ("ladder", "gauntlet") else set()
    kept = {path: data for path, data in result(finished).items() if path not in summaries}
    assert {path: data for path, data in result(files(out)).items() if path not in summaries} == kept
    # Other work is refused, and nothing is changed.
    if ELSE[name]:
        before = files(out)
        assert call(name, *ELSE[name]) == 2
        assert "nothing is changed" in capsys.readouterr().err
        assert files(out) == before
