"""The configs that ship: each is named by its learner and read by it, and the commands in its comments exist."""

import re
import shlex
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import ROOT

pytest.importorskip("torch", reason="learners need the extra 'learn'")

from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.train import LEARNERS
from skat_env.errors import UnknownName
from tests.helpers.page_commands import commands, make_named, parse_command

CONFIGS = sorted((ROOT / "configs").glob("*.toml"))
STANDS_FOR: Final = {
    "checkpoint=A": "checkpoint=skat-policy",
    "checkpoint=B": "checkpoint=skat-policy",
    "B": "rule",
    "BIDDER": "policy",
    "RULES": "choice=free",
    "SEED": "1",
    "DEALS": "10",
    "KIND": "suit",
    "FRESH": "1024",
}
"""What a comment says in words, as the commands in it have it -> one such thing."""


def commands_of(path: Path) -> list[list[str]]:
    """The words of the commands in the comments of a config: indented, and further indented where they go on."""
    found: list[str] = []
    goes_on = False
    for line in path.read_text().splitlines():
        if begun := re.match(r"#   (?=skat-env |python |[A-Z]=)", line):
            found.append(line[begun.end() :])
            goes_on = True
        elif goes_on := goes_on and line.startswith("#     "):
            found[-1] += f" {line[1:].strip()}"
    lines = chain.from_iterable(each.split("; ") if re.match("[A-Z]=", each) else [each] for each in found)
    text = re.sub(
        r"\b(checkpoint=[AB]|[A-Z]+)\b", lambda word: STANDS_FOR.get(word[0], word[0]), "\n".join(lines)
    )
    return list(commands(f"```sh\n{text}\n```\n".replace("$PWD/", "")))


@pytest.mark.slow
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_commands_are_accepted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in commands_of(path):
        try:
            command = parse_command(words, monkeypatch)
            make_named(command)
            if words[1] == "train":
                kind = import_module(LEARNERS[command.learner]).Config
                read_config(kind, ROOT / command.config, list(chain(*command.set)))
        except (Exception, SystemExit) as error:
            pytest.fail(f"{shlex.join(words)}: {error!r}")


def test_commands_are_found() -> None:
    assert sum(len(commands_of(path)) for path in CONFIGS) > 50


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_learner_reads_it(path: Path) -> None:
    learner, game = path.stem.split("-")[:2]
    config = read_config(import_module(LEARNERS[learner]).Config, path)
    assert getattr(config, "game", "klaverjas") == game
    assert path.read_text().startswith("#"), "a config begins with what it reproduces"


def test_configs_that_ship_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / CONFIGS[0].stem).mkdir()  # as the folder of a run may be called
    for path in CONFIGS:
        assert find_config(Path(path.stem)).read_text() == path.read_text()
    own = tmp_path / "own.toml"
    assert find_config(own) == own
    with pytest.raises(UnknownName, match="imitation-skat"):
        find_config(Path("imitation-skta"))
