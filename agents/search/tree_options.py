"""How a tree of information sets is searched."""

from dataclasses import dataclass

from agents.search._selection import UCB_AVAILABLE, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeOptions:
    """The options of a `Tree`."""

    c: float
    """The exploration constant."""
    selection: Selection = UCB_AVAILABLE
    """The rule by which a simulation selects an action."""
    relative: bool = True
    """Whether `c` counts in half ranges of the values seen so far; else in points."""
    private: bool = False
    """Whether nodes of other seats tell their cards apart (many observers)."""
    rollout_share: float = 0.0
    """How much of a leaf's value is that of a random rollout; the rest is brought from outside."""
