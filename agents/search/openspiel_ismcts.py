"""OpenSpiel's information-set tree search as an agent: a yardstick from outside for `ismcts`."""

from typing import Annotated, Any, Final

import numpy as np

from skat_env.openspiel import BotAgent, OpenSpielGame, Resampler
from skat_env.options import Count, Range, checked_options

MAX_C: Final = 1_000_000
"""OpenSpiel finds no best action where values are so large that its tolerance of 1e-5 is lost in them."""


class OpenSpielIsmcts(BotAgent):
    """SO-ISMCTS of Cowling, Powley and Whitehouse 2012 as OpenSpiel has it in Python, with random rollouts.

    It decides everything, from the auction to the last card, and begins every search with an empty tree.

    Args:
        game: the game.
        simulations: simulations per decision.
        c: the exploration constant, in the reward unit that comes first in the game.
    """

    @checked_options("openspiel_ismcts")
    def __init__(
        self, game: str, simulations: Count = 100, c: Annotated[float, Range(ge=0, le=MAX_C)] = 100.0
    ) -> None:
        super().__init__(self._bot, game, f"openspiel_ismcts(simulations={simulations}, c={c:g})")
        self._simulations, self._c = simulations, c

    def _bot(self, game: OpenSpielGame, player: int, rng: np.random.Generator) -> Any:
        """A bot whose randomness comes from a generator."""
        from open_spiel.python.algorithms.ismcts import ISMCTSBot
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

        random = np.random.RandomState(rng.integers(2**32))
        bot = ISMCTSBot(
            game, RandomRolloutEvaluator(1, random), self._c, self._simulations, random_state=random
        )
        bot.set_resampler(Resampler(rng))
        return bot
