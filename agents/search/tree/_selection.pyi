"""Selection rules of tree searches."""

from typing import Final, final

@final
class Selection:
    """A selection rule."""

    @property
    def name(self) -> str:
        """The name of the rule's object in this module."""

    @property
    def priors(self) -> bool:
        """Whether the rule needs the priors of a policy."""

UCB_AVAILABLE: Final[Selection]
"""UCB with the simulations in which the action was available under the logarithm (Cowling 2012)."""
UCB: Final[Selection]
"""UCB with all simulations so far under the logarithm (Aaldering 2023, algorithm 1)."""
PUCT: Final[Selection]
"""PUCT, with the priors of a policy (AlphaZero: Silver et al. 2018); leaves are positions without priors yet."""
