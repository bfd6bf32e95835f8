"""A learner of the benchmark as an agent, once its run is finished."""

from pathlib import Path

import numpy as np

from skat_env.agents.bench.evaluate import Observing
from skat_env.agents.bench.run import load_run
from skat_env.agents.compose.composite import Composite
from skat_env.errors import ParseError
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent


class LearnerAgent(Composite):
    """Plays as a learner of the benchmark does at the end of its run: `learner(results/bench/ppo/SkatSuit-v0/0)`.

    It runs the learner's file, which is kept in the folder of the run.

    Args:
        path: the folder of a finished run of `skat-env bench train`.
        bidder: the agent, or its name, that plays what comes before the stage at which the task's games begin.

    Raises:
        ParseError: if the folder has no such run, or one of another game.
    """

    @checked_options("learner")
    def __init__(self, path: str, *, bidder: str | Agent = "rule", game: str) -> None:
        task, learner = load_run(Path(path))
        if task.game != game:
            raise ParseError(f"the run {path} learnt {task.id}, which is {task.game}, not {game}")
        self._bidder, self._learner = make_agent(bidder, game), Observing(learner)
        self._stages = get_game(game).stages
        self._start = self._stages.index(task.start_source()(np.random.default_rng(0)).stage)
        super().__init__(own_text(self, "learner", bidder=self._bidder), (self._bidder, self._learner))

    def part(self, view: View) -> Agent:
        """The bidder before the first stage of the task, then the learner."""
        return self._bidder if self._stages.index(view.stage) < self._start else self._learner
