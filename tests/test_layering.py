"""Imports go one way: skat_env <- its solvers <- its agents <- its table, its doors, benchmarks, and down the rooms of each; tests import all."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAY_IMPORT = {
    "skat_env": {"skat_env"},
    "skat_env.solvers": {"skat_env", "skat_env.solvers"},
    "skat_env.agents": {"skat_env", "skat_env.solvers", "skat_env.agents"},
    "skat_env.table": {"skat_env", "skat_env.solvers", "skat_env.agents", "skat_env.table"},
    "skat_env.doors": {"skat_env", "skat_env.solvers", "skat_env.agents", "skat_env.doors"},
    "benchmarks": {
        "skat_env",
        "skat_env.solvers",
        "skat_env.agents",
        "skat_env.table",
        "skat_env.doors",
        "benchmarks",
    },
}
"""What each package may import, of these packages; `skat_env` is without those that are linked into it."""
FILES = [
    path
    for package in MAY_IMPORT
    for path in sorted((ROOT / package.replace(".", "/")).rglob("*"))
    if path.suffix in (".py", ".pyi", ".pyx", ".pxd")
]

ROOMS = {
    "skat_env": (
        "commands skat_v0 klaverjas_v0 program",
        "gauntlet",
        "audit ladder openspiel score",
        "match skat klaverjas",
        "envs datasets beliefs text structs",
        "play",
        "records",
        "encoders",
        "_encoder",
        "_position",
        "pictures",
        "registry rule_options",
        "protocols",
        "deal",
        "cards position_text cli _random",
        "options",
        "own_text",
        "call_text",
        "features tools _bits _feature_bits _feature_floats",
        "errors _processor",
    ),
    "skat_env.solvers": (
        "commands",
        "skat klaverjas",
        "review_table throws_table",
        "throws _solver",
        "review game_text _followed",
        "reviewed_game open_card _crew",
        "protocols _answer",
        "endings",
        "question solution brute_force _candidates _limits _table _targets",
    ),
    "skat_env.agents": (
        "commands",
        "skat klaverjas reproduce",
        "sb3 inference_quality exploit bench",
        "learners",
        "dmc card_policy beliefs language search asked",
        "compose engine networks random",
    ),
    "skat_env.table": (
        "command",
        "server",
        "live reviews shelf",
        "movers scene store answers claims game_files patience solving summaries",
        "consent",
        "session thoughts",
        "messages workers",
    ),
    "skat_env.doors": (
        "commands",
        "mcp openenv verifiers inspect_tasks",
        "exam",
        "patient sealed",
        "session",
    ),
    "benchmarks": (
        "speed quality make",
        "harness",
    ),
}
"""The modules and folders of each package, as docs/architecture.md draws them: each imports from lines below its own only."""

FLOOR = {
    f"{package}.{room}": -depth
    for package, lines in ROOMS.items()
    for depth, line in enumerate(lines)
    for room in line.split()
}
CYTHON_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?(c?import)[ \t]+(\([^)]*\)|[^\n#]+)", re.MULTILINE
)


def cython_imports(path: Path, words: tuple[str, ...] = ("import", "cimport")) -> Iterator[str]:
    """The full names that a Cython file imports, anywhere in it; `from a cimport b` is `a.b`."""
    for module, word, names in CYTHON_IMPORT.findall(path.read_text()):
        for name in names.strip("() \n").split(",") if word in words else ():
            if name.strip():
                yield f"{module}.{name.split()[0]}".removeprefix(".")


def imports(path: Path) -> Iterator[str]:
    """The full names that a file imports, anywhere in it; `from a import b` is `a.b`."""
    if path.suffix in (".pyx", ".pxd"):
        yield from cython_imports(path)
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_of(name: str) -> str:
    """The package of a full name; empty if it is none of ours."""
    return max(
        (package for package in MAY_IMPORT if f"{name}.".startswith(f"{package}.")), key=len, default=""
    )


def room_of(name: str) -> str:
    """The package and the room of a full name of ours."""
    package = package_of(name)
    return f"{package}.{name.removeprefix(package)[1:].partition('.')[0]}"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    ours = {package_of(name) for name in imports(path)} - {""}
    assert ours <= MAY_IMPORT[package_of(module_of(path))]


def test_imports_of_every_form_are_found(tmp_path: Path) -> None:
    python, cython = tmp_path / "x.py", tmp_path / "x.pyx"
    text = "import a.b as c\ndef f():\n    from d.e import (\n        f,\n        g as h,\n    )\n"
    python.write_text(text)
    assert list(imports(python)) == ["a.b", "d.e.f", "d.e.g"]
    cython.write_text(f"{text}cimport i\nfrom j.k cimport *\nfrom l cimport m, n as o   # from p import q\n")
    assert list(imports(cython)) == ["a.b", "d.e.f", "d.e.g", "i", "j.k.*", "l.m", "l.n"]
    assert list(cython_imports(cython, ("cimport",))) == ["i", "j.k.*", "l.m", "l.n"]


def test_rooms_import_downwards() -> None:
    up = set()
    for path in FILES:
        package, room = package_of(module_of(path)), room_of(module_of(path))
        if package not in ROOMS or room in (f"{package}.__init__", f"{package}.__main__"):
            continue
        assert room in FLOOR, f"{room} is not in ROOMS"
        for other in {room_of(full) for full in imports(path) if package_of(full) == package} - {room}:
            if FLOOR.get(other, -99) >= FLOOR[room]:
                up.add((room, other))
    assert up == set()


def test_no_files_import_in_a_circle() -> None:
    """Stubs hold types alone. What a header has is needed before the module is: it is a file of its own."""
    files = [path for path in FILES if path.stem != "__init__" and path.suffix != ".pyi"]
    headers = {module_of(path): path for path in files if path.suffix == ".pxd"}
    modules = {module_of(path): path for path in files if path.suffix != ".pxd"}

    def needed(names: Iterator[str], known: dict[str, Path]) -> set[Path]:
        return {known[name] for full in names for name in (full, full.rpartition(".")[0]) if name in known}

    graph = {}
    for path in files:
        if path.suffix == ".py":
            graph[path] = needed(imports(path), modules)
        else:
            graph[path] = needed(cython_imports(path, ("cimport",)), headers)
            graph[path] |= needed(cython_imports(path, ("import",)), modules)
    TopologicalSorter(graph).prepare()


def test_all_rooms_are_there() -> None:
    assert set(FLOOR) <= {room_of(module_of(path)) for path in FILES}


EXTENSIONS = [path for path in FILES if path.suffix == ".pyx"]


def test_every_cimported_extension_has_a_header() -> None:
    cimported = {
        name
        for path in FILES
        if path.suffix in (".pyx", ".pxd")
        for name in cython_imports(path, ("cimport",))
    }
    for path in EXTENSIONS:
        module = module_of(path)
        if not path.with_suffix(".pxd").exists():
            assert not {name for name in cimported if f"{name}.".startswith(f"{module}.")}, (
                f"{path} has no .pxd"
            )


def defined(stub: Path) -> Iterator[str]:
    """The names of what a stub defines."""
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


@pytest.mark.parametrize("path", EXTENSIONS, ids=lambda path: str(path.relative_to(ROOT)))
def test_stubs_have_what_python_sees(path: Path) -> None:
    """An extension of which Python sees nothing needs no stub."""
    module = importlib.import_module(module_of(path))
    stub = path.with_suffix(".pyi")
    stubs = set(defined(stub)) if stub.exists() else set()
    own = {
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    }
    assert {name for name in own if not name.startswith("_")} <= stubs
    for name in stubs:
        assert hasattr(module, name), f"{path} has no {name}"


def test_importing_skat_env_alone_loads_no_library() -> None:
    code = "import sys, skat_env, skat_env.cli; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "gymnasium", "pettingzoo", "torch", "rich", "tyro"} & set(run.stdout.split())


def test_importing_skat_env_loads_nothing_heavy() -> None:
    """The environments: numpy, gymnasium and pettingzoo, and what these load themselves."""
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
        "pyspiel",
        "ray",
        "rich",
        "tyro",
        "openskill",
    }
    assert not heavy & set(run.stdout.split())


TESTS = sorted((ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_tests_import_no_tests(path: Path) -> None:
    """What several tests use is in tests/helpers, or a fixture in a conftest."""
    assert [name for name in imports(path) if re.search(r"(^|\.)test_\w+\.", name)] == []
