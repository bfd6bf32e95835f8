"""`skat-env score`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from skat_env.score.play import score
from skat_env.tools.console import Console
from skat_env.tools.interrupts import stopped
from skat_env.tools.workers import Workers


@dataclass
class Score:
    """Say how well an agent plays as one number: 0 is random, 1 is champion(quick=true).

    Example: skat-env score --agent "pimc(worlds=40)" --deals 50

    On every deal the agent has each seat in turn (of partners both) and rule the others; what counts is how much more
    it gets than rule does in the same seats of the same deal. The same seed gives the same games with any number of
    workers. With --out, the same command continues a score that was stopped.
    """

    agent: str
    """The agent, such as policy or "llm(model='my-model')"."""
    game: str = "skat"
    """The game to play."""
    deals: int = 100
    """The number of deals."""
    seed: int = 0
    """The seed of the deals and of the agents' randomness."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    out: Path | None = None
    """A folder for the games, as that of a match."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> int:
        """Plays the games and prints the score; returns the exit status."""
        try:
            played = score(self.agent, self.game, self.deals, self.seed, self.out, self.workers)
        except KeyboardInterrupt:
            return stopped(None, self.out is not None)
        if self.json:
            print(json.dumps(played.as_json()))
        else:
            played.print_on(Console())
        return 0
