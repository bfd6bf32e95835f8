"""Resampling for OpenSpiel's information-set tree search, reproducible by a seed."""

import numpy as np

from skat_env.openspiel.state import OpenSpielState, resampled
from skat_env.options import Seed, check_option


class Resampler:
    """A function (state, player) -> a state that the player cannot tell from it, for `ISMCTSBot.set_resampler`.

    Without one OpenSpiel's bot seeds each draw by the clock, so that its games differ from run to run; give the bot and
    its evaluator a `random_state` as well.

    Args:
        seed: of the draws; or a generator, which is used as it is.
    """

    def __init__(self, seed: int | np.random.Generator) -> None:
        if not isinstance(seed, np.random.Generator):
            seed = check_option("Resampler", "seed", Seed, seed)
        self._rng = np.random.default_rng(seed)

    def __call__(self, state: OpenSpielState, player: int) -> OpenSpielState:
        """A state that the player cannot tell from this one."""
        return resampled(state, player, self._rng)
