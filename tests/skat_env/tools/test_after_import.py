"""Environments are known to both libraries in whatever order things are imported, and other imports stay as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

import skat_env
from skat_env.tools.after_import import after_import

MAKES = "gymnasium.make('skat_env/Skat-v0').reset(seed=1); gymnasium.make_vec('skat_env/Klaverjas-v0', 2)"


@pytest.mark.parametrize(
    "code",
    [
        f"import skat_env, gymnasium; {MAKES}",
        f"import gymnasium, skat_env; {MAKES}",
        f"import skat_env; from gymnasium.envs.registration import registry; import gymnasium; {MAKES}",
        f"import skat_env.envs.vector, gymnasium; {MAKES}",
        f"import skat_env, stable_baselines3, gymnasium; {MAKES}",
        "import gymnasium; gymnasium.make('skat_env:skat_env/Skat-v0').reset(seed=1)",
        "import skat_env, pettingzoo; pettingzoo.make('aec', 'skat_env/skat_v0')",
        "import pettingzoo, skat_env; pettingzoo.make('aec', 'skat_env/klaverjas_v0')",
        "from skat_env import skat_v0; skat_v0.env().reset(seed=1)",
        "from skat_env import *; assert make_agent('rule', 'skat').name == 'rule' and __version__",
    ],
)
def test_environments_are_known_in_any_order(code: str) -> None:
    if "stable_baselines3" in code:
        pytest.importorskip("stable_baselines3")
    if "pettingzoo.make" in code:
        pettingzoo = pytest.importorskip("pettingzoo")
        if not hasattr(pettingzoo, "make"):
            pytest.skip("PettingZoo before 1.27")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_public_names() -> None:
    assert set(skat_env.__all__) <= set(dir(skat_env))
    assert skat_env.get_game("skat").name == "skat"
    with pytest.raises(AttributeError, match="has no attribute 'get_gane'"):
        skat_env.get_gane  # noqa: B018


def test_work_is_done_once_and_after_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "late_library.py").write_text("value = 3\nassert __spec__.loader.get_source(__name__)\n")
    found: list[int] = []
    finders = len(sys.meta_path)
    after_import("late_library", lambda module: found.append(module.value))
    assert found == []
    try:
        for _ in range(2):
            __import__("late_library")
            assert found == [3]
        assert len(sys.meta_path) == finders
        after_import("late_library", lambda module: found.append(4))
        assert found == [3, 4]
    finally:
        sys.modules.pop("late_library", None)


def test_an_import_that_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file, found = tmp_path / "failing_library.py", []
    file.write_text("raise ImportError('not today')")
    after_import("failing_library", lambda module: found.append(module.value))
    with pytest.raises(ImportError, match="not today"):
        __import__("failing_library")
    assert found == []
    file.write_text("value = 'a longer text, so that no cached code is taken'")
    try:
        __import__("failing_library")
        assert len(found) == 1
    finally:
        sys.modules.pop("failing_library", None)


def test_a_library_that_is_missing_stays_missing() -> None:
    after_import("no_such_library_at_all", lambda module: None)
    try:
        with pytest.raises(ModuleNotFoundError, match="no_such_library_at_all"):
            __import__("no_such_library_at_all")
    finally:
        sys.meta_path.pop(0)
