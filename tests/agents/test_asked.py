"""What a client of a server may ask for by name: nothing that lies in the folder of the server."""

import shutil
from pathlib import Path

import pytest

from skat_env.agents.asked import asked_agent, asked_belief, asked_names
from skat_env.agents.networks.checkpoint_folder import SHIPPED
from skat_env.errors import UnknownName
from skat_env.registry import agent_names, game_names, make_agent

AGENTS = (
    "policy(checkpoint=mine)",
    "policy(V, argmax, mine)",
    "policy(checkpoint='mine')",
    "policy(checkpoint='')",
    "policy(checkpoint='a+b')",
    "policy(checkpoint='c(d)')",
    "pimc(belief=policy(model=skat-xskat+mine))",
    "pimc(belief=locations(checkpoint=mine))",
    "ismcts(evaluator=value(mine))",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a server with checkpoints, one of which has the name of one that ships."""
    for name in ("mine", "skat-policy", "a+b", "c(d)"):
        (tmp_path / name).mkdir()
        shutil.copy(SHIPPED / "skat-policy" / "checkpoint.json", tmp_path / name)
    shutil.copy(SHIPPED / "skat-policy" / "checkpoint.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_are_of_agents_that_no_server_refuses() -> None:
    for game in game_names():
        refused = set()
        for name in agent_names(game):
            try:
                asked_agent(f"{name}()", game)
            except ValueError as error:
                refused |= {name} if "runs a program or spends tokens" in str(error) else set()
        assert asked_names(game) == [name for name in agent_names(game) if name not in refused]
        assert {"engine", "llm"} <= refused


def test_names_that_are_told_are_those_that_may_be_asked_for() -> None:
    with pytest.raises(UnknownName, match="unknown agent for skat 'nope'") as caught:
        asked_agent("nope", "skat")
    assert str(caught.value).endswith(f"known are {', '.join(asked_names('skat'))}")


def test_names_that_ship_may_be_asked_for(folder: Path) -> None:
    """The folder's own `skat-policy` has no networks: loading it would fail."""
    assert asked_agent("policy(checkpoint=skat-policy)", "skat").name == asked_agent("policy", "skat").name


@pytest.mark.parametrize("text", AGENTS)
def test_no_checkpoint_of_the_servers_folder_is_loaded(folder: Path, text: str) -> None:
    with pytest.raises(ValueError, match="names a file"):
        asked_agent(text, "skat")


def test_beliefs_name_no_checkpoint_of_the_servers_folder(folder: Path) -> None:
    with pytest.raises(ValueError, match="names a file"):
        asked_belief("locations(checkpoint=mine)", "skat")


def test_checkpoints_that_ship_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "policy(checkpoint=skat-xskat)"
    assert asked_agent(text, "skat").name == make_agent(text, "skat").name
    with pytest.raises(UnknownName, match="mine"):
        asked_agent("policy(checkpoint=mine)", "skat")


def test_what_the_command_line_names_may_be_a_checkpoint_of_the_folder(folder: Path) -> None:
    shutil.copytree(SHIPPED / "skat-policy", folder / "whole")
    text = "policy(checkpoint=whole)"
    assert "checkpoint=whole" in asked_agent(text, "skat", (text,)).name
