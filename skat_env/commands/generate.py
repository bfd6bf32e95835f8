"""`skat-env generate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from skat_env.datasets.dataset import MANIFEST
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.tools.interrupts import stopped
from skat_env.tools.progress import progress_bar
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers


@dataclass
class Generate:
    """Let agents play each other and write the games, with the results of their searches, as a dataset.

    Example: skat-env generate --agents policy --deals 10000 --out data/games

    The same seed gives the same dataset with any number of workers. The same command continues a stopped generation.
    Games of networks alone (policy, and exploring or player made of it) are played in C, thousands a second.
    """

    agents: tuple[str, ...]
    """One agent for all seats, such as "pimc(worlds=8)"; or several, from which each game draws one for each team."""
    out: Path
    """The folder to create."""
    against: tuple[str, ...] | None = None
    """Agents for all teams but one, from which each game draws; --agents then have one team."""
    game: str = "skat"
    """The game to play."""
    deals: int = 1000
    """The number of games; with --kinds, the number of each kind."""
    seed: int = 0
    """The seed of the deals and of the agents' randomness."""
    start: str = "deal"
    """Where the games begin: deal, a later stage such as cardplay, or random_declaration (Skat), the cardplay after a
    declaration drawn at random."""
    bidder: str = "rule"
    """The agent that plays up to a later --start."""
    kinds: tuple[str, ...] | None = None
    """Kinds of game, such as suit grand null, to make in equal numbers; only with --start cardplay."""
    rules: str | None = None
    """Rule options that differ from the defaults, such as "legality=amsterdam choice=free"."""
    mark: str | None = None
    """An agent whose searches replace those of the players, as "pimc(worlds=1, belief=cheating, ties=false)"."""
    searches: bool = True
    """Keep the players' weights and values of their decisions. Without them a game takes a fifth of the room in Skat, a
    quarter in Klaverjas."""
    workers: Annotated[Workers, arg(name="")] = Workers()
    games_per_shard: int = 1000
    """The number of games in a file. Files are written whole, so an interruption loses less work with fewer games."""

    def run(self) -> int:
        """Generates the dataset and returns the exit status."""
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
            self.searches,
            self.against,
        )
        finished = (self.out / MANIFEST).exists()
        done = 0
        with progress_bar("games", config.deals) as advance:

            def progress(games: int) -> None:
                nonlocal done
                done = games
                advance(games)

            try:
                dataset = generate(config, self.out, self.workers, progress)
            except KeyboardInterrupt:
                return stopped(done, True)
        if finished:
            say_finished("generation", self.out)
        print(f"{self.out}: {len(dataset)} games of {self.game}")
        return 0
