"""Without the optional packages everything else works, and what needs them says which extra to install."""

import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)
sys.meta_path.insert(0, Missing())
from skat_env.cli import main
sys.exit(main({words}))
"""
PACKAGES = (
    "torch",
    "safetensors",
    "msgspec",
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
)


def without_extras(*words: str) -> tuple[int, str]:
    code = BLOCKED.format(packages=PACKAGES, words=list(words))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("match", "--agents", "pimc(worlds=2, bidder=rule)", "rule", "--deals", "2"),
        (
            "inference",
            "--beliefs",
            "uniform",
            "--data",
            "skat_env/data/skat_games.jsonl",
            "--part",
            "all",
            "--games",
            "1",
        ),
        (
            "match",
            "--game",
            "klaverjas",
            "--agents",
            "ismcts(simulations=5, bidder=rule)",
            "rule",
            "--deals",
            "2",
        ),
    ],
    ids=lambda words: words[0],
)
def test_what_needs_no_extra_works_without(words: tuple[str, ...]) -> None:
    assert without_extras(*words)[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("match", "--agents", "policy", "rule", "--deals", "1"),
        ("match", "--agents", "sb3(x)", "rule", "--deals", "1"),
        ("match", "--game", "klaverjas", "--agents", "dmc(x)", "rule", "--deals", "1"),
        ("match", "--game", "klaverjas", "--agents", "ismcts(evaluator=value)", "rule", "--deals", "1"),
        ("inference", "--beliefs", "tables", "--data", "skat_env/data/skat_games.jsonl"),
        ("train", "imitation", "--config", "configs/imitation-skat.toml", "--out", "/nowhere/run"),
    ],
    ids=lambda words: " ".join(words[1:5]),
)
def test_a_missing_extra_is_named(words: tuple[str, ...]) -> None:
    status, told = without_extras(*words)
    assert status == 2
    assert "pip install '.[learn]' in the checkout of skat_env" in told


def test_a_table_in_the_browser_names_its_extra(tmp_path: Path) -> None:
    status, told = without_extras("table", "--folder", str(tmp_path / "tables"))
    assert status == 2
    assert "pip install '.[table]' in the checkout of skat_env" in told
    assert not (tmp_path / "tables").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["skat_env.envs.sb3", "skat_env.agents.sb3.agent", "skat_env.agents.sb3.train"]
)
def test_modules_that_need_an_extra_say_so(module: str) -> None:
    code = f"import sys; sys.modules.update(stable_baselines3=None, sb3_contrib=None); import {module}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith("pip install '.[learn]' in the checkout of skat_env")
