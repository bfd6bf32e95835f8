"""What is asked of the open-card solver of Klaverjas."""

from dataclasses import dataclass
from typing import Literal, get_args

from skat_env.errors import UnknownName

Aim = Literal["made", "difference", "final_difference"]
"""What both teams strive for, from the declaring team's side, what was already won included.

made: 1 if it makes the game, else 0. difference: its card points and roem less the defenders', without the rules of nat
and pit. final_difference: its score less the defenders', with them.
"""


@dataclass(frozen=True, slots=True)
class KlaverjasQuestion:
    """A question about the end of a deal.

    Raises:
        UnknownName: if the aim is not known.
        ValueError: if a limit is not positive.
    """

    aim: Aim = "difference"
    """`made` costs about a tenth of either difference."""
    actions: bool = False
    """The answer for every legal action, too."""
    line: bool = False
    """Best play of both teams to the end, too."""
    node_limit: int | None = None
    """Positions to look up in the tables at most."""
    time_limit: float | None = None
    """Seconds to search at most."""

    def __post_init__(self) -> None:
        if self.aim not in get_args(Aim):
            raise UnknownName("aim", self.aim, get_args(Aim))
        for name, limit in (("node_limit", self.node_limit), ("time_limit", self.time_limit)):
            if limit is not None and limit <= 0:
                raise ValueError(f"{name} {limit} is not positive")
