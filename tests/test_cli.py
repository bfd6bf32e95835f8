import subprocess
import sys

import pytest

from skat_env.cli import main


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    for name in ("match", "play", "replay", "data"):
        assert f"  {name} " in told
    assert main([]) == 2


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mach"]) == 2
    assert "did you mean 'match'" in capsys.readouterr().err


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
