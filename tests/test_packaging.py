"""The sdist and the wheel hold what they should, and the wheel works without the checkout and without the extras."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("Cython") is None, reason="building needs the extra 'dev'"),
]
PACKAGES = ("skat_env", "solvers", "agents", "table", "doors")
"""The folders of the packages; the others are linked into the first."""
DATA = ("tests", "configs", "engines", "examples", "docs")
NOT_IN_WHEEL = {".pyx", ".so", ".c", ".pyc"}
SCRATCH = {"__pycache__", ".ruff_cache", ".mypy_cache", ".pytest_cache", ".hypothesis"}
README = (ROOT / "README.md").read_text()
EXTRA = """
from skat_env import make_agent
make_agent("champion", "skat")
try:
    import skat_env.agents.learners.networks.network_module
except ImportError as error:
    assert "pip install '.[learn]' in the checkout of skat_env" in str(error), error
else:
    raise AssertionError("torch is here")
"""
PLACES = """
import sys, skat_env, skat_env.solvers, skat_env.agents, skat_env.table, skat_env.doors
from skat_env.agents.networks.checkpoint_folder import shipped_names
for package in (skat_env, skat_env.solvers, skat_env.agents, skat_env.table, skat_env.doors):
    assert package.__file__.startswith(sys.prefix), package.__file__
print(*shipped_names())
"""


def files_of(folder: str) -> set[str]:
    """The files of a folder of the checkout."""
    paths = [path for path in (ROOT / folder).rglob("*") if path.is_file() and not SCRATCH & {*path.parts}]
    return {path.relative_to(ROOT).as_posix() for path in paths}


def source_files() -> set[str]:
    """The files of the packages, by the names that they have in an archive, where links are folders."""
    linked = {f"skat_env/{name}" for package in PACKAGES[1:] for name in files_of(package)}
    return files_of("skat_env") | linked | {f"skat_env/agents/{name}" for name in files_of("configs")}


def hook(call: str, folder: Path, out: Path) -> Path:
    """What a hook of the build backend makes in a folder."""
    code = f"from setuptools import build_meta; print('made', build_meta.{call}({str(out)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return out / re.findall(r"^made (\S+)$", done.stdout, re.MULTILINE)[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made from a copy, as the build backend writes where it works."""
    source = tmp_path_factory.mktemp("source")
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy2(path, source)
    for folder in (*PACKAGES, *DATA, "benchmarks"):
        ignored = shutil.ignore_patterns(*SCRATCH, "*.so")
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=ignored)
    return hook("build_sdist", source, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the sdist makes, with what the checkout has compiled where that is up to date."""
    folder = tmp_path_factory.mktemp("build")
    with tarfile.open(sdist) as file:
        # Python 3.11 knows filters from 3.11.4 on.
        file.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    [source] = folder.iterdir()
    if (ROOT / "build").exists():
        shutil.copytree(ROOT / "build", source / "build")
        for path in filter(Path.is_file, (source / "build").glob("lib.*/**/*")):
            module = path.with_name(path.name.partition(".")[0] + ".pyx").relative_to(source / "build")
            if not source.joinpath(*module.parts[1:]).exists():
                path.unlink()
    return hook("build_wheel", source, tmp_path_factory.mktemp("wheel"))


def test_sdist_holds_what_building_and_testing_need(sdist: Path) -> None:
    with tarfile.open(sdist) as file:
        held = {name.partition("/")[2] for name in file.getnames() if not name.endswith("/")}
    needed = source_files().union(*map(files_of, DATA))
    needed |= {
        "pyproject.toml",
        "setup.py",
        "Makefile",
        "constraints.txt",
        "LICENSE",
        "README.md",
        "CITATION.cff",
        "mkdocs.yml",
    }
    assert not {name for name in needed if Path(name).suffix not in NOT_IN_WHEEL - {".pyx"}} - held
    made = {name for name in held if Path(name).suffix in NOT_IN_WHEEL - {".pyx"}}
    assert not {name for name in made if not name.startswith("engines/")}  # an engine in C is source


def test_wheel_holds_the_packages_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        held = {name for name in file.namelist() if not name.endswith("/")}
    about = {name for name in held if ".dist-info/" in name}
    assert any(name.endswith("/licenses/LICENSE") for name in about)
    source = source_files()
    modules = {name.partition(".")[0] for name in source if name.endswith(".pyx")} | {"skat_env/_cyutility"}
    assert {name.partition(".")[0] for name in held if name.endswith(".so")} == modules
    expected = {name for name in source if Path(name).suffix not in NOT_IN_WHEEL}
    assert {name for name in held - about if not name.endswith(".so")} == expected


def requirements(name: str) -> dict[str, Distribution]:
    """The distributions that one needs without its extras, and those that they need."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        for line in distribution(waiting.pop()).requires or ():
            needed = re.match(r"[\w.-]+", line).group().lower().replace("_", "-")
            if "extra ==" in line or needed in found:
                continue
            with suppress(PackageNotFoundError):  # of another platform or Python
                found[needed] = distribution(needed)
                waiting.append(needed)
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and links to what it requires, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    [site] = folder.glob("lib/python*/site-packages")
    for required in requirements("skat_env").values():
        tops = {file.parts[0] for file in required.files or ()} - {"..", "__pycache__"}
        for top in tops:
            (site / top).symlink_to(required.locate_file(top))
    return folder / "bin"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_match_is_played_without_the_checkout(installed: Path, tmp_path: Path, game: str) -> None:
    words = "--agents", "rule", "random", "--deals", "20", "--seed", "1", "--game", game
    assert "rule" in run(installed / "skat-env", "match", *words, cwd=tmp_path)


def test_environments_and_weights_come_with_it(installed: Path, tmp_path: Path) -> None:
    python = installed / "python"
    for code in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[:3]:
        run(python, "-c", code, cwd=tmp_path)
    names = run(python, "-c", PLACES, cwd=tmp_path).split()
    assert names == sorted(path.parent.name for path in (ROOT / "agents/weights").glob("*/checkpoint.json"))


def test_a_project_may_have_folders_of_the_same_names(installed: Path, tmp_path: Path) -> None:
    """Nearly every project of a researcher has `agents`; such a package comes first on the path and hides ours."""
    for name in ("agents", "solvers", "configs", "benchmarks", "tests", "examples"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"WHOSE = 'the folder {name} of the user'\n")
    for snippet in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL):
        (tmp_path / "train.py").write_text(
            f"import agents, solvers\n{snippet}\nassert agents.WHOSE and solvers.WHOSE\n"
        )
        run(installed / "python", "train.py", cwd=tmp_path)
    words = "--agents", "pimc(worlds=2, bidder=rule)", "rule", "--deals", "2"
    assert "pimc" in run(installed / "python", "-m", "skat_env", "match", *words, cwd=tmp_path)


