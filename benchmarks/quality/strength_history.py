"""How the cards of `policy` got better with the games that they learnt from: networks of earlier commits, in matches.

python -m benchmarks.quality.strength_history --out benchmarks/results/strength_skat
python -m benchmarks.quality.strength_history --game klaverjas --rules choice=free --deals 4000 \
    --out benchmarks/results/strength_klaverjas

Plays the networks of each commit, which git has to have, against those of the working tree, from the cardplay on, each
side in turn. Writes the points as JSON and the curve as PNG.
"""

import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.harness import ROOT, GameName, print_table, run_benchmark
from skat_env import compare
from skat_env.agents.reproduce.curve import draw_interval
from skat_env.match.statistics import Estimate
from skat_env.options import Count, Seed
from skat_env.tools.figures import saved_figure
from skat_env.tools.files import with_ending
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import write_result

HISTORY: Final = {
    "skat": {
        "a9028576": 7.9,
        "3ede7ab2": 11.8,
        "181fa604": 16.3,
        "2d9fb763": 23.3,
        "f36876d1": 33.3,
        "8018d3a6": 48.3,
        "636a3c6a": 54.3,
        "af19edd9": 59.3,
        "7fc4f841": 65.3,
    },
    "klaverjas": {"d622c721": 12.1, "cd81c8ec": 18.1},
}
"""Commits whose networks today's encoders read, and the millions of games that these have learnt from, as their cards
say."""
BIDDER: Final = {"skat": "policy(checkpoint=skat-champion)", "klaverjas": "policy"}


@dataclass
class Options:
    """Play the networks of earlier commits."""

    out: Path
    """Path of the files to write, without .json and .png."""
    game: GameName = "skat"
    """The game."""
    rules: str | None = None
    """Rule options that differ from the defaults."""
    deals: Count = 4_000
    """Deals of each match."""
    seed: Seed = 9001
    """Seed of the deals."""


@dataclass(frozen=True)
class Point:
    """What the networks of a commit gain on today's, in points per game."""

    commit: str
    games: float
    """Millions that they have learnt from."""
    difference: Estimate


def played(options: Options, commit: str, games: float) -> Point:
    """A match of the networks of a commit.

    Raises:
        ValueError: if the clone has no such commit.
    """
    name = f"{options.game}-policy"
    packed = subprocess.run(
        ["git", "archive", commit, f"agents/weights/{name}"], cwd=ROOT, capture_output=True, check=False
    )
    if packed.returncode:
        raise ValueError(f"{packed.stderr.decode().strip()}: a clone with all commits has it")
    with TemporaryDirectory() as folder:
        subprocess.run(["tar", "x", "-C", folder], input=packed.stdout, capture_output=True, check=True)
        earlier = f"policy(checkpoint={folder}/agents/weights/{name})"
        match = compare(
            earlier,
            "policy",
            game=options.game,
            deals=options.deals,
            seed=options.seed,
            mode="mirrored",
            rules=options.rules,
            bidder=BIDDER[options.game],
        )
    return Point(commit, games, match.difference)


def main(options: Options) -> None:
    """Writes the points and the curves."""
    commits = HISTORY[options.game]
    points = []
    with progress_bar("matches", len(commits)) as progress:
        for number, (commit, games) in enumerate(commits.items(), 1):
            points.append(played(options, commit, games))
            progress(number)
    print_table(
        ("commit", "million games", "difference"),
        [(each.commit, f"{each.games:g}", each.difference.text()) for each in points],
    )
    draw(options, points)
    result: dict[str, Any] = {"rules": options.rules, "deals": options.deals, "seed": options.seed}
    write_result(with_ending(options.out, ".json"), {**result, "points": [asdict(each) for each in points]})


def draw(options: Options, points: list[Point]) -> None:
    """Draws the curve."""
    with saved_figure(with_ending(options.out, ".png"), figsize=(6, 4)) as (_, [[axes]]):
        draw_interval(axes, [each.games for each in points], [asdict(each.difference) for each in points])
        axes.axhline(0, color="grey", linewidth=0.8)
        axes.set_xlabel("million games learnt from")
        axes.set_ylabel("points per game, mirrored")
        axes.set_title("against today's networks", fontsize=10)


if __name__ == "__main__":
    run_benchmark(main, Options)
