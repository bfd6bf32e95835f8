"""Without the optional packages everything else works, and what needs them says which extra to install."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from skat_env.cli import COMMAND_GROUP

BLOCKED = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)
sys.meta_path.insert(0, Missing())
from skat_env.cli import main
done = []
for words in {commands}:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as told:
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    done.append((status or 0, told.getvalue()))
print(json.dumps(done))
"""
PACKAGES = (
    "torch",
    "tensorboard",
    "stable_baselines3",
    "sb3_contrib",
    "matplotlib",
    "ray",
    "pyspiel",
    "open_spiel",
    "pygame",
    "starlette",
    "uvicorn",
    "websockets",
    "anyio",
    "onnx",
    "mcp",
    "openai",
)


GAMES = "skat_env/data/skat_games.jsonl"
DEAL = "D8.DT.D9.DJ.H7.HT.S7.S8.C7.C8/D7.DQ.DK.DA.H8.H9.S9.ST.C9.CT/HJ.HQ.HK.HA.SJ.SQ.SK.SA.CJ.CQ/CK.CA :"
MATCH = ("match", "--deals", "2", "--out", "OUT", "--agents")
AUDIT = ("audit", "rule", "random", "--deals", "2", "--out", "OUT")
GENERATE = ("generate", "--deals", "2", "--out", "OUT", "--agents", "rule")
INFERENCE = (
    "inference",
    "--data",
    GAMES,
    "--part",
    "all",
    "--games",
    "1",
    "--out",
    "OUT",
    "--beliefs",
    "uniform",
)
EXPLOIT = ("exploit", "random", "--worlds", "1", "--deals", "2", "--bidder", "random", "--out", "OUT")
GAUNTLET = ("gauntlet", "--agents", "rule", "--engines", "random", "--deals", "2", "--out", "OUT")
LADDER = ("ladder", "--deals", "2", "--out", "OUT")
KLAVERJAS = ("match", "--game", "klaverjas", "--deals", "2", "--agents")
COMMANDS: Final[dict[str, list[tuple[str, tuple[str, ...]]]]] = {
    "match": [
        ("", (*MATCH, "rule", "random")),
        ("", (*MATCH, "rule", "pimc(worlds=2, bidder=rule)", "random")),
        ("", (*KLAVERJAS, "ismcts(simulations=5, bidder=rule)", "rule")),
        ("", (*MATCH, "rule", "policy", "champion(quick=true)")),
        ("learn", (*MATCH, "rule", "sb3(x)")),
        ("", (*MATCH, "rule", "pimc(worlds=2, belief=locations, bidder=policy)")),
        ("", (*KLAVERJAS, "champion", "ismcts(simulations=5, evaluator=value, bidder=rule)")),
        ("ray", (*MATCH, "rule", "random", "--backend", "ray")),
    ],
    "generate": [
        ("", GENERATE),
        ("", (*GENERATE, "policy")),
        ("learn", (*GENERATE, "sb3(x)")),
        ("learn", (*GENERATE, "--mark", "sb3(x)")),
        ("learn", (*GENERATE, "--start", "cardplay", "--bidder", "sb3(x)")),
        ("ray", (*GENERATE, "--backend", "ray")),
    ],
    "audit": [
        ("", (*AUDIT, "--players", "rule", "--worlds", "2")),
        ("learn", (*AUDIT, "--players", "rule", "--bidder", "sb3(x)")),
        ("learn", (*AUDIT, "--players", "rule", "--played-by", "sb3(x)")),
    ],
    "ladder": [
        ("plot", LADDER),
        ("learn", (*LADDER, "--no-plot", "--agents", "sb3(x)")),
        ("", (*LADDER, "--no-plot", "--agents", "random")),
    ],
    "gauntlet": [("plot", GAUNTLET), ("", (*GAUNTLET, "--no-plot"))],
    "iss": [("", ("iss", "--help"))],
    "bench": [
        ("", ("bench", "tasks")),
        ("learn", ("bench", "train", "examples/learners/ppo.py", "--task", "SkatSuit-v0", "--out", "OUT")),
        ("plot", ("bench", "report", "benchmarks/results", "--out", "OUT")),
    ],
    "inference": [
        ("plot", INFERENCE),
        ("", (*INFERENCE, "--no-plot")),
        ("", (*INFERENCE, "tables", "--no-plot")),
    ],
    "exploit": [
        ("plot", EXPLOIT),
        ("", (*EXPLOIT, "--no-plot")),
        ("learn", (*EXPLOIT, "--no-plot", "--responders", "sb3(x)")),
    ],
    "reproduce": [
        ("", ("reproduce", "--list")),
        ("plot", ("reproduce", "aaldering-tables-6-7", "--out", "OUT")),
    ],
    "train": [
        ("learn", ("train", "imitation", "--config", "imitation-skat", "--out", "OUT")),
        ("learn", ("train", "sb3", "--config", "sb3-skat", "--out", "OUT")),
    ],
    "mcp": [("mcp", ("mcp",))],
    "exam": [("llm", ("exam", "--agent", "llm(model=x, base_url='http://127.0.0.1:1/v1')"))],
    "score": [
        ("", ("score", "--agent", "random", "--deals", "2")),
        ("learn", ("score", "--agent", "sb3(x)")),
    ],
    "table": [("table", ("table", "--folder", "OUT"))],
    "onnx": [("onnx", ("onnx", "klaverjas-policy", "--game", "klaverjas", "--out", "OUT"))],
    "data": [("", ("data", "import", GAMES, "OUT"))],
    "replay": [("", ("replay", GAMES))],
    "agents": [("", ("agents",))],
    "draw": [("", ("draw", DEAL, "--out", "OUT.svg")), ("pictures", ("draw", DEAL, "--out", "OUT.png"))],
    "solve": [("", ("solve", "--help"))],
    "review": [("", ("review", "--help"))],
    "play": [("", ("play", "--help")), ("learn", ("play", "--agents", "sb3(x)"))],
    "engine": [("", ("engine", "check", "--help"))],
}
"""Command -> (the extra that it asks for, '' for none, when all extras are missing; its words). OUT stands for a folder."""


