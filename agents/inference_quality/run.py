"""Runs a measurement in a folder, from which it resumes if it was stopped."""

import dataclasses
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from skat_env.agents.inference_quality.folder import InferenceFolder, inference_folder
from skat_env.agents.inference_quality.games import Chosen, Split, choose_games
from skat_env.agents.inference_quality.measure import MeasureConfig, Measurer, Records
from skat_env.agents.inference_quality.summary import Quality, summarise
from skat_env.tools.progress import progress_bar
from skat_env.tools.workers import Workers, map_unordered


@dataclass(frozen=True, slots=True)
class Source:
    """Recorded games, and the choice among them."""

    data: Path
    """A dataset, or a file of games in any known format."""
    games: int = 1000
    """The maximum number of games of each type."""
    types: Sequence[str] = ()
    """The game types; none: all."""
    split: Split = field(default_factory=Split)

    def choose(self, game: str) -> Chosen:
        """Chooses the games; raises what `choose_games` raises."""
        return choose_games(self.data, game, self.split, self.games, self.types)

    def facts(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        split = {name: getattr(self.split, name) for name in ("part", "valid", "test")}
        return {"data": str(self.data), "games": self.games, "types": list(self.types), **split}


def check_beliefs(config: MeasureConfig) -> None:
    """Makes each belief once, so that one that cannot be measured is reported before the work."""
    measurer = Measurer(config)
    for name in config.beliefs:
        measurer.belief(name)


def open_folder(
    path: Path, config: MeasureConfig, source: Source, chosen: Chosen
) -> AbstractContextManager[InferenceFolder]:
    """The folder of a measurement, to be used in a `with`; raises what `inference_folder` raises."""
    facts = {**dataclasses.asdict(config), **source.facts()}
    return inference_folder(path, facts, config, chosen.games)


def measure_on(
    config: MeasureConfig,
    chosen: Chosen,
    measured: list[Records],
    folder: InferenceFolder | None = None,
    workers: Workers | int = 1,
) -> None:
    """Measures the games that are missing in `measured`; appends them there and to the folder."""
    done = {int(records["game"][0]) for records in measured}
    missing = [game for game in chosen.games if game.number not in done]
    with progress_bar("games", len(chosen.games)) as advance:
        advance(len(measured))
        for records in map_unordered(Measurer(config), missing, workers):
            measured.append(records)
            if folder is not None:
                folder.append(records)
            advance(len(measured))


def kept_measurement(
    path: Path, config: MeasureConfig, source: Source, workers: Workers | int = 1
) -> list[Quality]:
    """The result of the measurement in a folder; games that are missing there are measured first.

    Raises:
        FileExistsError: if the folder holds something else.
        ValueError: as in `choose_games`, or if what the folder holds is damaged.
        BlockingIOError: if another process is working in the folder.
    """
    check_beliefs(config)
    chosen = source.choose(config.game)
    with open_folder(path, config, source, chosen) as folder:
        measured = folder.read(chosen.games)
        measure_on(config, chosen, measured, folder, workers)
    return summarise(config, np.concatenate(measured))
