"""`skat-env inference`."""

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import arg

from skat_env.agents.inference_quality.folder import RESULT, InferenceFolder
from skat_env.agents.inference_quality.games import Chosen, Part, Split
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.agents.inference_quality.measure import MeasureConfig
from skat_env.agents.inference_quality.plot import draw_reliability, draw_tssr
from skat_env.agents.inference_quality.report import print_quality
from skat_env.agents.inference_quality.run import Source, check_beliefs, measure_on, open_folder
from skat_env.agents.inference_quality.summary import summarise
from skat_env.registry import get_game
from skat_env.tools.console import Console
from skat_env.tools.extras import require_figures
from skat_env.tools.interrupts import stopped
from skat_env.tools.json_file import read_object
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers, require_workers


@dataclass
class Inference:
    """Measure how well beliefs infer the hidden cards in recorded games.

    Example: skat-env inference --beliefs uniform locations --data data/games

    Reported for the moves of the declarer and of one opponent: the true world's probability relative to a uniform
    belief (TSSR: Solinas 2019, equation 2), the information gained in bits, and the calibration of the probabilities of
    single cards. The results do not depend on the number of workers. With --out, the same command resumes a measurement
    that was stopped.
    """

    beliefs: tuple[str, ...]
    """One or more beliefs, for example uniform or "tables(temper=0.5)"."""
    data: Path
    """Recorded games: a dataset, or a file in any format that `skat-env replay` reads."""
    game: str = "skat"
    """Name of the game."""
    games: int = 1000
    """Maximum number of games of each game type."""
    types: tuple[str, ...] = ()
    """Game types to measure, for example suit grand null "null ouvert". Default: all."""
    part: Part = "test"
    """Part of the dataset: one that learners with the same --seed, --valid and --test hold out from training (their
    config is in run.json and checkpoint.json), or all games."""
    seed: int = 0
    """Seed of the split, the choice of games and the beliefs' samples."""
    valid: float = 0.05
    """Share of the games in the validation part."""
    test: float = 0.05
    """Share of the games in the test part."""
    workers: Annotated[Workers, arg(name="")] = Workers()
    out: Path | None = None
    """Folder for result.json, the figures tssr.png and reliability.png, and measurements.bin."""
    plot: bool = True
    """Whether to draw the figures."""

    def run(self) -> int:
        """Measures and prints the tables; returns the exit status."""
        get_game(self.game)
        require_workers(self.workers)
        config = MeasureConfig(self.game, self.beliefs, self.seed)
        check_beliefs(config)
        if self.out is not None and self.plot:
            require_figures("--no-plot")
        split = Split(self.part, self.seed, self.valid, self.test)
        source = Source(self.data, self.games, self.types, split)
        chosen = source.choose(self.game)
        for missing in sorted({*quality_groups(self.game).types} - {game.type for game in chosen.games}):
            if not self.types or missing in self.types:
                print(f"{self.data}: no game of {missing} to measure on", file=sys.stderr)
        for reason, number in chosen.left_out.items():
            print(f"{self.data}: {number} games left out: {reason}", file=sys.stderr)
        if self.out is None:
            return self._run(config, source, chosen, None)
        with open_folder(self.out, config, source, chosen) as folder:
            return self._run(config, source, chosen, folder)

    def _run(
        self, config: MeasureConfig, source: Source, chosen: Chosen, folder: InferenceFolder | None
    ) -> int:
        """Measures the missing games, prints the result and writes it to the folder."""
        measured = [] if folder is None else folder.read(chosen.games)
        if folder is not None and len(measured) < len(chosen.games):
            # It is of measurements that were deleted.
            (folder.path / RESULT).unlink(missing_ok=True)
        elif folder is not None and (folder.path / RESULT).exists():
            say_finished("measurement", folder.path)
        try:
            measure_on(config, chosen, measured, folder, self.workers)
        except KeyboardInterrupt:
            return stopped(len(measured), folder is not None)
        qualities = summarise(config, np.concatenate(measured))
        print_quality(qualities, Console())
        if folder is not None:
            result = {
                "config": {**dataclasses.asdict(config), **source.facts()},
                "left_out": dict(chosen.left_out),
                "qualities": [dataclasses.asdict(quality) for quality in qualities],
            }
            if (folder.path / RESULT).exists():
                read_object(folder.path / RESULT, "delete it to write it again from the measurements")
            else:
                write_result(folder.path / RESULT, result)
            if self.plot:
                draw_tssr(qualities, folder.path / "tssr.png")
                draw_reliability(qualities, folder.path / "reliability.png")
            print(f"written to {folder.path}")
        return 0