def without(packages: tuple[str, ...], commands: list[list[str]]) -> list[tuple[int, str]]:
    """How commands end where packages are missing, one after another in one process, and what they say then."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(packages=packages, commands=commands)],
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return [(status, told) for status, told in json.loads(done.stdout)]


def test_every_command_is_in_the_table() -> None:
    commands = {entry.name for entry in importlib.metadata.entry_points(group=COMMAND_GROUP)}
    assert commands <= COMMANDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_extra_is_asked_for_before_the_work(command: str, tmp_path: Path) -> None:
    """In one line that names the extra, with no game played and no file left; what needs none works."""
    if command not in {entry.name for entry in importlib.metadata.entry_points(group=COMMAND_GROUP)}:
        pytest.skip("installed before this command was there")
    cases = COMMANDS[command]
    folders = [tmp_path / str(number) for number in range(len(cases))]
    for folder in folders:
        folder.mkdir()
    lines = [
        [word.replace("OUT", str(folder / "out")) for word in words]
        for folder, (_, words) in zip(folders, cases, strict=True)
    ]
    ends = without(PACKAGES, lines)
    for folder, (extra, _), (status, told) in zip(folders, cases, ends, strict=True):
        if not extra:
            assert status == 0, told
            continue
        assert (status, told.count("\n")) == (2, 1), told
        assert f"pip install '.[{extra}]' in the checkout of skat_env" in told
        has_option = extra == "plot" and command not in ("reproduce", "bench")
        assert ("--no-plot leaves the figure out" in told) == has_option
        assert not [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_training_asks_for_its_writer_before_the_work(tmp_path: Path) -> None:
    words = ["train", "ppo", "--config", "ppo-klaverjas", "--out", str(tmp_path / "out")]
    [(status, told)] = without(("tensorboard",), [words])
    assert status == 2
    assert told == "skat-env: this needs tensorboard: pip install '.[learn]' in the checkout of skat_env\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("skat_env.envs.sb3", "learn"),
        ("skat_env.agents.sb3.model", "learn"),
        ("skat_env.agents.sb3.train", "learn"),
        ("skat_env.doors.mcp.server", "mcp"),
        ("skat_env.doors.openenv.app", "openenv"),
        ("skat_env.doors.verifiers", "verifiers"),
        ("skat_env.doors.inspect_tasks", "inspect"),
    ],
)
def test_modules_that_need_an_extra_say_so(module: str, extra: str) -> None:
    missing = dict.fromkeys(("stable_baselines3", "sb3_contrib", "mcp", "openenv", "verifiers", "inspect_ai"))
    code = f"import sys; sys.modules.update({missing}); import {module}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith(f"pip install '.[{extra}]' in the checkout of skat_env")
