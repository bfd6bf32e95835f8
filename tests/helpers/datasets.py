"""Datasets of tests: their files, and games with searches."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.commands.replay import Replay
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.searches import Found, Searches
from skat_env.records import GameRecord
from skat_env.registry import get_game
from tests.conftest import random_games


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def legal_sets(state: Any) -> list[list[int]]:
    """The legal actions of every step of a game."""
    state, sets = state.clone(), []
    while state.history():
        state.undo()
        sets.append(state.legal_actions())
    return sets[::-1]


def random_finds(state: Any, rng: np.random.Generator) -> list[Found]:
    """Weights, a value, both or neither for every step."""
    finds: list[Found] = []
    for legal in legal_sets(state):
        kind = rng.integers(4)
        weights = rng.random(len(legal)) + 1e-3
        finds.append((weights / weights.sum() if kind & 1 else None, rng.normal() * 90 if kind & 2 else None))
    return finds


def write_games(
    folder: Path, game: str, games: int, seed: int, per_shard: int = 7
) -> tuple[Dataset, list[GameRecord], list[list[Found] | None]]:
    """A dataset of random games, of which some have searches."""
    rng = np.random.default_rng(seed)
    states = random_games(get_game(game), games, seed)
    names = ("a", "b", "c", "d")[: len(get_game(game).seats)]
    records = [GameRecord.of(game, state, names, seed) for state in states]
    finds = [random_finds(state, rng) if rng.random() < 0.7 else None for state in states]
    with DatasetWriter(folder, game, per_shard) as writer:
        for record, steps in zip(records, finds, strict=True):
            writer.add(record, None if steps is None else Searches.of(steps))
    return Dataset(folder), records, finds


class Run:
    """A command's exit status and what it printed."""

    def __init__(self, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        self.status = command.run()
        self.out, self.err = capsys.readouterr()
        self.rows = (
            [json.loads(line) for line in self.out.splitlines()] if isinstance(command, Replay) else []
        )


def stop_after(shards: int, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a module that writes datasets die in the middle of writing a shard."""
    whole, written = module.write_shard, []

    def write_shard(path: Path, *arguments: Any) -> None:
        if len(written) == shards:
            path.with_name(f".{path.name}.partial").write_bytes(b"half")
            raise KeyboardInterrupt
        written.append(path)
        whole(path, *arguments)

    monkeypatch.setattr(module, "write_shard", write_shard)
