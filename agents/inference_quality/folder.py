"""The folder of a measurement: `inference.json` says what is measured, `measurements.bin` grows game by game, and
`result.json` and the figures are written when all games are.
"""

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.agents.inference_quality.games import MeasuredGame
from skat_env.agents.inference_quality.measure import OF_WHAT, RECORD, MeasureConfig, Records, blank_records
from skat_env.errors import ParseError
from skat_env.tools.files import naming
from skat_env.tools.run_folder import ADVICE, run_folder

CONFIG: Final = "inference.json"
MEASUREMENTS: Final = "measurements.bin"
RESULT: Final = "result.json"
DIGEST: Final = "games_digest"
"""What the head says of the games: the file that they come from may change."""


@contextmanager
def inference_folder(
    path: Path, facts: Mapping[str, Any], config: MeasureConfig, games: Sequence[MeasuredGame]
) -> Iterator["InferenceFolder"]:
    """Opens the folder of a measurement, or makes it; one process at a time has it open.

    Args:
        path: the folder.
        facts: what determines the measurements, as JSON can hold it.
        config: what is measured of each game.
        games: the games to measure.

    Raises:
        FileExistsError: if it holds something else, or the measurements of other games.
        BlockingIOError: if another process is working in it.
    """
    digest = f"{zlib.crc32(repr(games).encode()):08x}"
    head = {**facts, DIGEST: digest}
    with run_folder(path, "measurement", CONFIG, head, compared=facts) as work:
        if work.head.get(DIGEST) != digest:
            raise FileExistsError(f"{path} holds measurements of other games than are chosen now: {ADVICE}")
        yield InferenceFolder(path, config)


class InferenceFolder:
    """Keeps what was measured.

    Args:
        path: the folder.
        config: what is measured of each game.
    """

    def __init__(self, path: Path, config: MeasureConfig) -> None:
        self.path = path
        self._config = config
        self._file = path / MEASUREMENTS

    def read(self, games: Sequence[MeasuredGame]) -> list[Records]:
        """The records so far, game by game. A game that a killed process left half-written is dropped.

        Args:
            games: the games to measure.

        Raises:
            ParseError: if the records are not such as are written of these games; nothing is changed.
        """
        if not self._file.exists() or not games:
            return []
        blank = {game.number: blank_records(self._config, game)[OF_WHAT] for game in games}
        per_game = len(next(iter(blank.values())))
        records = np.fromfile(self._file, RECORD)
        found = list(records[: len(records) // per_game * per_game].reshape(-1, per_game))
        for number, measured in enumerate(found, start=1):
            # Each may be there once.
            expected = blank.pop(int(measured["game"][0]), None)
            if expected is None or (measured[OF_WHAT] != expected).any():
                raise ParseError(
                    f"{self._file} is damaged: entry {number} is of none of the games that are still to be measured; "
                    "nothing is changed: delete the file to measure again, or name another folder"
                )
        os.truncate(self._file, len(found) * per_game * RECORD.itemsize)
        return found

    def append(self, records: Records) -> None:
        """Adds the records of a game."""
        with naming(self._file), self._file.open("ab") as file:
            file.write(records.tobytes())
