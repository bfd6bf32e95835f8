"""The command line: what it lists, refuses in one sentence, and says when it is interrupted."""

import dataclasses
import importlib.metadata
import inspect
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import tyro

import skat_env
from skat_env import agent_names, cli
from skat_env.cli import main
from skat_env.registry import agent_factory, option_parameters
from tests.conftest import ROOT
from tests.helpers.processes import children_of


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    for name in ("match", "play", "replay", "data"):
        assert f"  {name} " in told
    assert main([]) == 2


def test_help_says_what_each_command_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[2:])
    entries = importlib.metadata.entry_points(group=cli.COMMAND_GROUP)
    assert set(told) == {entry.name for entry in entries}
    for entry in entries:
        assert told[entry.name] == (entry.load().__doc__ or "").strip().partition("\n")[0]


def test_help_of_a_command_without_source(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = importlib.metadata.EntryPoint("odd", "collections:Counter", cli.COMMAND_GROUP)
    made = importlib.metadata.EntryPoint("made", "tests.test_cli:MADE", cli.COMMAND_GROUP)
    built_in = importlib.metadata.EntryPoint("built", "builtins:dict", cli.COMMAND_GROUP)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: (entry, made, built_in))
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert "odd        Dict subclass for counting hashable items." in told
    assert "made       Made by a call." in told
    assert "built      dict() -> new empty dictionary" in told


