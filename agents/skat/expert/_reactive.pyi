"""The reactive players of suit games and grand: six of them, one for each role and place in the trick."""

from skat_env.agents.skat.expert._openings import Openings
from skat_env.skat import SkatPosition

class Reactive:
    """The six players.

    Args:
        openings: the opening tables.
        rules: a bit for each rule that is on.
    """

    def __init__(self, openings: Openings, rules: int) -> None: ...
    def card(self, view: SkatPosition) -> int:
        """The card that the seat to act plays.

        Raises:
            ValueError: if the position is of null, not of the cardplay, or a view of a seat that is not to act.
        """
