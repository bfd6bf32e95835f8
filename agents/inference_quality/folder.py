"""The folder of a measurement: `inference.json` says what is measured, `measurements.bin` grows game by game, and
`result.json` and the figures are written when all games are.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.inference_quality.measure import RECORD, Records
from skat_env.tools.files import naming
from skat_env.tools.run_folder import run_folder

CONFIG: Final = "inference.json"
MEASUREMENTS: Final = "measurements.bin"
RESULT: Final = "result.json"


@contextmanager
def inference_folder(path: Path, config: dict[str, Any], per_game: int) -> Iterator["InferenceFolder"]:
    """Opens the folder of a measurement, or makes it; one process at a time has it open.

    Args:
        path: the folder.
        config: what determines the measurements, as JSON can hold it.
        per_game: how many records a game has.

    Raises:
        FileExistsError: if it holds something else.
        BlockingIOError: if another process is working in it.
    """
    with run_folder(path, "measurement", CONFIG, config):
        yield InferenceFolder(path, per_game)


class InferenceFolder:
    """Keeps what was measured.

    Args:
        path: the folder.
        per_game: how many records a game has.
    """

    def __init__(self, path: Path, per_game: int) -> None:
        self.path = path
        self._file = path / MEASUREMENTS
        self._bytes = per_game * RECORD.itemsize

    def read(self) -> list[Records]:
        """The records so far, game by game. A game that a killed process left half-written is dropped."""
        if not self._file.exists():
            return []
        games = self._file.stat().st_size // self._bytes
        os.truncate(self._file, games * self._bytes)
        return list(np.fromfile(self._file, RECORD).reshape(games, -1)) if games else []

    def append(self, records: Records) -> None:
        """Adds the records of a game."""
        with naming(self._file), self._file.open("ab") as file:
            file.write(records.tobytes())
