"""`skat-env generate`."""

import sys
from dataclasses import dataclass
from pathlib import Path

from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.tools.progress import progress_bar
from skat_env.tools.workers import Backend


@dataclass
class Generate:
    """Let agents play each other and keep the games, with what their searches found, as a dataset.

    The same seed gives the same dataset with any number of workers. One that was stopped goes on with --resume.
    """

    agents: tuple[str, ...]
    """One agent for all seats, as "pimc(worlds=8)"; or several, of which every game draws one for each team."""
    out: Path
    """The folder to make."""
    game: str = "skat"
    """The game."""
    deals: int = 1000
    """How many games, or with --kinds how many of each."""
    seed: int = 0
    """Of the deals and of the agents' randomness."""
    start: str = "deal"
    """Where the games begin: deal, or a later stage such as cardplay."""
    bidder: str = "rule"
    """The agent that plays what comes before a later start."""
    kinds: tuple[str, ...] | None = None
    """From cardplay on: kinds of game, as suit grand null, of each of which as many games are made."""
    rules: str | None = None
    """Options of the game's rules that are not the default, as "legality=amsterdam choice=free"."""
    mark: str | None = None
    """An agent whose searches are kept in place of the players', as "pimc(worlds=1, belief=cheating, ties=false)"."""
    workers: int = 1
    """Processes."""
    backend: Backend = "processes"
    """Where the workers are: processes of this machine, or a ray cluster."""
    games_per_shard: int = 1000
    """Games of a file, which is written whole or not at all: fewer if the agents are slow."""
    resume: bool = False
    """Go on with the folder where it was."""

    def run(self) -> int:
        """Generates; the exit status."""
        config = GenerationConfig(
            self.game,
            self.agents,
            self.deals * len(self.kinds or (None,)),
            self.seed,
            self.start,
            self.bidder,
            self.rules,
            self.mark,
            self.games_per_shard,
            self.kinds,
        )
        done = 0
        with progress_bar("games", config.deals) as advance:

            def progress(games: int) -> None:
                nonlocal done
                done = games
                advance(games)

            try:
                dataset = generate(config, self.out, self.resume, self.workers, self.backend, progress)
            except KeyboardInterrupt:
                print(f"stopped after {done} games; the same command with --resume goes on", file=sys.stderr)
                return 130
        print(f"{self.out}: {len(dataset)} games of {self.game}")
        return 0
