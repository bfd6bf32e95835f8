"""Imports go one way: skat_env <- solvers <- agents <- benchmarks; tests import all."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAY_IMPORT = {
    "skat_env": {"skat_env"},
    "solvers": {"skat_env", "solvers"},
    "agents": {"skat_env", "solvers", "agents"},
    "benchmarks": {"skat_env", "solvers", "agents", "benchmarks"},
}
FILES = [
    path
    for package in MAY_IMPORT
    for path in sorted((ROOT / package).rglob("*"))
    if path.suffix in (".py", ".pyi", ".pyx", ".pxd")
]


def imported_packages(path: Path) -> set[str]:
    """The top-level packages that a file imports, anywhere in it."""
    text = path.read_text()
    if path.suffix in (".pyx", ".pxd"):
        names = re.findall(r"^\s*(?:from|import|cimport)\s+([\w.]+)", text, flags=re.MULTILINE)
        return {name.partition(".")[0] for name in names}
    packages = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            packages.add((node.module or "").partition(".")[0])
    return packages


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    ours = imported_packages(path) & set(MAY_IMPORT)
    assert ours <= MAY_IMPORT[package]


def test_every_extension_has_a_stub_and_a_header_with_it() -> None:
    for path in FILES:
        if path.suffix == ".pyx" and "class " in path.read_text():
            assert path.with_suffix(".pyi").exists(), f"{path} has no .pyi"


def test_importing_skat_env_loads_nothing_heavy() -> None:
    """numpy, gymnasium and pettingzoo, and what these load themselves."""
    code = (
        "import sys, gymnasium, pettingzoo, pettingzoo.utils; before = set(sys.modules); import skat_env, skat_env.skat_v0, skat_env.klaverjas_v0; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "torch",
        "stable_baselines3",
        "sb3_contrib",
        "scipy",
        "matplotlib",
        "ray",
        "rich",
        "tyro",
        "openskill",
    }
    assert not heavy & set(run.stdout.split())
