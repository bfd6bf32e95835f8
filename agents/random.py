"""The agent that plays any legal action with equal probability."""

import numpy as np

from skat_env.play.capabilities import require_turn
from skat_env.protocols import Decision, View


class RandomAgent:
    """Uniformly random over the legal actions."""

    name = "random"
    draws = True

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """A legal action, drawn uniformly.

        Raises:
            ValueError: if the view's seat is not to act.
        """
        require_turn(view)
        legal = view.legal_actions()
        return Decision(legal[int(rng.integers(len(legal)))])
