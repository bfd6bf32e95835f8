"""Which action a tree search follows."""

from typing import Final, final

@final
class Selection:
    """A selection rule."""

    @property
    def name(self) -> str:
        """Its name, that of the object below."""

    @property
    def priors(self) -> bool:
        """Whether it needs the priors of a policy."""

UCB_AVAILABLE: Final[Selection]
"""UCB that counts, under the logarithm, the simulations in which the action was available (Cowling 2012)."""
UCB: Final[Selection]
"""UCB that counts all simulations so far (Aaldering 2023, algorithm 1)."""
PUCT: Final[Selection]
"""Selection by a policy's priors (AlphaZero: Silver et al. 2018); leaves are where it has not been asked yet."""
