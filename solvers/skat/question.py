"""What is asked of the open-card solver of Skat."""

from dataclasses import dataclass
from typing import Literal, get_args

from skat_env.errors import UnknownName
from skat_env.options import Share
from skat_env.solvers.question import OpenCardQuestion

Aim = Literal["points", "tricks"]
"""What is counted for the soloist at the end of the game.

points: its card points, the skat's included. tricks: its tricks; all 10 are schwarz, none is schwarz against it.
In null games both count 1 if it takes a trick, else 0.
"""


@dataclass(frozen=True, slots=True)
class Question(OpenCardQuestion):
    """A question about the end of a game.

    Raises:
        UnknownName: if the aim is not known.
        OptionError: if a limit is not positive, or another field not what it may be.
    """

    aim: Aim = "points"
    target: int | None = None
    """Decide whether the soloist reaches this number; None: find the exact value, at about ten times the cost."""

    def __post_init__(self) -> None:
        if self.aim not in get_args(Aim):
            raise UnknownName("aim", self.aim, get_args(Aim))
        OpenCardQuestion.__post_init__(self)


@dataclass(frozen=True, slots=True)
class SureQuestion(Question):
    """A question about what a player is sure of, whatever the others hold and play.

    What is counted is its side's; in null games 1 if it wins. Best play is not given (`line`).

    Raises:
        UnknownName: if the aim is not known.
        OptionError: if a limit is not positive, or another field not what it may be.
        ValueError: if `line` is asked for.
    """

    min_share: Share = 0.0
    """A first approximation: cards that another player has in less than this share of the worlds left are not
    considered, so that the answer holds against most worlds instead of all. 0: against all."""

    def __post_init__(self) -> None:
        Question.__post_init__(self)
        if self.line:
            raise ValueError("what is sure has no line of best play: it holds against every play")