MADE = type("Made", (), {"__doc__": "Made by a call.\n\nMore."})


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mach"]) == 2
    assert "did you mean 'match'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--agents", "rule", "--deals", "2", "--agents", "random"],
        ["ladder", "--agents=rule", "--deals", "2", "--agents", "random"],
        ["data", "split", "d", "--parts", "a=0.5", "b=0.5", "--parts", "c=1"],
    ],
)
def test_an_option_of_several_values_that_is_given_twice_is_told(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    name = words[-2]
    assert capsys.readouterr().err == (
        f"skat-env: option {name} is given twice: expected it once, with all of its values behind it\n"
    )


def test_the_installed_command_tells_what_is_wrong_in_one_line() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "skat_env", "replay", "missing.sgf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("skat-env: ")
    assert run.stderr.count("\n") == 1
    assert "missing.sgf" in run.stderr


def test_a_reader_that_stops_reading_is_no_error() -> None:
    """As `head` does; the table of agents is longer than a pipe's first lines."""
    with subprocess.Popen(
        [sys.executable, "-m", "skat_env", "agents"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 0


def test_a_source_that_is_not_compiled_says_so(tmp_path: Path) -> None:
    """Python finds the package in the folder where it is started before an installed one."""
    (tmp_path / "skat_env").mkdir()
    shutil.copy(ROOT / "skat_env" / "__init__.py", tmp_path / "skat_env")
    run = subprocess.run(  # -S: without the finders of editable installs
        [sys.executable, "-S", "-c", "import skat_env"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith(
        f"source of skat_env at {tmp_path / 'skat_env'}, which is not compiled: `pip install -e .` in the folder above "
        "compiles it there; an installed skat_env is found from any other folder"
    )


def test_the_module_leaves_the_command_in_its_results(tmp_path: Path) -> None:
    words = ["match", "--agents", "random", "rule", "--deals", "2", "--out", str(tmp_path / "match")]
    subprocess.run([sys.executable, "-m", "skat_env", *words], capture_output=True, check=True)
    result = json.loads((tmp_path / "match" / "result.json").read_text())
    assert result["command"] == shlex.join(["skat-env", *words])


def interrupt(*_: object) -> int:
    raise KeyboardInterrupt


def test_an_interrupt_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_run", interrupt)
    assert main(["match"]) == 130
    assert capsys.readouterr().err == "skat-env: interrupted\n"


IMPORTING = """
import os, signal, sys
from skat_env.program import main
class Finder:
    def find_spec(self, name, *_):
        if name == "MODULE":
            DO
sys.meta_path.insert(0, Finder())
sys.exit(main())
"""
"""The program, with something to do when it imports a module."""
LOSE = """try:
                os.kill(os.getpid(), signal.SIGINT)
            except:
                pass"""
"""What libraries do when Ctrl-C comes in their import."""


@pytest.mark.parametrize("module", ["skat_env.cli", "skat_env.registry", "tyro", "skat_env.commands.data"])
def test_an_interrupt_of_an_import_is_one_line(module: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            IMPORTING.replace("MODULE", module).replace("DO", LOSE),
            "data",
            "info",
            "missing",
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stderr) == (130, "skat-env: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "workers", "seconds"),
    [
        *((signal.SIGINT, workers, seconds) for workers in (1, 2) for seconds in (0.0, 0.1, 0.2, 0.4)),
        *((signal.SIGTERM, 2, seconds) for seconds in (0.0, 0.1, 0.2, 0.4, 1.0)),
    ],
)
def test_a_signal_leaves_one_line_whenever_it_comes(
    by: signal.Signals, workers: int, seconds: float, tmp_path: Path
) -> None:
    """Some time after the program began, or after its workers did, which get Ctrl-C too."""
    code = IMPORTING.replace("MODULE", "skat_env.cli").replace("DO", "print('begun', flush=True)")
    words = ["match", "--agents", "rule", "random", "--deals", "100000", "--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words, "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        while workers > 1 and len(children_of(process.pid)) < 2:  # one of them keeps track of resources
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(seconds)
        (os.killpg if by == signal.SIGINT else os.kill)(process.pid, by)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.count("\n") == 1
    assert told.startswith(("skat-env: interrupted", "stopped after "))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"skat_env {skat_env.__version__}\n"


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_agents_are_listed_with_their_options(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "--game", game]) == 0
    told = capsys.readouterr().out
    for name in agent_names(game):
        assert f"\n{name} " in told
    assert "worlds=160" in told
    assert main(["agents", "--game", "chess"]) == 2
    assert "unknown game 'chess'" in capsys.readouterr().err


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_agents_say_what_each_of_their_options_does(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in agent_names(game):
        if not agent_factory(name, game).__module__.startswith("skat_env."):
            continue  # of another test
        assert main(["agents", name, "--game", game]) == 0
        head, _, table = capsys.readouterr().out.partition("\noption ")
        assert re.fullmatch(rf"{name}\n\n\S[^\0]*\.\s*", head), name
        rows = re.split(r"\n(?=\w)", table)[1:]
        options = option_parameters(agent_factory(name, game))
        assert [row.partition(" ")[0] for row in rows] == list(options)
        for row in rows:
            assert re.match(r"\w+ +\S+ +\S", row), row


def test_agents_are_explained_in_the_order_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "pimc", "hybrid"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("pimc\n")
    assert re.search(r"\nworlds +160 +\S", told)
    assert re.search(r"\nhybrid\n[^\0]*\npolicy +required +\S", told)
    assert main(["agents", "pimc", "pimk"]) == 2
    told, error = capsys.readouterr()
    assert told == ""
    assert "unknown agent for skat 'pimk': did you mean 'pimc'?" in error


def commands() -> dict[str, type]:
    entries = importlib.metadata.entry_points(group=cli.COMMAND_GROUP)
    return {entry.name: entry.load() for entry in entries if entry.value.startswith("skat_env.")}


def parts_of(command: type) -> list[type]:
    """A command, and its own commands."""
    kinds = [kind for hint in get_type_hints(command).values() for kind in get_args(hint)]
    return [command, *(kind for kind in kinds if dataclasses.is_dataclass(kind) and hasattr(kind, "run"))]


def test_help_begins_with_an_example_that_works() -> None:
    """Its options are options; what it says is not run."""
    pytest.importorskip("torch", reason="needs the extra 'learn'")
    seen = 0
    for name, command in commands().items():
        for part in parts_of(command):
            line = inspect.cleandoc(part.__doc__ or "").split("\n\n")[1]
            program, example, *words = shlex.split(line.removeprefix("Example: "))
            assert (program, example) == ("skat-env", name), line
            tyro.cli(command, args=words)
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("command", ["match", "audit", "data import", "ladder", "review", "train", "table"])
def test_help_shows_what_an_option_takes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    told = capsys.readouterr().out
    assert "Example: skat-env" in told
    assert "None" not in told
