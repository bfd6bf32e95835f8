"""The options of a search tree."""

from dataclasses import dataclass

from skat_env.agents.search.tree._selection import UCB_AVAILABLE, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeOptions:
    """The options of a `Tree`."""

    c: float
    """The exploration constant."""
    selection: Selection = UCB_AVAILABLE
    """How a simulation selects an action."""
    relative: bool = True
    """Whether `c` counts in half ranges of the values seen so far; else in points."""
    private: bool = False
    """Whether the nodes of other seats also depend on their cards (many observers)."""
    rollout_share: float = 0.0
    """The weight of a random rollout in a leaf's value; the rest is the evaluator's value."""
    minimax: float = 0.0
    """The weight of implicit minimax values in the worth of an action; the rest is the mean of its simulations."""
