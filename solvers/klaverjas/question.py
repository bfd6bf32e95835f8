"""What is asked of the open-card solver of Klaverjas."""

from dataclasses import dataclass
from typing import Literal, get_args

from skat_env.errors import UnknownName
from skat_env.solvers.question import OpenCardQuestion

Aim = Literal["made", "difference", "final_difference"]
"""What both teams strive for, counted for the declaring team at the end of the deal.

made: 1 if it makes the game, else 0. difference: its card points and roem less the defenders', without the rules of nat
and pit. final_difference: its score less the defenders', with them.
"""


@dataclass(frozen=True, slots=True)
class Question(OpenCardQuestion):
    """A question about the end of a deal.

    Raises:
        UnknownName: if the aim is not known.
        OptionError: if a limit is not positive, or another field not what it may be.
    """

    aim: Aim = "difference"
    """`made` costs about a tenth of either difference."""

    def __post_init__(self) -> None:
        if self.aim not in get_args(Aim):
            raise UnknownName("aim", self.aim, get_args(Aim))
        OpenCardQuestion.__post_init__(self)