def test_what_needs_an_extra_says_so(installed: Path, tmp_path: Path) -> None:
    run(installed / "python", "-c", EXTRA, cwd=tmp_path)


def test_containers_leave_out_what_git_does() -> None:
    """Binaries of this machine and environments of gigabytes would be copied with the sources."""
    ignored = (ROOT / ".gitignore").read_text().split()
    patterns = {line.strip("/") if "/" in line[:-1] else f"**/{line.strip('/')}" for line in ignored}
    left_out = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    assert {*left_out} == patterns | {".git"}
    assert {".venv", "build", "**/*.so"} <= patterns


def test_the_container_file_names_what_there_is() -> None:
    """There is no container engine to build it with: what its steps name is looked up, and the last one is run."""
    text = (ROOT / "Containerfile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    base = re.search(r"^FROM python:3\.(\d+)-slim$", text, re.MULTILINE)
    assert base is not None
    assert project["requires-python"] == ">=3.11"
    assert int(base[1]) >= 11
    extras = re.search(r'"\.\[([\w,]+)\]"', text)
    assert extras is not None
    assert {*extras[1].split(",")} <= {*project["optional-dependencies"]}
    for name in re.findall(r"--constraint (\S+)", text):
        assert (ROOT / name).is_file()
    steps = re.findall(r"^RUN (skat-env .*)$", text, re.MULTILINE)
    assert len(steps) == 1
    code = "import sys; from skat_env.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *steps[0].split()[1:]]
    assert subprocess.run(command, capture_output=True, cwd=ROOT).returncode == 0
